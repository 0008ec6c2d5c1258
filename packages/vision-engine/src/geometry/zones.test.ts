import { describe, expect, it } from "vitest";
import { type BoxAnchor, CORNERS } from "./boxes.ts";
import { createLineZone, crossingOf, distanceToLine, type LineSegment, type LineZone, sideOfLine } from "./zones.ts";

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

describe("a movement over a line", () => {
  const line: LineSegment = { start: [0, 100], end: [300, 100] };

  it("goes in to the left and out to the right, whatever way the line is drawn", () => {
    expect(crossingOf(line, [50, 150], [60, 50])).toBe("in");
    expect(crossingOf(line, [50, 50], [60, 150])).toBe("out");
    expect(crossingOf({ start: line.end, end: line.start }, [50, 150], [60, 50])).toBe("out");
  });

  it("crosses nothing on one side, or past the ends of the line", () => {
    expect(crossingOf(line, [50, 150], [60, 110])).toBeUndefined();
    expect(crossingOf(line, [310, 150], [310, 50])).toBeUndefined();
    expect(crossingOf(line, [310, 150], [290, 50])).toBeUndefined();
  });

  it("has begun on the right when it begins on the line", () => {
    expect([sideOfLine(line, [50, 100]), sideOfLine(line, [50, 99]), sideOfLine(line, [301, 99])]).toEqual([
      "right",
      "left",
      undefined,
    ]);
    expect(crossingOf(line, [50, 100], [50, 99])).toBe("in");
  });

  it("counts as the line counter does", () => {
    for (const [from, to] of [
      [150, 90],
      [90, 150],
      [100, 90],
      [90, 100],
      [150, 120],
    ] as const) {
      const [countIn, countOut] = counts(horizontal(), from, to);
      const crossing = crossingOf(line, [50, from], [50, to]);
      expect([crossing === "in", crossing === "out"]).toEqual([countIn === 1, countOut === 1]);
    }
  });

  it("tells how far a point is from the line, or from its nearer end", () => {
    expect(distanceToLine(line, [50, 70])).toBe(30);
    expect(distanceToLine(line, [303, 104])).toBe(5);
  });
});

function horizontal(): LineZone {
  return createLine([0, 100], [300, 100]);
}

function createLine(start: [number, number], end: [number, number], minimumCrossingFrames = 1): LineZone {
  const anchors: BoxAnchor[] = ["CENTER"];
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
