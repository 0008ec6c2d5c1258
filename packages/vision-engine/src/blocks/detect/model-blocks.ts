// picture → model → what it finds

import { inputError } from "../../errors.ts";
import { classNamesOf, type DetectionTable, repeated, selectRows, withColumns } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { maskToCocoRle } from "../../geometry/mask-shapes.ts";
import type {
  ClassificationModel,
  DetectionModel,
  DetectOptions,
  ModelRegistry,
  ModelsByTask,
  ModelTask,
} from "../../models/model.ts";
import {
  type Block,
  type BlockContext,
  type BlockInputs,
  type BlockInstance,
  type BlockOutputs,
  type BlockValue,
  imageOf,
  manifestOf,
  numberOf,
  numberOr,
  perElement,
  type StepText,
  textOf,
  textsOf,
} from "../block.ts";
import { noteOrigin } from "../detection-origin.ts";

/** The models that one step uses. */
export interface OpenedModels<T extends ModelTask> {
  /** Throws `EngineError` kind `model` when it cannot be had; it may be asked for again. */
  get(id: string): Promise<ModelsByTask[T]>;
  /** May be called twice. */
  close(): Promise<void>;
}

export function createOpenedModels<T extends ModelTask>(models: ModelRegistry, task: T): OpenedModels<T> {
  const opened = new Map<string, Promise<ModelsByTask[T]>>();
  return {
    get(id) {
      const known = opened.get(id);
      if (known !== undefined) return known;
      const opening = models.open(id, task);
      opened.set(id, opening);
      // A model that does not open may be asked for again.
      opening.catch(() => opened.delete(id));
      return opening;
    },
    async close() {
      const all = await Promise.allSettled(opened.values());
      opened.clear();
      for (const model of all) if (model.status === "fulfilled") await model.value.close();
    },
  };
}

/** The model that a step names itself, if it does. `property`: where it does so. */
export function literalModel({ properties }: StepText, property = "model_id"): string | undefined {
  const id = properties[property];
  return typeof id === "string" && !id.startsWith("$") ? id : undefined;
}

/** Kinds of model that give detections; also the type of prediction that results carry. */
export type DetectionTask = "object-detection" | "instance-segmentation" | "keypoint-detection";

export interface DetectionBlockOptions {
  readonly type: string;
  readonly task: DetectionTask;
  /** What it does and with what, for people and models that choose a block. */
  readonly description: string;
  /** "detects": the verb of the phrase. */
  readonly verb: string;
  /** What else the model is told. */
  readonly moreOptions?: (inputs: BlockInputs) => DetectOptions;
  /** Columns added in the end. */
  readonly finish?: (detections: DetectionTable) => DetectionTable;
}

/** A block that runs a detection model on every image. */
export function detectionBlock(options: DetectionBlockOptions): Block {
  const manifest = manifestOf(options.type);
  return {
    manifest,
    description: options.description,
    stateless: true,
    phrase: (step) => `${options.verb} ${classesOf(step)} with ${literalModel(step) ?? "a model given at the start"}`,
    models: (step) => [literalModel(step)].filter((id) => id !== undefined),
    create: (context) => openDetector(context, options),
  };
}

async function openDetector(context: BlockContext, options: DetectionBlockOptions): Promise<BlockInstance> {
  const models = createOpenedModels(context.models, options.task);
  const known = literalModel(context.step);
  // Opened now, so that a wrong name is told at the start and not at the first frame.
  if (known !== undefined) await models.get(known);
  return {
    run: perElement(async (inputs) => {
      const id = textOf(inputs, "model_id");
      const model = await models.get(id);
      const image = imageOf(inputs, "images");
      const found = await model.detect(image, { ...detectOptions(inputs), ...options.moreOptions?.(inputs) });
      const some = strongest(found, numberOr(inputs, "max_detections", Number.POSITIVE_INFINITY));
      const wanted = ofClasses(some, textsOf(inputs, "class_filter") ?? []);
      const inferenceId = context.newId();
      const noted = noteResult(wanted, { image, model, inferenceId, task: options.task, newId: context.newId });
      const predictions = options.finish === undefined ? noted : options.finish(noted);
      return { predictions, inference_id: inferenceId, model_id: id };
    }),
    close: () => models.close(),
  };
}

/** What the steps of all detection models say; `confidence_mode` is there from the third version on. */
function detectOptions(inputs: BlockInputs): DetectOptions {
  return {
    ...confidenceOptions(inputs),
    iouThreshold: numberOr(inputs, "iou_threshold", 0.3),
    classAgnostic: inputs.class_agnostic_nms === true,
    maxDetections: numberOr(inputs, "max_detections", 300),
    maxCandidates: numberOr(inputs, "max_candidates", 3000),
  };
}

