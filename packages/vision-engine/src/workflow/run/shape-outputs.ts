// everything a run gave → one dictionary for each element of the input

import type { Json, OutputValue } from "@vision-agent/protocol";
import { BlockBatch, type BlockValue, type OutputManifest } from "../../blocks/block.ts";
import { EngineError } from "../../errors.ts";
import { DetectionTable, toWireDetections } from "../../frames/detections.ts";
import { isVideoMetadata, Timestamp } from "../../frames/frame.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { isDictionary } from "../../query/query-value.ts";
import { isOffRoot, toRootCoordinates } from "../../query/root-coordinates.ts";
import { serializeVideoMetadata } from "../../query/serialize-value.ts";
import type { PlanOutput } from "./compile-plan.ts";
import type { RunState } from "./run-state.ts";

/** What a workflow gave for one element of its input: output name → value, nested as deep as its batch. */
export type WorkflowResult = Readonly<Record<string, unknown>>;

/** Makes of each value what is given out. */
export type WriteValue = (output: PlanOutput, value: BlockValue) => unknown;

/** Single values stand in every dictionary; where no output follows the batch of the input there is exactly one. */
export async function shapeOutputs(run: RunState, write: WriteValue): Promise<readonly WorkflowResult[]> {
  const { outputs, root } = run.plan;
  const shared: Record<string, unknown> = {};
  const ofInput: [PlanOutput, Nest | undefined][] = [];
  for (const output of outputs) {
    if (output.depth === 0) shared[output.name] = await write(output, run.value(output.origin) ?? missingValue(output));
    else if (output.isOfInput) ofInput.push([output, await nestOf(output, run, write)]);
    else shared[output.name] = (await nestOf(output, run, write)) ?? [];
  }
  if (ofInput.length === 0) return [shared];
  return run.level(root).indices.map((_, at) => {
    const result = { ...shared };
    for (const [{ name, depth }, nest] of ofInput) {
      result[name] = nest?.[at] ?? (depth > 1 ? emptyNest(depth - 1) : null);
    }
    return result;
  });
}

/** All outputs of a step that did not run are there, and null. */
function missingValue({ origin, kinds }: PlanOutput): BlockValue {
  if (origin.kind !== "output" || origin.output !== "*") return null;
  return Object.fromEntries((kinds as readonly OutputManifest[]).map(({ name }) => [name, null]));
}

async function nestOf(output: PlanOutput, run: RunState, write: WriteValue): Promise<Nest | undefined> {
  const { indices } = run.level(output.origin.level);
  const nest = nestFor(indices);
  if (nest === undefined) return undefined;
  for (let at = 0; at < indices.length; at++) {
    const own = run.element(output.origin, at) ?? missingValue(output);
    const value = output.inParentCoordinates ? inRootCoordinates(own) : own;
    if (value !== null) placeInNest(nest, indices[at]!, await write(output, value));
  }
  return nest;
}

/** Detections of crops in the coordinates of the frame, also inside lists and dictionaries. */
function inRootCoordinates(value: BlockValue): BlockValue {
  if (value instanceof DetectionTable) return isOffRoot(value) ? toRootCoordinates(value) : value;
  if (Array.isArray(value)) return value.map(inRootCoordinates);
  if (!isDictionary(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inRootCoordinates(item as BlockValue)]));
}

/** A list of lists of … as deep as an output is. */
export type Nest = unknown[];

/** `level` lists in each other, the innermost empty. */
export function emptyNest(level: number): Nest {
  return level <= 1 ? [] : [emptyNest(level - 1)];
}

/** Room for elements at these indices, null in every place; absent when there are none. */
export function nestFor(indices: readonly (readonly number[])[]): Nest | undefined {
  const [first] = indices;
  if (first === undefined) return undefined;
  const depth = first.length;
  const length = Math.max(...indices.map((index) => index[0]!)) + 1;
  if (depth === 1) return new Array(length).fill(null);
  const children: (readonly number[])[][] = Array.from({ length }, () => []);
  for (const [at, ...rest] of indices) children[at!]!.push(rest);
  return children.map((own) => nestFor(own) ?? emptyNest(depth - 1));
}

/** Puts a value at its index. Throws `EngineError` when there is no such place. */
export function placeInNest(nest: Nest, index: readonly number[], value: unknown): void {
  let list: unknown = nest;
  for (let depth = 0; depth < index.length; depth++) {
    const at = index[depth]!;
    if (!Array.isArray(list)) throw noPlace("TypeError", index);
    if (at >= list.length) throw noPlace("IndexError", index);
    if (depth === index.length - 1) list[at] = value;
    else list = list[at];
  }
}

function noPlace(type: string, index: readonly number[]): EngineError {
  return new EngineError({ kind: "internal", type, message: `There is no place ${index.join(", ")} in the output.` });
}

function toOutputValue(value: BlockValue): OutputValue {
  if (value instanceof ImageValue) return { kind: "image", width: value.width, height: value.height };
  if (value instanceof DetectionTable) return { kind: "detections", detections: toWireDetections(value) };
  return { kind: "value", value: toJson(value) };
}

/** Pictures and bytes are told by their size: they never travel with results. */
function toJson(value: BlockValue): Json {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof ImageValue) return { width: value.width, height: value.height };
  if (value instanceof DetectionTable) return toWireDetections(value);
  if (value instanceof Timestamp) return value.iso;
  if (value instanceof BlockBatch) return value.items.map(toJson);
  if (value instanceof Uint8Array) return { bytes: value.length };
  if (value instanceof Float32Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (isVideoMetadata(value)) return toJson(serializeVideoMetadata(value) as BlockValue);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toJson(item)]));
}

/** What a workflow gave out for one frame. */
export interface PlanExecution {
  /** Output name → value on the wire. */
  readonly outputs: Readonly<Record<string, OutputValue>>;
  /** Output name → picture, for those that are pictures. */
  readonly images: ReadonlyMap<string, ImageValue>;
}

/** One for each of the `count` images; one result holds for all where no output follows the batch of the images. */
export async function imageOutputs(run: RunState, count: number): Promise<readonly PlanExecution[]> {
  const results = await shapeOutputs(run, (_, value) => value);
  return Array.from({ length: count }, (_, image) => {
    const outputs: Record<string, OutputValue> = {};
    const images = new Map<string, ImageValue>();
    for (const { name } of run.plan.outputs) {
      const value = (results[image] ?? results[0]!)[name] as BlockValue;
      outputs[name] = toOutputValue(value);
      if (value instanceof ImageValue) images.set(name, value);
    }
    return { outputs, images };
  });
}
