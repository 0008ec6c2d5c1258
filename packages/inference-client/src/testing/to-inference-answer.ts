// a model and a picture's size → the JSON of /infer, by task
import type { Json } from "@vision-agent/protocol";
import type { JsonMap } from "./check-body.ts";
import {
  evenPng,
  type FakeModel,
  findThings,
  keypointsOf,
  type Limits,
  outlineOf,
  runLengthsOf,
  scoreClasses,
  type Thing,
} from "./find-things.ts";
import { greyJpeg, type PictureSize } from "./picture-bytes.ts";
import type { World } from "./world.ts";

export function toInferenceAnswer(world: World, model: FakeModel, size: PictureSize, body: JsonMap): Json {
  const head = { inference_id: body.id ?? crypto.randomUUID(), time: 0.02, image: { ...size } };
  const drawn: JsonMap =
    body.visualize_predictions === true ? { visualization: toBase64(greyJpeg(size, world.settings.pictureBytes)) } : {};
  return { ...head, ...predictionsOf(model, size, body), ...drawn };
}

export function toLimits(body: JsonMap): Limits {
  const { confidence, class_filter: filter, max_detections: most } = body;
  return {
    confidence: typeof confidence === "number" ? confidence : 0.4,
    ...(Array.isArray(filter) ? { classFilter: filter.map(String) } : {}),
    ...(typeof most === "number" ? { maxDetections: most } : {}),
  };
}

function predictionsOf(model: FakeModel, size: PictureSize, body: JsonMap): JsonMap {
  const limits = toLimits(body);
  if (model.task === "classification") return classify(model, size, limits.confidence ?? 0.4);
  if (model.task === "multi-label-classification") return classifyMany(model, size, limits.confidence ?? 0.4);
  if (model.task === "semantic-segmentation") return { predictions: segmentAll(model, size) };
  const asRle = body.response_mask_format === "rle";
  const predictions = findThings(model, size, 0, limits).map((thing): Json => {
    if (model.task === "keypoint-detection") return { ...toPrediction(thing), keypoints: keypointsJson(thing) };
    if (model.task !== "instance-segmentation") return toPrediction(thing);
    const mask: JsonMap = asRle
      ? { rle: runLengthsOf(thing, size), mask_format: "rle" }
      : { points: outlineOf(thing), mask_format: "polygon" };
    return { ...toPrediction(thing), ...mask };
  });
  return { predictions };
}

export function classify(model: FakeModel, size: PictureSize, threshold: number): JsonMap {
  const predictions = scoreClasses(model, size)
    .map((confidence, id) => ({ class: model.classes[id]!, class_id: id, confidence }))
    .filter((score) => score.confidence >= threshold)
    .sort((a, b) => b.confidence - a.confidence);
  return { predictions, top: predictions[0]?.class ?? "", confidence: predictions[0]?.confidence ?? 0 };
}

export function classifyMany(model: FakeModel, size: PictureSize, threshold: number): JsonMap {
  const scores = scoreClasses(model, size).map((confidence, id) => ({ name: model.classes[id]!, confidence, id }));
  const predictions = scores.map(({ name, confidence, id }) => [name, { confidence, class_id: id }] as const);
  const chosen = scores.filter((score) => score.confidence >= threshold).map((score) => score.name);
  return { predictions: Object.fromEntries(predictions), predicted_classes: chosen };
}

export function segmentAll(model: FakeModel, size: PictureSize): Json {
  return {
    segmentation_mask: toBase64(evenPng(size, 0)),
    class_map: Object.fromEntries(model.classes.map((name, id) => [String(id), name])),
    confidence_mask: toBase64(evenPng(size, 230)),
    present_class_ids: [0],
  };
}

export function keypointsJson(thing: Thing): Json[] {
  return keypointsOf(thing).map(({ x, y, confidence, classId, className }) => ({
    x,
    y,
    confidence,
    class_id: classId,
    class: className,
  }));
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function toPrediction(thing: Thing): JsonMap {
  const { x, y, width, height, confidence } = thing;
  return {
    x,
    y,
    width,
    height,
    confidence,
    class: thing.className,
    class_id: thing.classId,
    detection_id: thing.detectionId,
  };
}
