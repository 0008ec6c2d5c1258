// a watch ↔ words

import type { WatchReport } from "@vision-agent/protocol";
import { camerasOf, lookedForOn } from "../../../watches/condition-interests.ts";
import { conditionInWords as describeCondition } from "../../../watches/watch-words.ts";
import { formatDateTime } from "../../../workspace/format-time.ts";
import type { SpokenTarget } from "../clauses/pointed-at.ts";
import type { Slots, When } from "../intent.ts";
import { inWords } from "../slots/amounts.ts";
import { withoutGaps } from "../slots/fill-slots.ts";
import { daysInWords } from "../slots/find-days.ts";
import type { WallClock } from "../slots/find-period.ts";
import { type LinePlacement, lineAcross, type Place, toLine, type Way, type Zone } from "../slots/find-places.ts";
import { joinWords, plural } from "../words/class-words.ts";
import { timesInWords } from "./findings.ts";

/** The slots of a watch that is complete. */
export interface WatchWords extends Slots {
  readonly when: When;
  /** What has to happen after it; a camera is named where it is another. */
  readonly steps?: readonly WatchWords[];
}

export const LINES: Readonly<Record<LinePlacement, string>> = {
  vertical: "a vertical line through the middle of the picture",
  horizontal: "a horizontal line through the middle of the picture",
  top: "a line across the upper part of the picture",
  bottom: "a line across the lower part of the picture",
  left: "a line in the left part of the picture",
  right: "a line in the right part of the picture",
};

const WAYS: Readonly<Record<Way, string>> = {
  left: " from right to left",
  right: " from left to right",
  up: " upwards",
  down: " downwards",
  in: " going in",
  out: " going out",
};

/** `a person stays longer than 30 seconds in the left half on yard, between 22:00 and 06:00, at most once in 1 hour`. */
export function conditionInWords(watch: WatchWords, { timeZone }: Pick<WallClock, "timeZone">): string {
  const { cameras, hours, days, modes, end, cooldownSeconds, againSeconds, severity } = watch;
  const place = `${watch.when === "leaves" ? "" : "on "}${joinWords(cameras)}`;
  return [
    `${happening(watch)} ${place}`,
    ...(watch.steps ?? []).map((step) => {
      const where = step.cameras.length === 0 ? "" : ` on ${joinWords(step.cameras)}`;
      return `then within ${inWords(watch.withinSeconds ?? 0)} ${happening(step)}${where}`;
    }),
    ...(hours === undefined ? [] : [`between ${hours.from} and ${hours.to}`]),
    ...(days === undefined ? [] : [daysInWords(days)]),
    ...(modes === undefined ? [] : [`only in the mode ${joinWords(modes, "or")}`]),
    ...(end === undefined ? [] : [`${end.words} (it ends at ${formatDateTime(end.at, timeZone)})`]),
    ...(againSeconds === undefined ? [] : [`again every ${inWords(againSeconds)} while it is so`]),
    ...(cooldownSeconds === undefined ? [] : [`at most once in ${inWords(cooldownSeconds)}`]),
    ...(severity === undefined ? [] : [`as ${severity}`]),
  ].join(", ");
}

function happening(watch: WatchWords): string {
  const { when, zone, way, atLeast = 1, atMost, seconds = 0 } = watch;
  const lasting = seconds > 0 ? ` for ${inWords(seconds)}` : "";
  const names = watch.colour === undefined ? watch.classes : watch.classes.map((name) => `${watch.colour} ${name}`);
  const one = names.length === 0 ? "anything" : joinWords(names.map(withArticle), "or");
  const there = zone === undefined ? "" : ` in ${zone.name}`;
  switch (when) {
    case "appears":
    case "leaves":
      return `${one} ${when}`;
    case "crosses":
      return `${one} crosses ${lineInWords(watch.line ?? lineAcross(way))}${way === undefined ? "" : WAYS[way]}`;
    case "enters":
      return `${one} enters ${zone?.name ?? "the zone"}`;
    case "stays":
      return `${one} stays longer than ${inWords(seconds)}${there}`;
    case "count": {
      const things = names.length === 0 ? ["thing"] : names;
      const range = watch.atLeast === atMost ? `exactly ${atMost}` : `between ${atLeast} and ${atMost}`;
      if (atMost !== undefined && watch.atLeast !== undefined)
        return `there are ${range} ${joinWords(things.map(plural), "or")}${lasting}${there}`;
      if (atMost !== undefined)
        return `there are at most ${atMost} ${joinWords(things.map(plural), "or")}${lasting}${there}`;
      const many =
        atLeast === 1
          ? `is at least one ${joinWords(things, "or")}`
          : `are at least ${atLeast} ${joinWords(things.map(plural), "or")} at once`;
      return `there ${many}${lasting}${there}`;
    }
    case "near":
      return `${one} is near ${joinWords(watch.near.map(withArticle), "or")}${lasting}`;
    case "together":
      return `${one} and ${joinWords((watch.together ?? []).map(withArticle), "or")} are there together${lasting}${there}`;
    case "absent":
      return `no ${joinWords(names, "or") || "thing"} has been seen for ${inWords(seconds)}${there}`;
  }
}

