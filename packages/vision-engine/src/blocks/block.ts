// inputs of a step → one block → outputs of a step: the contract, and what blocks are written with
import { readFileSync } from "node:fs";
import type { Json, PipelineStatus } from "@vision-agent/protocol";
import { EngineError, inputError } from "../errors.ts";
import { DetectionTable } from "../frames/detections.ts";
import { isVideoMetadata, type Timestamp, type VideoMetadata } from "../frames/frame.ts";
import { ImageValue } from "../frames/image-value.ts";
import type { ModelRegistry } from "../models/model.ts";
import type { NumberStyle } from "../query/python-text.ts";
import type { QueryCache } from "../query/statements.ts";
import type { Effects } from "./effects.ts";

/** What travels between steps. */
export type BlockValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | Float32Array
  | Timestamp
  | ImageValue
  | DetectionTable
  | VideoMetadata
  | FlowControl
  | BlockBatch<BlockValue>
  | readonly BlockValue[]
  | { readonly [name: string]: BlockValue };

/** Property name → value, defaults filled in; a `BlockBatch` where the manifest says so. Valid during the call only. */
export type BlockInputs = Readonly<Record<string, BlockValue>>;

/** Output name → value; every output of the manifest. */
export type BlockOutputs = Readonly<Record<string, BlockValue>>;

/**
 * What a call gives back. A block that takes no batches: the outputs (a list of them when its outputs are one level
 * deeper, a `FlowControl` when it is a gate). A block that takes batches: a list of those, one for each element.
 */
export type BlockResult = BlockOutputs | FlowControl | readonly (BlockResult | null)[];

/** A line or a zone that a step looks at, in pixels of the frame. */
export type Shape = PipelineStatus["shapes"][number];

/** A step as its author wrote it: property name → literal or selector, defaults filled in. */
export interface StepText {
  readonly name: string;
  readonly properties: Readonly<Record<string, Json>>;
}

/** What a block instance may use. */
export interface BlockContext {
  /** The step that this instance runs; properties that are selectors have no value yet. */
  readonly step: StepText;
  readonly models: ModelRegistry;
  /** A fresh unique id. */
  readonly newId: () => string;
  /** Wall clock in milliseconds since 1970. */
  readonly now: () => number;
  /** 0 up to 1. */
  readonly random: () => number;
  /** The ways out of the process. */
  readonly effects: Effects;
  /** Shared by the steps of one workflow, by video: what `cache_set` keeps for `cache_get`. */
  readonly memory: Map<string, Map<string, BlockValue>>;
}

/** One step at work. State lives in here, kept apart per video. */
export interface BlockInstance {
  /**
   * Never called twice at a time, unless the block says `stateless`. What it throws ends the run with the step's name.
   */
  run(inputs: BlockInputs): BlockResult | Promise<BlockResult>;
  /** May be called twice. */
  close?(): Promise<void>;
}

/** A block type: what it is, how to say what it does, and how to make one. */
export interface Block {
  readonly manifest: BlockManifest;
  /** One sentence for people and models that choose a block. */
  readonly description: string;
  /** Runs of one frame do not depend on those of frames before: the next frame may enter while this one is inside. */
  readonly stateless?: true;
  /** Uses `context.memory`: whole runs of its workflow then follow each other. */
  readonly sharesMemory?: true;
  /** What a step does, as a verb phrase: "tracks them". */
  phrase(step: StepText): string;
  /** Lines and zones written into the step. */
  shapes?(step: StepText): readonly Shape[];
  /** Models named in the step. */
  models?(step: StepText): readonly string[];
  /** What is wrong with a step beyond what the manifest can say; called with properties that fit it. */
  problems?(step: StepText): readonly { readonly property: string; readonly message: string }[];
  /** Outputs that depend on how the step was written, besides those of the manifest. */
  outputs?(step: StepText): BlockManifest["outputs"];
  create(context: BlockContext): BlockInstance | Promise<BlockInstance>;
}

/** Place of an element: image 0, or crop 2 of image 0 as `[0, 2]`. */
export type BatchIndex = readonly number[];

/** Values of one property for many elements. */
export class BlockBatch<T = unknown> {
  readonly items: readonly T[];
  readonly indices: readonly BatchIndex[];

  constructor(items: readonly T[], indices: readonly BatchIndex[] = items.map((_, at) => [at])) {
    this.items = items;
    this.indices = indices;
  }

  get length(): number {
    return this.items.length;
  }
}

/** Where a gate lets a run go on. */
export class FlowControl {
  /** Selectors of the steps that go on (`$steps.name`); absent ends this way for all. */
  readonly next: readonly string[] | undefined;

  constructor(next?: readonly string[]) {
    this.next = next;
  }
}

const FILE = new URL("./manifests/block-manifests.generated.jsonl", import.meta.url);

