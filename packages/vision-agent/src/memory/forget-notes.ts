import { type ForgetTarget, isOfTarget } from "../store/forget-target.ts";
import type { LocalTime } from "./local-time.ts";
import type { ParsedNote } from "./note-text.ts";

const FIRST = "0000";
const LAST = "9999";

/**
 * Whether a note goes: one about an event that goes, or about the camera and with any part in that time. Preferences of
 * a person do not come from a camera and stay.
 */
export function isForgotten(note: ParsedNote, target: ForgetTarget, toLocal: (ms: number) => LocalTime): boolean {
  if (Object.values(note.metadata ?? {}).some((value) => target.events.has(String(value)))) return true;
  if (note.category === "preference" || target.fromMs >= target.toMs) return false;
  const camera = target.camera?.toLowerCase();
  // Of a note without a date nobody knows when its camera was called so.
  const writtenMs =
    note.day === undefined ? Number.POSITIVE_INFINITY : Date.parse(`${note.day}T${note.time ?? "12:00"}Z`);
  if (camera !== undefined && !isOfTarget(target, note.camera, writtenMs)) return false;
  // Of all cameras: what is about none of them was not seen by one, unless it is an observation.
  if (camera === undefined && note.camera === undefined && note.category !== "observation") return false;
  const label = (ms: number): string => {
    const { day, time } = toLocal(ms);
    return `${day} ${time}`;
  };
  const from = Number.isFinite(target.fromMs) ? label(target.fromMs) : FIRST;
  const to = Number.isFinite(target.toMs) ? label(target.toMs - 1) : LAST;
  const [begin, end] = timeOf(note);
  return end >= from && begin <= to;
}

/** First and last minute that a note may be about. A note without a date may be about any. */
function timeOf({ day, time, metadata }: ParsedNote): readonly [string, string] {
  if (day === undefined) return [FIRST, LAST];
  if (time === undefined || metadata?.summary === "day") return [`${day} 00:00`, `${day} 23:59`];
  return [`${day} ${time}`, `${day} ${metadata?.summary === "hour" ? `${time.slice(0, 2)}:59` : time}`];
}
