import type { WatchCondition } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { type FakeThing, sceneResult, thing, viewsOf } from "../testing/fake-scene.ts";
import { evaluateCondition, type HeldCondition, interestOf } from "./evaluate-condition.ts";

describe("a condition", () => {
  it("appears: fires once when a thing has been seen three times, and not for another class", () => {
    expect(firings({ kind: "appears" }, film([at(1, 0.5, 0.5)], 6))).toEqual([[2, "A person appeared on street."]]);
    expect(firings({ kind: "appears" }, film([at(1, 0.5, 0.5)], 2))).toEqual([]);
    expect(firings({ kind: "appears" }, film([thing(1, "dog", 500)], 6))).toEqual([]);
  });

  it("leaves: fires two seconds after it was last seen", () => {
    const shown = [...film([at(1, 0.5, 0.5)], 4), ...film([], 25)];
    expect(firings({ kind: "leaves" }, shown)).toEqual([[24, "A person left street."]]);
  });

  it("crosses: fires the way it was asked for and not past the ends of the line", () => {
    // Downwards in the middle, so that the right side of the picture is left of the line.
    const line: [[number, number], [number, number]] = [
      [0.5, 0],
      [0.5, 0.6],
    ];
    const walk = (y: number) => [0.3, 0.4, 0.48, 0.55, 0.7].map((x) => [at(1, x, y)]);
    const [any, way] = [{ kind: "crosses", line, direction: "any" } as const, firings];
    expect(way(any, walk(0.3))).toEqual([[3, "A person crossed the line on street, going in."]]);
    expect(way(any, walk(0.3).reverse())).toEqual([[2, "A person crossed the line on street, going out."]]);
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
    expect(firings({ kind: "stays", seconds: 3, zone }, hidden)).toEqual([[32, "A person stayed for 3 s on street."]]);
    const gone = [...hidden, ...film([at(1, 0.2, 0.2)], 2)];
    expect(ends({ kind: "stays", seconds: 3, zone }, gone)).toEqual([
      [36, "A person left the zone on street after a stay of more than 3 s."],
    ]);
    const broken = [...inside, ...film([at(1, 0.2, 0.2)], 2), ...inside];
    expect(firings({ kind: "stays", seconds: 3, zone }, broken)).toEqual([]);
  });

  it("count: fires when there have been enough for long enough, and again only after there were fewer", () => {
    const two = film([at(1, 0.2, 0.5), at(2, 0.8, 0.5)], 15);
    const one = film([at(1, 0.2, 0.5)], 25);
    const found = firings({ kind: "count", at_least: 2, for_seconds: 1 }, [...two, ...one, ...two, ...two]);
    expect(found.map(([frame]) => frame)).toEqual([12, 52]);
    const over = ends({ kind: "count", at_least: 2, for_seconds: 1 }, [...two, ...one, ...two]);
    expect(over).toEqual([[35, "There are fewer than 2 people again on street."]]);
    expect(found[0]?.[1]).toBe("There are 2 people on street.");
  });

  it("absent: fires once when nobody has been there for so long", () => {
    const shown = [...film([], 15), ...film([at(1, 0.5, 0.5)], 5), ...film([], 60)];
    expect(firings({ kind: "absent", for_seconds: 1 }, shown).map(([frame]) => frame)).toEqual([10, 50]);
    expect(ends({ kind: "absent", for_seconds: 1 }, shown)).toEqual([[17, "There are people again on street."]]);
    expect(firings({ kind: "absent", for_seconds: 120 }, film([], 1300))).toEqual([
      [1200, "No people for 2 min on street."],
    ]);
  });
});

/** A person whose centre is at these fractions of the picture. */
function at(id: number, x: number, y: number): FakeThing {
  return thing(id, "person", x * 1000, y * 1000);
}

function film(things: readonly FakeThing[], frames: number): (readonly FakeThing[])[] {
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

/** Ten frames a second; what was told, with the index of its frame. */
function changes(
  condition: WatchCondition,
  shown: readonly (readonly FakeThing[])[],
): (readonly [frame: number, holds: boolean, text: string])[] {
  const watch = { condition, classes: ["person"] };
  const interest = interestOf(watch);
  const results = shown.map((things, index) => sceneResult(index * 100, things));
  let held: HeldCondition;
  return viewsOf(results, { interests: interest ? [interest] : [] }).flatMap((view, index) => {
    const judged = evaluateCondition(held, view, watch);
    held = judged.held;
    return judged.changes.map(({ holds, text }) => [index, holds, text] as const);
  });
}

function firings(condition: WatchCondition, shown: readonly (readonly FakeThing[])[]) {
  return changes(condition, shown).flatMap(([frame, holds, text]) => (holds ? [[frame, text] as const] : []));
}

function ends(condition: WatchCondition, shown: readonly (readonly FakeThing[])[]) {
  return changes(condition, shown).flatMap(([frame, holds, text]) => (holds ? [] : [[frame, text] as const]));
}
