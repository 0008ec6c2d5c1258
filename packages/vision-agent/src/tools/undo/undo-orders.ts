// lines of undo.jsonl → what a person ordered at a time, in words
import { effectSchema, type UndoStep } from "@vision-agent/protocol";
import { z } from "zod";
import { changesInWords } from "./undo-words.ts";

const itemSchema = z.object({
  effect: effectSchema,
  /** As it was and as it became; absent where it was not there. */
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});

/** What one call changed. */
export const keptStepSchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  by: z.string(),
  /** The same for all calls of one turn of a conversation. Absent: the call is an order of its own. */
  order: z.string().optional(),
  items: z.array(itemSchema).min(1),
  blocked: z.string().optional(),
  undone_at: z.iso.datetime().optional(),
});
export type KeptStep = z.infer<typeof keptStepSchema>;

/** All calls of one order, oldest first. */
export type KeptOrder = readonly KeptStep[];

/** The one that was changed last comes last. */
export function toOrders(steps: readonly KeptStep[]): readonly KeptOrder[] {
  const places = new Map(steps.map((step, at) => [step, at]));
  const lastOf = (order: KeptOrder): number => places.get(order.at(-1) as KeptStep) ?? 0;
  return [...Map.groupBy(steps, ({ order, id }) => order ?? id).values()].sort(
    (one, other) => lastOf(one) - lastOf(other),
  );
}

/** Calls that can be undone or, with `redo`, done again: those that were undone together last. */
export function openCalls(order: KeptOrder, redo: boolean): KeptOrder {
  const able = order.filter(({ blocked }) => blocked === undefined);
  if (!redo) return able.filter(({ undone_at }) => undone_at === undefined);
  const last = undoneAt(order);
  return last === undefined ? [] : able.filter(({ undone_at }) => undone_at === last);
}

/** When something of it was undone last. */
export function undoneAt(order: KeptOrder): string | undefined {
  return order
    .flatMap(({ undone_at }) => undone_at ?? [])
    .toSorted()
    .at(-1);
}

export function toStep(order: KeptOrder): UndoStep {
  const [first] = order as readonly [KeptStep, ...KeptStep[]];
  const last = order.at(-1) ?? first;
  const isBlocked = order.every(({ blocked }) => blocked !== undefined);
  const stamp = isBlocked || openCalls(order, false).length > 0 ? undefined : undoneAt(order);
  return {
    id: first.id,
    at: last.at,
    by: first.by,
    lines: isBlocked ? [...linesOf(order)] : [...linesOf(ableOf(order)), ...blockedLines(order)],
    ...(isBlocked && { blocked: last.blocked }),
    ...(stamp !== undefined && { undone_at: stamp }),
  };
}

/** What of it cannot be undone, with the reasons. */
export function blockedLines(order: KeptOrder): readonly string[] {
  const blocked = order.filter((call) => call.blocked !== undefined);
  return [...Map.groupBy(blocked, (call) => call.blocked)].map(
    ([reason, calls]) => `${linesOf(calls).join(" ")} ${reason}`,
  );
}

export function linesOf(order: KeptOrder): readonly string[] {
  return changesInWords(order.flatMap(({ items }) => items));
}

function ableOf(order: KeptOrder): KeptOrder {
  return order.filter(({ blocked }) => blocked === undefined);
}
