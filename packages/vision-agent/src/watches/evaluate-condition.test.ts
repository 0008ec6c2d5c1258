import type { WatchCondition } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { type FakeThing, sceneResult, thing, viewsOf } from "../testing/fake-scene.ts";
import { interestsOn } from "./condition-interests.ts";
import type { ConditionMemory, PlaceFinder } from "./condition-reading.ts";
import { evaluateCondition, type JudgedWatch } from "./evaluate-condition.ts";

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
    expect(way(any, walk(0.3))).toEqual([[3, "A person crossed the line on street, going in (from left to right)."]]);
    expect(way(any, walk(0.3).reverse())).toEqual([
      [2, "A person crossed the line on street, going out (from right to left)."],
    ]);
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
    expect(firings({ kind: "absent", for_seconds: 1 }, shown).map(([frame]) => frame)).toEqual([10, 40]);
    expect(ends({ kind: "absent", for_seconds: 1 }, shown)).toEqual([[17, "There are people again on street."]]);
    expect(firings({ kind: "absent", for_seconds: 120 }, film([], 1300))).toEqual([
      [1200, "No people for 2 min on street."],
    ]);
  });

  it("absent: the seconds run from when somebody was last seen, not from when they counted as gone", () => {
    const shown = [...film([at(1, 0.5, 0.5)], 20), ...film([], 60)];
    expect(firings({ kind: "absent", for_seconds: 3 }, shown).map(([frame]) => frame)).toEqual([49]);
    expect(firings({ kind: "absent", for_seconds: 6.5 }, shown)).toEqual([]);
  });
});

type Of<K extends WatchCondition["kind"]> = Extract<WatchCondition, { kind: K }>;