/** Every block type of the catalogue, whether it runs here or not. Data instead of code: a module of this size takes long to load. */
export const BLOCK_MANIFESTS: readonly BlockManifest[] = readFileSync(FILE, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));

/** The manifest of a block type that exists. */
export function manifestOf(type: string): BlockManifest {
  const manifest = BLOCK_MANIFESTS.find((candidate) => candidate.type === type);
  if (manifest === undefined) throw new EngineError({ kind: "internal", message: `No manifest of ${type}.` });
  return manifest;
}

export function imageOf(inputs: BlockInputs, property: string): ImageValue {
  const value = inputs[property];
  return value instanceof ImageValue ? value : refuse(property, "an image", value);
}

export function detectionsOf(inputs: BlockInputs, property: string): DetectionTable {
  const value = inputs[property];
  return value instanceof DetectionTable ? value : refuse(property, "detections", value);
}

function videoOf(inputs: BlockInputs, property: string): VideoMetadata {
  const value = inputs[property];
  return isVideoMetadata(value) ? value : refuse(property, "the metadata of a video frame", value);
}

/** Detections with the ids of a tracker. */
export type TrackedDetections = DetectionTable & { readonly trackerId: Int32Array };

/** Throws when no tracker has seen the detections. */
export function trackedDetectionsOf(inputs: BlockInputs, property: string): TrackedDetections {
  const detections = detectionsOf(inputs, property);
  if (detections.trackerId !== undefined) return detections as TrackedDetections;
  throw inputError(`"${property}" has no track ids: put a tracker before this step.`);
}

/** The video that a frame belongs to: told by itself, or by the picture. */
export function frameVideoOf(inputs: BlockInputs, nowMs = 0): VideoMetadata {
  return inputs.metadata === undefined ? imageOf(inputs, "image").videoOrDefault(nowMs) : videoOf(inputs, "metadata");
}

export function numberOf(inputs: BlockInputs, property: string): number {
  const value = inputs[property];
  return typeof value === "number" ? value : refuse(property, "a number", value);
}

/** A number of this range. */
export function numberWithin(inputs: BlockInputs, property: string, least: number, most?: number): number {
  const value = numberOf(inputs, property);
  if (value >= least && value <= (most ?? Number.POSITIVE_INFINITY)) return value;
  const range = most === undefined ? `at least ${least}` : `between ${least} and ${most}`;
  throw inputError(`"${property}" must be ${range}, not ${value}.`);
}

/** Null and absent give the fallback. */
export function numberOr(inputs: BlockInputs, property: string, fallback: number): number {
  return (inputs[property] ?? null) === null ? fallback : numberOf(inputs, property);
}

export function textOf(inputs: BlockInputs, property: string): string {
  const value = inputs[property];
  return typeof value === "string" ? value : refuse(property, "a text", value);
}

/** Null and absent give `undefined`. */
export function textsOf(inputs: BlockInputs, property: string): readonly string[] | undefined {
  const value = inputs[property] ?? null;
  if (value === null) return undefined;
  return isTexts(value) ? value : refuse(property, "a list of texts", value);
}

function isTexts(value: BlockValue): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function refuse(property: string, wanted: string, value: BlockValue | undefined): never {
  throw inputError(`"${property}" must be ${wanted}, not ${wordFor(value)}.`);
}

function wordFor(value: BlockValue | undefined): string {
  if (value === undefined || value === null) return "nothing";
  if (value instanceof ImageValue) return "an image";
  if (value instanceof DetectionTable) return "detections";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a dictionary" : `the ${typeof value} ${JSON.stringify(value)}`;
}

/** A batch block from what it does with one element; properties that are no batch are the same for all. */
function perElement(run: BlockInstance["run"]): BlockInstance["run"] {
  return async (inputs) => {
    const length = batchLength(inputs);
    const results: BlockResult[] = [];
    for (let at = 0; at < length; at++) results.push(await run(elementInputs(inputs, at)));
    return results;
  };
}

/** Number of elements: that of the longest batch, for one of length 1 holds for all. A list may hold batches too. */
export function batchLength(inputs: BlockInputs): number {
  let length = 0;
  for (const value of Object.values(inputs).flat())
    if (value instanceof BlockBatch) length = Math.max(length, value.length);
  return length;
}

/** Inputs with every batch replaced by its element, also one level inside lists and dictionaries. */
export function elementInputs(inputs: BlockInputs, at: number): BlockInputs {
  const picked: Record<string, BlockValue> = {};
  for (const name in inputs) picked[name] = elementOf(inputs[name]!, at);
  return picked;
}

function elementOf(value: BlockValue, at: number): BlockValue {
  if (value instanceof BlockBatch) return (value.length === 1 ? value.items[0] : value.items[at]) ?? null;
  if (Array.isArray(value) && value.some((item) => item instanceof BlockBatch)) {
    return value.map((item: BlockValue) => elementOf(item, at));
  }
  if (isDictionary(value) && Object.values(value).some((item) => item instanceof BlockBatch)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, elementOf(item, at)]));
  }
  return value;
}

