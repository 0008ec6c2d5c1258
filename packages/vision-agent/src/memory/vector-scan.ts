// a vector → the ids of the nearest, out of all that are held in memory
import type { SearchScope } from "./word-search.ts";

/** So many of the first pass are compared more closely. More find more and take longer. */
const CANDIDATES = 1500;
const FIRST_ROOM = 1024;
const WORD_BITS = 32;
const LARGEST = 127;
const ROWS_A_CALL = 128;
/** More than any vector has numbers. */
const OUT_OF_SCOPE = 0xffff;

export interface NearVector {
  readonly id: number;
  /** -1 to 1. */
  readonly similarity: number;
}

/** A vector in little: a byte a number, the size of a step, and the signs as bits. */
interface SmallVector {
  readonly values: Int8Array;
  readonly step: number;
  readonly signs: Int32Array;
}

/**
 * Vectors of length 1, each held twice and small: one bit a number for a first pass over all of them, one byte a
 * number to put the candidates in order. 50,000 vectors of 384 numbers take 22 MB and a few milliseconds.
 */
export class VectorScan {
  readonly dimensions: number;
  readonly #rows = new Map<number, number>();
  #ids = new Float64Array(FIRST_ROOM);
  #cameras = new Int32Array(FIRST_ROOM);
  #steps = new Float32Array(FIRST_ROOM);
  #values: Int8Array;
  /** Signed: numbers above 2^31 would be fractions to the machine. */
  #signs: Int32Array;
  /** Of the search that goes on; nothing is made anew for each. */
  #distances = new Uint16Array(FIRST_ROOM);

  /** `dimensions` is a multiple of 32. */
  constructor(dimensions: number) {
    if (dimensions % WORD_BITS !== 0) throw new RangeError(`Vectors of ${dimensions} numbers: not a multiple of 32.`);
    this.dimensions = dimensions;
    this.#values = new Int8Array(FIRST_ROOM * dimensions);
    this.#signs = new Int32Array((FIRST_ROOM * dimensions) / WORD_BITS);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Takes the place of an earlier one of the same id. */
  set(id: number, camera: number, vector: Float32Array): void {
    const row = this.#rows.get(id) ?? this.#rows.size;
    if (row === this.#ids.length) this.#grow();
    this.#rows.set(id, row);
    const { values, step, signs } = toSmall(vector);
    this.#ids[row] = id;
    this.#cameras[row] = camera;
    this.#steps[row] = step;
    this.#values.set(values, row * values.length);
    this.#signs.set(signs, row * signs.length);
  }

  /** Nearest first. */
  nearest(vector: Float32Array, scope: SearchScope, limit: number): readonly NearVector[] {
    const question = toSmall(vector);
    const candidates = this.#closest(question.signs, scope, CANDIDATES);
    const similarities = new Float32Array(candidates.length);
    for (let index = 0; index < candidates.length; index++) {
      similarities[index] = this.#compare(question, candidates[index]!);
    }
    // Sorting plain numbers first is much quicker than sorting all candidates.
    const least = similarities.toSorted().at(-limit) ?? Number.NEGATIVE_INFINITY;
    const near: NearVector[] = [];
    for (let index = 0; index < candidates.length; index++) {
      const similarity = similarities[index]!;
      if (similarity >= least) near.push({ id: this.#ids[candidates[index]!]!, similarity });
    }
    return near.sort((a, b) => b.similarity - a.similarity || b.id - a.id).slice(0, limit);
  }

  /** About `wanted` rows with the fewest signs that differ. Counting how many differ by how much is quicker than sorting. */
  #closest(asked: Int32Array, scope: SearchScope, wanted: number): Uint32Array {
    const counts = new Uint32Array(this.dimensions + 1);
    const found = this.#measure(asked, scope, counts);
    const [distances, size] = [this.#distances, this.#rows.size];
    let farthest = -1;
    let count = 0;
    while (count < Math.min(wanted, found)) count += counts[++farthest]!;
    const closest = new Uint32Array(count);
    for (let row = 0, at = 0; row < size; row++) if (distances[row]! <= farthest) closest[at++] = row;
    return closest;
  }

  /** Fills in how many signs of each row differ, and how often each number comes. Says how many rows are in scope. */
  #measure(asked: Int32Array, scope: SearchScope, counts: Uint32Array): number {
    let found = 0;
    // In short calls: quick code for a function is used from its next call on, not in the middle of a long one.
    for (let from = 0; from < this.#rows.size; from += ROWS_A_CALL) {
      found += this.#measureFrom(from, asked, scope, counts);
    }
    return found;
  }

  #measureFrom(from: number, asked: Int32Array, scope: SearchScope, counts: Uint32Array): number {
    const [ids, cameras, signs, distances] = [this.#ids, this.#cameras, this.#signs, this.#distances];
    const { firstId, lastId, cameraNumber } = scope;
    const end = Math.min(from + ROWS_A_CALL, this.#rows.size);
    let found = 0;
    for (let row = from; row < end; row++) {
      distances[row] = OUT_OF_SCOPE;
      if (ids[row]! < firstId || ids[row]! > lastId) continue;
      if (cameraNumber !== undefined && cameras[row] !== cameraNumber) continue;
      const distance = countDiffering(asked, signs, row * asked.length);
      distances[row] = distance;
      counts[distance]!++;
      found++;
    }
    return found;
  }

  #compare({ values: asked, step }: SmallVector, row: number): number {
    const values = this.#values;
    let place = row * asked.length;
    let sum = 0;
    // Whole numbers throughout: several times as fast as fractions.
    for (let at = 0; at < asked.length; at++) sum = (sum + asked[at]! * values[place++]!) | 0;
    return sum * step * this.#steps[row]!;
  }

  #grow(): void {
    const room = 2 * this.#ids.length;
    this.#ids = copyInto(new Float64Array(room), this.#ids);
    this.#cameras = copyInto(new Int32Array(room), this.#cameras);
    this.#steps = copyInto(new Float32Array(room), this.#steps);
    this.#values = copyInto(new Int8Array(room * this.dimensions), this.#values);
    this.#signs = copyInto(new Int32Array((room * this.dimensions) / WORD_BITS), this.#signs);
    this.#distances = new Uint16Array(room);
  }
}

function toSmall(vector: Float32Array): SmallVector {
  let largest = 0;
  for (let at = 0; at < vector.length; at++) largest = Math.max(largest, Math.abs(vector[at]!));
  const step = (largest || 1) / LARGEST;
  const values = new Int8Array(vector.length);
  const signs = new Int32Array(vector.length / WORD_BITS);
  for (let at = 0; at < vector.length; at++) {
    values[at] = Math.round(vector[at]! / step);
    if (vector[at]! > 0) signs[at >>> 5]! |= 1 << (at & 31);
  }
  return { values, step, signs };
}

function countDiffering(asked: Int32Array, signs: Int32Array, from: number): number {
  let count = 0;
  for (let at = 0; at < asked.length; at++) count = (count + countBits(asked[at]! ^ signs[from + at]!)) | 0;
  return count;
}

/** How many bits of a 32-bit number are set. */
function countBits(word: number): number {
  const pairs = (word - ((word >>> 1) & 0x55555555)) | 0;
  const fours = ((pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)) | 0;
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function copyInto<T extends { set(values: T): void }>(target: T, source: T): T {
  target.set(source);
  return target;
}
