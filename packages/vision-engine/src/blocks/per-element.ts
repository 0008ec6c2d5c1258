// a whole batch → one element at a time
import { Batch } from "./batch.ts";
import type { BlockInputs, BlockOutputs, BlockResult, BlockValue } from "./block.ts";
import type { FlowControl } from "./flow-control.ts";

/** What one element of a batch gives back. */
type ElementResult = BlockOutputs | FlowControl | readonly (BlockOutputs | null)[];

/** A batch block from what it does with one element; properties that are no batch are the same for all. */
export function perElement(
  run: (inputs: BlockInputs) => ElementResult | Promise<ElementResult>,
): (inputs: BlockInputs) => Promise<BlockResult> {
  return async (inputs) => {
    const length = batchLength(inputs);
    const results: ElementResult[] = [];
    for (let at = 0; at < length; at++) results.push(await run(elementInputs(inputs, at)));
    return results;
  };
}

/** Number of elements: that of the longest batch, for one of length 1 holds for all. A list may hold batches too. */
export function batchLength(inputs: BlockInputs): number {
  let length = 0;
  for (const value of Object.values(inputs).flat()) if (value instanceof Batch) length = Math.max(length, value.length);
  return length;
}

/** Inputs with every batch replaced by its element, also one level inside lists and dictionaries. */
export function elementInputs(inputs: BlockInputs, at: number): BlockInputs {
  const picked: Record<string, BlockValue> = {};
  for (const name in inputs) picked[name] = elementOf(inputs[name]!, at);
  return picked;
}

function elementOf(value: BlockValue, at: number): BlockValue {
  if (value instanceof Batch) return (value.length === 1 ? value.items[0] : value.items[at]) ?? null;
  if (Array.isArray(value) && value.some((item) => item instanceof Batch)) {
    return value.map((item: BlockValue) => elementOf(item, at));
  }
  if (isDictionaryWithBatch(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, elementOf(item, at)]));
  }
  return value;
}

function isDictionaryWithBatch(value: BlockValue): value is { readonly [name: string]: BlockValue } {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).some((item) => item instanceof Batch);
}
