import { describe, expect, it } from "vitest";
import { createRandom } from "../seeded-random.ts";
import { createBotSort } from "./bot-sort.ts";
import { createCameraMotion, fitMotion, moved } from "./camera-motion.ts";

describe("fitMotion", () => {
  it("finds turn, scale and shift although a third of the pairs goes its own way", () => {
    const truth = { a: 1.1, b: 0.05, shiftX: 7, shiftY: -3 };
    const random = createRandom(1);
    const pairs = Array.from({ length: 60 }, (_, at) => {
      const from = [200 * random(), 100 * random()] as const;
      return { from, to: at % 3 === 0 ? ([300 * random(), 300 * random()] as const) : moved(truth, from) };
    });
    const found = fitMotion(pairs, createRandom(2))!;
    for (const name of ["a", "b", "shiftX", "shiftY"] as const) expect(found[name]).toBeCloseTo(truth[name], 6);
  });

  it("knows no motion of a single pair", () => {
    expect(fitMotion([{ from: [0, 0], to: [1, 1] }], createRandom(1))).toBeUndefined();
  });
});

describe("createCameraMotion", () => {
  it("measures how far the picture has shifted", () => {
    const camera = createCameraMotion();
    camera.next(scene(0, 0));
    const { a, b, shiftX, shiftY } = camera.next(scene(9, -6));
    expect(a).toBeCloseTo(1, 2);
    expect(b).toBeCloseTo(0, 2);
    expect(shiftX).toBeCloseTo(9, 0);
    expect(shiftY).toBeCloseTo(-6, 0);
  });

  it("sees no motion in the first picture, in a blank one and after a change of size", () => {
    const camera = createCameraMotion();
    const still = { a: 1, b: 0, shiftX: 0, shiftY: 0 };
    const blank = { width: 160, height: 120, rgba: new Uint8ClampedArray(160 * 120 * 4) };
    expect([camera.next(scene(0, 0)), camera.next(blank), camera.next(blank)]).toEqual([still, still, still]);
  });
});

describe("BoT-SORT with a moving camera", () => {
  it.each([
    ["keeps the id through a jerk", true, [0, 0]],
    ["would lose it without", false, [0, -1]],
  ])("%s", (_, follows, expected) => {
    const camera = createCameraMotion();
    const tracker = createBotSort(follows ? { camera } : {});
    const ids = [0, 16].map((jerk) => {
      const xyxy = [30 + jerk, 30, 42 + jerk, 60];
      return tracker.update({ length: 1, xyxy, confidence: [0.9] }, scene(jerk, 0)).ids[0];
    });
    expect(ids).toEqual(expected);
  });
});

/** Blurred blots, the same everywhere, seen from another place. */
function scene(shiftX: number, shiftY: number) {
  const [width, height] = [200, 160];
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const [x, y] = [(pixel % width) - shiftX, Math.trunc(pixel / width) - shiftY];
    const level = 128 + 50 * Math.sin(x / 7 + Math.sin(y / 11) * 3) + 50 * Math.cos(y / 6 + Math.sin(x / 13) * 3);
    rgba.fill(level, 4 * pixel, 4 * pixel + 3);
  }
  return { width, height, rgba };
}
