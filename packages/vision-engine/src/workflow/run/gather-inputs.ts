// what a run has brought so far → the calls of one step
import { type BatchIndex, BlockBatch, type BlockInputs, type BlockValue } from "../../blocks/block.ts";
import type { Feed, Gate, PlanProperty, PlanStep } from "./compile-plan.ts";
import type { RunState } from "./run-state.ts";

/** The calls of a step that works on batches. */
export interface StepCalls {
  /** Elements that the block is called for, by their place in the level. */
  readonly places: readonly number[];
  readonly indices: readonly BatchIndex[];
  /** One for each element, or one for all where the block takes batches. */
  readonly inputs: readonly BlockInputs[];
}

/** Inputs of a step that works on single values; absent when it does not run. */
export function gatherValues(step: PlanStep, run: RunState): BlockInputs | undefined {
  if (step.gates.length > 0 && isShut(step.gates, run)) return undefined;
  const inputs: Record<string, BlockValue> = {};
  for (const property of step.properties) {
    const values: BlockValue[] = [];
    for (const { origin } of property.feeds) {
      const value = run.value(origin);
      if (value === null && origin.kind === "output" && !step.acceptsEmpty) return undefined;
      values.push(value);
    }
    inputs[property.name] = shaped(property.shape, property.keys, values);
  }
  return inputs;
}

/** Absent when there is nothing left to run on. */
export function gatherBatches(step: PlanStep, run: RunState): StepCalls | undefined {
  const hasOneElement = step.elements < 0 && step.children < 0;
  if (hasOneElement && !step.acceptsEmpty && step.gates.length > 0 && isShut(step.gates, run)) return undefined;
  const gathering = new Gathering(step, run);
  return gathering.read() ? gathering.calls() : undefined;
}

/** Values of one feed: the same for all, one for each element, or one for each child. */
type Column = BlockValue | readonly BlockValue[];

/** Elements, or what is handed over as their children. */
interface Gathered {
  readonly count: number;
  readonly open: Openness;
  /** Those without a value in some column; absent until there is one. */
  empty: Uint8Array | undefined;
}

class Gathering {
  readonly #step: PlanStep;
  readonly #run: RunState;
  readonly #columns: Column[] = [];
  readonly #elements: Gathered;
  readonly #children: Gathered;

  constructor(step: PlanStep, run: RunState) {
    this.#step = step;
    this.#run = run;
    const isGated = step.gates.length > 0;
    const count = step.elements < 0 ? 1 : run.level(step.elements).indices.length;
    const open = isGated ? openElements(step.gates, run, step.elements) : undefined;
    this.#elements = { count, open, empty: undefined };
    const childCount = step.children < 0 ? count : run.level(step.children).indices.length;
    const openChildren = isGated && step.children >= 0 ? openElements(step.gates, run, step.children) : undefined;
    this.#children = { count: childCount, open: openChildren, empty: undefined };
  }

  /** False when a single value that every call needs is missing. */
  read(): boolean {
    const { properties, acceptsEmpty } = this.#step;
    for (const { feeds } of properties) {
      for (const feed of feeds) {
        const column = this.#read(feed);
        if (column === undefined) return false;
        this.#columns.push(column);
        if (!acceptsEmpty && feed.role !== "constant") this.#noteEmpty(feed, column as readonly BlockValue[]);
      }
    }
    return true;
  }

