import { describe, expect, it } from "vitest";
import { frameRate } from "./frame-rate.ts";

describe("frameRate", () => {
  it("counts the frames of the last three seconds", () => {
    const arrivals = Array.from({ length: 100 }, (_, index) => index * 100);
    expect(frameRate(arrivals, 9900)).toBeCloseTo(10);
  });

  it("is zero once nothing came for three seconds", () => {
    expect(frameRate([0, 100, 200], 3300)).toBe(0);
    expect(frameRate([], 0)).toBe(0);
    expect(frameRate([5], 5)).toBe(0);
  });
});
