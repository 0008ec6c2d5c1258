import { describe, expect, it } from "vitest";
import {
  createCandidates,
  type EmbeddedCandidates,
  fuseCandidates,
  mostConfident,
  suppressOverlaps,
} from "./candidates.ts";

type Row = readonly [left: number, confidence: number, classId: number];

const LONELY = { first: () => 0.5, second: (classId: number) => (classId === 7 ? 0.5 : 1) };

describe("fuseCandidates", () => {
  it("joins boxes that both saw: surer, and between the two by score", () => {
    const fused = fuseCandidates(boxes([0, 0.6, 0]), boxes([20, 0.3, 0]), LONELY);
    expect(fused.xyxy.map(Math.round)).toEqual([7, 0, 107, 100]);
    expect(fused.confidence[0]).toBeCloseTo(1 - 0.4 * 0.7);
  });

  it("trusts what one saw alone as much as that one deserves", () => {
    const fused = fuseCandidates(boxes([0, 0.8, 0]), boxes([500, 0.8, 0], [0, 0.9, 7]), LONELY);
    expect(rows(fused)).toEqual([
      [0, 0.4, 0],
      [500, 0.8, 0],
      [0, 0.45, 7],
    ]);
  });

  it("pairs the best overlap first", () => {
    const fused = fuseCandidates(boxes([30, 0.5, 0], [1, 0.5, 0]), boxes([0, 0.5, 0]), LONELY);
    expect(rows(fused)).toEqual([
      [0.5, 0.75, 0],
      [30, 0.25, 0],
    ]);
  });
});

describe("suppressOverlaps", () => {
  it("leaves other classes alone unless told otherwise", () => {
    const both = boxes([0, 0.9, 0], [10, 0.8, 1]);
    expect(suppressOverlaps(both, 0.5).confidence).toEqual([0.9, 0.8]);
    expect(suppressOverlaps(both, 0.5, true).confidence).toEqual([0.9]);
  });
});

describe("mostConfident", () => {
  it("keeps the best ones that are good enough, best first", () => {
    const found = mostConfident(boxes([0, 0.2, 0], [1, 0.9, 0], [2, 0.5, 0], [3, 0.6, 0]), 2, 0.3);
    expect(found.confidence).toEqual([0.9, 0.6]);
  });
});

/** Boxes of 100 × 100 at the top. */
function boxes(...given: readonly Row[]): EmbeddedCandidates {
  const candidates = createCandidates();
  for (const [left, confidence, classId] of given) candidates.add([left, 0, left + 100, 100], confidence, classId);
  return candidates;
}

function rows({ xyxy, confidence, classId }: EmbeddedCandidates): Row[] {
  return confidence.map((score, row) => [xyxy[4 * row]!, score, classId[row]!]);
}
