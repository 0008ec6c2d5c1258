import { describe, expect, it } from "vitest";
import { anchorPoint, boxIou, isBox } from "./boxes.ts";

const BOXES = [0, 0, 10, 20, 5, 0, 15, 20];

describe("boxes", () => {
  it("find their anchors", () => {
    expect(anchorPoint(BOXES, "BOTTOM_CENTER", 1)).toEqual([10, 20]);
    expect(anchorPoint(BOXES, "CENTER_LEFT", 1)).toEqual([5, 10]);
  });

  it("share a third when they overlap by half", () => {
    expect(boxIou(BOXES, 0, BOXES, 1)).toBeCloseTo(1 / 3, 6);
    expect(boxIou(BOXES, 0, [20, 20, 30, 30], 0)).toBe(0);
    expect(boxIou([1, 1, 1, 1], 0, [1, 1, 1, 1], 0)).toBe(0);
  });

  it("need a positive size", () => {
    expect(isBox(BOXES, 0)).toBe(true);
    expect(isBox([10, 0, 0, 20], 0)).toBe(false);
    expect(isBox([0, 0, Number.POSITIVE_INFINITY, 20], 0)).toBe(false);
  });
});
