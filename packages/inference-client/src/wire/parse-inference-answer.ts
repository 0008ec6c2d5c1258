// one inference answer of a server → what the model turned out to do, and what it found
import { jsonSchema } from "@vision-agent/protocol";
import { z } from "zod";
import { decodeImage } from "./image-file.ts";
import type {
  ClassScore,
  DetectedInstance,
  DetectedObject,
  DetectedPose,
  InferenceAnswer,
  InferenceTask,
} from "./inference-answer.ts";
import { optional, parseAnswer } from "./parse-answer.ts";

const pointSchema = z.object({ x: z.number(), y: z.number() });

const rowSchema = z.object({
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  confidence: z.number(),
  class: z.string(),
  class_id: optional(z.number()),
  detection_id: optional(z.string()),
  tracker_id: optional(z.number()),
  parent_id: optional(z.string()),
  points: optional(z.array(pointSchema)),
  rle: optional(z.object({ size: z.tuple([z.number(), z.number()]), counts: z.string() })),
  keypoints: optional(
    z.array(pointSchema.extend({ confidence: z.number(), class: z.string(), class_id: optional(z.number()) })),
  ),
});
type Row = z.infer<typeof rowSchema>;

const scoreSchema = z.object({ class: z.string(), class_id: optional(z.number()), confidence: z.number() });

const factsSchema = z.looseObject({
  inference_id: optional(z.string()),
  time: optional(z.number()),
  image: optional(z.looseObject({ width: z.number().nullable(), height: z.number().nullable() })),
  resolved_model: optional(
    z.object({
      model_id: optional(z.string()),
      model_package_id: optional(z.string()),
      backend: optional(z.string()),
      quantization: optional(z.string()),
    }),
  ),
  visualization: optional(z.string()),
});

const semanticSchema = z.object({
  predictions: z.object({
    segmentation_mask: z.string(),
    class_map: z.record(z.string(), z.string()),
    confidence_mask: optional(z.string()),
    present_class_ids: optional(z.array(z.number())),
  }),
});
const multiLabelSchema = z.object({
  predictions: z.record(z.string(), z.object({ confidence: z.number(), class_id: optional(z.number()) })),
  predicted_classes: z.array(z.string()),
});
const anomalySchema = z.object({
  anomaly_score: z.number(),
  anomaly_threshold: optional(z.number()),
  is_anomalous: optional(z.boolean()),
  anomaly_map: optional(z.string()),
  predictions: optional(z.array(scoreSchema)),
});
const singleLabelSchema = z.object({
  predictions: z.array(scoreSchema),
  top: z.string(),
  confidence: optional(z.number()),
});
const stubSchema = z.object({ model_id: optional(z.string()), task_type: optional(z.string()) });

/**
 * The task is recognised from the answer itself, because the path it was asked on does not decide it.
 * `remembered` names the task when the answer found nothing and so cannot tell.
 */
export function parseInferenceAnswer(
  answer: unknown,
  options: { readonly what: string; readonly remembered?: InferenceTask },
): InferenceAnswer {
  const { what, remembered } = options;
  const raw = parseAnswer(factsSchema, answer, what);
  const facts = toFacts(raw);
  if (raw.is_stub === true) {
    const stub = parseAnswer(stubSchema, raw, what);
    return { ...facts, kind: "stub", modelId: stub.model_id, task: stub.task_type };
  }
  if (typeof raw.anomaly_score === "number") return { ...facts, ...toAnomaly(parseAnswer(anomalySchema, raw, what)) };
  if (raw.response !== undefined && raw.predictions === undefined) {
    return { ...facts, kind: "text", response: parseAnswer(jsonSchema, raw.response, what) };
  }
  if (isRecord(raw.predictions)) {
    if ("segmentation_mask" in raw.predictions) {
      return { ...facts, ...toSemantic(parseAnswer(semanticSchema, raw, what)) };
    }
    return { ...facts, ...toMultiLabel(parseAnswer(multiLabelSchema, raw, what)) };
  }
  if ("top" in raw) return { ...facts, ...toSingleLabel(parseAnswer(singleLabelSchema, raw, what)) };
  const { predictions } = parseAnswer(z.object({ predictions: z.array(rowSchema) }), raw, what);
  return { ...facts, ...toObjects(predictions, remembered) };
}

/** True when only a remembered task can tell what kind of answer this is. */
export function isAmbiguous(answer: unknown): boolean {
  return isRecord(answer) && Array.isArray(answer.predictions) && answer.predictions.length === 0 && !("top" in answer);
}

