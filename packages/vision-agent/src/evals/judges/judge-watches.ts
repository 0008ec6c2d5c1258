import type { HoursPattern, NumberPattern, WatchPattern } from "../expectation.ts";
import type { FoundWatch } from "../outcome.ts";
import { fitsClasses, fitsLine, fitsNumber, fitsZone, matchPatterns } from "./match-patterns.ts";

/** Each pattern needs a watch of its own, and no watch may be left over. */
export function judgeWatches(patterns: readonly WatchPattern[], watches: readonly FoundWatch[]): readonly string[] {
  const { unmet, left } = matchPatterns(patterns, watches, fits);
  return [
    ...unmet.map((pattern) => `no watch is ${JSON.stringify(pattern)}; there are ${describe(watches)}`),
    ...left.map((watch) => `a watch that was not wanted: ${describe([watch])}`),
  ];
}

function fits(pattern: WatchPattern, watch: FoundWatch): boolean {
  const { cameras, classes, condition, at_least, seconds, direction, line, zone, hours, cooldown_seconds, severity } =
    pattern;
  const { condition: found } = watch;
  return (
    (cameras === undefined || sameNames(cameras, watch.cameras)) &&
    (classes === undefined || fitsClasses(classes, watch.classes)) &&
    (condition === undefined || [condition].flat().includes(found.kind)) &&
    (at_least === undefined || fitsNumber(at_least, found.at_least)) &&
    (seconds === undefined || fitsNumber(seconds, found.seconds ?? found.for_seconds)) &&
    (direction === undefined || found.direction === direction) &&
    (line === undefined || fitsLine(line, found.line)) &&
    (zone === undefined || fitsZone(zone, found.zone)) &&
    (hours === undefined || fitsHours(hours, watch.active_hours)) &&
    (cooldown_seconds === undefined || fitsNumber(cooldown_seconds, watch.cooldown_seconds)) &&
    (severity === undefined || watch.severity === severity) &&
    (pattern.at_most === undefined || fitsNumber(pattern.at_most, found.at_most)) &&
    (pattern.other === undefined || fitsClasses(pattern.other, found.other?.classes ?? [])) &&
    (pattern.without === undefined || fitsClasses(pattern.without, found.without ?? [])) &&
    (pattern.place === undefined || found.place?.toLowerCase() === pattern.place.toLowerCase()) &&
    fitsNames(pattern.days, watch.days) &&
    fitsNames(pattern.modes, watch.modes) &&
    fitsMinutes(pattern.muted_minutes, watch.mutedMinutes) &&
    fitsMinutes(pattern.ends_minutes, watch.endsMinutes) &&
    watch.enabled === pattern.enabled &&
    (pattern.new === undefined || pattern.new === watch.isNew)
  );
}

function fitsNames(wanted: "none" | readonly string[] | undefined, found: readonly string[] | undefined): boolean {
  if (wanted === undefined) return true;
  return wanted === "none" ? found === undefined : sameNames(wanted, found ?? []);
}

/** A minute of what is exact may have passed. */
function fitsMinutes(wanted: "none" | NumberPattern | undefined, found: number | undefined): boolean {
  if (wanted === undefined) return true;
  if (wanted === "none") return found === undefined;
  return fitsNumber(typeof wanted === "number" ? { from: wanted - 1, to: wanted + 1 } : wanted, found);
}

function sameNames(some: readonly string[], others: readonly string[]): boolean {
  const [one, other] = [some, others].map((names) =>
    [...new Set(names.map((name) => name.toLowerCase()))].sort().join("\n"),
  );
  return one === other;
}

const DAY_MINUTES = 1440;

function fitsHours(pattern: HoursPattern, hours: FoundWatch["active_hours"]): boolean {
  if (pattern === "none" || hours === undefined) return pattern === "none" && hours === undefined;
  return (["from", "to"] as const).every((end) => {
    const apart = Math.abs(toMinutes(pattern[end]) - toMinutes(hours[end]));
    return Math.min(apart, DAY_MINUTES - apart) <= pattern.within_minutes;
  });
}

function toMinutes(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

function describe(watches: readonly FoundWatch[]): string {
  const words = watches.map(
    ({ words: said, cameras, classes, condition, active_hours, days, modes, mutedMinutes, endsMinutes, ...rest }) => {
      const { cooldown_seconds, severity, enabled } = rest;
      const times = { active_hours, days, modes, mutedMinutes, endsMinutes };
      return `"${said}" ${JSON.stringify({ cameras, classes, condition, ...times, cooldown_seconds, severity, enabled })}`;
    },
  );
  return words.join("; ") || "none";
}
