// everything a run gave → one dictionary for each element of the input
import type { BlockValue } from "../../blocks/block.ts";
import type { OutputManifest } from "../../blocks/manifests/block-manifest.ts";
import { Detections } from "../../frames/detections.ts";
import { isDictionary } from "../../query/query-value.ts";
import { isOffRoot, toRootCoordinates } from "../../query/root-coordinates.ts";
import { emptyNest, type Nest, nestFor, placeInNest } from "./nest.ts";
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
export function singleValue(output: PlanOutput, run: RunState): BlockValue {
  return run.value(output.origin) ?? missingValue(output);
}

/** The value of one element of an output, in the coordinates that it asks for. */
export function elementValue(output: PlanOutput, run: RunState, at: number): BlockValue {
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
  if (value instanceof Detections) return isOffRoot(value) ? toRootCoordinates(value) : value;
  if (Array.isArray(value)) return value.map(inRootCoordinates);
  if (!isDictionary(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inRootCoordinates(item as BlockValue)]));
}
