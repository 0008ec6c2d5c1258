// a watch → words: what it waits for and when it tells
import type { SimpleCondition, Watch, WatchCondition, WatchedThings, WatchReport } from "@vision-agent/protocol";
import { durationInWords, wayInWords } from "../scene/scene-words.ts";
import { timesInWords } from "./watch-times.ts";

type ToldWatch = Pick<Watch, "classes" | "condition"> &
  Partial<Pick<Watch, "min_confidence" | "min_size" | "max_size" | "colour">>;

/** One line, e.g. `watch_1 "tell me …": person appears on street; always; cooldown 30 s, info; on; today seen 3, sent 1, suppressed 2; in all seen 8, sent 3, suppressed 5.` */
export function describeWatch(watch: WatchReport): string {
  const { id, words, cameras, severity, cooldown_seconds, again_seconds, expires_at, text, check, state, counts } =
    watch;
  const more = [
    ...(again_seconds === undefined ? [] : [`again after ${again_seconds} s`]),
    ...(text === undefined ? [] : [`says "${text}"`]),
    ...(check === undefined ? [] : [`asks a model first: "${check.question}"`]),
    ...(expires_at === undefined ? [] : [`until ${expires_at}`]),
  ];
  const told = [`cooldown ${cooldown_seconds} s`, severity, ...more].join(", ");
  const tally = ({ seen, sent, suppressed }: WatchReport["counts"]["today"]): string =>
    `seen ${seen}, sent ${sent}, suppressed ${suppressed}`;
  const numbers = `today ${tally(counts.today)}; in all ${tally(counts.total)}`;
  const what = `${conditionInWords(watch)} on ${cameras.join(", ")}`;
  return `${id} "${words}": ${what}; ${timesInWords(watch)}; ${told}; ${state.text.replace(/\.$/, "")}; ${numbers}.`;
}

/** e.g. `person enters loading zone`, `at least 3 person at once for 10 s`. */
export function conditionInWords(watch: ToldWatch): string {
  return describe(watch.condition, thingsInWords(watch));
}

function describe(condition: WatchCondition, things: string): string {
  switch (condition.kind) {
    case "not":
      return `not (${describe(condition.of, things)})`;
    case "all":
    case "any":
      return `${condition.kind} of (${condition.of.map((part) => describe(part, things)).join("; ")})`;
    case "sequence": {
      const steps = condition.steps.map(({ when, not, camera }) => {
        const where = camera === undefined ? "" : ` on ${camera}`;
        return `${not ? "not " : ""}${describe(when, things)}${where}`;
      });
      return `${steps.join(", then ")}, each within ${durationInWords(condition.within_seconds)}`;
    }
    case "output":
      return `${condition.path} of ${condition.pipeline} ${condition.comparator} ${condition.value}${lasting(condition.for_seconds)}`;
    default:
      return describeSimple(condition, condition.what ? thingsInWords(condition.what) : things);
  }
}

function describeSimple(condition: Exclude<SimpleCondition, { kind: "output" }>, things: string): string {
  switch (condition.kind) {
    case "appears":
    case "leaves":
      return `${things} ${condition.kind}`;
    case "crosses":
      return `${things} crosses ${placeInWords("line", condition.line)} ${directionInWords(condition)}`;
    case "enters":
      return `${things} enters ${placeInWords("zone", condition.zone)}`;
    case "stays":
      return `${things} stays ${condition.seconds} s${inZone(condition.zone)}`;
    case "count": {
      const many = condition.at_least === undefined ? `at most ${condition.at_most}` : `at least ${condition.at_least}`;
      return `${many} ${things} at once${lasting(condition.for_seconds)}${inZone(condition.zone)}`;
    }
    case "absent":
      return `${things} absent${lasting(condition.for_seconds)}${inZone(condition.zone)}`;
    case "near":
      return `${things} within ${percent(condition.distance)} of the picture's width of ${thingsInWords(condition.other)}${lasting(condition.for_seconds)}`;
    case "together":
      return `${things} and ${thingsInWords(condition.other)} at once${lasting(condition.for_seconds)}${inZone(condition.zone)}`;
  }
}

export function thingsInWords(things: WatchedThings): string {
  const { classes, colour, min_confidence, min_size, max_size } = things;
  const limits = [
    ...(min_confidence === undefined ? [] : [`${percent(min_confidence)} sure`]),
    ...(min_size === undefined ? [] : [`at least ${percent(min_size)} of the picture`]),
    ...(max_size === undefined ? [] : [`at most ${percent(max_size)} of the picture`]),
  ];
  const names = `${colour === undefined ? "" : `${colour} `}${classes.join(" or ") || "anything"}`;
  return limits.length === 0 ? names : `${names} (${limits.join(", ")})`;
}

type Crosses = Extract<SimpleCondition, { kind: "crosses" }>;

function directionInWords({ direction, names, line }: Crosses): string {
  if (direction === "any") return names ? `either way (${names.in} or ${names.out})` : "in either direction";
  const way = typeof line === "string" ? "" : wayInWords(line, direction, (words) => ` (${words})`);
  return names ? names[direction] : `going ${direction}${way}`;
}

type WrittenPlace = string | readonly (readonly number[])[];

function placeInWords(kind: "zone" | "line", place: WrittenPlace): string {
  if (typeof place === "string") return place;
  // Fractions of the picture, e.g. `0.5,0 0.5,1`.
  const points = place.map((point) => point.map((share) => Number(share.toFixed(2))).join(",")).join(" ");
  return `the ${kind} ${points}`;
}

function inZone(zone: WrittenPlace | undefined): string {
  return zone === undefined ? "" : ` in ${placeInWords("zone", zone)}`;
}

function lasting(seconds: number): string {
  return seconds === 0 ? "" : ` for ${seconds} s`;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}
