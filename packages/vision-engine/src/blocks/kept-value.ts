// value of one run → value that later runs may still read
import { ImageValue } from "../frames/image-value.ts";
import { Batch } from "./batch.ts";
import type { BlockValue } from "./block.ts";

/** The same value; pictures in it have memory of their own, for that of a frame is soon used again. */
export function keptValue(value: BlockValue): BlockValue {
  if (value instanceof ImageValue) return value.kept();
  if (value instanceof Batch) return new Batch(value.items.map(keptValue), value.indices);
  if (Array.isArray(value)) return value.map(keptValue);
  if (!isDictionary(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, keptValue(item)]));
}

function isDictionary(value: BlockValue): value is { readonly [name: string]: BlockValue } {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
