// mask → its connected parts
import { inputError } from "../errors.ts";
import { eachRun, type Mask, maskFromBits, maskToBits, uniteMasks } from "../frames/mask.ts";

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
