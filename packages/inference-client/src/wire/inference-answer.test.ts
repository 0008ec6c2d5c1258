import { describe, expect, it } from "vitest";
import { type InferenceAnswer, scaleAnswer, smallerSize } from "./inference-answer.ts";

const box = { x: 10, y: 20, width: 4, height: 6, confidence: 0.5, className: "car", classId: 1 };
const image = { width: 320, height: 240 };

describe("scaleAnswer", () => {
  it("brings boxes, outlines and keypoints back to the original size", () => {
    const instance: InferenceAnswer = {
      kind: "instance_segmentation",
      image,
      predictions: [{ ...box, points: [{ x: 1, y: 2 }] }],
    };
    expect(scaleAnswer(instance, 2)).toMatchObject({
      image: { width: 640, height: 480 },
      predictions: [{ x: 20, y: 40, width: 8, height: 12, confidence: 0.5, points: [{ x: 2, y: 4 }] }],
    });
    const keypoints = [{ x: 3, y: 4, confidence: 0.9, className: "nose", classId: 0 }];
    expect(scaleAnswer({ kind: "keypoints", image, predictions: [{ ...box, keypoints }] }, 2)).toMatchObject({
      predictions: [{ x: 20, keypoints: [{ x: 6, y: 8, confidence: 0.9 }] }],
    });
  });

  it("changes only the size where there are no places", () => {
    const text: InferenceAnswer = { kind: "text", image, response: "a cat" };
    expect(scaleAnswer(text, 2)).toEqual({ ...text, image: { width: 640, height: 480 } });
  });
});

describe("smallerSize", () => {
  it("keeps the shape and leaves small pictures alone", () => {
    expect(smallerSize({ width: 1920, height: 1080 }, 1280)).toEqual({ width: 1280, height: 720 });
    expect(smallerSize({ width: 1080, height: 1920 }, 1280)).toEqual({ width: 720, height: 1280 });
    expect(smallerSize({ width: 1280, height: 720 }, 1280)).toBeUndefined();
    expect(smallerSize({ width: 10_000, height: 1 }, 100)).toEqual({ width: 100, height: 1 });
  });
});
