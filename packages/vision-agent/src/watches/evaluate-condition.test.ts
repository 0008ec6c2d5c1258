import type { FrameResult, WatchCondition } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { evaluateCondition, NOTHING_SEEN } from "./evaluate-condition.ts";

describe("a condition", () => {
  it("appears: fires once when a thing has been seen three times, and not for another class", () => {
    expect(firings({ kind: "appears" }, film([at(1, 0.5, 0.5)], 6))).toEqual([[2, "A person appeared"]]);
    expect(firings({ kind: "appears" }, film([at(1, 0.5, 0.5)], 2))).toEqual([]);
    expect(firings({ kind: "appears" }, film([{ ...at(1, 0.5, 0.5), className: "dog" }], 6))).toEqual([]);
  });

  it("leaves: fires two seconds after the last sight", () => {
    const shown = [...film([at(1, 0.5, 0.5)], 4), ...film([], 25)];
    expect(firings({ kind: "leaves" }, shown)).toEqual([[24, "A person left"]]);
  });

  it("crosses: fires the way it was asked for and not past the ends of the line", () => {
    // Downwards in the middle, so that the right side of the picture is left of the line.
    const line: [[number, number], [number, number]] = [
      [0.5, 0],
      [0.5, 0.6],
    ];
    const walk = (y: number) => [0.3, 0.4, 0.48, 0.55, 0.7].map((x) => [at(1, x, y)]);
    const [any, way] = [{ kind: "crosses", line, direction: "any" } as const, firings];
    expect(way(any, walk(0.3))).toEqual([[3, "A person crossed the line, going in"]]);
    expect(way(any, walk(0.3).reverse())).toEqual([[2, "A person crossed the line, going out"]]);
    expect(way({ ...any, direction: "out" }, walk(0.3))).toEqual([]);
    expect(way(any, walk(0.9))).toEqual([]);
  });

  it("enters: fires once for each stay, by where a thing stands", () => {
    const zone = square(0.5, 0.5, 1, 1);
    const outside = film([at(1, 0.2, 0.2)], 4);
    const inside = film([at(1, 0.7, 0.7)], 4);
    const shown = [...outside, ...inside, ...outside, ...inside];
    expect(firings({ kind: "enters", zone }, shown).map(([frame]) => frame)).toEqual([4, 12]);
  });

  it("stays: fires after the seconds, also when it is hidden for a moment, and starts anew after leaving the zone", () => {
    const zone = square(0.5, 0.5, 1, 1);
    const inside = film([at(1, 0.7, 0.7)], 20);
    const hidden = [...inside.slice(0, 10), ...film([], 5), ...inside];
    expect(firings({ kind: "stays", seconds: 3, zone }, hidden)).toEqual([[32, "A person stayed for 3 s"]]);
    const broken = [...inside, ...film([at(1, 0.2, 0.2)], 2), ...inside];
    expect(firings({ kind: "stays", seconds: 3, zone }, broken)).toEqual([]);
  });

  it("count: fires when there have been enough for long enough, and again only after there were fewer", () => {
    const two = film([at(1, 0.2, 0.5), at(2, 0.8, 0.5)], 15);
    const one = film([at(1, 0.2, 0.5)], 25);
    const found = firings({ kind: "count", at_least: 2, for_seconds: 1 }, [...two, ...one, ...two, ...two]);
    expect(found.map(([frame]) => frame)).toEqual([12, 52]);
    expect(found[0]?.[1]).toBe("There are 2 people");
  });

  it("absent: fires once when nobody has been there for so long", () => {
    const shown = [...film([], 15), ...film([at(1, 0.5, 0.5)], 5), ...film([], 60)];
    expect(firings({ kind: "absent", for_seconds: 1 }, shown).map(([frame]) => frame)).toEqual([10, 50]);
    expect(firings({ kind: "absent", for_seconds: 120 }, film([], 1300))).toEqual([[1200, "No people for 2 min"]]);
  });
});

interface Thing {
  readonly id: number;
  readonly className: string;
  readonly x: number;
  readonly y: number;
}

/** A person of 20 by 20 pixels whose centre is at these fractions of a picture of 1000 by 1000. */
function at(id: number, x: number, y: number): Thing {
  return { id, className: "person", x: x * 1000, y: y * 1000 };
}

function film(things: readonly Thing[], frames: number): (readonly Thing[])[] {
  return Array.from({ length: frames }, () => things);
}

function square(left: number, top: number, right: number, bottom: number): [number, number][] {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/** Ten frames a second; what fired, with the index of its frame. */
function firings(
  condition: WatchCondition,
  shown: readonly (readonly Thing[])[],
): (readonly [frame: number, what: string])[] {
  let memory = NOTHING_SEEN;
  return shown.flatMap((things, index) => {
    const judged = evaluateCondition(memory, toResult(things, index), { condition, classes: ["person"] });
    memory = judged.memory;
    return judged.firings.map(({ what }) => [index, what] as const);
  });
}

function toResult(things: readonly Thing[], index: number): FrameResult {
  return {
    frame: {
      source_id: "street",
      frame_number: index + 1,
      timestamp: new Date(Date.UTC(2026, 0, 1) + index * 100).toISOString(),
      width: 1000,
      height: 1000,
      fps: 10,
    },
    outputs: {
      tracked: {
        kind: "detections",
        detections: {
          image: { width: 1000, height: 1000 },
          xyxy: things.flatMap(({ x, y }) => [x - 10, y - 10, x + 10, y + 10]),
          confidence: things.map(() => 0.9),
          class_id: things.map(() => 0),
          class_name: things.map(({ className }) => className),
          tracker_id: things.map(({ id }) => id),
        },
      },
    },
    latency_ms: 1,
  };
}
