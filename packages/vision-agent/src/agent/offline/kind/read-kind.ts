// kinds of sentences that no pattern has to read: what the app knows of itself, and what no tool does yet
import { readBeyond } from "../acts/beyond.ts";
import type { Rule } from "../acts/reading.ts";

const LACKING = new Set(["quiet", "undo", "trial"]);
const TOLD = new Set(["health", "cost", "delivery"]);
const CLEAR = 0.5;

/** Another language, and what is understood without a tool for it. */
export const readLacking: Rule = ({ judged: { kind, scores, isForeign }, hasImage }) => {
  if (isForeign) return { kind: "foreign" };
  if (scores[kind] < CLEAR || hasImage || !LACKING.has(kind)) return undefined;
  return { kind: kind as "quiet" | "undo" | "trial" };
};

/** Questions about the app itself. */
export const readSelf: Rule = (reading) => {
  const { judged, slots, hasImage } = reading;
  const { kind, scores } = judged;
  if (scores[kind] < CLEAR || hasImage || !TOLD.has(kind) || slots.classes.length > 0) return undefined;
  return readBeyond(reading) === undefined ? { kind: kind as "health" | "cost" | "delivery" } : undefined;
};
