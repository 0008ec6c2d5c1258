/** Place of an element: image 0, or crop 2 of image 0 as `[0, 2]`. */
export type BatchIndex = readonly number[];

/** Values of one property for many elements. */
export class Batch<T = unknown> {
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
