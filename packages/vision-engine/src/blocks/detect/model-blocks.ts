// picture → model → what it finds

import type { Json } from "@vision-agent/protocol";
import { inputError } from "../../errors.ts";
import {
  classNamesOf,
  type DetectionTable,
  filterRows,
  repeated,
  toFourDecimals,
  withColumns,
} from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { maskToCocoRle } from "../../geometry/mask-shapes.ts";
import type {
  ClassificationModel,
  DetectionModel,
  DetectOptions,
  ModelsByTask,
  ModelTask,
} from "../../models/model.ts";
import {
  type Block,
  type BlockContext,
  type BlockDefinition,
  type BlockInputs,
  type BlockOutputs,
  block,
  imageOf,
  numberOf,
  numberOr,
  type StepText,
  textOf,
  textsOf,
} from "../block.ts";
import { noteOrigin } from "../detection-origin.ts";

/** Where a step names its model, after the words that all its models begin with; or the one that all steps use. */
type ModelName = { readonly property: string; readonly prefix?: string } | { readonly id: string };

interface ModelBlockDefinition<T extends ModelTask> extends BlockDefinition {
  readonly task: T;
  readonly model: ModelName;
  /** Opened with the first frame, not at the start. */
  readonly opensLate?: true;
  readonly run: (model: ModelsByTask[T], inputs: BlockInputs, context: BlockContext) => Promise<BlockOutputs>;
}

/** A block that asks a model about each picture. */
export function modelBlock<T extends ModelTask>(definition: ModelBlockDefinition<T>): Block {
  const { task, model, opensLate, run, ...text } = definition;
  const idOf = (named: BlockInputs): string =>
    "id" in model ? model.id : `${model.prefix ?? ""}${textOf(named, model.property)}`;
  const known = ({ properties }: StepText): readonly string[] =>
    "id" in model || isLiteral(properties[model.property]) ? [idOf(properties)] : [];
  return block({
    ...text,
    stateless: true,
    models: known,
    async start(context) {
      const opened = new Map<string, Promise<ModelsByTask[T]>>();
      const open = (id: string): Promise<ModelsByTask[T]> => {
        const opening = opened.get(id) ?? context.models.open(id, task);
        opened.set(id, opening);
        // A model that does not open may be asked for again.
        opening.catch(() => opened.delete(id));
        return opening;
      };
      // Opened now, so that a wrong name or a missing package is told at the start and not at the first frame.
      for (const id of opensLate ? [] : known(context.step)) await open(id);
      return {
        run: async (inputs) => run(await open(idOf(inputs)), inputs, context),
        async close() {
          const all = await Promise.allSettled(opened.values());
          opened.clear();
          for (const outcome of all) if (outcome.status === "fulfilled") await outcome.value.close();
        },
      };
    },
  });
}

/** "detects objects with yolo-nano". */
export function modelPhrase(does: string | ((step: StepText) => string)): (step: StepText) => string {
  return (step) => {
    const id = step.properties.model_id;
    const words = typeof does === "string" ? does : does(step);
    return `${words} with ${isLiteral(id) ? id : "a model given at the start"}`;
  };
}

/** Written into the step, and no selector. */
function isLiteral(value: Json | undefined): value is string {
  return typeof value === "string" && !value.startsWith("$");
}

/** Kinds of model that give detections; also the type of prediction that results carry. */
type DetectionTask = "object-detection" | "instance-segmentation" | "keypoint-detection";

