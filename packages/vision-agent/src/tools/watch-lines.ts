// watch → one line for people and models, read back from the registry
import type { WatchCondition } from "@vision-agent/protocol";
import type { WatchStatus } from "../watches/watch-registry.ts";

/** e.g. `watch_1 "tell me when …": person appears on street; always; cooldown 30 s, info; street running; fired 0 times.` */
export function formatWatch(watch: WatchStatus): string {
  const { id, words, classes, cameras, condition, active_hours: hours, enabled } = watch;
  const when = hours === undefined ? "always" : `from ${hours.from} to ${hours.to}`;
  const what = `${classes.join(" or ") || "anything"} ${formatCondition(condition)} on ${cameras.join(", ")}`;
  const states = watch.pipelines.map(({ camera, status, reason }) => {
    const why = reason === undefined ? "" : ` (${reason})`;
    return `${camera} ${status ?? "not running"}${why}`;
  });
  const state = enabled ? states.join(", ") : "switched off";
  const last = watch.last_fired_at === undefined ? "" : `, last ${watch.last_fired_at}`;
  return `${id} "${words}": ${what}; ${when}; cooldown ${watch.cooldown_seconds} s, ${watch.severity}; ${state}; fired ${watch.fired} times${last}.`;
}

function formatCondition(condition: WatchCondition): string {
  switch (condition.kind) {
    case "appears":
    case "leaves":
      return condition.kind;
    case "crosses": {
      const way = condition.direction === "any" ? "in either direction" : `going ${condition.direction}`;
      return `crosses the line ${formatPoints(condition.line)} ${way}`;
    }
    case "enters":
      return `enters ${formatZone(condition.zone)}`;
    case "stays":
      return `stays ${condition.seconds} s${inZone(condition.zone)}`;
    case "count":
      return `at least ${condition.at_least} at once${forSeconds(condition.for_seconds)}${inZone(condition.zone)}`;
    case "absent":
      return `absent${forSeconds(condition.for_seconds)}${inZone(condition.zone)}`;
  }
}

function forSeconds(seconds: number): string {
  return seconds === 0 ? "" : ` for ${seconds} s`;
}

function inZone(zone: readonly (readonly number[])[] | undefined): string {
  return zone === undefined ? "" : ` in ${formatZone(zone)}`;
}

function formatZone(zone: readonly (readonly number[])[]): string {
  return `the zone ${formatPoints(zone)}`;
}

/** Fractions of the picture, e.g. `0.5,0 0.5,1`. */
function formatPoints(points: readonly (readonly number[])[]): string {
  return points.map((point) => point.map((share) => Number(share.toFixed(2))).join(",")).join(" ");
}
