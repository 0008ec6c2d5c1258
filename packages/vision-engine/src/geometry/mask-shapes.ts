// masks → run lengths, another size, their parts

import { inputError } from "../errors.ts";
import { addRun, eachRun, type Mask, maskFromBits, maskToBits, uniteMasks } from "../frames/mask.ts";

/** A mask as COCO writes it: runs of clear and set pixels in turn, column by column, packed into text. */
export interface CocoRle {
  readonly size: readonly [height: number, width: number];
  /** Packed text, or the plain lengths. */
  readonly counts: string | readonly number[];
}

/** Absent when the runs do not fill the picture exactly. */
export function maskFromCocoRle({ size: [height, width], counts }: CocoRle): Mask | undefined {
  const lengths = typeof counts === "string" ? unpackCounts(counts) : counts;
  if (lengths === undefined || lengths.reduce((sum, length) => sum + length, 0) !== width * height) return undefined;
  if (lengths.some((length) => length < 0)) return undefined;
  const bits = new Uint8Array(width * height);
  let at = 0;
  for (const [index, length] of lengths.entries()) {
    for (const end = at + length; at < end; at++) {
      if (index % 2 === 1) bits[(at % height) * width + Math.floor(at / height)] = 1;
    }
  }
  return maskFromBits(bits, width, height);
}

export function maskToCocoRle(mask: Mask): CocoRle {
  const { width, height } = mask;
  const bits = maskToBits(mask);
  const lengths: number[] = [];
  let current = 0;
  let length = 0;
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) {
      if (bits[y * width + x] !== current) {
        lengths.push(length);
        current = 1 - current;
        length = 0;
      }
      length += 1;
    }
  }
  lengths.push(length);
  return { size: [height, width], counts: packCounts(lengths) };
}

/** Each number is the change against the last but one, in groups of 5 bits from the lowest, with a bit for "more". */
function packCounts(lengths: readonly number[]): string {
  let text = "";
  for (const [index, length] of lengths.entries()) {
    let rest = index > 2 ? length - lengths[index - 2]! : length;
    for (let more = true; more; ) {
      const group = rest & 0x1f;
      rest >>= 5;
      more = (group & 0x10) === 0 ? rest !== 0 : rest !== -1;
      text += String.fromCharCode(48 + (more ? group | 0x20 : group));
    }
  }
  return text;
}

/** Absent when the text ends inside a number. */
function unpackCounts(text: string): readonly number[] | undefined {
  const lengths: number[] = [];
  for (let at = 0; at < text.length; ) {
    let value = 0;
    let bits = 0;
    for (let more = true; more; ) {
      if (at >= text.length) return undefined;
      const group = text.charCodeAt(at) - 48;
      at += 1;
      value |= (group & 0x1f) << bits;
      bits += 5;
      more = (group & 0x20) !== 0;
      if (!more && (group & 0x10) !== 0) value |= -1 << bits;
    }
    lengths.push(lengths.length > 2 ? value + lengths.at(-2)! : value);
  }
  return lengths;
}

/** Every pixel takes the nearest one towards the left top, as OpenCV's `INTER_NEAREST`. */
export function scaleMask(mask: Mask, width: number, height: number): Mask {
  if (mask.width === width && mask.height === height) return mask;
  const spans: [from: number, to: number][][] = Array.from({ length: mask.height }, () => []);
  eachRun(mask, (y, from, to) => spans[y]!.push([from, to]));
  const columns = sourcesOf(width, mask.width);
  const rows = sourcesOf(height, mask.height);
  const runs: number[] = [];
  for (let y = 0; y < height; y++) {
    for (const [from, to] of spans[rows[y]!]!) {
      const left = columns.findIndex((source) => source >= from);
      const stop = columns.findIndex((source) => source >= to);
      const right = stop < 0 ? width : stop;
      if (left >= 0 && left < right) addRun(runs, y * width + left, right - left);
    }
  }
  return { width, height, runs: Int32Array.from(runs) };
}

/** For each pixel of a new line the one that it is taken from. */
function sourcesOf(length: number, from: number): Int32Array {
  // Two divisions, as OpenCV: one would round otherwise.
  const step = 1 / (length / from);
  return Int32Array.from({ length }, (_, at) => Math.min(Math.floor(at * step), from - 1));
}

interface RowRun {
  readonly y: number;
  readonly from: number;
  readonly to: number;
}

/** One mask for each part, in reading order. With connectivity 8 pixels hang together at their corners too. */
export function maskParts(mask: Mask, connectivity: 4 | 8): readonly Mask[] {
  if (connectivity !== 4 && connectivity !== 8) throw inputError("Pixels hang together by 4 or by 8 neighbours.");
  const runs: RowRun[] = [];
  eachRun(mask, (y, from, to) => runs.push({ y, from, to }));
  const reach = connectivity === 8 ? 1 : 0;
  const groups = joinNeighbours(runs, (above, below) => above.from < below.to + reach && below.from < above.to + reach);
  return groups.map((members) => {
    const flat = members.flatMap(({ y, from, to }) => [y * mask.width + from, to - from]);
    const part: Mask = { width: mask.width, height: mask.height, runs: Int32Array.from(flat) };
    // Runs of full rows touch at the ends and become one.
    return uniteMasks([part]);
  });
}

/** The same with every hole closed: pixels that are not set and cannot be reached from outside. */
export function fillHoles(mask: Mask): Mask {
  const [width, height] = [mask.width + 2, mask.height + 2];
  const outside = new Uint8Array(width * height).fill(1);
  const bits = maskToBits(mask);
  for (let at = 0; at < bits.length; at++) {
    if (bits[at] === 1) outside[(Math.floor(at / mask.width) + 1) * width + (at % mask.width) + 1] = 0;
  }
  const [around] = maskParts(maskFromBits(outside, width, height), 4);
  const reached = maskToBits(around!);
  for (let at = 0; at < bits.length; at++) {
    bits[at] = 1 - reached[(Math.floor(at / mask.width) + 1) * width + (at % mask.width) + 1]!;
  }
  return maskFromBits(bits, mask.width, mask.height);
}

/** Groups runs that are joined by a chain of neighbours in the rows above and below. */
function joinNeighbours(
  runs: readonly RowRun[],
  areJoined: (above: RowRun, below: RowRun) => boolean,
): readonly (readonly RowRun[])[] {
  const links = new DisjointSets(runs.length);
  let above = 0;
  for (const [at, run] of runs.entries()) {
    while (runs[above]!.y < run.y - 1) above += 1;
    for (let other = above; runs[other]!.y === run.y - 1; other++) {
      if (areJoined(runs[other]!, run)) links.join(other, at);
    }
  }
  return links.groups().map((group) => group.map((at) => runs[at]!));
}

/** Things by number that are joined pair by pair. */
export class DisjointSets {
  readonly #parents: number[];

  constructor(length: number) {
    this.#parents = Array.from({ length }, (_, at) => at);
  }

  join(one: number, other: number): void {
    const [a, b] = [this.#rootOf(one), this.#rootOf(other)];
    this.#parents[Math.max(a, b)] = Math.min(a, b);
  }

  /** Members of each set in order, sets in the order of their first member. */
  groups(): readonly (readonly number[])[] {
    const groups = new Map<number, number[]>();
    for (const at of this.#parents.keys()) {
      const root = this.#rootOf(at);
      const members = groups.get(root) ?? [];
      members.push(at);
      groups.set(root, members);
    }
    return [...groups.values()];
  }

  #rootOf(at: number): number {
    let root = at;
    while (this.#parents[root] !== root) root = this.#parents[root]!;
    this.#parents[at] = root;
    return root;
  }
}
