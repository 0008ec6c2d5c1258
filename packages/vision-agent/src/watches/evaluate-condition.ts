// who is in view → has what the watch waits for happened
import type { FrameResult, WatchCondition } from "@vision-agent/protocol";
import { followSightings, NOBODY, type Place, type Sightings, type View, type Visitor } from "./sightings.ts";

/** What is remembered of one watch on one camera between results; bounded by the sightings. */
export interface ConditionMemory {
  readonly sightings: Sightings;
  /** By tracker id: in the zone since, milliseconds since 1970. */
  readonly inside: ReadonlyMap<number, { readonly sinceMs: number; readonly told: boolean }>;
  /** Since when the picture has been as the watch waits for, and whether that was told. */
  readonly held: { readonly sinceMs: number; readonly told: boolean } | undefined;
}

export const NOTHING_SEEN: ConditionMemory = { sightings: NOBODY, inside: new Map(), held: undefined };

/** The condition has become true. */
export interface Firing {
  /** One sentence without the camera: "A person entered the zone". */
  readonly what: string;
  readonly visitor?: Visitor;
}

export interface Judged {
  readonly memory: ConditionMemory;
  readonly firings: readonly Firing[];
}

/** Pure: the same results give the same firings. */
export function evaluateCondition(
  memory: ConditionMemory,
  result: FrameResult,
  watch: { readonly condition: WatchCondition; readonly classes: readonly string[] },
): Judged {
  const view = followSightings(memory.sightings, result, watch.classes);
  const next = { ...memory, sightings: view.sightings };
  const nowMs = Date.parse(result.frame.timestamp);
  const { condition } = watch;
  switch (condition.kind) {
    case "appears":
      return { memory: next, firings: view.arrived.map((visitor) => fire(visitor, "appeared")) };
    case "leaves":
      return { memory: next, firings: view.gone.map((visitor) => fire(visitor, "left")) };
    case "crosses":
      return { memory: next, firings: crossings(view, condition) };
    case "enters":
      return followZone(next, view, { zone: condition.zone, afterMs: 0, nowMs, did: "entered the zone" });
    case "stays": {
      const did = `stayed for ${inWords(condition.seconds)}`;
      return followZone(next, view, { zone: condition.zone, afterMs: condition.seconds * 1000, nowMs, did });
    }
    case "count": {
      const count = inZone(view.there, condition.zone).length;
      const what = `There are ${count} ${namesOf(watch.classes)}`;
      const isTrue = count >= condition.at_least;
      return hold(next, { isTrue, forMs: condition.for_seconds * 1000, nowMs, what });
    }
    case "absent": {
      const isTrue = inZone(view.there, condition.zone).length === 0;
      const what = `No ${namesOf(watch.classes)} for ${inWords(condition.for_seconds)}`;
      return hold(next, { isTrue, forMs: condition.for_seconds * 1000, nowMs, what });
    }
  }
}

function crossings(
  { inPicture }: View,
  { line: [start, end], direction }: Extract<WatchCondition, { kind: "crosses" }>,
): readonly Firing[] {
  return inPicture.flatMap((visitor) => {
    if (visitor.before === undefined) return [];
    const [was, is] = [sideOf(start, end, visitor.before), sideOf(start, end, visitor.centre)];
    if (was === is || !meets(start, end, [visitor.before, visitor.centre])) return [];
    const way = is === "left" ? "in" : "out";
    return direction === "any" || direction === way ? [fire(visitor, `crossed the line, going ${way}`)] : [];
  });
}

/** Everyone in the zone is told once for each stay; without a zone the whole picture is it. */
function followZone(
  memory: ConditionMemory,
  view: View,
  options: {
    readonly zone: readonly Place[] | undefined;
    readonly afterMs: number;
    readonly nowMs: number;
    readonly did: string;
  },
): Judged {
  const { zone, afterMs, nowMs, did } = options;
  const inside = new Map<number, { sinceMs: number; told: boolean }>();
  const firings: Firing[] = [];
  for (const visitor of inZone(view.there, zone)) {
    const stay = memory.inside.get(visitor.trackerId) ?? { sinceMs: nowMs, told: false };
    const isDue = !stay.told && nowMs - stay.sinceMs >= afterMs;
    if (isDue) firings.push(fire(visitor, did));
    inside.set(visitor.trackerId, { sinceMs: stay.sinceMs, told: stay.told || isDue });
  }
  return { memory: { ...memory, inside }, firings };
}

/** Fires once when something has been true for long enough, and again only after it was false. */
function hold(
  memory: ConditionMemory,
  options: { readonly isTrue: boolean; readonly forMs: number; readonly nowMs: number; readonly what: string },
): Judged {
  const { isTrue, forMs, nowMs, what } = options;
  if (!isTrue) return { memory: { ...memory, held: undefined }, firings: [] };
  const held = memory.held ?? { sinceMs: nowMs, told: false };
  const isDue = !held.told && nowMs - held.sinceMs >= forMs;
  return { memory: { ...memory, held: { ...held, told: held.told || isDue } }, firings: isDue ? [{ what }] : [] };
}

function inZone(visitors: readonly Visitor[], zone: readonly Place[] | undefined): readonly Visitor[] {
  return zone === undefined ? visitors : visitors.filter(({ foot }) => isInside(zone, foot));
}

/** Even-odd rule. */
function isInside(zone: readonly Place[], [x, y]: Place): boolean {
  let inside = false;
  zone.forEach(([ax, ay], at) => {
    const [bx, by] = zone[(at + 1) % zone.length] ?? [ax, ay];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  });
  return inside;
}

function sideOf(start: Place, end: Place, [x, y]: Place): "left" | "right" {
  return (end[0] - start[0]) * (y - start[1]) - (end[1] - start[1]) * (x - start[0]) < 0 ? "left" : "right";
}

/** Whether the way from one place to the other goes through the line itself, not past its ends. */
function meets(start: Place, end: Place, [from, to]: readonly [Place, Place]): boolean {
  return sideOf(from, to, start) !== sideOf(from, to, end);
}

function fire(visitor: Visitor, did: string): Firing {
  const { className } = visitor;
  return { what: `${/^[aeiou]/i.test(className) ? "An" : "A"} ${className} ${did}`, visitor };
}

function namesOf(classes: readonly string[]): string {
  return classes.length === 0 ? "things" : classes.map(plural).join(" or ");
}

function plural(className: string): string {
  if (className === "person") return "people";
  return /(s|x|ch|sh)$/.test(className) ? `${className}es` : `${className}s`;
}

function inWords(seconds: number): string {
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
