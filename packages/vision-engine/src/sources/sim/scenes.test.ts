import { describe, expect, it } from "vitest";
import { createView } from "./drawing/view.ts";
import { type Actor, classOf, type Scene } from "./scene.ts";
import { street } from "./street/street.ts";
import { warehouse } from "./warehouse/warehouse.ts";
import { LOADING_ZONE } from "./warehouse/warehouse-layout.ts";

/** An hour of an ordinary day, as an opener without `start` would see it. */
const TODAY = 1_790_000_000;

describe.each([street, warehouse])("the scene $name", (scene) => {
  it("is the same for the same second and seed", () => {
    for (const second of [0, 17.3, TODAY]) expect(scene.actorsAt(second, 4)).toEqual(scene.actorsAt(second, 4));
  });

  it("differs by seed and does not repeat itself", () => {
    expect(scene.actorsAt(50, 1)).not.toEqual(scene.actorsAt(50, 2));
    expect(scene.actorsAt(50, 1)).not.toEqual(scene.actorsAt(50 + 86_400, 1));
  });

  it("gives each actor one id", () => {
    for (let second = 0; second < 200; second += 3) {
      const ids = scene.actorsAt(second, 1).map((actor) => actor.id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it("moves nobody faster than a car within a tenth of a second", () => {
    for (let second = TODAY; second < TODAY + 150; second += 0.3) {
      const before = new Map(scene.actorsAt(second, 1).map((actor) => [actor.id, actor.pose]));
      for (const { id, kind, pose } of scene.actorsAt(second + 0.1, 1)) {
        const earlier = before.get(id);
        const limit = kind === "vehicle" || kind === "bicycle" || id.startsWith("cyclist") ? 0.9 : 0.45;
        if (earlier !== undefined) expect(Math.hypot(pose.x - earlier.x, pose.y - earlier.y), id).toBeLessThan(limit);
      }
    }
  });

  it("has people crossing the middle of the picture every few seconds, both ways", () => {
    const { rightwards, leftwards, longestPause } = crossings(scene, 180);
    expect(rightwards).toBeGreaterThan(5);
    expect(leftwards).toBeGreaterThan(5);
    expect(longestPause).toBeLessThan(25);
  });
});

describe("street", () => {
  it("shows every kind of thing within ten minutes", () => {
    expect(classesSeen(street, 600)).toEqual(["bicycle", "car", "dog", "person", "truck"]);
  });

  it("keeps cars off people on the crossing", () => {
    for (let second = 0; second < 480; second += 0.25) {
      const actors = street.actorsAt(second, 1);
      const cars = actors.filter((actor) => actor.kind === "vehicle");
      const people = actors.filter((actor) => actor.id.startsWith("crosser") && actor.pose.y > 0.3 && actor.pose.y < 7);
      for (const person of people) {
        for (const car of cars) expect(touches(car, person), `${car.id} ${person.id} at ${second}`).toBe(false);
      }
    }
  });

  it("keeps moving cars apart", () => {
    for (let second = 0; second < 600; second += 0.5) {
      const cars = street.actorsAt(second, 1).filter((actor) => actor.kind === "vehicle");
      for (const [index, car] of cars.entries()) {
        for (const other of cars.slice(index + 1)) {
          const near = Math.abs(car.pose.x - other.pose.x) < 4.1 && Math.abs(car.pose.y - other.pose.y) < 1.7;
          expect(near, `${car.id} ${other.id} at ${second}`).toBe(false);
        }
      }
    }
  });

  it("has a car that parks and leaves again", () => {
    const parked = (second: number): boolean =>
      street.actorsAt(second, 1).some(({ id, pose }) => id.startsWith("visitor") && Math.abs(pose.y - 8.2) < 0.01);
    const states = Array.from({ length: 240 }, (_, second) => parked(second));
    expect(states).toContain(true);
    expect(states).toContain(false);
  });
});

describe("warehouse", () => {
  it("shows every kind of thing within five minutes", () => {
    expect(classesSeen(warehouse, 300)).toEqual(["forklift", "package", "person"]);
  });

  it("has a person in the loading zone now and then, never together with the forklift", () => {
    const inside = ({ pose }: Actor, margin: number): boolean =>
      pose.x > LOADING_ZONE.left - margin &&
      pose.x < LOADING_ZONE.right + margin &&
      pose.y > LOADING_ZONE.near - margin &&
      pose.y < LOADING_ZONE.far + margin;
    const visits = new Set<string>();
    for (let second = 0; second < 440; second += 0.5) {
      const actors = warehouse.actorsAt(second, 1);
      const people = actors.filter((actor) => actor.kind === "person" && inside(actor, 0));
      for (const person of people) visits.add(person.id);
      const forklift = actors.some((actor) => actor.kind === "forklift" && inside(actor, 0.5));
      expect(people.length > 0 && forklift, `at ${second}`).toBe(false);
    }
    expect(visits.size).toBeGreaterThan(4);
  });

  it("brings packages, leaves them on the floor and takes them away", () => {
    const heights = new Map<string, number[]>();
    for (let second = 0; second < 240; second += 0.5) {
      for (const { kind, id, pose } of warehouse.actorsAt(second, 1)) {
        if (kind === "package") heights.set(id, [...(heights.get(id) ?? []), pose.z ?? 0]);
      }
    }
    const whole = [...heights.values()].filter((course) => (course[0] ?? 0) > 0.5 && (course.at(-1) ?? 0) > 0.5);
    expect(whole.length).toBeGreaterThan(3);
    for (const course of whole) expect(course.filter((height) => height === 0).length).toBeGreaterThan(20);
  });
});

function crossings(scene: Scene, seconds: number): { rightwards: number; leftwards: number; longestPause: number } {
  const view = createView(scene.camera, 960, 540);
  const found = { rightwards: 0, leftwards: 0, longestPause: 0 };
  let last = new Map<string, number>();
  let lastAt = TODAY;
  for (let second = TODAY; second < TODAY + seconds; second += 0.2) {
    const now = new Map<string, number>();
    for (const { id, kind, pose } of scene.actorsAt(second, 1)) {
      if (kind !== "person") continue;
      const { x } = view.project([pose.x, pose.y, 0.9]);
      now.set(id, x);
      const before = last.get(id) ?? x;
      if (before < 480 === x < 480) continue;
      found[x > before ? "rightwards" : "leftwards"] += 1;
      found.longestPause = Math.max(found.longestPause, second - lastAt);
      lastAt = second;
    }
    last = now;
  }
  return found;
}

function classesSeen(scene: Scene, seconds: number): string[] {
  const classes = new Set<string>();
  for (let second = 0; second < seconds; second++) {
    for (const actor of scene.actorsAt(second, 1)) classes.add(classOf(actor));
  }
  return [...classes].sort();
}

/** Whether a person stands inside the footprint of a car that lies along x. */
function touches(car: Actor, person: Actor): boolean {
  const half = car.kind === "vehicle" && car.model === "truck" ? 3 : 2.2;
  return Math.abs(car.pose.x - person.pose.x) < half && Math.abs(car.pose.y - person.pose.y) < 1;
}
