const START = 0x9e3779b9;

/** Numbers in [0, 1) that are the same for the same key, whatever was drawn elsewhere. */
export type Random = () => number;

/** A stream of numbers (mulberry32) for one key, e.g. seed, flow and time window. */
export function createRandom(...key: readonly number[]): Random {
  let state = key.reduce(mix, START);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296;
  };
}

/** A single number in [0, 1) that depends on nothing but the key. */
export function fractionOf(...key: readonly number[]): number {
  return (key.reduce(mix, START) >>> 0) / 4294967296;
}

/** A number in [low, high). */
export function between(random: Random, low: number, high: number): number {
  return low + random() * (high - low);
}

/** One of a list that is not empty. */
export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

function mix(state: number, word: number): number {
  let bits = Math.imul(state ^ word, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
