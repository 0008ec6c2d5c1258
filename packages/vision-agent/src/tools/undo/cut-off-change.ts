// what a change found, and what is there now → what it changed before a crash cut it off
import { isDeepStrictEqual } from "node:util";
import { cameraSchema, type Effect } from "@vision-agent/protocol";
import { cameraEffect, foundEffect } from "../effects.ts";
import type { ChangedThing } from "./undo-words.ts";

type Found = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** In this order things go, and in the other they come: what is used comes before its users. */
const GOING: readonly Effect["what"][] = ["watch", "pipeline", "task", "place", "mode", "limit", "camera"];

/** In the order in which a call makes such changes. Notes are found by what they say, and are not among them. */
export function findCutOffChange(before: Found, now: Found): readonly ChangedThing[] {
  const renamed = findRename(before.camera ?? {}, now.camera ?? {});
  // Everything else followed the name.
  if (renamed) return [renamed];
  const changed = GOING.flatMap((what) => changedOf(what, before[what], now[what]));
  // Watches start and stop pipelines themselves.
  const own = changed.some(({ effect: { what } }) => what === "watch")
    ? changed.filter(({ effect: { what } }) => what !== "pipeline")
    : changed;
  const came = own.filter((one) => one.before === undefined);
  return [...own.filter((one) => one.before !== undefined), ...came.toReversed()];
}

/** What holds a secret, null, is not told apart. */
function changedOf(
  what: Effect["what"],
  before: Found[string] | undefined,
  now: Found[string] | undefined,
): readonly ChangedThing[] {
  if (before === undefined || now === undefined) return [];
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .map((id) => ({ id, states: { before: before[id], now: now[id] } }))
    .filter(({ states }) => !Object.values(states).includes(null) && !isDeepStrictEqual(states.before, states.now))
    .map(({ id, states }) => ({
      effect: foundEffect(what, id, states),
      before: states.before,
      after: states.now,
    }));
}

function findRename(before: Found[string], now: Found[string]): ChangedThing | undefined {
  const [gone, ...more] = Object.keys(before).filter((id) => !(id in now));
  const [came, ...others] = Object.keys(now).filter((id) => !(id in before));
  if (gone === undefined || came === undefined || more.length > 0 || others.length > 0) return undefined;
  const sourceOf = (state: unknown): string | undefined => cameraSchema.safeParse(state).data?.source;
  if (sourceOf(before[gone]) !== sourceOf(now[came])) return undefined;
  return { effect: cameraEffect("renamed", came, gone), before: before[gone], after: now[came] };
}
