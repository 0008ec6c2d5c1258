// the successor is there → what it replaces goes
import { callOne, type Made, type PlannedCall, type Steps } from "./plan.ts";

/** What `create_watch` puts out of the way by itself, as its argument, and what is left for later. */
export function splitReplaced(replaces: readonly Made[]): {
  readonly argument: { readonly replaces?: string };
  readonly rest: readonly Made[];
} {
  const first = replaces.find(({ kind }) => kind === "watch");
  if (first === undefined) return { argument: {}, rest: replaces };
  return { argument: { replaces: first.id }, rest: replaces.filter((made) => made !== first) };
}

/** Empty when there was nothing, or all of it is gone; else what stayed and why. */
export function* removeReplaced(replaces: readonly Made[]): Steps<string> {
  const left: string[] = [];
  for (const made of replaces) {
    const { tool, args } = removalOf(made);
    const answer = yield* callOne(tool, args);
    if (!answer.ok) left.push(`The earlier one, ${made.id}, is still there: ${answer.text}`);
  }
  if (replaces.length === 0) return "";
  return left.length > 0 ? left.join(" ") : `It replaces ${replaces.map(({ id }) => id).join(" and ")}.`;
}

function removalOf({ kind, id }: Made): PlannedCall {
  return kind === "watch"
    ? { tool: "remove_watch", args: { watch_id: id } }
    : { tool: "stop_pipeline", args: { pipeline_id: id } };
}
