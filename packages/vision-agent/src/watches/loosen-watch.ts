// a watch that did not fire → which one setting, loosened by how little, makes it fire
import type { GateVerdict, SimpleCondition, Watch, WatchChange, WatchCondition } from "@vision-agent/protocol";
import type { PlaceFinder } from "./condition-reading.ts";

type Points = readonly (readonly [number, number])[];

/** One number of a watch, and where it ends when it is loosened all the way. */
export interface WatchKnob {
  readonly gate: GateVerdict["gate"];
  readonly unit: NonNullable<GateVerdict["unit"]>;
  readonly now: number;
  readonly loosest: number;
  /** Values are multiples of it. */
  readonly step: number;
  /** Steps beyond the first with which it fires: places are stored rounded. Default 0. */
  readonly margin?: number;
  readonly set: (value: number) => WatchChange;
}

/** Those of a watch, in the order of the gates. */
export function knobsOf(watch: Watch, camera: string, placeOf: PlaceFinder): readonly WatchKnob[] {
  const { min_confidence, min_size, max_size, condition } = watch;
  const size = { gate: "size", unit: "share of the picture", step: 0.001, margin: 1 } as const;
  return [
    ...(min_confidence !== undefined
      ? [confidenceKnob(min_confidence, (value) => ({ min_confidence: value > 0 ? value : null }))]
      : []),
    ...(min_size !== undefined
      ? [{ ...size, now: min_size, loosest: 0, set: (value: number) => ({ min_size: value > 0 ? value : null }) }]
      : []),
    ...(max_size !== undefined
      ? [{ ...size, now: max_size, loosest: 1, set: (value: number) => ({ max_size: value < 1 ? value : null }) }]
      : []),
    ...conditionKnobs(condition, camera, placeOf),
  ].sort((one, other) => ORDER.indexOf(one.gate) - ORDER.indexOf(other.gate));
}

const ORDER: readonly string[] = ["confidence", "size", "zone", "line", "rule"];

function confidenceKnob(now: number, set: WatchKnob["set"]): WatchKnob {
  return { gate: "confidence", unit: "score", now, loosest: 0, step: 0.01, set };
}

function conditionKnobs(condition: WatchCondition, camera: string, placeOf: PlaceFinder): readonly WatchKnob[] {
  switch (condition.kind) {
    case "not":
      return [];
    case "all":
    case "any":
      return condition.of.flatMap((part, at) =>
        conditionKnobs(part, camera, placeOf).map((knob) =>
          inside(knob, (changed) => ({
            ...condition,
            of: condition.of.map((one, index) => (index === at ? (changed as typeof one) : one)),
          })),
        ),
      );
    case "sequence": {
      const { within_seconds, steps } = condition;
      const set = (value: number): WatchChange => ({ condition: { ...condition, within_seconds: value } });
      const parts = steps.flatMap((step, at) =>
        simpleKnobs(step.when, step.camera ?? camera, placeOf).map((knob) =>
          inside(knob, (changed) => ({
            ...condition,
            steps: steps.map((one, index) => (index === at ? { ...one, when: changed as SimpleCondition } : one)),
          })),
        ),
      );
      return [rule("s", within_seconds, Math.min(86_400, within_seconds * 10), 1, set), ...parts];
    }
    default:
      return simpleKnobs(condition, camera, placeOf);
  }
}

function inside(knob: WatchKnob, wrap: (changed: WatchCondition) => WatchCondition): WatchKnob {
  return {
    ...knob,
    set: (value) => {
      const { condition } = knob.set(value);
      return condition ? { condition: wrap(condition) } : {};
    },
  };
}

function rule(unit: WatchKnob["unit"], now: number, loosest: number, step: number, set: WatchKnob["set"]): WatchKnob {
  return { gate: "rule", unit, now, loosest, step, set };
}

function simpleKnobs(one: SimpleCondition, camera: string, placeOf: PlaceFinder): readonly WatchKnob[] {
  const zones = "zone" in one && one.zone !== undefined ? [zoneKnob(one, one.zone, camera, placeOf)] : [];
  const seconds =
    "for_seconds" in one && one.for_seconds > 0
      ? [
          rule("s", one.for_seconds, one.kind === "absent" ? 1 : 0, 1, (value) => ({
            condition: { ...one, for_seconds: value },
          })),
        ]
      : [];
  switch (one.kind) {
    case "stays":
      return [...zones, rule("s", one.seconds, 1, 1, (value) => ({ condition: { ...one, seconds: value } }))];
    case "count": {
      const { at_least, at_most } = one;
      const count =
        at_least === undefined
          ? rule("things", at_most ?? 0, 1000, 1, (value) => ({ condition: { ...one, at_most: value } }))
          : rule("things", at_least, 1, 1, (value) => ({ condition: { ...one, at_least: value } }));
      return [...zones, count, ...seconds];
    }
    case "near":
      return [
        rule("share of the width", one.distance, 1, 0.01, (value) => ({ condition: { ...one, distance: value } })),
        ...seconds,
      ];
    case "crosses":
      return one.direction === "any"
        ? []
        : [rule("things", 0, 1, 1, () => ({ condition: { ...one, direction: "any" } }))];
    default:
      return [...zones, ...seconds];
  }
}

/** The zone, grown from its middle; the figure is by how much. */
function zoneKnob(one: SimpleCondition, zone: string | Points, camera: string, placeOf: PlaceFinder): WatchKnob {
  const points = typeof zone === "string" ? (placeOf(camera, "zone", zone)?.points ?? []) : zone;
  return {
    gate: "zone",
    unit: "share of the width",
    now: 0,
    loosest: 1,
    step: 0.01,
    set: (value) => ({ condition: { ...one, zone: grow(points, value) } as SimpleCondition }),
  };
}

/** Every corner goes outwards by so much, inside the picture. */
export function grow(points: Points, by: number): [number, number][] {
  const middle = [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis as 0 | 1], 0) / points.length);
  return points.map(
    (point) =>
      [0, 1].map((axis) => {
        const place = point[axis as 0 | 1];
        const away = Math.sign(place - (middle[axis] ?? 0)) * by;
        return Number(Math.min(1, Math.max(0, place + away)).toFixed(3));
      }) as [number, number],
  );
}

/** The value nearest to the present one with which it fires; undefined when none does. A good guess spares most tries. */
export async function loosen(
  { now, loosest, step, margin = 0 }: WatchKnob,
  fires: (value: number) => Promise<boolean>,
  guess?: number,
): Promise<number | undefined> {
  const steps = Math.ceil(Math.abs(loosest - now) / step - 1e-9);
  const valueAt = (count: number): number => {
    const value = loosest < now ? Math.max(loosest, now - count * step) : Math.min(loosest, now + count * step);
    return Number(value.toFixed(4));
  };
  let [low, high] = [0, steps];
  const attempt = async (count: number): Promise<void> => {
    if (await fires(valueAt(count))) high = count;
    else low = count;
  };
  const near = guess === undefined ? 0 : Math.ceil(Math.abs(guess - now) / step - 1e-9);
  for (const count of guess === undefined ? [] : [near, near - 1, near + 1]) {
    if (count > low && count < high) await attempt(count);
  }
  if (steps === 0 || (high === steps && !(await fires(valueAt(steps))))) return undefined;
  while (high - low > 1) await attempt(Math.floor((low + high) / 2));
  return valueAt(Math.min(steps, high + margin));
}
