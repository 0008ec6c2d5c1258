import { describe, expect, it } from "vitest";
import { frameOf } from "../testing/index.ts";
import { createFramePacer } from "./source-set.ts";

describe("createFramePacer", () => {
  it.each([
    [30, 30, 90],
    [30, 20, 60],
    [30, 10, 30],
    [30, 1, 3],
    [10, 30, 30],
  ])("of %d frames a second lets %d through: %d in three seconds", (fps, maxFps, expected) => {
    const takes = createFramePacer(maxFps);
    const times = Array.from({ length: 3 * fps }, (_, i) => Math.round((i * 1000) / fps));
    expect(times.filter((ms) => takes(at(ms)))).toHaveLength(expected);
  });

  it("begins anew after a gap and when the clock goes back", () => {
    const takes = createFramePacer(10);
    expect([0, 50, 60_000, 60_050, 10, 60].map((ms) => takes(at(ms)))).toEqual([true, false, true, false, true, false]);
  });
});

function at(ms: number) {
  return { ...frameOf().metadata, timestamp: new Date(Date.UTC(2026, 0, 1) + ms).toISOString() };
}
