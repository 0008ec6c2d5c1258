// recorded numbers → tables and boxes that ours take

import type { PixelSize } from "../../src/frames/frame.ts";
import type { Matrix } from "../../src/models/heads/box-heads.ts";
import { type Candidates, suppressOverlaps } from "../../src/models/heads/candidates.ts";
import type {} from "../../src/models/heads/placement.ts";
import { isObject, type Recorded, type RecordedObject } from "../vector-record.ts";

export type Rows = readonly (readonly number[])[];

/** Rows whose first four numbers are boxes. */
export function eachBox(rows: Recorded | Rows | undefined, move: (xyxy: Float64Array) => Float64Array): Rows {
  return plain<Rows>(rows).map((row) => [...move(Float64Array.from(row.slice(0, 4))), ...row.slice(4)]);
}

export function toRows(values: ArrayLike<number>, size: number): Rows {
  const list = Array.from(values);
  return Array.from({ length: list.length / size }, (_, row) => list.slice(row * size, (row + 1) * size));
}

export function toMatrix(rows: Rows): Matrix {
  return { data: Float32Array.from(rows.flat()), rows: rows.length, columns: rows[0]?.length ?? 0 };
}

export function suppressed(
  candidates: Candidates,
  input: RecordedObject,
  suppress = suppressOverlaps,
): readonly number[] {
  return suppress(candidates, {
    iouThreshold: plain(input.iou_thresh),
    classAgnostic: input.class_agnostic === true,
    maxDetections: (input.max_detections as number | undefined) ?? 300,
    maxCandidates: (input.max_candidate_detections as number | undefined) ?? Number.POSITIVE_INFINITY,
  });
}

/** Shapes are written height first. */
export function sizeOf(shape: Recorded | readonly number[] | undefined): PixelSize {
  const [height, width] = plain<readonly number[]>(shape);
  return { height: height!, width: width! };
}

/** The value without the tag of an array. */
export function plain<T>(value: unknown): T {
  return (isObject(value) && "$ndarray" in value ? value.$ndarray : value) as T;
}
