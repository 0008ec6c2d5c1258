import { describe, expect, it } from "vitest";
import { positionOn, type Route, secondsTo } from "./crowd.ts";

const CORNER: Route = {
  points: [
    [0, 0],
    [4, 0],
    [4, 4],
  ],
  speed: 2,
  pauses: { 1: 3 },
};

describe("a route", () => {
  it("takes the way to each of its waypoints, pauses aside", () => {
    expect([0, 1, 2].map((waypoint) => secondsTo(CORNER, waypoint))).toEqual([0, 2, 4]);
  });

  it("is nowhere before its start and after its end", () => {
    expect(positionOn(CORNER, -0.1)).toBeUndefined();
    expect(positionOn(CORNER, 7)).toBeUndefined();
  });

  it("walks, waits looking ahead, and turns while walking on", () => {
    expect(positionOn(CORNER, 1)).toEqual({ x: 2, y: 0, heading: 0, travelled: 2, moving: true });
    expect(positionOn(CORNER, 4)).toEqual({ x: 4, y: 0, heading: 0, travelled: 4, moving: false });
    const turning = positionOn(CORNER, 5.125);
    expect(turning).toMatchObject({ x: 4, y: 0.25, travelled: 4.25, moving: true });
    expect(turning?.heading).toBeCloseTo(Math.PI / 4);
    expect(positionOn(CORNER, 6)?.heading).toBeCloseTo(Math.PI / 2);
  });
});