describe("a condition of several things", () => {
  const walks = (id: number, className: string, from: number, to: number, frames = 20): FakeThing[][] =>
    Array.from({ length: frames }, (_, frame) => [thing(id, className, from + ((to - from) * frame) / frames, 500)]);
  const both = (one: FakeThing[][], other: FakeThing[][]): FakeThing[][] =>
    one.map((things, frame) => [...things, ...(other[frame] ?? [])]);

  it("near: fires when two things have been so close for long enough, by the edges of their boxes", () => {
    const still = film([thing(2, "car", 800, 500)], 20).map((things) => [...things]);
    const near: Of<"near"> = { kind: "near", other: { classes: ["car"] }, distance: 0.1, for_seconds: 0 };
    // Boxes are 20 px wide in a picture of 1000: 0.1 is 100 px, centres 120 px apart.
    const found = firings(near, both(walks(1, "person", 400, 800), still));
    expect(found).toEqual([[14, "There are people near cars on street."]]);
    expect(firings({ ...near, distance: 0.001 }, both(walks(1, "person", 400, 700), still))).toEqual([]);
    expect(firings({ ...near, other: { classes: ["dog"] } }, both(walks(1, "person", 400, 800), still))).toEqual([]);
    expect(firings({ ...near, for_seconds: 0.5 }, both(walks(1, "person", 400, 800), still))[0]?.[0]).toBe(19);
  });

  it("near: one thing is not near itself", () => {
    const same: Of<"near"> = { kind: "near", other: { classes: ["person"] }, distance: 0.2, for_seconds: 0 };
    expect(firings(same, film([at(1, 0.5, 0.5)], 5))).toEqual([]);
    expect(firings(same, film([at(1, 0.5, 0.5), at(2, 0.6, 0.5)], 5))).toHaveLength(1);
  });

  it("together: fires when both are there at once, in a zone where one is named", () => {
    const together: Of<"together"> = { kind: "together", other: { classes: ["car"] }, for_seconds: 0 };
    const apart = [...film([at(1, 0.7, 0.7)], 5), ...film([], 30), ...film([thing(2, "car", 700, 700)], 5)];
    expect(firings(together, apart)).toEqual([]);
    const car = thing(2, "car", 200, 200);
    expect(firings(together, film([at(1, 0.7, 0.7), car], 5))[0]?.[0]).toBe(2);
    expect(firings({ ...together, zone: "yard" }, film([at(1, 0.7, 0.7), car], 5))).toEqual([]);
    expect(firings({ ...together, zone: "yard" }, film([at(1, 0.7, 0.7), thing(2, "car", 800, 800)], 5))).toEqual([
      [2, "There are people and cars together in the yard on street."],
    ]);
  });

  it("count with at_most: fires when there are too few", () => {
    const shown = [...film([at(1, 0.2, 0.5), at(2, 0.8, 0.5)], 10), ...film([at(1, 0.2, 0.5)], 30)];
    const few = { kind: "count", at_most: 1, for_seconds: 0 } as const;
    expect(firings(few, shown).at(-1)).toEqual([30, "There is 1 person on street."]);
    expect(ends(few, shown)).toEqual([[2, "There are more than 1 people again on street."]]);
  });

  it("output: compares a value of a pipeline, by its name, and holds for so long", () => {
    const outputs = [0, 3, 3, 3, 3, 1].map((belt) => ({ belt }));
    const condition = {
      kind: "output",
      pipeline: "Dock-Count",
      path: "belt",
      comparator: ">=",
      value: 3,
      for_seconds: 0.2,
    } as const;
    expect(changes(condition, film([], 6), { outputs })).toEqual([
      [3, true, "belt of Dock-Count is >= 3 on street."],
      [5, false, "belt of Dock-Count is no longer >= 3 again on street."],
    ]);
    expect(firings({ ...condition, pipeline: "another" }, film([], 6), { outputs })).toEqual([]);
    expect(firings({ ...condition, path: "nothing.here" }, film([], 6), { outputs })).toEqual([]);
    expect(
      firings({ ...condition, path: "tracked_detections.count", value: 1 }, film([at(1, 0.5, 0.5)], 6)),
    ).toHaveLength(1);
  });

  it("not an output: is not told before there is one, nor by the results of other pipelines in between", () => {
    const belt = {
      kind: "output",
      pipeline: "pipe_1",
      path: "belt",
      comparator: ">=",
      value: 3,
      for_seconds: 0,
    } as const;
    const not: WatchCondition = { kind: "not", of: belt };
    const both: WatchCondition = { kind: "all", of: [{ kind: "count", at_least: 1, for_seconds: 0 }, not] };
    const results = Array.from({ length: 12 }, (_, index) => {
      const counts: Record<string, number> = index % 2 === 0 ? {} : { belt: index < 9 ? 3 : 0 };
      return [index % 2 === 0 ? "pipe_2" : "pipe_1", sceneResult(index * 100, [at(1, 0.5, 0.5)], { counts })] as const;
    });
    for (const condition of [not, both]) {
      let memory: ConditionMemory | undefined;
      const told = viewsOf(results).flatMap((view, index) => {
        const judged = evaluateCondition(
          memory,
          view,
          { condition, classes: ["person"] },
          { camera: "street", placeOf },
        );
        memory = judged.memory;
        return judged.changes.map(({ holds }) => [index, holds]);
      });
      expect(told).toEqual([[9, true]]);
    }
  });

  it("all: tells a moment while the states hold, and of states alone when all of them do", () => {
    const car = thing(9, "car", 100, 100);
    const alone: WatchCondition = {
      kind: "all",
      of: [{ kind: "appears" }, { kind: "count", what: { classes: ["car"] }, at_most: 0, for_seconds: 0 }],
    };
    expect(firings(alone, film([at(1, 0.5, 0.5)], 5))).toEqual([
      [2, "A person appeared on street while there are no cars."],
    ]);
    expect(firings(alone, [...film([car], 5), ...film([car, at(1, 0.5, 0.5)], 5)])).toEqual([]);
    const states: WatchCondition = {
      kind: "all",
      of: [
        { kind: "count", at_least: 1, for_seconds: 0 },
        { kind: "not", of: { kind: "count", what: { classes: ["car"] }, at_least: 1, for_seconds: 0 } },
      ],
    };
    const shown = [...film([car, at(1, 0.5, 0.5)], 5), ...film([at(1, 0.5, 0.5)], 30)];
    expect(firings(states, shown)).toEqual([[25, "There is 1 person and there are fewer than 1 cars on street."]]);
  });

  it("any: tells whichever of them begins, and of states alone once while one of them holds", () => {
    const mixed: WatchCondition = {
      kind: "any",
      of: [{ kind: "appears" }, { kind: "count", what: { classes: ["car"] }, at_least: 1, for_seconds: 0 }],
    };
    const shown = [...film([thing(9, "car", 100, 100)], 5), ...film([thing(9, "car", 100, 100), at(1, 0.5, 0.5)], 5)];
    expect(firings(mixed, shown)).toEqual([
      [2, "There is 1 car on street."],
      [7, "A person appeared on street."],
    ]);
    const states: WatchCondition = {
      kind: "any",
      of: [
        { kind: "count", at_least: 1, for_seconds: 0 },
        { kind: "count", what: { classes: ["car"] }, at_least: 1, for_seconds: 0 },
      ],
    };
    expect(firings(states, shown)).toHaveLength(1);
  });

  it("sequence: one thing after the other within the seconds, and not later", () => {
    const condition: WatchCondition = {
      kind: "sequence",
      steps: [{ when: { kind: "appears", what: { classes: ["car"] } } }, { when: { kind: "appears" } }],
      within_seconds: 2,
    };
    const car = thing(9, "car", 100, 100);
    const after = (frames: number) => [...film([car], frames), ...film([car, at(1, 0.5, 0.5)], 5)];
    expect(firings(condition, after(10))).toEqual([[12, "A person appeared on street."]]);
    expect(firings(condition, after(40))).toEqual([]);
    expect(firings(condition, [...film([at(1, 0.5, 0.5)], 5), ...film([car, at(1, 0.5, 0.5)], 5)])).toEqual([]);
  });

  it("sequence with a last step that must not come: tells when the seconds are over", () => {
    const condition: WatchCondition = {
      kind: "sequence",
      steps: [{ when: { kind: "appears", what: { classes: ["car"] } } }, { not: true, when: { kind: "appears" } }],
      within_seconds: 2,
    };
    const car = thing(9, "car", 100, 100);
    expect(firings(condition, film([car], 40)).map(([frame]) => frame)).toEqual([23]);
    expect(firings(condition, [...film([car], 10), ...film([car, at(1, 0.5, 0.5)], 40)])).toEqual([]);
  });

  it("again_seconds: what lasts is told again, and a stay too", () => {
    const shown = film([at(1, 0.7, 0.7)], 62);
    expect(firings({ kind: "count", at_least: 1, for_seconds: 0 }, shown, { again_seconds: 2 })).toEqual([
      [2, "There is 1 person on street."],
      [22, "Still: there is 1 person on street."],
      [42, "Still: there is 1 person on street."],
    ]);
    expect(firings({ kind: "stays", seconds: 1, zone: "yard" }, shown, { again_seconds: 2 })).toEqual([
      [12, "A person stayed for 1 s on street."],
      [32, "A person is still there on street, after more than 1 s."],
      [52, "A person is still there on street, after more than 1 s."],
    ]);
  });

  it("leaves out what is too small, too large or not sure enough", () => {
    // 20 by 20 of 1000 by 1000 pixels, 0.9 sure.
    const shown = film([at(1, 0.5, 0.5)], 5);
    expect(firings({ kind: "appears" }, shown, { min_size: 0.001 })).toEqual([]);
    expect(firings({ kind: "appears" }, shown, { max_size: 0.0001 })).toEqual([]);
    expect(firings({ kind: "appears" }, shown, { min_confidence: 0.95 })).toEqual([]);
    expect(
      firings({ kind: "appears" }, shown, { min_size: 0.0003, max_size: 0.001, min_confidence: 0.9 }),
    ).toHaveLength(1);
  });

  it("speaks of a zone by its name, and never fires for one that the camera does not have", () => {
    const entering = [...film([at(1, 0.2, 0.2)], 4), ...film([at(1, 0.7, 0.7)], 4)];
    expect(firings({ kind: "enters", zone: "yard" }, entering)).toEqual([[4, "A person entered the yard on street."]]);
    expect(firings({ kind: "enters", zone: "attic" }, entering)).toEqual([]);
    expect(firings({ kind: "absent", zone: "attic", for_seconds: 1 }, film([], 30))).toEqual([]);
  });

  it("calls directions by their names", () => {
    const line: [[number, number], [number, number]] = [
      [0.5, 0],
      [0.5, 1],
    ];
    const names = { in: "entering", out: "leaving" };
    const condition = { kind: "crosses", line, direction: "any", names } as const;
    expect(firings(condition, walks(1, "person", 300, 700))[0]?.[1]).toBe(
      "A person crossed the line on street, entering.",
    );
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
  { outputs, ...more }: Told = {},
): (readonly [frame: number, holds: boolean, text: string])[] {
  const watch = { condition, classes: ["person"], cameras: ["street"], ...more };
  const interests = interestsOn(watch, "street", placeOf);
  const results = shown.map((things, index) => sceneResult(index * 100, things, { counts: outputs?.[index] ?? {} }));
  let memory: ConditionMemory | undefined;
  return viewsOf(results, { interests, pipelineName: "dock-count" }).flatMap((view, index) => {
    const judged = evaluateCondition(memory, view, watch, { camera: "street", placeOf });
    memory = judged.memory;
    return judged.changes.map(({ holds, text }) => [index, holds, text] as const);
  });
}

interface Told extends Partial<JudgedWatch> {
  /** By frame. */
  readonly outputs?: readonly Readonly<Record<string, number>>[];
}

const placeOf = ((camera, kind, name) =>
  camera === "street" && kind === "zone" && name === "yard"
    ? { name, kind, points: square(0.5, 0.5, 1, 1) }
    : undefined) as PlaceFinder;

function firings(condition: WatchCondition, shown: readonly (readonly FakeThing[])[], told: Told = {}) {
  return changes(condition, shown, told).flatMap(([frame, holds, text]) => (holds ? [[frame, text] as const] : []));
}

function ends(condition: WatchCondition, shown: readonly (readonly FakeThing[])[]) {
  return changes(condition, shown).flatMap(([frame, holds, text]) => (holds ? [] : [[frame, text] as const]));
}
