// boxes that a graph proposes → those that stay
import { boxIou } from "../../geometry/boxes.ts";

/** Least score: one for all classes, or one a class. Scores must lie above it. */
export type Threshold = number | Float32Array;

/** Boxes that a graph proposes, in pixels of its input. Made anew for each picture. */
export class Candidates {
  length = 0;
  /** 4 numbers a row. */
  xyxy = new Float32Array(4 * 64);
  scores = new Float32Array(64);
  classId = new Int32Array(64);
  /** Row or column of the output that each comes from. */
  source = new Int32Array(64);

  add(source: number, classId: number, score: number): void {
    if (this.length === this.scores.length) this.#grow();
    this.source[this.length] = source;
    this.classId[this.length] = classId;
    this.scores[this.length] = score;
    this.length += 1;
  }

  /** Sides of the box added last. */
  setBox(left: number, top: number, right: number, bottom: number): void {
    const at = 4 * (this.length - 1);
    this.xyxy[at] = left;
    this.xyxy[at + 1] = top;
    this.xyxy[at + 2] = right;
    this.xyxy[at + 3] = bottom;
  }

  /** The box added last, from its centre and size. */
  setCentredBox(x: number, y: number, width: number, height: number): void {
    const halfWidth = Math.fround(width / 2);
    const halfHeight = Math.fround(height / 2);
    this.setBox(x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight);
  }

  #grow(): void {
    this.xyxy = doubled(this.xyxy);
    this.scores = doubled(this.scores);
    this.classId = doubled(this.classId);
    this.source = doubled(this.source);
  }
}

function doubled<T extends Float32Array | Int32Array>(values: T): T {
  const longer = new (values.constructor as new (length: number) => T)(2 * values.length);
  longer.set(values);
  return longer;
}

export interface SuppressionOptions {
  /** Overlap above which the weaker of two boxes goes. */
  readonly iouThreshold: number;
  /** Boxes of different classes also push each other out. */
  readonly classAgnostic: boolean;
  /** Most boxes looked at, and most kept. */
  readonly maxCandidates: number;
  readonly maxDetections: number;
}

/** Rows that stay, the best first. */
export function suppressOverlaps(candidates: Candidates, options: SuppressionOptions): readonly number[] {
  return suppress(candidates, options, (xyxy, kept, row) => boxIou(xyxy, kept, xyxy, row));
}

/**
 * Rows that stay, the best first, as servers before `inference_models` chose them: overlap is the shared part of the
 * weaker box alone, and boxes count one pixel more on each side.
 */
export function suppressLegacy(candidates: Candidates, options: SuppressionOptions): readonly number[] {
  return suppress(candidates, options, (xyxy, kept, row) => sharedPart(xyxy, 4 * kept, 4 * row));
}

function suppress(
  candidates: Candidates,
  { iouThreshold, classAgnostic, maxCandidates, maxDetections }: SuppressionOptions,
  overlap: (xyxy: Float32Array, kept: number, row: number) => number,
): readonly number[] {
  const { xyxy, classId } = candidates;
  const kept: number[] = [];
  for (const row of byScore(candidates).slice(0, maxCandidates)) {
    if (kept.length === maxDetections) break;
    const isRival = (other: number): boolean =>
      (classAgnostic || classId[other] === classId[row]) && overlap(xyxy, other, row) > iouThreshold;
    if (!kept.some(isRival)) kept.push(row);
  }
  return kept;
}

/** All rows, the best first; equals in their order. */
export function byScore({ scores, length }: Candidates): readonly number[] {
  return Array.from({ length }, (_, row) => row).sort((a, b) => scores[b]! - scores[a]!);
}

/** Share of the second box that the first one covers. */
function sharedPart(xyxy: Float32Array, a: number, b: number): number {
  const width = Math.min(xyxy[a + 2]!, xyxy[b + 2]!) - Math.max(xyxy[a]!, xyxy[b]!) + 1;
  const height = Math.min(xyxy[a + 3]!, xyxy[b + 3]!) - Math.max(xyxy[a + 1]!, xyxy[b + 1]!) + 1;
  const area = (xyxy[b + 2]! - xyxy[b]! + 1) * (xyxy[b + 3]! - xyxy[b + 1]! + 1);
  return (Math.max(0, width) * Math.max(0, height)) / area;
}
