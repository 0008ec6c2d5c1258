// one inference answer of a server → what the model turned out to do, and what it found
import { jsonSchema } from "@vision-agent/protocol";
import { z } from "zod";
import { decodeImage } from "./image-file.ts";
import { optional, parseAnswer } from "./parse-answer.ts";

/** What a model does. */
export type InferenceTask =
  | "object-detection"
  | "instance-segmentation"
  | "semantic-segmentation"
  | "classification"
  | "keypoint-detection";

const pictureSchema = z.string().transform(decodeImage);
const pointSchema = z.object({ x: z.number(), y: z.number() });
const scoreFields = { class: z.string(), class_id: optional(z.number()), confidence: z.number() };
const scoreSchema = z.object(scoreFields).transform(named);
const boxFields = {
  ...pointSchema.shape,
  ...scoreFields,
  width: z.number(),
  height: z.number(),
  detection_id: optional(z.string()),
  tracker_id: optional(z.number()),
  parent_id: optional(z.string()),
};
const boxSchema = z.object(boxFields).transform(toBox);
const instanceSchema = z
  .object({
    ...boxFields,
    /** The outline, when the server was asked for polygons. */
    points: optional(z.array(pointSchema)),
    /** COCO run lengths, when it was asked for those; `size` is height, width. */
    rle: optional(z.object({ size: z.tuple([z.number(), z.number()]), counts: z.string() })),
  })
  .transform(toBox);
const keypointsSchema = z.array(pointSchema.extend(scoreFields).transform(named)).nullish();
const poseSchema = z
  .object({ ...boxFields, keypoints: keypointsSchema.transform((points) => points ?? []) })
  .transform(toBox);

/** A box by its centre, in pixels of the picture that was handed in. */
export type DetectedObject = z.output<typeof boxSchema>;

const factsSchema = z
  .object({
    inference_id: optional(z.string()),
    time: optional(z.number()),
    image: optional(z.object({ width: z.number().nullable(), height: z.number().nullable() })),
    resolved_model: optional(
      z
        .object({
          model_id: optional(z.string()),
          model_package_id: optional(z.string()),
          backend: optional(z.string()),
          quantization: optional(z.string()),
        })
        .transform(({ model_id: modelId, model_package_id: packageId, ...rest }) => ({ modelId, packageId, ...rest })),
    ),
    visualization: optional(pictureSchema),
  })
  .transform(({ image: { width, height } = { width: null, height: null }, ...facts }) => ({
    inferenceId: facts.inference_id,
    /** Seconds that the server spent. */
    timeS: facts.time,
    /** Size of the picture that was handed in; undefined when neither side knows it. */
    image: width === null || height === null ? undefined : { width, height },
    /** Which package of a model answered (servers since 1.8). */
    resolvedModel: facts.resolved_model,
    /** The drawn picture (JPEG), when it was asked for. */
    visualization: facts.visualization,
  }));

/** What is found, by what the model turned out to do. */
const FINDINGS = {
  object_detection: z
    .object({ predictions: z.array(boxSchema) })
    .transform((found) => ({ kind: "object_detection", ...found }) as const),
  instance_segmentation: z
    .object({ predictions: z.array(instanceSchema) })
    .transform((found) => ({ kind: "instance_segmentation", ...found }) as const),
  keypoints: z
    .object({ predictions: z.array(poseSchema) })
    .transform((found) => ({ kind: "keypoints", ...found }) as const),
  classification: z
    .object({ predictions: z.array(scoreSchema), top: z.string(), confidence: z.number().nullish() })
    .transform(({ predictions, top, confidence }) => {
      /** Undefined when no class reaches the threshold. */
      const best = top === "" ? undefined : top;
      return { kind: "classification", predictions, top: best, confidence: confidence ?? 0 } as const;
    }),
  multi_label_classification: z
    .object({
      predictions: z.record(z.string(), z.object(scoreFields).omit({ class: true })),
      predicted_classes: z.array(z.string()),
    })
    .transform(({ predictions, predicted_classes: predictedClasses }) => {
      const scores = Object.entries(predictions).map(([name, score]) => named({ class: name, ...score }));
      return { kind: "multi_label_classification", predictions: scores, predictedClasses } as const;
    }),
  anomaly: z
    .object({
      anomaly_score: z.number(),
      anomaly_threshold: optional(z.number()),
      is_anomalous: optional(z.boolean()),
      anomaly_map: optional(pictureSchema),
      predictions: z.array(scoreSchema).nullish(),
    })
    .transform(({ anomaly_score: score, anomaly_threshold: threshold, is_anomalous: isAnomalous, ...rest }) => {
      const predictions = rest.predictions ?? [];
      // The map is a picture (PNG or JPEG), when it was asked for.
      return { kind: "anomaly", score, threshold, isAnomalous, predictions, map: rest.anomaly_map } as const;
    }),
  semantic_segmentation: z
    .object({
      predictions: z.object({
        segmentation_mask: pictureSchema,
        class_map: z.record(z.string(), z.string()),
        confidence_mask: optional(pictureSchema),
        present_class_ids: z.array(z.number()).nullish(),
      }),
    })
    .transform(({ predictions: { segmentation_mask: mask, confidence_mask: confidenceMask, ...rest } }) => {
      const classNames = new Map(Object.entries(rest.class_map).map(([id, name]) => [Number(id), name] as const));
      const presentClassIds = rest.present_class_ids ?? [...classNames.keys()];
      // The mask is a PNG whose pixels are class ids.
      return { kind: "semantic_segmentation", mask, confidenceMask, classNames, presentClassIds } as const;
    }),
  text: z.object({ response: jsonSchema }).transform(({ response }) => ({ kind: "text", response }) as const),
  stub: z
    .object({ model_id: optional(z.string()), task_type: optional(z.string()) })
    .transform(({ model_id: modelId, task_type: task }) => ({ kind: "stub", modelId, task }) as const),
};
type Kind = keyof typeof FINDINGS;