interface DetectionBlockOptions {
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
function detectionBlock({ verb, moreOptions, finish, ...text }: DetectionBlockOptions): Block {
  return modelBlock({
    ...text,
    phrase: modelPhrase((step) => `${verb} ${classesOf(step)}`),
    model: { property: "model_id" },
    run: async (model, inputs, { newId }) => {
      const image = imageOf(inputs, "images");
      const found = await model.detect(image, { ...detectOptions(inputs), ...moreOptions?.(inputs) });
      const some = strongest(found, numberOr(inputs, "max_detections", Number.POSITIVE_INFINITY));
      const wanted = ofClasses(some, textsOf(inputs, "class_filter") ?? []);
      const inferenceId = newId();
      const noted = noteResult(wanted, { image, model, inferenceId, task: text.task, newId });
      return { predictions: finish?.(noted) ?? noted, inference_id: inferenceId, model_id: textOf(inputs, "model_id") };
    },
  });
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
function confidenceOptions(inputs: BlockInputs): Pick<DetectOptions, "confidence"> {
  const mode = inputs.confidence_mode ?? "confidence";
  if (mode === "best" || mode === "default") return {};
  return { confidence: numberOf(inputs, mode === "custom" ? "custom_confidence" : "confidence") };
}

interface ResultNotes {
  readonly image: ImageValue;
  readonly model: Pick<DetectionModel, "note">;
  readonly inferenceId: string;
  readonly task: DetectionTask;
  readonly newId: () => string;
}

/** Notes ids, the picture, and what the model has to say about itself. */
function noteResult(found: DetectionTable, { image, model, inferenceId, task, newId }: ResultNotes): DetectionTable {
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
  return filterRows(detections, (row) => rows.includes(row));
}

/** An empty list keeps all classes. */
export function ofClasses(detections: DetectionTable, classes: readonly string[]): DetectionTable {
  if (classes.length === 0) return detections;
  const names = classNamesOf(detections);
  return filterRows(detections, (row) => classes.includes(names[row]!));
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

export const YOLO_WORLD: Block = modelBlock({
  type: "roboflow_core/yolo_world_model@v1",
  description: "Finds what words describe, without training: a box, the word and a confidence each.",
  phrase: ({ properties: { class_names } }) =>
    Array.isArray(class_names) ? `looks for ${class_names.join(", ")}` : "looks for what words describe",
  task: "zero-shot-detection",
  model: { property: "version", prefix: "yolo_world/" },
  run: async (model, inputs, { newId }) => {
    const classNames = textsOf(inputs, "class_names") ?? [];
    if (classNames.length === 0) throw inputError('"class_names" must name at least one thing.');
    const image = imageOf(inputs, "images");
    const confidence = numberOr(inputs, "confidence", DEFAULT_CONFIDENCE);
    const found = await model.withClasses(classNames).detect(image, { confidence });
    return { predictions: noteResult(found, { image, model, inferenceId: newId(), task: "object-detection", newId }) };
  },
});

/** Without a number of its own, a step lists the classes that are more likely than not. */
const SINGLE_LABEL_CONFIDENCE = 0.5;
const MULTI_LABEL_CONFIDENCE = 0.4;

type ScoreList = (scores: Float32Array, model: ClassificationModel, inputs: BlockInputs) => BlockOutputs;

export const CLASSIFICATION_MODELS: readonly Block[] = [
  ...classificationBlocks("classification", "Says which one of its classes a picture shows.", singleLabel),
  ...classificationBlocks(
    "multi_label_classification",
    "Says which of its classes a picture shows; several may hold at once.",
    multiLabel,
  ),
];

function classificationBlocks(kind: string, description: string, list: ScoreList): readonly Block[] {
  return ["v1", "v2", "v3"].map((version) =>
    modelBlock({
      type: `roboflow_core/roboflow_${kind}_model@${version}`,
      description,
      phrase: modelPhrase("classifies pictures"),
      task: "classification",
      model: { property: "model_id" },
      run: async (model, inputs, { now, newId }) => {
        const image = imageOf(inputs, "images");
        const { width, height, parent, root } = image;
        const begin = now();
        const scores = await model.classify(image);
        const inferenceId = newId();
        const predictions = {
          inference_id: inferenceId,
          time: (now() - begin) / 1000,
          image: { width, height },
          ...list(scores, model, inputs),
          prediction_type: "classification",
          parent_id: parent.id,
          root_parent_id: root.id,
          ...(model.note !== undefined && { model_note: model.note }),
        };
        return { predictions, inference_id: inferenceId, model_id: textOf(inputs, "model_id") };
      },
    }),
  );
}

/** The classes above the threshold, the best first. */
function singleLabel(scores: Float32Array, { classNames }: ClassificationModel, inputs: BlockInputs): BlockOutputs {
  const threshold = confidenceOptions(inputs).confidence ?? SINGLE_LABEL_CONFIDENCE;
  const predictions = classNames
    .map((name, classId) => ({ class_id: classId, class: name, confidence: toFourDecimals(scores[classId]!) }))
    .filter(({ class_id }) => scores[class_id]! >= threshold)
    .sort((a, b) => b.confidence - a.confidence);
  return { predictions, top: predictions[0]?.class ?? "", confidence: predictions[0]?.confidence ?? 0 };
}

/** Every class with its score, and the names of those that hold. */
function multiLabel(scores: Float32Array, { classNames }: ClassificationModel, inputs: BlockInputs): BlockOutputs {
  const threshold = confidenceOptions(inputs).confidence ?? MULTI_LABEL_CONFIDENCE;
  const predictions = Object.fromEntries(
    classNames.map((name, classId) => [name, { confidence: scores[classId]!, class_id: classId }]),
  );
  return { predictions, predicted_classes: classNames.filter((_, classId) => scores[classId]! >= threshold) };
}
