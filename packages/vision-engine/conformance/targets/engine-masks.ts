// sets of indices, as the peer has its masks → elements that our gates let go on

import type { WorkflowPlan } from "../../src/workflow/run/compile-plan.ts";
import { openElements } from "../../src/workflow/run/gather-inputs.ts";
import { LevelBuilder, RunState } from "../../src/workflow/run/run-state.ts";

type Index = readonly number[];

/** Depth → indices that pass all masks; null where there are no masks. `depths` names that of each mask. */
export function maskedBy(
  masks: readonly (readonly Index[])[],
  dimensions: readonly number[],
  depths?: readonly number[],
): ReadonlyMap<number, readonly Index[] | null> {
  const deepest = Math.max(...dimensions);
  const run = new RunState(toPlan(deepest), []);
  const indices = levelsOf(masks.flat(), deepest);
  fillLevels(run, indices);
  const gates = masks.flatMap((mask, at) => {
    const own = depths === undefined ? [...new Set(mask.map(({ length }) => length))] : [depths[at]!];
    return own.map((depth) => {
      const passes = indices[depth - 1]!.map((index) => (mask.some((other) => isSame(other, index)) ? 1 : 0));
      return { branch: run.branches.push(Uint8Array.from(passes)) - 1, level: depth - 1 };
    });
  });
  return new Map(
    dimensions.map((depth) => {
      const open = openElements(gates, run, depth - 1);
      return [
        depth,
        masks.length === 0 ? null : indices[depth - 1]!.filter((_, at) => open === undefined || open[at] === 1),
      ];
    }),
  );
}

/** All indices and their parents, level by level, in order. */
function levelsOf(indices: readonly Index[], deepest: number): readonly (readonly Index[])[] {
  return Array.from({ length: deepest }, (_, at) => {
    const own = indices.filter(({ length }) => length > at).map((index) => index.slice(0, at + 1));
    const distinct = own.filter((index, place) => own.findIndex((other) => isSame(other, index)) === place);
    return distinct.sort((one, other) => one.map((part, place) => part - other[place]!).find((gap) => gap !== 0) ?? 0);
  });
}

function fillLevels(run: RunState, levels: readonly (readonly Index[])[]): void {
  for (const [depth, indices] of levels.entries()) {
    const above = levels[depth - 1] ?? [[]];
    const parents = indices.map((index) => above.findIndex((parent) => isSame(parent, index.slice(0, -1))));
    run.levels[depth] = { ...new LevelBuilder().build(above.length), indices, parents };
  }
}

function toPlan(depth: number): WorkflowPlan {
  const levels = Array.from({ length: depth }, (_, at) => ({ depth: at + 1, parent: at - 1 }));
  return {
    inputs: [],
    inputLevels: [],
    levels,
    root: 0,
    layers: [],
    branchCount: 0,
    stepCount: 0,
    outputs: [],
    checks: [],
    keepsRunsApart: false,
  };
}

function isSame(one: Index, other: Index): boolean {
  return one.length === other.length && one.every((part, at) => part === other[at]);
}
