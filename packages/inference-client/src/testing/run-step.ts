// one step and what it reads → its outputs
import type { Json } from "@vision-agent/protocol";
import type { JsonObject } from "./check-body.ts";
import { isObject } from "./check-body.ts";
import type { FakeModel } from "./fake-server.ts";
import { findThings } from "./find-things.ts";
import { applyOperations, holds, UnknownOperation } from "./query-language.ts";
import type { SpecStep } from "./spec-parts.ts";
import { Deeper, Found, type FoundThing, type Mask, Picture, type Value } from "./step-values.ts";
import { classify, classifyMany, segmentAll, toLimits } from "./to-inference-answer.ts";
import { stepError } from "./workflow-errors.ts";
import type { World } from "./world.ts";

export type Outputs = Readonly<Record<string, Value>>;
/** The step's properties with every reference replaced by its value. */
export type Properties = Readonly<Record<string, Value>>;
/** What a step remembers between frames: how many it has seen. Empty again in every `/workflows/run`. */
export type StepMemory = Map<string, number>;

export interface StepContext {
  readonly world: World;
  readonly step: SpecStep;
  readonly properties: Properties;
  readonly memory: StepMemory;
}

/** Frames between two crossings of a line in the fake's world. */
const CROSSING_EVERY = 10;

/** `undefined` says that the steps it guards do not run. */
export function runStep(context: StepContext): Outputs | undefined {
  try {
    return runBlock(context);
  } catch (error) {
    if (error instanceof UnknownOperation) throw stepError(context.step, "UnknownOperation", error.message);
    throw error;
  }
}

function runBlock(context: StepContext): Outputs | undefined {
  const { step, properties } = context;
  const kind = step.block.type.replace(/^roboflow_core\//, "").replace(/@.*$/, "");
  if (/^roboflow_.*_model$/.test(kind)) return runModel(context);
  switch (kind) {
    case "dynamic_crop":
      return { crops: cropAll(properties), predictions: null };
    case "property_definition":
      return { output: applyOperations(properties.data ?? null, properties.operations as Json) };
    case "detections_filter":
      return { predictions: applyOperations(properties.predictions ?? null, properties.operations as Json) };
    case "continue_if":
      return isAllowed(properties) ? {} : undefined;
    case "first_non_empty_or_default":
      return { output: firstNonEmpty(properties) };
    case "line_counter":
      return { ...usualOutputs(step, properties), count_in: countCrossings(context), count_out: 0 };
    case "byte_tracker":
    case "trackers_bytetrack":
    case "trackers_sort":
    case "trackers_ocsort":
    case "trackers_botsort":
      return { ...usualOutputs(step, properties), tracked_detections: track(firstFound(properties)) };
    case "time_in_zone":
      return { timed_detections: firstFound(properties)?.with(timed(context)) ?? null };
  }
  return usualOutputs(step, properties);
}

function runModel(context: StepContext): Outputs {
  const { world, step, properties } = context;
  const id = String(properties.model_id);
  const model = world.models.takeForStep(id);
  const picture = Object.values(properties).find((value) => value instanceof Picture);
  if (model === undefined) throw stepError(step, "RoboflowAPIConnectionError", "Could not connect to Roboflow API.");
  if (picture === undefined) return { predictions: null, inference_id: null, model_id: id };
  const outputs = { inference_id: crypto.randomUUID(), predictions: predict(model, picture, properties), model_id: id };
  const order = Object.keys(step.block.gives) as (keyof typeof outputs)[];
  return Object.fromEntries(order.map((name) => [name, outputs[name]]));
}

function predict(model: FakeModel, picture: Picture, properties: Properties): Value {
  const limits = toLimits(properties as JsonObject);
  const threshold = limits.confidence ?? 0.4;
  const { width, height } = picture;
  const root = picture.cutFrom?.root.id ?? picture.id;
  const facts = {
    inference_id: crypto.randomUUID(),
    time: 0.003,
    image: { width, height },
  };
  const parents = { prediction_type: "classification", parent_id: picture.id, root_parent_id: root };
  if (model.task === "classification") return { ...facts, ...classify(model, picture, threshold), ...parents };
  if (model.task === "multi-label-classification")
    return { ...facts, ...classifyMany(model, picture, threshold), ...parents };
  if (model.task === "semantic-segmentation")
    return { image: { width, height }, predictions: segmentAll(model, picture) };
  const masks: Partial<Record<FakeModel["task"], Mask>> = {
    "instance-segmentation": "polygon",
    "keypoint-detection": "keypoints",
  };
  return new Found(picture, findThings(model, picture, picture.video.frame, limits), masks[model.task] ?? "none");
}

function cropAll(properties: Properties): Value {
  const [picture, found] = [properties.images, properties.predictions];
  if (!(picture instanceof Picture) || !(found instanceof Found)) return null;
  const crops = found.things.map((thing) => {
    const [left, top] = [Math.round(thing.x - thing.width / 2), Math.round(thing.y - thing.height / 2)];
    const size = { width: thing.width, height: thing.height };
    return new Picture({ size, id: thing.detectionId, video: picture.video, cutFrom: { root: picture, left, top } });
  });
  return new Deeper(crops);
}

function isAllowed(properties: Properties): boolean {
  const statement = properties.condition_statement as Json;
  const names = properties.evaluation_parameters as Json;
  return isObject(statement) && holds(statement, isObject(names) ? names : {});
}

function firstNonEmpty(properties: Properties): Value {
  const data = properties.data;
  const found = Array.isArray(data) ? data.find((item) => item !== null) : undefined;
  return found ?? properties.default ?? null;
}

function track(found: Found | undefined): Value {
  return found?.with(found.things.map((thing, index): FoundThing => ({ ...thing, trackerId: index + 1 }))) ?? null;
}

function countCrossings({ memory, step }: StepContext): number {
  const seen = memory.get(step.name) ?? 0;
  memory.set(step.name, seen + 1);
  return Math.floor(seen / CROSSING_EVERY);
}

function timed({ memory, step, properties }: StepContext): readonly FoundThing[] {
  const seen = memory.get(step.name) ?? 0;
  memory.set(step.name, seen + 1);
  return firstFound(properties)?.things.map((thing): FoundThing => ({ ...thing, timeInZone: seen / 10 })) ?? [];
}

function firstFound(properties: Properties): Found | undefined {
  return Object.values(properties).find((value) => value instanceof Found);
}

/** Any other block: a plausible value of the declared kind for each output; detections and pictures pass through. */
function usualOutputs(step: SpecStep, properties: Properties): Outputs {
  const outputs = Object.entries(step.block.gives).filter(([name]) => name !== "*");
  return Object.fromEntries(outputs.map(([name, kinds]) => [name, usualValue(kinds.split("|")[0]!, properties)]));
}

function usualValue(kind: string, properties: Properties): Value {
  const picture = Object.values(properties).find((value) => value instanceof Picture);
  if (kind === "image") return picture ?? null;
  if (kind.endsWith("_prediction")) return firstFound(properties) ?? null;
  const plain: Readonly<Record<string, Json>> = {
    integer: 0,
    float: 0.5,
    float_zero_to_one: 0.5,
    boolean: false,
    string: "",
    timestamp: new Date(0).toISOString().slice(0, -1),
    rgb_color: [61, 76, 19],
    list_of_values: [],
    dictionary: {},
    language_model_output: "",
    embedding: [0.6, 0.8],
  };
  return plain[kind] ?? null;
}
