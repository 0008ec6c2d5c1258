import { boxNms } from "../../geometry/nms.ts";

/** Boxes on their way to becoming detections, a row each. */
export interface Candidates {
  /** 4 numbers a row: left, top, right, bottom in pixels of the picture. */
  readonly xyxy: readonly number[];
  readonly confidence: readonly number[];
  /** COCO-80 position. */
  readonly classId: readonly number[];
}

/** Candidates that are still being collected. */
export interface CandidateList extends Candidates {
  add(
    box: readonly [left: number, top: number, right: number, bottom: number],
    confidence: number,
    classId: number,
  ): void;
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

export function boxOf({ xyxy }: Candidates, row: number): [left: number, top: number, right: number, bottom: number] {
  return [xyxy[4 * row]!, xyxy[4 * row + 1]!, xyxy[4 * row + 2]!, xyxy[4 * row + 3]!];
}

export function selectCandidates(candidates: Candidates, rows: readonly number[]): Candidates {
  return {
    xyxy: rows.flatMap((row) => boxOf(candidates, row)),
    confidence: rows.map((row) => candidates.confidence[row]!),
    classId: rows.map((row) => candidates.classId[row]!),
  };
}

/**
 * Without the boxes that overlap a more confident one by more than `threshold`. Boxes of different classes leave each
 * other alone, unless `classAgnostic`.
 */
export function suppressOverlaps(candidates: Candidates, threshold: number, classAgnostic = false): Candidates {
  const { xyxy, confidence, classId } = candidates;
  return selectCandidates(
    candidates,
    boxNms(classAgnostic ? { xyxy, confidence } : { xyxy, confidence, classId }, threshold),
  );
}

/** At most so many rows of at least this confidence, the most confident first. */
export function mostConfident(candidates: Candidates, most: number, least: number): Candidates {
  const { confidence } = candidates;
  const rows = [...confidence.keys()].filter((row) => confidence[row]! >= least);
  return selectCandidates(candidates, rows.sort((a, b) => confidence[b]! - confidence[a]!).slice(0, most));
}
