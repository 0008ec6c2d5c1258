import { describe, expect, it } from "vitest";
import { type Anchor, CORNERS } from "./boxes.ts";
import { createLineZone, type LineZone } from "./line-zone.ts";

describe("a line from left to right", () => {
  it("counts upwards as in and downwards as out", () => {
    const line = horizontal();
    expect(counts(line, 150, 90)).toEqual([1, 0]);
    expect(counts(line, 110)).toEqual([1, 1]);
  });

  it("takes a point exactly on it as below", () => {
    expect(counts(horizontal(), 80, 100)).toEqual([0, 1]);
  });

  it("counts nothing beyond its ends", () => {
    expect(counts(createLine([0, 100], [20, 100]), 150, 50)).toEqual([0, 0]);
  });

  it("counts a box with all corners only when all are across", () => {
    const line = createLineZone({ start: [0, 100], end: [300, 100], anchors: CORNERS });
    expect(counts(line, 150, 105)).toEqual([0, 0]);
    expect(counts(line, 80)).toEqual([1, 0]);
  });

  it("remembers an object through one missed frame but not through two", () => {
    const once = horizontal();
    counts(once, 150, undefined);
    expect(counts(once, 50)).toEqual([1, 0]);
    const twice = horizontal();
    counts(twice, 150, undefined, undefined);
    expect(counts(twice, 50)).toEqual([0, 0]);
  });

  it("ignores an excursion shorter than the threshold", () => {
    const line = createLine([0, 100], [300, 100], 2);
    expect(counts(line, 150, 150, 50, 150)).toEqual([0, 0]);
    expect(counts(line, 50, 50)).toEqual([1, 0]);
  });

  it("refuses a line without length", () => {
    expect(() => createLine([5, 5], [5, 5])).toThrow(RangeError);
  });
});

function horizontal(): LineZone {
  return createLine([0, 100], [300, 100]);
}

function createLine(start: [number, number], end: [number, number], minimumCrossingFrames = 1): LineZone {
  const anchors: Anchor[] = ["CENTER"];
  return createLineZone({ start, end, anchors, minimumCrossingFrames });
}

/** Moves one object through these heights, absent where undefined; answers the totals in and out. */
function counts(line: LineZone, ...heights: (number | undefined)[]): [number, number] {
  for (const y of heights) {
    const seen = y !== undefined;
    line.trigger({ length: seen ? 1 : 0, xyxy: seen ? [40, y - 10, 60, y + 10] : [], trackerId: seen ? [1] : [] });
  }
  return [line.countIn, line.countOut];
}
