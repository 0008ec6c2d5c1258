// step of a run → its own time, ids and luck, however runs overlap

import { AsyncLocalStorage } from "node:async_hooks";
import type { BatchIndex, BlockOutputs, BlockValue } from "../../blocks/block.ts";
import { createRandom } from "../../seeded-random.ts";
import type { Origin, WorkflowPlan } from "./compile-plan.ts";

/** The elements of one level in one run. */
export interface Level {
  readonly indices: readonly BatchIndex[];
  /** Elements with the parent at `p` go from `starts[p]` up to `starts[p + 1]`. */
  readonly starts: readonly number[];
  /** Place of each element's parent. */
  readonly parents: readonly number[];
}

/** What a step gave: for each element of its level, or once. */
export type StepResult = BlockOutputs | null | readonly (BlockOutputs | null)[];

/** What a run has brought so far. */
export class RunState {
  readonly plan: WorkflowPlan;
  /** Calls its steps; absent when they are called as they are. */
  readonly scope: StepScope | undefined;
  /** Of each input: the value, or those of all elements. */
  readonly inputs: (BlockValue | readonly BlockValue[])[];
  readonly levels: (Level | undefined)[];
  readonly results: (StepResult | undefined)[];
  /** Of each branch: whether to go on, for each element or for all; absent when its gate did not run. */
  readonly branches: (boolean | Uint8Array | undefined)[];

  constructor(plan: WorkflowPlan, inputs: readonly (BlockValue | readonly BlockValue[])[], scope?: StepScope) {
    this.plan = plan;
    this.scope = scope;
    this.inputs = [...inputs];
    this.levels = new Array(plan.levels.length);
    this.results = new Array(plan.stepCount);
    this.branches = new Array(plan.branchCount);
  }

  /** A level whose step did not run has no elements. */
  level(slot: number): Level {
    return this.levels[slot] ?? NO_ELEMENTS;
  }

  /** Place of an element's ancestor in a level above. */
  ancestor(at: number, from: number, to: number): number {
    let [place, level] = [at, from];
    while (level !== to) {
      place = this.level(level).parents[place]!;
      level = this.plan.levels[level]!.parent;
    }
    return place;
  }

  /** A single value; null when its step did not run. */
  value(origin: Origin): BlockValue {
    if (origin.kind === "literal") return origin.value;
    if (origin.kind === "input") return this.inputs[origin.input] as BlockValue;
    const outputs = this.results[origin.step] as BlockOutputs | null | undefined;
    if (origin.output === "*") return outputs ?? null;
    return outputs?.[origin.output] ?? null;
  }

  /** The value of one element; null when it was not made. */
  element(origin: Exclude<Origin, { kind: "literal" }>, at: number): BlockValue {
    if (origin.kind === "input") return (this.inputs[origin.input] as readonly BlockValue[])[at] ?? null;
    const outputs = (this.results[origin.step] as readonly (BlockOutputs | null)[] | undefined)?.[at] ?? null;
    if (origin.output === "*") return outputs;
    return outputs?.[origin.output] ?? null;
  }
}

const NO_ELEMENTS: Level = { indices: [], starts: [0], parents: [] };

/** Elements `0 … length - 1` without parents. */
export function flatLevel(length: number): Level {
  return { indices: Array.from({ length }, (_, at) => [at]), starts: [0, length], parents: new Array(length).fill(0) };
}

/** Collects the elements of a level in the order of their parents. */
export class LevelBuilder {
  readonly indices: BatchIndex[] = [];
  readonly starts: number[] = [0];
  readonly parents: number[] = [];

  /** The children of the parent at `place`, the parents before it without any. */
  addChildren(place: number, index: BatchIndex, count: number): void {
    while (this.starts.length <= place) this.starts.push(this.indices.length);
    for (let child = 0; child < count; child++) {
      this.indices.push([...index, child]);
      this.parents.push(place);
    }
    this.starts.push(this.indices.length);
  }

  /** With `parentCount` parents in all. */
  build(parentCount: number): Level {
    while (this.starts.length <= parentCount) this.starts.push(this.indices.length);
    return { indices: this.indices, starts: this.starts, parents: this.parents };
  }
}

/** What a step cannot know from its inputs. */
export interface Chance {
  /** Wall clock in milliseconds since 1970. */
  readonly now: () => number;
  /** A fresh unique id. */
  readonly newId: () => string;
  /** 0 up to 1. */
  readonly random: () => number;
}

/** Calls a step. What it asks for is that of its run, also after it has waited while other runs went on. */
export type StepScope = <T>(slot: number, call: () => T) => T;

export interface StepScopes {
  /** For blocks: that of the call which asks; outside of runs the standard. */
  readonly chance: Chance;
  /** The calls of the run with this number; absent when it has nothing of its own. */
  ofRun(run: number, nowMs: number | undefined): StepScope | undefined;
}

/** `repeatable` makes ids and luck of the number of the run and the place of the step: the same every time. */
export function createStepScopes(standard: Chance, repeatable: boolean): StepScopes {
  const calls = new AsyncLocalStorage<Chance>();
  const current = (): Chance => calls.getStore() ?? standard;
  return {
    chance: {
      now: () => current().now(),
      newId: () => current().newId(),
      random: () => current().random(),
    },
    ofRun(run, nowMs) {
      if (nowMs === undefined && !repeatable) return undefined;
      const now = nowMs === undefined ? standard.now : (): number => nowMs;
      return (slot, call) => calls.run({ ...standard, ...(repeatable && repeatableChance(run, slot)), now }, call);
    },
  };
}

function repeatableChance(run: number, slot: number): Omit<Chance, "now"> {
  let ids = 0;
  return {
    newId() {
      ids += 1;
      return `${hex(run, 8)}-${hex(slot, 4)}-4000-8000-${hex(ids, 12)}`;
    },
    random: createRandom(run, slot),
  };
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
