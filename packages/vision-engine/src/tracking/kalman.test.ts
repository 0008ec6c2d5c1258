import { describe, expect, it } from "vitest";
import { createBoxFilter, predictBox, updateBox, writeBox } from "./kalman.ts";

describe("the box filter", () => {
  it("learns a steady speed and goes on with it", () => {
    const filter = createBoxFilter([0, 50, 0.5, 80]);
    for (let frame = 1; frame <= 40; frame++) {
      predictBox(filter);
      updateBox(filter, [3 * frame, 50, 0.5, 80]);
    }
    expect(filter.mean[4]).toBeCloseTo(3, 1);
    predictBox(filter);
    expect(filter.mean[0]).toBeCloseTo(123, 0);
  });

  it("grows less sure with each prediction and surer with each measurement", () => {
    const filter = createBoxFilter([0, 0, 1, 20]);
    const [before] = filter.covariance;
    predictBox(filter);
    const predicted = filter.covariance[0]!;
    updateBox(filter, [0, 0, 1, 20]);
    expect(predicted).toBeGreaterThan(before!);
    expect(filter.covariance[0]).toBeLessThan(predicted);
  });

  it("writes its box as corners", () => {
    const xyxy = new Float64Array(8);
    writeBox(createBoxFilter([100, 50, 0.5, 80]), xyxy, 1);
    expect([...xyxy]).toEqual([0, 0, 0, 0, 80, 10, 120, 90]);
  });
});
