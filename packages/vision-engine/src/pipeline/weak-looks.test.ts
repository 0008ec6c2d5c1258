import { describe, expect, it } from "vitest";
import { DetectionTable } from "../frames/detections.ts";
import type { DetectionModel } from "../models/model.ts";
import { frameOf, modelRegistryOf, truthModel } from "../testing/index.ts";
import { gateModels } from "./gated-models.ts";
import { noteWeakLooks } from "./weak-looks.ts";

describe("what scored too low", () => {
  it("is told with its frame, the best first, as fractions of the picture", async () => {
    const looks = noteWeakLooks(weakModels());
    const model = await looks.models.open("fake/truth", "object-detection");
    const frame = frameOf({ frameNumber: 3, width: 100, height: 50 });
    expect(looks.of(frame.metadata)).toBeUndefined();
    await model.detect(frame, { confidence: 0.4 });
    const weak = looks.of(frame.metadata);
    expect(weak?.map(({ confidence }) => confidence)).toEqual([0.35, 0.34, 0.33, 0.32, 0.31]);
    expect(weak?.[0]).toEqual({ class_name: "cat", confidence: 0.35, box: [0.1, 0.2, 0.3, 0.8] });
    for (let number = 4; number < 80; number += 1) await model.detect(frameOf({ frameNumber: number }), {});
    expect(looks.of(frame.metadata)).toBeUndefined();
  });

  it("is at its place when only the moving part was looked at", async () => {
    const looks = noteWeakLooks(weakModels());
    const model = await gateModels(looks.models).open("fake/truth", "object-detection");
    const size = { width: 900, height: 900 };
    const still = { ...frameOf({ frameNumber: 1, ...size }), motion: { moving: false, regions: [] } };
    await model.detect(still, {});
    const regions = [{ x: 600, y: 600, width: 20, height: 20 }];
    const moved = { ...frameOf({ frameNumber: 2, ...size }), motion: { moving: true, regions } };
    await model.detect(moved, {});
    const [left = 0, top = 0] = looks.of(moved.metadata)?.[0]?.box ?? [];
    expect(left * 900).toBeGreaterThan(400);
    expect(top * 900).toBeGreaterThan(400);
  });
});

/** Finds nothing, and six cats almost. */
function weakModels() {
  const truth = truthModel();
  const model: DetectionModel = {
    ...truth,
    async detect(frame, options) {
      const scores = [0.3, 0.31, 0.32, 0.33, 0.34, 0.35];
      const weak = new DetectionTable({
        xyxy: Float64Array.from(scores.flatMap(() => [10, 10, 30, 40])),
        confidence: Float64Array.from(scores),
        classId: Int32Array.from(scores, () => 0),
        data: { class_name: scores.map(() => "cat") },
      });
      options.onWeak?.(weak);
      return truth.detect(frame, options);
    },
  };
  return modelRegistryOf([model]);
}
