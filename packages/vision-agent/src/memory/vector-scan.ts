// a vector → the ids of the nearest, out of all that are held in memory
import type { SearchScope } from "./word-search.ts";

/** So many of the first pass are compared more closely. More find more and take longer. */
const CANDIDATES = 1500;
const FIRST_ROOM = 1024;
const WORD_BITS = 32;
const LARGEST = 127;

export interface NearVector {
  readonly id: number;
  /** -1 to 1. */
  readonly similarity: number;
}

/** A vector in little: a byte a number, the size of a step, and the signs as bits. */
interface SmallVector {
  readonly values: Int8Array;
  readonly step: number;
  readonly signs: Uint32Array;
}

/**
 * Vectors of length 1, each held twice and small: one bit a number for a first pass over all of them, one byte a
 * number to put the candidates in order. 50,000 vectors of 384 numbers take 22 MB and a few milliseconds.
 */
export class VectorScan {
  readonly #dimensions: number;
  readonly #rows = new Map<number, number>();
  #ids = new Float64Array(FIRST_ROOM);
  #cameras = new Int32Array(FIRST_ROOM);
  #steps = new Float32Array(FIRST_ROOM);
  #values: Int8Array;
  #signs: Uint32Array;

  /** `dimensions` is a multiple of 32. */
  constructor(dimensions: number) {
    if (dimensions % WORD_BITS !== 0) throw new RangeError(`Vectors of ${dimensions} numbers: not a multiple of 32.`);
    this.#dimensions = dimensions;
    this.#values = new Int8Array(FIRST_ROOM * dimensions);
    this.#signs = new Uint32Array((FIRST_ROOM * dimensions) / WORD_BITS);
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
    const candidates = this.#closest(question.signs, this.#rowsIn(scope), CANDIDATES);
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

  #rowsIn({ firstId, lastId, cameraNumber }: SearchScope): Uint32Array {
    const [ids, cameras, size] = [this.#ids, this.#cameras, this.#rows.size];
    const rows = new Uint32Array(size);
    let count = 0;
    for (let row = 0; row < size; row++) {
      if (ids[row]! < firstId || ids[row]! > lastId) continue;
      if (cameraNumber === undefined || cameras[row] === cameraNumber) rows[count++] = row;
    }
    return rows.subarray(0, count);
  }

  /** About `wanted` rows with the fewest signs that differ. Counting how many differ by how much is quicker than sorting. */
  #closest(asked: Uint32Array, rows: Uint32Array, wanted: number): Uint32Array {
    if (rows.length <= wanted) return rows;
    const signs = this.#signs;
    const distances = new Uint16Array(rows.length);
    const counts = new Uint32Array(this.#dimensions + 1);
    for (let index = 0; index < rows.length; index++) {
      let place = rows[index]! * asked.length;
      let distance = 0;
      for (let at = 0; at < asked.length; at++) distance += countBits(asked[at]! ^ signs[place++]!);
      distances[index] = distance;
      counts[distance]!++;
    }
    let farthest = -1;
    let count = 0;
    while (count < wanted) count += counts[++farthest]!;
    const closest = new Uint32Array(count);
    for (let index = 0, at = 0; index < rows.length; index++) {
      if (distances[index]! <= farthest) closest[at++] = rows[index]!;
    }
    return closest;
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
    this.#values = copyInto(new Int8Array(room * this.#dimensions), this.#values);
    this.#signs = copyInto(new Uint32Array((room * this.#dimensions) / WORD_BITS), this.#signs);
  }
}

function toSmall(vector: Float32Array): SmallVector {
  let largest = 0;
  for (let at = 0; at < vector.length; at++) largest = Math.max(largest, Math.abs(vector[at]!));
  const step = (largest || 1) / LARGEST;
  const values = new Int8Array(vector.length);
  const signs = new Uint32Array(vector.length / WORD_BITS);
  for (let at = 0; at < vector.length; at++) {
    values[at] = Math.round(vector[at]! / step);
    if (vector[at]! > 0) signs[at >>> 5]! |= 1 << (at & 31);
  }
  return { values, step, signs };
}

/** How many bits of a 32-bit number are set. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function copyInto<T extends { set(values: T): void }>(target: T, source: T): T {
  target.set(source);
  return target;
}
