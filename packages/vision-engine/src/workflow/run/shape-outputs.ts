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
import type { PlanOutput } from "./plan.ts";
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
    if (output.depth === 0) shared[output.name] = await write(output, singleValue(output, run));
    else if (output.isOfInput) ofInput.push([output, await nestOf(output, run, write)]);
    else shared[output.name] = (await nestOf(output, run, write)) ?? [];
  }
  if (ofInput.length === 0) return [shared];
  return run.level(root).indices.map((_, at) => {
    const result = { ...shared };
    for (const [output, nest] of ofInput) result[output.name] = nest?.[at] ?? emptyValue(output);
    return result;
  });
}

/** The value of an output that is no batch. */
function singleValue(output: PlanOutput, run: RunState): BlockValue {
  return run.value(output.origin) ?? missingValue(output);
}

/** The value of one element of an output, in the coordinates that it asks for. */
function elementValue(output: PlanOutput, run: RunState, at: number): BlockValue {
  const value = run.element(output.origin, at) ?? missingValue(output);
  return output.inParentCoordinates ? inRootCoordinates(value) : value;
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
    const value = elementValue(output, run, at);
    if (value !== null) placeInNest(nest, indices[at]!, await write(output, value));
  }
  return nest;
}

function emptyValue({ depth }: PlanOutput): Nest | null {
  return depth > 1 ? emptyNest(depth - 1) : null;
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

/** One for each of the `count` images. */
export function imageOutputs(run: RunState, count: number): readonly PlanExecution[] {
  const runs: PlanExecution[] = [];
  for (let image = 0; image < count; image++) {
    const outputs: Record<string, OutputValue> = {};
    const images = new Map<string, ImageValue>();
    for (const output of run.plan.outputs) {
      const value = outputOf(output, run, image);
      outputs[output.name] = toOutputValue(value);
      if (value instanceof ImageValue) images.set(output.name, value);
    }
    runs.push({ outputs, images });
  }
  return runs;
}

/** What belongs to one image: its element, or a list of what was made of it. */
function outputOf(output: PlanOutput, run: RunState, image: number): BlockValue {
  const { origin, depth, isOfInput } = output;
  if (depth === 0) return singleValue(output, run);
  if (depth === 1 && isOfInput) return elementValue(output, run, image);
  const path: number[] = [];
  const { levels } = run.plan;
  for (let level = origin.level; level >= 0; level = levels[level]!.parent) path.unshift(level);
  return isOfInput ? nested(output, run, path, { depth: 1, place: image }) : whole(output, run, path);
}

/** A batch that a step made up is the same for all images. */
function whole(output: PlanOutput, run: RunState, path: readonly number[]): BlockValue {
  return run.level(path[0]!).indices.map((_, place) => nested(output, run, path, { depth: 1, place }));
}

function nested(
  output: PlanOutput,
  run: RunState,
  path: readonly number[],
  { depth, place }: { depth: number; place: number },
): BlockValue {
  if (depth === path.length) return elementValue(output, run, place);
  const { starts } = run.level(path[depth]!);
  const children: BlockValue[] = [];
  for (let at = starts[place] ?? 0; at < (starts[place + 1] ?? 0); at++) {
    children.push(nested(output, run, path, { depth: depth + 1, place: at }));
  }
  return children;
}