/** `best` and `default` leave the threshold to the model. */
export function confidenceOptions(inputs: BlockInputs): Pick<DetectOptions, "confidence" | "recommended"> {
  const mode = inputs.confidence_mode ?? "confidence";
  if (mode === "best") return { recommended: true };
  if (mode === "default") return {};
  return { confidence: numberOf(inputs, mode === "custom" ? "custom_confidence" : "confidence") };
}

export interface ResultNotes {
  readonly image: ImageValue;
  readonly model: Pick<DetectionModel, "note">;
  readonly inferenceId: string;
  readonly task: DetectionTask;
  readonly newId: () => string;
}

/** Notes ids, the picture, and what the model has to say about itself. */
export function noteResult(
  found: DetectionTable,
  { image, model, inferenceId, task, newId }: ResultNotes,
): DetectionTable {
  const { length } = found;
  const noted = withColumns(noteOrigin(found, image, task), {
    detection_id: Array.from({ length }, newId),
    inference_id: repeated(inferenceId, length),
  });
  if (model.note === undefined) return noted;
  return noted.with({ metadata: { ...noted.metadata, model_note: model.note } });
}

/** At most `count` rows, the most confident ones, in their own order. */
function strongest(detections: DetectionTable, count: number): DetectionTable {
  const { confidence } = detections;
  if (confidence === undefined || detections.length <= count) return detections;
  const rows = [...confidence.keys()].sort((a, b) => confidence[b]! - confidence[a]!).slice(0, count);
  return selectRows(
    detections,
    rows.sort((a, b) => a - b),
  );
}

/** An empty list keeps all classes. */
export function ofClasses(detections: DetectionTable, classes: readonly string[]): DetectionTable {
  if (classes.length === 0) return detections;
  const names = classNamesOf(detections);
  return selectRows(
    detections,
    [...names.keys()].filter((row) => classes.includes(names[row]!)),
  );
}

function classesOf({ properties }: StepText): string {
  const classes = properties.class_filter;
  if (!Array.isArray(classes) || classes.length === 0) return "objects";
  return new Intl.ListFormat("en").format(classes.map(String));
}

export const OBJECT_DETECTION_MODELS: readonly Block[] = ["v1", "v2", "v3"].map((version) =>
  detectionBlock({
    type: `roboflow_core/roboflow_object_detection_model@${version}`,
    task: "object-detection",
    description: "Finds objects in a picture with a detection model: a box, a class name and a confidence each.",
    verb: "detects",
  }),
);

export const KEYPOINT_DETECTION_MODELS: readonly Block[] = ["v1", "v2", "v3"].map((version) =>
  detectionBlock({
    type: `roboflow_core/roboflow_keypoint_detection_model@${version}`,
    task: "keypoint-detection",
    description: "Finds objects and their keypoints, such as the joints of a person, with a pose model.",
    verb: "finds the keypoints of",
    moreOptions: (inputs) => ({ keypointConfidence: numberOr(inputs, "keypoint_confidence", 0) }),
  }),
);

export const INSTANCE_SEGMENTATION_MODELS: readonly Block[] = ["v1", "v2", "v3", "v4"].map((version) =>
  detectionBlock({
    type: `roboflow_core/roboflow_instance_segmentation_model@${version}`,
    task: "instance-segmentation",
    description: "Finds objects in a picture with a segmentation model: box, class name, confidence and mask each.",
    verb: "outlines",
    moreOptions: maskOptions,
    ...(version === "v4" && { finish: withRunLengthMasks }),
  }),
);

function maskOptions(inputs: BlockInputs): DetectOptions {
  const mode = inputs.mask_decode_mode;
  return {
    maskDecoding: mode === "fast" || mode === "tradeoff" ? mode : "accurate",
    maskTradeoff: numberOr(inputs, "tradeoff_factor", 0),
  };
}

/** Version 4 hands masks on in the wire form of COCO as well. */
function withRunLengthMasks(detections: DetectionTable): DetectionTable {
  const masks = detections.masks ?? [];
  return withColumns(detections, { rle_mask: masks.map((mask) => ({ ...maskToCocoRle(mask) })) });
}

/** So low on purpose: scores of words are low. */
const DEFAULT_CONFIDENCE = 0.005;

