// a wish said again, more clearly → what its first reading made gives way
import type { Clause, Slots } from "../intent.ts";
import { toPlainWords } from "../words/plain-words.ts";

/** It asks for one more, whatever was asked before. */
const ADDS = /\b(?:also|too|as well|additionally|another|second|besides|in addition|plus)\b|^and\b/;
const DETECTS = /\b(?:detect|track|follow|locate|find)/;

/**
 * Whether the later wish is the earlier one in other words: of one kind, about the same things on the same cameras.
 * Figures and hours may differ, for they may have been misread; a place that both name and that differs makes two wishes.
 */
export function isRestated(earlier: Clause, later: Clause): boolean {
  if (ADDS.test(toPlainWords(later.words))) return false;
  return isOfKind(earlier, later) && isAboutSame(earlier.slots, later.slots) && isSamePlace(earlier.slots, later.slots);
}

function isOfKind(earlier: Clause, later: Clause): boolean {
  const [before, now] = [earlier.act.kind, later.act.kind];
  const isStart = now === "watch" || now === "count" || now === "detect" || now === "run";
  if (before !== now) return isStart && before === "detect" && !DETECTS.test(toPlainWords(earlier.words));
  if (now !== "watch") return isStart;
  const { when, seconds, atLeast } = earlier.slots;
  const isGuess = when === undefined || (when === "appears" && later.slots.when === "enters");
  const isFigure =
    (seconds !== undefined && seconds === later.slots.seconds) ||
    (atLeast !== undefined && atLeast === later.slots.atLeast);
  return isGuess || isFigure || when === later.slots.when;
}

function isAboutSame(earlier: Slots, later: Slots): boolean {
  const share = (ours: readonly string[], theirs: readonly string[]): boolean =>
    ours.length === 0 || theirs.length === 0 || ours.some((name) => theirs.includes(name));
  const isSameModel = earlier.model === later.model && earlier.workflow === later.workflow;
  return share(earlier.cameras, later.cameras) && share(earlier.classes, later.classes) && isSameModel;
}

function isSamePlace(earlier: Slots, later: Slots): boolean {
  const agree = (ours: string | undefined, theirs: string | undefined): boolean =>
    ours === undefined || theirs === undefined || ours === theirs;
  return (
    agree(earlier.zone?.name, later.zone?.name) && agree(earlier.line, later.line) && agree(earlier.way, later.way)
  );
}
