import type { Detections } from "@vision-agent/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareDetections } from "./parity.ts";

type Row = readonly [className: string, box: readonly [number, number, number, number], score: number];

describe("two lists of boxes", () => {
  it("agree whatever their order, within two pixels and two hundredths", () => {
    const a = of(["person", [10, 10, 50, 90], 0.9], ["car", [100, 20, 200, 80], 0.5]);
    const b = of(["car", [101.5, 20, 200, 81], 0.515], ["person", [10, 9, 50, 90], 0.89]);
    const found = compareDetections(a, b);
    expect(found).toMatchObject({ counts: [2, 2], matched: 2, worst_px: 1.5, agrees: true });
    expect(found.worst_score).toBeCloseTo(0.015);
  });

  it.each<[string, Row[], object]>([
    ["a side is three pixels off", [["person", [13, 10, 50, 90], 0.9]], { matched: 1, worst_px: 3 }],
    ["a score is off", [["person", [10, 10, 50, 90], 0.8]], { matched: 1 }],
    ["the class is another", [["dog", [10, 10, 50, 90], 0.9]], { matched: 0, counts: [1, 1] }],
    ["one is missing", [], { matched: 0, counts: [1, 0] }],
    [
      "one is there twice",
      [
        ["person", [10, 10, 50, 90], 0.9],
        ["person", [10, 10, 50, 91], 0.9],
      ],
      { matched: 1, counts: [1, 2], worst_px: 0 },
    ],
  ])("do not agree when %s", (_, rows, expected) => {
    const found = compareDetections(of(["person", [10, 10, 50, 90], 0.9]), of(...rows));
    expect(found).toMatchObject({ ...expected, agrees: false });
  });

  it("agree when both are empty", () => {
    expect(compareDetections(of(), of())).toMatchObject({ agrees: true, counts: [0, 0] });
  });

  it("agree with themselves in any order", () => {
    const row = fc.tuple(
      fc.constantFrom("person", "car"),
      fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 500 })),
      fc.double({ min: 0, max: 1, noNaN: true }),
    );
    const boxes = fc.uniqueArray(row, { selector: ([name, at]) => `${name} ${at}`, maxLength: 8 });
    fc.assert(
      fc.property(boxes, (rows) => {
        const list = rows.map(([name, [x, y], score]): Row => [name, [x, y, x + 30, y + 30], score]);
        const found = compareDetections(of(...list), of(...list.toReversed()));
        expect(found).toMatchObject({ matched: list.length, agrees: true, worst_px: 0 });
      }),
    );
  });
});

function of(...rows: readonly Row[]): Detections {
  return {
    image: { width: 640, height: 480 },
    xyxy: rows.flatMap(([, box]) => [...box]),
    confidence: rows.map(([, , score]) => score),
    class_id: rows.map(() => 0),
    class_name: rows.map(([name]) => name),
    tracker_id: null,
  };
}