/** What a block does with one element, or with whole batches. Valid during the call only: the inputs. */
type Run = (inputs: BlockInputs, context: BlockContext) => BlockResult | Promise<BlockResult>;

/** A block as its file writes it. */
export interface BlockDefinition extends Omit<Block, "manifest" | "phrase" | "create"> {
  readonly type: string;
  /** What a step does, as a verb phrase. */
  readonly phrase: string | ((step: StepText) => string);
  /** Takes batches as they come; else a block that is fed batches runs on one element after the other. */
  readonly takesBatches?: true;
}

/** `run` alone remembers nothing from run to run; `start` is called once for each step and may keep something. */
export function block(
  definition: BlockDefinition &
    (
      | { readonly run: Run }
      | { readonly start: (context: BlockContext) => Run | BlockInstance | Promise<BlockInstance> }
    ),
): Block {
  const { type, phrase, takesBatches, ...text } = definition;
  const manifest = manifestOf(type);
  const isPerElement = takesBatches !== true && (manifest.batchProperties ?? []).length > 0;
  return {
    ...("run" in definition && { stateless: true }),
    ...text,
    manifest,
    phrase: typeof phrase === "string" ? () => phrase : phrase,
    async create(context) {
      const started = "run" in definition ? definition.run : await definition.start(context);
      const instance =
        typeof started === "function" ? { run: (inputs: BlockInputs) => started(inputs, context) } : started;
      return isPerElement ? { ...instance, run: perElement((inputs) => instance.run(inputs)) } : instance;
    },
  };
}

/** The same value; pictures in it have memory of their own, for that of a frame is soon used again. */
export function keptValue(value: BlockValue): BlockValue {
  if (value instanceof ImageValue) return value.kept();
  if (value instanceof BlockBatch) return new BlockBatch(value.items.map(keptValue), value.indices);
  if (Array.isArray(value)) return value.map(keptValue);
  if (!isDictionary(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, keptValue(item)]));
}

/** A plain one: no picture, no detections, no time. */
export function isDictionary(value: BlockValue): value is { readonly [name: string]: BlockValue } {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** One property of a block. */
export interface PropertyManifest {
  readonly name: string;
  /** What it accepts, in the notation of `parsePropertyType`: `float{>=0.0,<=1.0} | sel<float_zero_to_one>`. */
  readonly type: string;
  readonly required?: true;
  /** Used when the step leaves the property out. */
  readonly default?: Json;
  /** Other names under which a step may write it. */
  readonly aliases?: readonly string[];
}

/** One value that a block gives out. */
export interface OutputManifest {
  readonly name: string;
  /** Kinds of value it may be; `*` is any. */
  readonly kinds: readonly string[];
}

/** What a workflow author must know of a block type. */
export interface BlockManifest {
  readonly type: string;
  readonly aliases?: readonly string[];
  /** Title for people. */
  readonly name: string;
  readonly family: string;
  readonly properties: readonly PropertyManifest[];
  readonly outputs: readonly OutputManifest[];
  /** Further outputs depend on the properties of the step. */
  readonly dynamicOutputs?: true;
  /** How deep outputs are nested compared with inputs: 1 makes many of one, -1 one of many. Absent: 0. */
  readonly outputDimensionalityOffset?: number;
  readonly inputDimensionalityOffsets?: { readonly [property: string]: number };
  readonly dimensionalityReferenceProperty?: string;
  /** Properties taken as a whole batch. */
  readonly batchProperties?: readonly string[];
  readonly batchOrScalarProperties?: readonly string[];
  readonly autoBatchCastProperties?: readonly string[];
  /** Runs even where an input has no value. */
  readonly acceptsEmpty?: true;
}

/** `operations` by the name of the variable they are for. Throws a `KeyError` for one that is not there. */
export function applyOperations(query: QueryCache, data: BlockValue, operations: BlockValue): BlockInputs {
  const variables: Record<string, BlockValue> = { ...(data as BlockInputs) };
  for (const [name, chain] of Object.entries((operations ?? {}) as BlockInputs)) {
    if (!Object.hasOwn(variables, name)) {
      throw inputError(`There are operations for "${name}", which is not among the data.`, "KeyError");
    }
    variables[name] = query.operations(chain)(variables[name]);
  }
  return variables;
}

/** What is known of the numbers of each variable after its operations. */
export function numberStyles(query: QueryCache, operations: BlockValue): Readonly<Record<string, NumberStyle>> {
  const chains = Object.entries((operations ?? {}) as BlockInputs);
  return Object.fromEntries(chains.map(([name, chain]) => [name, query.operations(chain).numbers]));
}
