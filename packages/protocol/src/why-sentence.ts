// why a watch told or not → sentences for people
import type { WatchChange } from "./watch.ts";
import type { GateVerdict, WatchWhy } from "./why.ts";

/** `"a person stays": not told. The rule said no: 42 s of 60 s. With seconds 42 it would have told.` */
export function describeWatchWhy({ words, outcome, gates, change }: WatchWhy): string {
  const said = gates.find(({ passed }) => !passed);
  if (said === undefined) {
    const told =
      outcome === "told" ? "it told." : "as it is now it would have told; it was other then, or not yet there.";
    return `"${words}": ${told}`;
  }
  const fix = change ? ` It would have told ${describeFix(change)}.` : "";
  return `"${words}" did not tell: ${describeGate(said)}.${fix}`;
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
export function describeGate({ gate, found = "", needed = "", unit }: GateVerdict): string {
  const figures = unit === "s" ? `${found} of ${needed} s` : `${found}, and ${needed} is needed`;
  switch (gate) {
    case "off":
      return "it is off";
    case "made":
      return `it was made later, at ${found}`;
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
      return `it was muted until ${needed}`;
    case "hours":
    case "days":
    case "dates":
    case "mode":
      return `it tells only ${gate === "mode" ? "in the mode" : "at"} ${needed}, and it was ${found}`;
    case "cooldown":
      return `the last alert was ${found} s before, and its cooldown is ${needed} s`;
    case "check":
      return "the vision model that was asked said no";
    case "channel":
      return `the alert did not get through: ${found}`;
  }
}

function describeFix({ changes, resume }: NonNullable<WatchWhy["change"]>): string {
  if (resume) return "if it had been on";
  return `with ${Object.entries(changes)
    .map(([key, value]) => describeSetting(key, value))
    .join(" and ")}`;
}

function describeSetting(key: string, value: unknown): string {
  const name = key.replaceAll("_", " ");
  if (value === null) return `no ${name}`;
  if (key === "active_hours") {
    const { from, to } = value as NonNullable<WatchChange["active_hours"]>;
    return `hours from ${from} to ${to}`;
  }
  if (key === "condition") return describeCondition(value as NonNullable<WatchChange["condition"]>);
  if (Array.isArray(value)) return `${name} ${value.join(", ")}`;
  return `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`;
}

function describeCondition(condition: NonNullable<WatchChange["condition"]>): string {
  const { kind, ...settings } = condition;
  return `the condition ${kind} ${JSON.stringify(settings)}`;
}
