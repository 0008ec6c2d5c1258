import type { Detections, FrameResult, OutputValue } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { boxAt, boxesOf, type DetectedBox, describeBoxes, frameRate, lineCountOf, nameOf } from "./frame-reading.ts";

describe("boxesOf", () => {
  it("takes the output that is tracked, wherever it stands", () => {
    const boxes = boxesOf(
      result({
        raw: detections(["car"], null),
        tracks: detections(["person", "dog"], [7, 9]),
        last: { kind: "value", value: 1 },
      }),
    );
    expect(boxes).toEqual([
      { xyxy: [0, 1, 2, 3], class_name: "person", confidence: 0.5, tracker_id: 7 },
      { xyxy: [4, 5, 6, 7], class_name: "dog", confidence: 0.5, tracker_id: 9 },
    ]);
  });

  it("takes the first output with detections when nothing is tracked", () => {
    const boxes = boxesOf(result({ one: detections(["car"], null), two: detections(["dog"], null) }));
    expect(boxes.map(nameOf)).toEqual(["car"]);
  });

  it("finds no boxes without detections", () => {
    expect(boxesOf(result({}))).toEqual([]);
  });
});

describe("lineCountOf", () => {
  it("reads both directions, and zero for one that is missing", () => {
    const four: OutputValue = { kind: "value", value: 4 };
    expect(lineCountOf(result({ count_in: four, count_out: { kind: "value", value: 2 } }))).toEqual({ in: 4, out: 2 });
    expect(lineCountOf(result({ count_in: four }))).toEqual({ in: 4, out: 0 });
  });

  it("is silent when the workflow counts nothing", () => {
    expect(lineCountOf(result({ count_in: { kind: "value", value: "many" } }))).toBeUndefined();
  });
});

describe("describeBoxes", () => {
  it("says what is there, most of it first", () => {
    expect(describeBoxes([box("car"), box("person"), box("person"), box("bus"), box("bus")])).toBe(
      "2 buses, 2 people, 1 car",
    );
    expect(describeBoxes([])).toBe("nothing detected");
  });
});

describe("boxAt", () => {
  it("finds the smallest box around a point", () => {
    const small = box("person", [10, 10, 20, 20]);
    const boxes = [box("car", [0, 0, 100, 100]), small];
    expect(boxAt(boxes, 15, 15)).toBe(small);
    expect(boxAt(boxes, 50, 50)?.class_name).toBe("car");
    expect(boxAt(boxes, 150, 50)).toBeUndefined();
  });
});

function result(outputs: Record<string, OutputValue>): FrameResult {
  const frame = { source_id: "street", frame_number: 1, timestamp: "2026-01-01T00:00:00.000Z", fps: 10 };
  return { frame: { ...frame, width: 100, height: 100 }, outputs, latency_ms: 1 };
}

function detections(names: string[], trackerIds: number[] | null): OutputValue {
  const found: Detections = {
    image: { width: 100, height: 100 },
    xyxy: names.flatMap((_, row) => [row * 4, row * 4 + 1, row * 4 + 2, row * 4 + 3]),
    confidence: names.map(() => 0.5),
    class_id: names.map(() => 0),
    class_name: names,
    tracker_id: trackerIds,
  };
  return { kind: "detections", detections: found };
}

function box(className: string, xyxy: DetectedBox["xyxy"] = [0, 0, 1, 1]): DetectedBox {
  return { xyxy, class_name: className, confidence: 1, tracker_id: null };
}

describe("frameRate", () => {
  it("counts the frames of the last three seconds", () => {
    const arrivals = Array.from({ length: 100 }, (_, index) => index * 100);
    expect(frameRate(arrivals, 9900)).toBeCloseTo(10);
  });

  it("is zero once nothing came for three seconds", () => {
    expect(frameRate([0, 100, 200], 3300)).toBe(0);
    expect(frameRate([], 0)).toBe(0);
    expect(frameRate([5], 5)).toBe(0);
  });
});
