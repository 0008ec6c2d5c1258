// everything a run gave → what it says on each of its images
import type { OutputValue } from "@vision-agent/protocol";
import type { BlockValue } from "../../blocks/block.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { toOutputValue } from "./output-value.ts";
import type { PlanOutput } from "./plan.ts";
import type { RunState } from "./run-state.ts";
import { elementValue, singleValue } from "./shape-outputs.ts";

/** What a workflow gave out for one frame. */
export interface PlanRun {
  /** Output name → value on the wire. */
  readonly outputs: Readonly<Record<string, OutputValue>>;
  /** Output name → picture, for those that are pictures. */
  readonly images: ReadonlyMap<string, ImageValue>;
}

/** One for each of the `count` images. */
export function imageOutputs(run: RunState, count: number): readonly PlanRun[] {
  const runs: PlanRun[] = [];
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