/** The task of an answer that shows one; undefined for empty answers, texts and stubs. */
export function taskOf(answer: InferenceAnswer): InferenceTask | undefined {
  switch (answer.kind) {
    case "object_detection":
      return answer.predictions.length > 0 ? "object-detection" : undefined;
    case "instance_segmentation":
      return answer.predictions.length > 0 ? "instance-segmentation" : undefined;
    case "keypoints":
      return answer.predictions.length > 0 ? "keypoint-detection" : undefined;
    case "classification":
    case "multi_label_classification":
    case "anomaly":
      return "classification";
    case "semantic_segmentation":
      return "semantic-segmentation";
    case "text":
    case "stub":
      return undefined;
  }
}

function toFacts(raw: z.infer<typeof factsSchema>) {
  const { width, height } = raw.image ?? { width: null, height: null };
  const model = raw.resolved_model;
  return {
    inferenceId: raw.inference_id,
    timeS: raw.time,
    image: width === null || height === null ? undefined : { width, height },
    ...(model && {
      resolvedModel: {
        modelId: model.model_id,
        packageId: model.model_package_id,
        backend: model.backend,
        quantization: model.quantization,
      },
    }),
    ...(raw.visualization !== undefined && { visualization: decodeImage(raw.visualization) }),
  };
}

function toObjects(rows: readonly Row[], remembered: InferenceTask | undefined) {
  const [first] = rows;
  const isInstance = first
    ? first.rle !== undefined || first.points !== undefined
    : remembered === "instance-segmentation";
  if (isInstance) return { kind: "instance_segmentation", predictions: rows.map(toInstance) } as const;
  const isPose = first ? first.keypoints !== undefined : remembered === "keypoint-detection";
  if (isPose) return { kind: "keypoints", predictions: rows.map(toPose) } as const;
  return { kind: "object_detection", predictions: rows.map(toObject) } as const;
}

function toObject(row: Row): DetectedObject {
  return {
    x: row.x,
    y: row.y,
    width: row.width,
    height: row.height,
    confidence: row.confidence,
    className: row.class,
    classId: row.class_id ?? -1,
    detectionId: row.detection_id,
    trackerId: row.tracker_id,
    parentId: row.parent_id,
  };
}

function toInstance(row: Row): DetectedInstance {
  return {
    ...toObject(row),
    ...(row.points && { points: row.points }),
    ...(row.rle && { rle: row.rle }),
  };
}

function toPose(row: Row): DetectedPose {
  return {
    ...toObject(row),
    keypoints: (row.keypoints ?? []).map((point) => ({ x: point.x, y: point.y, ...toScore(point) })),
  };
}

function toScore(score: z.infer<typeof scoreSchema>): ClassScore {
  return { className: score.class, classId: score.class_id ?? -1, confidence: score.confidence };
}

function toSingleLabel(answer: z.infer<typeof singleLabelSchema>) {
  return {
    kind: "classification",
    predictions: answer.predictions.map(toScore),
    top: answer.top === "" ? undefined : answer.top,
    confidence: answer.confidence ?? 0,
  } as const;
}

function toMultiLabel(answer: z.infer<typeof multiLabelSchema>) {
  const predictions = Object.entries(answer.predictions).map(([name, score]) => toScore({ class: name, ...score }));
  return { kind: "multi_label_classification", predictions, predictedClasses: answer.predicted_classes } as const;
}

function toAnomaly(answer: z.infer<typeof anomalySchema>) {
  return {
    kind: "anomaly",
    score: answer.anomaly_score,
    threshold: answer.anomaly_threshold,
    isAnomalous: answer.is_anomalous,
    predictions: (answer.predictions ?? []).map(toScore),
    ...(answer.anomaly_map !== undefined && { map: decodeImage(answer.anomaly_map) }),
  } as const;
}

function toSemantic({ predictions }: z.infer<typeof semanticSchema>) {
  const classNames = new Map(Object.entries(predictions.class_map).map(([id, name]) => [Number(id), name] as const));
  return {
    kind: "semantic_segmentation",
    mask: decodeImage(predictions.segmentation_mask),
    ...(predictions.confidence_mask !== undefined && { confidenceMask: decodeImage(predictions.confidence_mask) }),
    classNames,
    presentClassIds: predictions.present_class_ids ?? [...classNames.keys()],
  } as const;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
