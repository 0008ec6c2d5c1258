// thumbnail → where its edges run → how much two views are alike
import { THUMB_HEIGHT, THUMB_WIDTH } from "./grey-samples.ts";

/**
 * Two numbers for each inner cell: direction of the edge, doubled, so that dark-to-bright and bright-to-dark are the
 * same, and strength, compressed. Light that is switched on changes brightness but few directions.
 */
export type ViewEdges = Float32Array;

/** Strength at which an edge counts half, in grey levels. */
const HALF_STRENGTH = 10;

export function edgesOf(thumb: Float32Array): ViewEdges {
  const edges = new Float32Array((THUMB_WIDTH - 2) * (THUMB_HEIGHT - 2) * 2);
  let index = 0;
  for (let y = 1; y < THUMB_HEIGHT - 1; y++) {
    for (let x = 1; x < THUMB_WIDTH - 1; x++) {
      const cell = y * THUMB_WIDTH + x;
      const dx = thumb[cell + 1]! - thumb[cell - 1]!;
      const dy = thumb[cell + THUMB_WIDTH]! - thumb[cell - THUMB_WIDTH]!;
      const square = dx * dx + dy * dy;
      const strength = Math.sqrt(square);
      const weight = square === 0 ? 0 : strength / (strength + HALF_STRENGTH) / square;
      edges[index++] = (dx * dx - dy * dy) * weight;
      edges[index++] = 2 * dx * dy * weight;
    }
  }
  return edges;
}

/** 1 for the same view, about 0 to 0.3 for unrelated ones. */
export function likeness(one: ViewEdges, other: ViewEdges): number {
  let [both, first, second] = [0, 0, 0];
  for (let index = 0; index < one.length; index++) {
    both += one[index]! * other[index]!;
    first += one[index]! * one[index]!;
    second += other[index]! * other[index]!;
  }
  return first === 0 || second === 0 ? 0 : both / Math.sqrt(first * second);
}

/** Moves a remembered view a little towards what is seen; `share` 0 to 1. */
export function blendInto(kept: ViewEdges, seen: ViewEdges, share: number): void {
  for (let index = 0; index < kept.length; index++) kept[index]! += (seen[index]! - kept[index]!) * share;
}
