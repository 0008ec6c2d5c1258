import { detectionsSchema } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { detectionsOf } from "../testing/index.ts";
import { selectRows, toWireDetections } from "./detections.ts";

const TWO = detectionsOf([
  { box: [1, 2, 3.3, 4], confidence: 0.9, trackerId: 7 },
  { box: [5, 6, 7, 8], className: "car", trackerId: 9 },
]);

describe("toWireDetections", () => {
  it("writes short numbers in the shape of the wire", () => {
    const wire = toWireDetections(selectRows(TWO, [0]));
    expect(detectionsSchema.parse(wire)).toEqual({
      image: { width: 64, height: 48 },
      xyxy: [1, 2, 3.3, 4],
      confidence: [0.9],
      class_id: [0],
      class_name: ["person"],
      tracker_id: [7],
    });
  });

  it("says that nothing was tracked", () => {
    expect(toWireDetections(detectionsOf([])).tracker_id).toBeNull();
  });
});

describe("selectRows", () => {
  it("takes rows in the wanted order with all columns", () => {
    const turned = selectRows(TWO, [1, 0]);
    expect([...turned.xyxy].map(Math.round)).toEqual([5, 6, 7, 8, 1, 2, 3, 4]);
    expect(turned.data.class_name).toEqual(["car", "person"]);
    expect([...turned.trackerId!]).toEqual([9, 7]);
  });
});
