// image → model → boxes

import type { Detections } from "../../frames/detections.ts";
import { selectRows } from "../../frames/select-rows.ts";
import type { DetectionModel, ModelRegistry } from "../../models/detection-model.ts";
import type { Block, BlockContext, BlockInputs, BlockInstance, StepText } from "../block.ts";
import { imageOf, numberOf, numberOr, textOf, textsOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

/** Threshold of a model that brings none of its own. */
const DEFAULT_CONFIDENCE = 0.4;

export const objectDetectionModelV1 = detectionBlock("v1", (inputs) => numberOf(inputs, "confidence"));
export const objectDetectionModelV2 = detectionBlock("v2", (inputs) => numberOf(inputs, "confidence"));
export const objectDetectionModelV3 = detectionBlock("v3", (inputs) =>
  textOf(inputs, "confidence_mode") === "custom" ? numberOf(inputs, "custom_confidence") : DEFAULT_CONFIDENCE,
);

function detectionBlock(version: string, confidenceOf: (inputs: BlockInputs) => number): Block {
  return {
    manifest: manifestOf(`roboflow_core/roboflow_object_detection_model@${version}`),
    description: "Finds objects in a picture with a detection model: a box, a class name and a confidence each.",
    phrase: (step) => `detects ${classesOf(step)} with ${literalModel(step) ?? "a model given at the start"}`,
    models: (step) => [literalModel(step)].filter((id) => id !== undefined),
    create: (context) => openDetector(context, confidenceOf),
  };
}

async function openDetector(
  { step, models, newId }: BlockContext,
  confidenceOf: (inputs: BlockInputs) => number,
): Promise<BlockInstance> {
  const opened = new Map<string, Promise<DetectionModel>>();
  const known = literalModel(step);
  // Opened now, so that a wrong name is told at the start and not at the first frame.
  if (known !== undefined) await openOnce(opened, models, known);
  return {
    async run(inputs) {
      const id = textOf(inputs, "model_id");
      const model = await openOnce(opened, models, id);
      const found = await model.detect(imageOf(inputs, "images"), { confidence: confidenceOf(inputs) });
      const some = strongest(found, numberOr(inputs, "max_detections", Number.POSITIVE_INFINITY));
      const predictions = ofClasses(some, textsOf(inputs, "class_filter") ?? []);
      return { predictions, inference_id: newId(), model_id: id };
    },
    async close() {
      for (const model of await Promise.all(opened.values())) await model.close();
    },
  };
}

function openOnce(
  opened: Map<string, Promise<DetectionModel>>,
  models: ModelRegistry,
  id: string,
): Promise<DetectionModel> {
  const known = opened.get(id);
  if (known !== undefined) return known;
  const opening = models.open(id);
  opened.set(id, opening);
  // A model that does not open may be asked for again.
  opening.catch(() => opened.delete(id));
  return opening;
}

/** At most `count` rows, the most confident ones, in their own order. */
function strongest(detections: Detections, count: number): Detections {
  if (detections.length <= count) return detections;
  const { confidence } = detections;
  const rows = [...confidence.keys()].sort((a, b) => confidence[b]! - confidence[a]!).slice(0, count);
  return selectRows(
    detections,
    rows.sort((a, b) => a - b),
  );
}

/** An empty list keeps all classes. */
function ofClasses(detections: Detections, classes: readonly string[]): Detections {
  if (classes.length === 0) return detections;
  const { className } = detections;
  return selectRows(
    detections,
    [...className.keys()].filter((row) => classes.includes(className[row]!)),
  );
}

function literalModel({ properties }: StepText): string | undefined {
  const id = properties.model_id;
  return typeof id === "string" && !id.startsWith("$") ? id : undefined;
}

function classesOf({ properties }: StepText): string {
  const classes = properties.class_filter;
  if (!Array.isArray(classes) || classes.length === 0) return "objects";
  return new Intl.ListFormat("en").format(classes.map(String));
}