export const YOLO_WORLD: Block = {
  manifest: manifestOf("roboflow_core/yolo_world_model@v1"),
  description: "Finds what words describe, without training: a box, the word and a confidence each.",
  stateless: true,
  phrase: ({ properties: { class_names } }) =>
    Array.isArray(class_names) ? `looks for ${class_names.join(", ")}` : "looks for what words describe",
  models: known,
  async create({ models: registry, newId, step }) {
    const models = createOpenedModels(registry, "zero-shot-detection");
    // Opened now, so that a missing package is told at the start and not at the first frame.
    for (const id of known(step)) await models.get(id);
    return {
      run: perElement(async (inputs) => {
        const classNames = textsOf(inputs, "class_names") ?? [];
        if (classNames.length === 0) throw inputError('"class_names" must name at least one thing.');
        const model = await models.get(`yolo_world/${textOf(inputs, "version")}`);
        const image = imageOf(inputs, "images");
        const confidence = numberOr(inputs, "confidence", DEFAULT_CONFIDENCE);
        const found = await model.withClasses(classNames).detect(image, { confidence });
        const notes = { image, model, inferenceId: newId(), task: "object-detection" as const, newId };
        return { predictions: noteResult(found, notes) };
      }),
      close: () => models.close(),
    };
  },
};

function known(step: StepText): readonly string[] {
  const version = literalModel(step, "version");
  return version === undefined ? [] : [`yolo_world/${version}`];
}

/** Without a number of its own, a step lists the classes that are more likely than not. */
const SINGLE_LABEL_CONFIDENCE = 0.5;
const MULTI_LABEL_CONFIDENCE = 0.4;

type ScoreList = (scores: Float32Array, model: ClassificationModel, inputs: BlockInputs) => BlockOutputs;

const VERSIONS = ["v1", "v2", "v3"] as const;

export const CLASSIFICATION_MODELS: readonly Block[] = [
  ...VERSIONS.map((version) =>
    classificationBlock(
      `roboflow_core/roboflow_classification_model@${version}`,
      "Says which one of its classes a picture shows.",
      singleLabel,
    ),
  ),
  ...VERSIONS.map((version) =>
    classificationBlock(
      `roboflow_core/roboflow_multi_label_classification_model@${version}`,
      "Says which of its classes a picture shows; several may hold at once.",
      multiLabel,
    ),
  ),
];

function classificationBlock(type: string, description: string, list: ScoreList): Block {
  return {
    manifest: manifestOf(type),
    description,
    stateless: true,
    phrase: (step) => `classifies pictures with ${literalModel(step) ?? "a model given at the start"}`,
    models: (step) => [literalModel(step)].filter((id) => id !== undefined),
    create: (context) => openClassifier(context, list),
  };
}

async function openClassifier(context: BlockContext, list: ScoreList): Promise<BlockInstance> {
  const models = createOpenedModels(context.models, "classification");
  const known = literalModel(context.step);
  if (known !== undefined) await models.get(known);
  return {
    run: perElement(async (inputs) => {
      const id = textOf(inputs, "model_id");
      const model = await models.get(id);
      const image = imageOf(inputs, "images");
      const begin = context.now();
      const scores = await model.classify(image);
      const inferenceId = context.newId();
      const predictions = {
        inference_id: inferenceId,
        time: (context.now() - begin) / 1000,
        image: { width: image.width, height: image.height },
        ...list(scores, model, inputs),
        ...originOf(image),
        ...(model.note !== undefined && { model_note: model.note }),
      };
      return { predictions, inference_id: inferenceId, model_id: id };
    }),
    close: () => models.close(),
  };
}

function originOf({ parent, root }: ImageValue): Readonly<Record<string, BlockValue>> {
  return { prediction_type: "classification", parent_id: parent.id, root_parent_id: root.id };
}

/** The classes above the threshold, the best first. */
function singleLabel(scores: Float32Array, { classNames }: ClassificationModel, inputs: BlockInputs): BlockOutputs {
  const threshold = thresholdOf(inputs, SINGLE_LABEL_CONFIDENCE);
  const predictions = classNames
    .map((name, classId) => ({ class_id: classId, class: name, confidence: toFourDecimals(scores[classId]!) }))
    .filter(({ class_id }) => scores[class_id]! >= threshold)
    .sort((a, b) => b.confidence - a.confidence);
  return { predictions, top: predictions[0]?.class ?? "", confidence: predictions[0]?.confidence ?? 0 };
}

/** Every class with its score, and the names of those that hold. */
function multiLabel(scores: Float32Array, { classNames }: ClassificationModel, inputs: BlockInputs): BlockOutputs {
  const threshold = thresholdOf(inputs, MULTI_LABEL_CONFIDENCE);
  const predictions = Object.fromEntries(
    classNames.map((name, classId) => [name, { confidence: scores[classId]!, class_id: classId }]),
  );
  return { predictions, predicted_classes: classNames.filter((_, classId) => scores[classId]! >= threshold) };
}

function thresholdOf(inputs: BlockInputs, byDefault: number): number {
  const mode = inputs.confidence_mode ?? "confidence";
  if (mode === "best" || mode === "default") return byDefault;
  return numberOf(inputs, mode === "custom" ? "custom_confidence" : "confidence");
}

function toFourDecimals(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