  calls(): StepCalls | undefined {
    const places = this.#places();
    if (places.length === 0) return undefined;
    const indices = places.map((place) => this.#index(place));
    const { takesBatches, collapsesAll } = this.#step;
    if (!takesBatches)
      return {
        places,
        indices,
        inputs: places.map((place) => this.#inputs((feed, column) => this.#one(feed, column, place))),
      };
    if (collapsesAll) return { places, indices, inputs: [this.#inputs((feed, column) => this.#one(feed, column, 0))] };
    const batchOf = (feed: Feed, column: Column): BlockValue =>
      feed.role === "constant"
        ? (column as BlockValue)
        : new BlockBatch(
            places.map((place) => this.#one(feed, column, place)),
            indices,
          );
    return { places, indices, inputs: [this.#inputs(batchOf)] };
  }

  /** Absent when a single value that a step gives is missing. */
  #read(feed: Feed): Column | undefined {
    const { origin, role, isSpread } = feed;
    if (role !== "constant" && !isSpread) return this.#readBatch(feed);
    const value = this.#run.value(origin);
    if (value === null && origin.kind === "output" && !this.#step.acceptsEmpty) return undefined;
    return role === "constant" ? value : this.#spread(value, role);
  }

  #readBatch({ origin, role }: Feed): Column {
    if (origin.kind === "literal") return origin.value;
    const { count, open } = role === "element" ? this.#elements : this.#children;
    const column: BlockValue[] = new Array(count);
    for (let at = 0; at < column.length; at++) {
      column[at] = open === undefined || open[at] === 1 ? this.#run.element(origin, at) : null;
    }
    return column;
  }

  #spread(value: BlockValue, role: Feed["role"]): Column {
    const { count, open } = role === "element" || this.#step.children < 0 ? this.#elements : this.#children;
    return Array.from({ length: count }, (_, at) => (open === undefined || open[at] === 1 ? value : null));
  }

  #noteEmpty({ role }: Feed, column: readonly BlockValue[]): void {
    const gathered = role === "element" ? this.#elements : this.#children;
    for (let at = 0; at < column.length; at++) {
      if (column[at] !== null) continue;
      gathered.empty ??= new Uint8Array(gathered.count);
      gathered.empty[at] = 1;
    }
  }

  /** Elements to run on. Those that have lost all children still run; those that never had any do not. */
  #places(): readonly number[] {
    const { acceptsEmpty, collapsesAll, hasElements, hasChildren } = this.#step;
    const needsChildren = !acceptsEmpty && hasChildren;
    const places: number[] = [];
    for (let place = 0; place < this.#elements.count; place++) {
      if (this.#elements.empty?.[place] === 1) continue;
      // Without data the gates alone decide; else they have emptied the values.
      if (!hasElements && !hasChildren && this.#elements.open?.[place] === 0) continue;
      const [from, to] = this.#childRange(place);
      if (needsChildren && from === to) continue;
      if (collapsesAll && !this.#hasChildLeft(from, to)) continue;
      places.push(place);
    }
    return places;
  }

  #hasChildLeft(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (this.#children.empty?.[at] !== 1) return true;
    return false;
  }

  #childRange(place: number): readonly [from: number, to: number] {
    const { children, depth } = this.#step;
    if (children < 0) return [place, place + 1];
    if (depth === 0) return [0, this.#children.count];
    const { starts } = this.#run.level(children);
    return [starts[place] ?? 0, starts[place + 1] ?? 0];
  }

  #index(place: number): BatchIndex {
    const { elements, depth } = this.#step;
    return elements < 0 ? new Array(depth).fill(0) : this.#run.level(elements).indices[place]!;
  }

  /** What one element gets of one column. */
  #one({ role }: Feed, column: Column, place: number): BlockValue {
    if (role === "constant") return column as BlockValue;
    const values = column as readonly BlockValue[];
    return role === "element" ? values[place]! : this.#childrenOf(values, place);
  }

  #childrenOf(values: readonly BlockValue[], place: number): BlockValue {
    const [from, to] = this.#childRange(place);
    if (from === to) return null;
    const items: BlockValue[] = [];
    const indices: BatchIndex[] = [];
    for (let at = from; at < to; at++) {
      if (this.#children.empty?.[at] === 1) continue;
      items.push(values[at]!);
      indices.push(
        this.#step.children < 0 ? [...this.#index(place), 0] : this.#run.level(this.#step.children).indices[at]!,
      );
    }
    return new BlockBatch(items, indices);
  }

  #inputs(pick: (feed: Feed, column: Column) => BlockValue): BlockInputs {
    const inputs: Record<string, BlockValue> = {};
    let next = 0;
    const { properties } = this.#step;
    for (let at = 0; at < properties.length; at++) {
      const { name, shape, keys, feeds } = properties[at]!;
      if (shape === "one") inputs[name] = pick(feeds[0]!, this.#columns[next] as Column);
      else
        inputs[name] = shaped(
          shape,
          keys,
          feeds.map((feed, item) => pick(feed, this.#columns[next + item] as Column)),
        );
      next += feeds.length;
    }
    return inputs;
  }
}

function shaped(shape: PlanProperty["shape"], keys: readonly string[], values: readonly BlockValue[]): BlockValue {
  if (shape === "one") return values[0]!;
  if (shape === "list") return values;
  const dictionary: Record<string, BlockValue> = {};
  for (let at = 0; at < keys.length; at++) dictionary[keys[at]!] = values[at]!;
  return dictionary;
}

/** 1 for each element of a level that may go on; absent when all may. */
export type Openness = Uint8Array | undefined;

/** Whether a gate that decides for all at once, or one that did not run, closes everything. */
function isShut(gates: readonly Gate[], run: RunState): boolean {
  return gates.some(({ branch }) => {
    const decision = run.branches[branch];
    return decision === undefined || decision === false;
  });
}

/**
 * A gate decides for everything below the element that it looked at: a gate on images also on their crops. Where a
 * gate looks deeper than the level, an element goes on when anything in it does. Level -1 is that of a single element.
 */
export function openElements(gates: readonly Gate[], run: RunState, level: number): Openness {
  const length = level < 0 ? 1 : run.level(level).indices.length;
  if (isShut(gates, run)) return new Uint8Array(length);
  if (level < 0) return undefined;
  const deciding = gates.filter((gate) => gate.level >= 0);
  if (deciding.length === 0) return undefined;
  const deepest = deciding.reduce((one, other) => (depthOf(run, other) > depthOf(run, one) ? other : one)).level;
  const open = openAt(deciding, run, deepest);
  return run.plan.levels[level]!.depth >= run.plan.levels[deepest]!.depth
    ? Uint8Array.from({ length }, (_, at) => open[run.ancestor(at, level, deepest)]!)
    : liftTo(open, run, deepest, level);
}

/** Elements of the deepest gate's level that every gate lets go on. */
function openAt(gates: readonly Gate[], run: RunState, level: number): Uint8Array {
  const open = new Uint8Array(run.level(level).indices.length);
  for (let at = 0; at < open.length; at++) {
    const passes = ({ branch, level: own }: Gate): boolean =>
      (run.branches[branch] as Uint8Array)[run.ancestor(at, level, own)] === 1;
    if (gates.every(passes)) open[at] = 1;
  }
  return open;
}

function liftTo(open: Uint8Array, run: RunState, from: number, to: number): Uint8Array {
  const lifted = new Uint8Array(run.level(to).indices.length);
  for (let at = 0; at < open.length; at++) if (open[at] === 1) lifted[run.ancestor(at, from, to)] = 1;
  return lifted;
}

function depthOf(run: RunState, { level }: Gate): number {
  return run.plan.levels[level]!.depth;
}
