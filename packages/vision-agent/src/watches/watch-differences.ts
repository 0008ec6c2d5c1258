// a watch before and after → what is different
import type { Watch, WatchChange } from "@vision-agent/protocol";
import { durationInWords } from "../scene/scene-words.ts";
import { formatDateTime } from "../workspace/format-time.ts";
import { timesInWords } from "./watch-times.ts";
import { conditionInWords } from "./watch-words.ts";

/** One thing that is different, both in words. */
export interface WatchDifference {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

type Described = readonly (readonly [what: string, toWords: (watch: Watch, timeZone: string) => string])[];

const DESCRIBED: Described = [
  ["words", ({ words }) => `"${words}"`],
  ["cameras", ({ cameras }) => cameras.join(", ")],
  ["condition", conditionInWords],
  ["times", timesInWords],
  ["cooldown", ({ cooldown_seconds }) => durationInWords(cooldown_seconds)],
  ["again", ({ again_seconds }) => (again_seconds === undefined ? "never" : `after ${durationInWords(again_seconds)}`)],
  ["severity", ({ severity }) => severity],
  ["text", ({ text }) => (text === undefined ? "what was seen" : `"${text}"`)],
  [
    "muted until",
    ({ muted_until }, zone) => (muted_until === undefined ? "not muted" : formatDateTime(muted_until, zone)),
  ],
  ["expires", ({ expires_at }, zone) => (expires_at === undefined ? "never" : formatDateTime(expires_at, zone))],
  ["check", ({ check }) => check?.question ?? "none"],
  ["model", ({ model_id = "that of the camera" }) => model_id],
];

/** `timeZone`: IANA name, for times in words. Default UTC. */
export function differences(before: Watch, after: Watch, timeZone = "UTC"): WatchDifference[] {
  return DESCRIBED.map(([what, toWords]) => ({
    what,
    before: toWords(before, timeZone),
    after: toWords(after, timeZone),
  })).filter((one) => one.before !== one.after);
}

/** `Changed: cooldown 30 s → 5 min.` */
export function describeChanges(changed: readonly WatchDifference[]): string {
  if (changed.length === 0) return "Nothing is different.";
  return `Changed: ${differencesInWords(changed)}.`;
}

/** `cooldown 30 s → 300 s; severity info → critical`; empty when nothing is different. */
export function differencesInWords(changed: readonly WatchDifference[]): string {
  return changed.map(({ what, before, after }) => `${what} ${before} → ${after}`).join("; ");
}

/** The request with the changes in it; null takes something away. */
export function withChanges<R extends object>(request: R, changes: WatchChange): R {
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
  const all = Object.entries({ ...request, ...Object.fromEntries(changed) });
  return Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined)) as R;
}