/** One picture's answer, by what the model turned out to do. */
export type InferenceAnswer = z.output<typeof factsSchema> & z.output<(typeof FINDINGS)[Kind]>;

/**
 * The task is recognised from the answer itself, because the path it was asked on does not decide it.
 * `remembered` names the task when the answer found nothing and so cannot tell.
 */
export function parseInferenceAnswer(
  answer: unknown,
  { what, remembered }: { readonly what: string; readonly remembered?: InferenceTask },
): InferenceAnswer {
  const kind = kindOf(parseAnswer(z.record(z.string(), z.unknown()), answer, what), remembered);
  return { ...parseAnswer(factsSchema, answer, what), ...parseAnswer(FINDINGS[kind], answer, what) };
}

/** True when only a remembered task can tell what kind of answer this is. */
export function isAmbiguous(answer: unknown): boolean {
  return isRecord(answer) && Array.isArray(answer.predictions) && answer.predictions.length === 0 && !("top" in answer);
}

const TASKS: Readonly<Partial<Record<Kind, InferenceTask>>> = {
  object_detection: "object-detection",
  instance_segmentation: "instance-segmentation",
  keypoints: "keypoint-detection",
  classification: "classification",
  multi_label_classification: "classification",
  anomaly: "classification",
  semantic_segmentation: "semantic-segmentation",
};

/** The task of an answer that shows one; undefined for empty answers, texts and stubs. */
export function taskOf(answer: InferenceAnswer): InferenceTask | undefined {
  const task = TASKS[answer.kind];
  const needsRows = task !== "classification" && "predictions" in answer;
  return needsRows && answer.predictions.length === 0 ? undefined : task;
}

function kindOf(raw: Record<string, unknown>, remembered: InferenceTask | undefined): Kind {
  const { predictions } = raw;
  if (raw.is_stub === true) return "stub";
  if (typeof raw.anomaly_score === "number") return "anomaly";
  if (raw.response !== undefined && predictions === undefined) return "text";
  if (isRecord(predictions)) {
    return "segmentation_mask" in predictions ? "semantic_segmentation" : "multi_label_classification";
  }
  if ("top" in raw) return "classification";
  const first: unknown = Array.isArray(predictions) ? predictions[0] : undefined;
  const shows = (field: string, task: InferenceTask): boolean =>
    isRecord(first) ? (first[field] ?? undefined) !== undefined : remembered === task;
  if (shows("rle", "instance-segmentation") || shows("points", "instance-segmentation")) return "instance_segmentation";
  return shows("keypoints", "keypoint-detection") ? "keypoints" : "object_detection";
}

/** Servers leave out the number of a class that has none. */
function named<Score extends { readonly class: string; readonly class_id?: number | undefined }>(score: Score) {
  const { class: className, class_id: classId = -1, ...rest } = score;
  return { ...rest, className, classId };
}

function toBox<Row extends z.output<z.ZodObject<typeof boxFields>>>(row: Row) {
  const { detection_id: detectionId, tracker_id: trackerId, parent_id: parentId, ...rest } = row;
  return { ...named(rest), detectionId, trackerId, parentId };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
