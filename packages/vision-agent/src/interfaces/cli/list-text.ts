// what the API answers → lines for people
import type {
  DeparturePage,
  EgressRuleList,
  ForgetReceipt,
  Pause,
  UsageReport,
  WatchReport,
} from "@vision-agent/protocol";
import { describeCount } from "../../store/forget.ts";

/** What `--json` prints. */
export function toJsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Day and time in local time. */
export function toDate(timestamp: string): string {
  const at = new Date(timestamp);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export function describeWatches(watches: readonly WatchReport[]): string {
  if (watches.length === 0) return 'No watches yet. Add one, for example: vision-agent watch add "a person appears"\n';
  const rows = watches.map(({ id, words, cameras, state, counts: { today, total } }) => [
    id,
    state.kind === "blind" ? "blind" : state.text,
    cameras.join(", "),
    `${today.seen}/${today.sent}`,
    `${total.seen}/${total.sent}`,
    state.kind === "blind" ? `${words} (${state.text})` : words,
  ]);
  return toTable([["watch", "", "cameras", "seen/sent today", "in all", ""], ...rows]);
}

export function describeDepartures({ departures, next }: DeparturePage): string {
  if (departures.length === 0) return "No pictures have left this machine.\n";
  const rows = departures.map(({ at, camera, what, bytes, to, why, artifact, forgotten }) => [
    toDate(at),
    camera ?? (forgotten ? "forgotten" : "given by a person"),
    what === "stream" ? "stream" : `${((bytes ?? 0) / 1000).toFixed(0)} kB`,
    to,
    why,
    artifact ?? "",
  ]);
  const more = next === null ? "" : "There are more: use --limit, or --json with the API's offset.\n";
  return `${toTable([["when", "camera", "size", "sent to", "why", "picture"], ...rows])}${more}`;
}

export function describeReceipt({ preview, scope, removed, not_covered }: ForgetReceipt): string {
  const found = removed.filter(({ count }) => count > 0);
  if (found.length === 0) return `There is nothing to forget: ${scope}.\n`;
  const rows = found.flatMap(({ what, count, examples }) => [
    `  ${describeCount({ what, count })}\n`,
    ...examples.map((example) => `      ${example}\n`),
  ]);
  const rest = not_covered.map((sentence) => `  ${sentence}\n`).join("");
  const head = preview ? `This would be removed for good (${scope}):` : `Removed (${scope}):`;
  const tail = preview ? "To remove it, add --yes.\n" : "";
  return `${head}\n${rows.join("")}Not covered:\n${rest}${tail}`;
}

export function describeRules({ usual, rules }: EgressRuleList): string {
  const rest = `Everything else that would leave this machine: ${usual}.\n`;
  if (rules.length === 0) return `No rules yet. ${rest}`;
  const rows = rules.map(({ camera, destination, images, at }) => [camera, destination, images, toDate(at)]);
  return `${toTable([["camera", "destination", "pictures", "since"], ...rows])}${rest}`;
}

export function describePause({ id, created_at, prompt, choices, calls }: Pause): string {
  const waiting = calls.map(({ tool, arguments: given }) => `  ${tool} ${given}\n`).join("");
  const taken = choices.length === 0 ? "" : `  one of: ${choices.join(", ")}\n`;
  return `${id}  ${toDate(created_at)}\n  ${prompt}\n${waiting}${taken}`;
}

export function describeUsage({ today, days, sessions, watches, turns }: UsageReport): string {
  const limit = today.limit_usd === null ? "" : ` of ${toDollars(today.limit_usd)}`;
  const head = `Today ${toDollars(today.cost_usd)}${limit}, ${today.calls} calls.\n`;
  const tables: Readonly<Record<string, readonly UsageRow[]>> = {
    day: days.map((day) => [day, day.day]),
    conversation: sessions.map((session) => [session, session.session_id, session.title]),
    watch: watches.map((watch) => [watch, watch.watch_id, watch.words ?? "(removed)"]),
    turn: turns.map((turn) => [turn, toDate(turn.ended_at), `${turn.model} in ${turn.session_id}`]),
  };
  const shown = Object.entries(tables).filter(([, rows]) => rows.length > 0);
  return [head, ...shown.map(([name, rows]) => usageTable(name, rows))].join("\n");
}

type Used = Pick<UsageReport["today"], "calls" | "input_tokens" | "output_tokens" | "cost_usd">;

type UsageRow = readonly [used: Used, name: string, about?: string];

function usageTable(name: string, rows: readonly UsageRow[]): string {
  const cells = rows.map(([{ calls, input_tokens, output_tokens, cost_usd }, first, about = ""]) => [
    first,
    String(calls),
    String(input_tokens),
    String(output_tokens),
    toDollars(cost_usd),
    about,
  ]);
  return toTable([[name, "calls", "tokens in", "tokens out", "cost", ""], ...cells]);
}

function toDollars(usd: number): string {
  return `$${usd.toFixed(usd !== 0 && usd < 0.01 ? 4 : 2)}`;
}

const GAP = "  ";

/** Rows under each other, every column as wide as its widest cell; the last one runs free. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const last = Math.max(0, ...rows.map((row) => row.length)) - 1;
  const widths = Array.from({ length: last }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join("");
}
