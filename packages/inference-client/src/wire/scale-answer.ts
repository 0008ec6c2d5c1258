// an answer about a smaller picture → the same answer in pixels of the original
import type { DetectedObject, ImageSize, InferenceAnswer, Keypoint, Point } from "./inference-answer.ts";

/** Run lengths and masks keep the size of the smaller picture: they say so themselves. */
export function scaleAnswer(answer: InferenceAnswer, factor: number): InferenceAnswer {
  const image = answer.image && scaleSize(answer.image, factor);
  switch (answer.kind) {
    case "object_detection":
      return { ...answer, image, predictions: answer.predictions.map((found) => scaleBox(found, factor)) };
    case "instance_segmentation":
      return {
        ...answer,
        image,
        predictions: answer.predictions.map((found) => ({
          ...scaleBox(found, factor),
          ...(found.points && { points: found.points.map((point) => scalePoint(point, factor)) }),
        })),
      };
    case "keypoints":
      return {
        ...answer,
        image,
        predictions: answer.predictions.map((found) => ({
          ...scaleBox(found, factor),
          keypoints: found.keypoints.map((point: Keypoint) => scalePoint(point, factor)),
        })),
      };
    case "classification":
    case "multi_label_classification":
    case "anomaly":
    case "semantic_segmentation":
    case "text":
    case "stub":
      return { ...answer, image };
  }
}

/** The size with its longer side at most `maxSide`; undefined when it is small enough. */
export function smallerSize(size: ImageSize, maxSide: number): ImageSize | undefined {
  const factor = maxSide / Math.max(size.width, size.height);
  if (factor >= 1) return undefined;
  return { width: Math.max(1, Math.round(size.width * factor)), height: Math.max(1, Math.round(size.height * factor)) };
}

function scaleBox<Box extends DetectedObject>(box: Box, factor: number): Box {
  return { ...scalePoint(box, factor), width: box.width * factor, height: box.height * factor };
}

function scalePoint<Where extends Point>(point: Where, factor: number): Where {
  return { ...point, x: point.x * factor, y: point.y * factor };
}

function scaleSize(size: ImageSize, factor: number): ImageSize {
  return { width: Math.round(size.width * factor), height: Math.round(size.height * factor) };
}
