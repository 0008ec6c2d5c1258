// image → model → boxes, masks or keypoints that know where they come from
import { classNamesOf, type Detections, repeated, selectRows, withColumns } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import type { DetectionModel, DetectOptions } from "../../models/detection-model.ts";
import type { Block, BlockContext, BlockInputs, BlockInstance, StepText } from "../block.ts";
import { imageOf, numberOf, numberOr, textOf, textsOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { noteOrigin } from "../note-origin.ts";
import { perElement } from "../per-element.ts";
import { createOpenedModels, literalModel } from "./opened-models.ts";

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
  readonly finish?: (detections: Detections) => Detections;
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
export function noteResult(found: Detections, { image, model, inferenceId, task, newId }: ResultNotes): Detections {
  const { length } = found;
  const noted = withColumns(noteOrigin(found, image, task), {
    detection_id: Array.from({ length }, newId),
    inference_id: repeated(inferenceId, length),
  });
  if (model.note === undefined) return noted;
  return noted.with({ metadata: { ...noted.metadata, model_note: model.note } });
}

/** At most `count` rows, the most confident ones, in their own order. */
function strongest(detections: Detections, count: number): Detections {
  const { confidence } = detections;
  if (confidence === undefined || detections.length <= count) return detections;
  const rows = [...confidence.keys()].sort((a, b) => confidence[b]! - confidence[a]!).slice(0, count);
  return selectRows(
    detections,
    rows.sort((a, b) => a - b),
  );
}

/** An empty list keeps all classes. */
export function ofClasses(detections: Detections, classes: readonly string[]): Detections {
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
