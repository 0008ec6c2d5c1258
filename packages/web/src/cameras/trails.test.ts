import { describe, expect, it } from "vitest";
import type { DetectedBox } from "./frame-reading.ts";
import { createTrails } from "./trails.ts";

describe("createTrails", () => {
  it("keeps where a track stood during the last second", () => {
    const trails = createTrails();
    trails.extend(at(0), [box(1, 0)]);
    trails.extend(at(600), [box(1, 5)]);
    const [trail] = trails.extend(at(1200), [box(1, 10)]);
    expect(trail?.points).toEqual([
      [10, 20],
      [15, 20],
    ]);
  });

  it("forgets a track that is gone, and follows nothing without a number", () => {
    const trails = createTrails();
    trails.extend(at(0), [box(1, 0), box(null, 50)]);
    expect(trails.extend(at(500), [])).toHaveLength(1);
    expect(trails.extend(at(1500), [])).toEqual([]);
  });

  it("begins anew when the source begins anew", () => {
    const trails = createTrails();
    trails.extend(at(5000), [box(1, 0)]);
    expect(trails.extend(at(100), [box(1, 5)])[0]?.points).toHaveLength(1);
  });

  it("draws no line across the picture when a number comes back elsewhere", () => {
    const trails = createTrails();
    trails.extend(at(0), [box(1, 0)]);
    expect(trails.extend(at(100), [box(1, 500)])[0]?.points).toEqual([[505, 20]]);
  });
});

function at(ms: number): { timestamp: string } {
  return { timestamp: new Date(ms).toISOString() };
}

function box(trackerId: number | null, left: number): DetectedBox {
  return { xyxy: [left, 0, left + 10, 20], class_name: "person", confidence: 1, tracker_id: trackerId };
}
