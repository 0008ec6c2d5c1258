// why a watch told or not → sentences for people
import type { WatchChange } from "./watch.ts";
import type { GateVerdict, WatchWhy } from "./why.ts";

type ToTime = (instant: string) => string;
const AS_WRITTEN: ToTime = (instant) => instant;

/** `"a person stays" did not tell: what it waits for did not quite happen: 42 of 60 s. It would have told with 42 seconds.` */
export function describeWatchWhy({ words, outcome, gates, change }: WatchWhy, toTime: ToTime = AS_WRITTEN): string {
  const said = gates.find(({ passed }) => !passed);
  if (said === undefined) {
    const told =
      outcome === "told" ? "it told." : "as it is now it would have told; it was different then, or not there yet.";
    return `"${words}": ${told}`;
  }
  const fix = change ? ` It would have told ${describeFix(change, said.gate)}.` : "";
  return `"${words}" did not tell: ${describeGate(said, toTime)}.${fix}`;
}

const HEALTH: Readonly<Record<string, string>> = {
  down: "the camera gave no pictures",
  frozen: "the picture stood still",
  covered: "the camera was covered",
  dark: "it was too dark to see",
  reconnecting: "the camera gave no pictures",
  failed: "the camera gave no pictures",
  paused: "its pipeline was paused",
  ended: "the recording had ended",
  stopped: "its pipeline was stopped",
  starting: "its pipeline was still starting",
  "no pictures": "no picture was looked at",
};

/** What a gate that said no found. */
export function describeGate(
  { gate, found = "", needed = "", unit }: GateVerdict,
  toTime: ToTime = AS_WRITTEN,
): string {
  const figures = unit === "s" ? `${found} of ${needed} s` : `${found}, and ${needed} is needed`;
  switch (gate) {
    case "off":
      return "it is off";
    case "made":
      return found === "" ? "it was made later" : `it was made later, at ${toTime(String(found))}`;
    case "frame":
      return HEALTH[String(found)] ?? "no picture was looked at";
    case "motion":
      return "nothing moved, so nobody looked anew";
    case "detector":
      return found === 0 ? "nothing of that kind was found" : `it was found with a score of only ${figures}`;
    case "track":
      return `it was seen in only ${found} results, and ${needed} are needed`;
    case "confidence":
      return `the score was ${figures}`;
    case "size":
      return `its size was ${found} of the picture, and the limit is ${needed}`;
    case "colour":
      return found === "" ? "nobody could tell its colour" : `it was ${found}, not ${needed}`;
    case "zone":
      return `it stayed outside of the zone, ${found} of the width away at the nearest`;
    case "line":
      return `it did not cross the line, ${found} of the width away at the nearest`;
    case "rule":
      return found === "" ? "what it waits for did not happen" : `what it waits for did not quite happen: ${figures}`;
    case "told_before":
      return "it had told before, and it was still so";
    case "removed":
      return "it has been removed";
    case "muted":
      return needed === "" ? "it was muted then" : `it was muted until ${toTime(String(needed))}`;
    case "hours":
    case "days":
    case "dates":
    case "mode":
      return needed === ""
        ? TIMES_CHANGED[gate]
        : `it tells only ${timesInWords(gate, String(needed))}, and it was ${found}`;
    case "cooldown":
      if (found === "") return "the last alert was too short before";
      return `the last alert was ${found} s before, and its cooldown ${needed === "" ? "was longer then" : `is ${needed} s`}`;
    case "check":
      return "the vision model that was asked said no";
    case "channel":
      return found === "" ? "the alert did not get through" : `the alert did not get through: ${found}`;
  }
}

type TimesGate = "hours" | "days" | "dates" | "mode";

/** Where the watch has no such times any more. */
const TIMES_CHANGED: Readonly<Record<TimesGate, string>> = {
  hours: "it was outside the hours it had then",
  days: "it was none of the days it had then",
  dates: "it was outside the dates it had then",
  mode: "it was none of the modes it had then",
};

function timesInWords(gate: TimesGate, needed: string): string {
  if (gate === "mode") return `in the mode ${needed}`;
  if (gate === "days") return `on ${needed}`;
  if (needed.startsWith(" to ")) return `until ${needed.slice(4)}`;
  return `from ${needed.replace(/ to $/, "")}`;
}

function describeFix({ changes, resume }: NonNullable<WatchWhy["change"]>, gate: GateVerdict["gate"]): string {
  if (resume) return "if it had been on";
  return `with ${Object.entries(changes)
    .map(([key, value]) => describeSetting(key, value, gate))
    .join(" and ")}`;
}

const SETTINGS: Readonly<Record<string, (value: unknown) => string>> = {
  cooldown_seconds: (value) => `a cooldown of ${value} s`,
  min_confidence: (value) => `a lowest score of ${value}`,
  min_size: (value) => `a smallest size of ${value} of the picture`,
  max_size: (value) => `a largest size of ${value} of the picture`,
  colour: (value) => `the colour ${value}`,
  active_hours: (value) => {
    const { from, to } = value as NonNullable<WatchChange["active_hours"]>;
    return `hours from ${from} to ${to}`;
  },
};

/** The figure that such a condition waits for; outlines say nothing as numbers. */
const FIGURES: Readonly<Record<string, (value: unknown) => string>> = {
  seconds: (value) => `${value} s`,
  for_seconds: (value) => `${value} s`,
  within_seconds: (value) => `${value} s between its steps`,
  at_least: (value) => `at least ${value}`,
  at_most: (value) => `at most ${value}`,
  distance: (value) => `a distance of ${value} of the width`,
};

function describeCondition(condition: NonNullable<WatchChange["condition"]>, gate: GateVerdict["gate"]): string {
  if (gate === "zone") return "a zone that reaches there";
  if (gate === "line") return "a line that is there";
  const figures = Object.entries(condition).flatMap(([key, value]) => FIGURES[key]?.(value) ?? []);
  return figures.length === 0 ? `the condition "${condition.kind}"` : figures.join(" and ");
}

function describeSetting(key: string, value: unknown, gate: GateVerdict["gate"]): string {
  const name = key.replaceAll("_", " ");
  if (value === null) return `no ${name.replace("muted until", "mute").replace("active hours", "hours")}`;
  if (key === "condition") return describeCondition(value as NonNullable<WatchChange["condition"]>, gate);
  return SETTINGS[key]?.(value) ?? `${name} ${Array.isArray(value) ? value.join(", ") : value}`;
}