export function lineInWords(line: NonNullable<Slots["line"]>): string {
  return typeof line === "object" ? `the ${line.name.replace(/^the /, "")}` : LINES[line];
}

function withArticle(className: string): string {
  return `${/^[aeiou]/.test(className) ? "an" : "a"} ${className}`;
}

/** One line: what it waits for, what became of that today, and whether it tells now. */
export function watchInWords(watch: WatchReport, clock: WallClock): string {
  const { seen, sent, suppressed } = watch.counts.today;
  const held = suppressed === 0 ? "" : `, ${suppressed} held back`;
  const today = seen === 0 ? "" : `; today seen ${timesInWords(seen)}, ${sent} sent${held}`;
  const state = { on: "", off: "; switched off" }[watch.state.text] ?? `; ${watch.state.text}`;
  const slots = slotsOfWatch(watch);
  const wish = slots ? conditionInWords(slots, clock) : `${describeCondition(watch)} on ${joinWords(watch.cameras)}`;
  return `- "${watch.words}": ${wish}${today}${state}`;
}

/** All that people may call it by: every camera and thing of it. */
export function toTarget(watch: WatchReport): SpokenTarget {
  const cameras = camerasOf(watch);
  const classes = cameras.flatMap((camera) => lookedForOn(watch, camera).flatMap((sought) => sought.classes));
  return { id: watch.id, kind: "watch", cameras, classes: [...new Set(classes)] };
}

const KINDS: ReadonlySet<string> = new Set([
  ...["appears", "leaves", "crosses", "enters", "stays", "count", "absent", "near", "together"],
]);

function isSaid(kind: string): kind is When {
  return KINDS.has(kind);
}

/** The slots that a watch of the app was made from, so that it can be changed; undefined where no slots say it. */
export function slotsOfWatch(watch: WatchReport): WatchWords | undefined {
  const { active_hours, cooldown_seconds, severity, model_id } = watch;
  const condition = asOne(watch.condition);
  const { kind } = condition;
  if (!isSaid(kind) || watch.dates || watch.check || ("what" in condition && condition.what)) return undefined;
  const zone = "zone" in condition && condition.zone !== undefined ? toZone(condition.zone) : undefined;
  const other = "other" in condition ? condition.other.classes : undefined;
  const lasting = "for_seconds" in condition ? condition.for_seconds : 0;
  const seconds = condition.kind === "stays" ? condition.seconds : lasting;
  const crossed = condition.kind === "crosses" ? condition : undefined;
  const line = crossed && toKnownLine(crossed.line);
  return {
    cameras: watch.cameras,
    classes: watch.classes,
    excluded: [],
    near: kind === "near" ? (other ?? []) : [],
    anything: watch.classes.length === 0,
    ...(kind === "together" && other && { together: other }),
    when: kind,
    ...(zone && { zone }),
    ...(line && { line }),
    ...(crossed && crossed.direction !== "any" && { way: crossed.direction }),
    ...(seconds > 0 && { seconds }),
    ...(condition.kind === "count" && condition.at_least !== undefined && { atLeast: condition.at_least }),
    ...(condition.kind === "count" && condition.at_most !== undefined && { atMost: condition.at_most }),
    ...(watch.colour && { colour: watch.colour }),
    ...(watch.days && { days: watch.days }),
    ...(watch.modes && { modes: watch.modes }),
    ...(watch.expires_at && { end: { at: watch.expires_at, words: "for a while" } }),
    ...(watch.again_seconds && { againSeconds: watch.again_seconds }),
    ...(active_hours && { hours: active_hours }),
    ...(cooldown_seconds !== USUAL_COOLDOWN && { cooldownSeconds: cooldown_seconds }),
    ...(severity !== "info" && { severity }),
    ...(model_id !== undefined && { model: model_id }),
  };
}

type Count = Extract<WatchReport["condition"], { kind: "count" }>;

/** Two counts of the same things and place, from below and from above, are one. */
function asOne(condition: WatchReport["condition"]): WatchReport["condition"] {
  if (condition.kind !== "all") return condition;
  const counts = condition.of.filter((part): part is Count => part.kind === "count" && part.what === undefined);
  const [one, other] = counts.map(({ at_least, at_most, ...rest }) => JSON.stringify(rest));
  const isOne = counts.length === 2 && condition.of.length === 2 && one === other;
  return isOne ? Object.assign({}, ...counts.map(withoutGaps)) : condition;
}

function toZone(zone: string | readonly Place[]): Zone {
  return typeof zone === "string"
    ? { name: `the ${zone}`, points: [], place: zone }
    : { name: "its part of the picture", points: zone };
}

function toKnownLine(line: string | readonly [Place, Place]): NonNullable<Slots["line"]> {
  if (typeof line === "string")
    return {
      name: line,
      points: [
        [0, 0],
        [0, 0],
      ],
      place: line,
    };
  const drawn = { name: "its line", points: line };
  return PLACEMENTS.find((placement) => JSON.stringify(toLine(placement)) === JSON.stringify(line)) ?? drawn;
}

const PLACEMENTS = Object.keys(LINES) as readonly LinePlacement[];
/** The cooldown of a watch for which nobody named one. */
export const USUAL_COOLDOWN = 30;
