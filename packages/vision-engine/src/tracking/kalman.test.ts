import { describe, expect, it } from "vitest";
import { CENTRE_ASPECT_HEIGHT, createBoxFilter, predictBox, updateBox } from "./kalman.ts";

describe("the box filter", () => {
  it("learns a steady speed and goes on with it", () => {
    const filter = createBoxFilter(CENTRE_ASPECT_HEIGHT, [0, 50, 0.5, 80]);
    for (let frame = 1; frame <= 40; frame++) {
      predictBox(filter);
      updateBox(filter, [3 * frame, 50, 0.5, 80]);
    }
    expect(filter.mean[4]).toBeCloseTo(3, 1);
    predictBox(filter);
    expect(filter.mean[0]).toBeCloseTo(123, 0);
  });

  it("grows less sure with each prediction and surer with each measurement", () => {
    const filter = createBoxFilter(CENTRE_ASPECT_HEIGHT, [0, 0, 1, 20]);
    const [before] = filter.covariance;
    predictBox(filter);
    const predicted = filter.covariance[0]!;
    updateBox(filter, [0, 0, 1, 20]);
    expect(predicted).toBeGreaterThan(before!);
    expect(filter.covariance[0]).toBeLessThan(predicted);
  });
});
