// boxes of two detectors → boxes that both stand behind

import { type BoxXyxy, boxAt, boxIou } from "../../geometry/boxes.ts";
import { boxNms } from "../../geometry/overlap.ts";

/** Boxes on their way to becoming detections, a row each. */
export interface EmbeddedCandidates {
  /** 4 numbers a row: left, top, right, bottom in pixels of the picture. */
  readonly xyxy: readonly number[];
  readonly confidence: readonly number[];
  /** COCO-80 position. */
  readonly classId: readonly number[];
}

/** Candidates that are still being collected. */
export interface CandidateList extends EmbeddedCandidates {
  add(box: BoxXyxy, confidence: number, classId: number): void;
}

export function createCandidates(): CandidateList {
  const xyxy: number[] = [];
  const confidence: number[] = [];
  const classId: number[] = [];
  return {
    xyxy,
    confidence,
    classId,
    add(box, score, id) {
      xyxy.push(...box);
      confidence.push(score);
      classId.push(id);
    },
  };
}

export function selectCandidates(candidates: EmbeddedCandidates, rows: readonly number[]): EmbeddedCandidates {
  return {
    xyxy: rows.flatMap((row) => boxAt(candidates.xyxy, row)),
    confidence: rows.map((row) => candidates.confidence[row]!),
    classId: rows.map((row) => candidates.classId[row]!),
  };
}

/**
 * Without the boxes that overlap a more confident one by more than `threshold`. Boxes of different classes leave each
 * other alone, unless `classAgnostic`.
 */
export function suppressOverlaps(
  candidates: EmbeddedCandidates,
  threshold: number,
  classAgnostic = false,
): EmbeddedCandidates {
  const { xyxy, confidence, classId } = candidates;
  return selectCandidates(
    candidates,
    boxNms(classAgnostic ? { xyxy, confidence } : { xyxy, confidence, classId }, threshold),
  );
}

/** At most so many rows of at least this confidence, the most confident first. */
export function mostConfident(candidates: EmbeddedCandidates, most: number, least: number): EmbeddedCandidates {
  const { confidence } = candidates;
  const rows = [...confidence.keys()].filter((row) => confidence[row]! >= least);
  return selectCandidates(candidates, rows.sort((a, b) => confidence[b]! - confidence[a]!).slice(0, most));
}

/** Overlap from which two boxes of a class are one thing. */
const SAME_THING = 0.5;

/** What a box of a class is worth that only one of the detectors saw, as a share of its score. */
export interface LonelyWorth {
  readonly first: (classId: number) => number;
  readonly second: (classId: number) => number;
}

/**
 * Boxes of the same class that overlap become one, best overlap first: its score is the chance that not both are
 * wrong, its edges are the mean by score. What only one of them saw counts for less.
 */
export function fuseCandidates(
  first: EmbeddedCandidates,
  second: EmbeddedCandidates,
  lonely: LonelyWorth,
): EmbeddedCandidates {
  const fused = createCandidates();
  const firstDone = new Set<number>();
  const secondDone = new Set<number>();
  for (const [a, b] of pairsOf(first, second)) {
    if (firstDone.has(a) || secondDone.has(b)) continue;
    firstDone.add(a);
    secondDone.add(b);
    const [one, other] = [first.confidence[a]!, second.confidence[b]!];
    const box = meanBox(boxAt(first.xyxy, a), boxAt(second.xyxy, b), one / (one + other));
    fused.add(box, 1 - (1 - one) * (1 - other), first.classId[a]!);
  }
  for (const [from, done, worth] of [
    [first, firstDone, lonely.first],
    [second, secondDone, lonely.second],
  ] as const) {
    for (let row = 0; row < from.confidence.length; row++) {
      const classId = from.classId[row]!;
      if (!done.has(row)) fused.add(boxAt(from.xyxy, row), from.confidence[row]! * worth(classId), classId);
    }
  }
  return fused;
}

/** Rows that may be the same thing, best overlap first. */
function pairsOf(first: EmbeddedCandidates, second: EmbeddedCandidates): readonly (readonly [a: number, b: number])[] {
  const pairs: [a: number, b: number, overlap: number][] = [];
  for (let a = 0; a < first.confidence.length; a++) {
    for (let b = 0; b < second.confidence.length; b++) {
      if (first.classId[a] !== second.classId[b]) continue;
      const overlap = boxIou(first.xyxy, a, second.xyxy, b);
      if (overlap > SAME_THING) pairs.push([a, b, overlap]);
    }
  }
  return pairs.sort((one, other) => other[2] - one[2]).map(([a, b]) => [a, b]);
}

function meanBox(a: BoxXyxy, b: BoxXyxy, share: number): BoxXyxy {
  return a.map((edge, side) => edge * share + b[side]! * (1 - share)) as unknown as BoxXyxy;
}
