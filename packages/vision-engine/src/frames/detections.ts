// several detections → one

import { isDeepStrictEqual } from "node:util";
import type { Detections as WireDetections } from "@vision-agent/protocol";
import { inputError } from "../errors.ts";
import type { Mask } from "./mask.ts";

/** A value in a column of detections: text, number, pair, list of points, … */
export type ColumnValue =
  | null
  | boolean
  | number
  | string
  | readonly ColumnValue[]
  | { readonly [name: string]: ColumnValue };

/** Values by name, one a row. */
export type Columns = Readonly<Record<string, readonly ColumnValue[]>>;

/** The parts of `DetectionTable`; columns and metadata may be left out. */
export interface DetectionFields {
  readonly xyxy: Float64Array;
  readonly confidence?: Float64Array | undefined;
  readonly classId?: Int32Array | undefined;
  readonly trackerId?: Int32Array | undefined;
  readonly masks?: readonly Mask[] | undefined;
  readonly data?: Columns | undefined;
  readonly metadata?: Readonly<Record<string, ColumnValue>> | undefined;
}

/**
 * What was found in one picture, as a struct of arrays: a frame costs a handful of allocations however many things
 * are in it. Nobody changes one that was handed out.
 *
 * Columns that blocks agree on: `class_name`, `detection_id`, `parent_id`, `prediction_type`, `inference_id`,
 * `image_dimensions` (height, width), `parent_coordinates` (x, y), `parent_dimensions`, `root_parent_id`,
 * `root_parent_coordinates`, `root_parent_dimensions`, `scaling_relative_to_parent`,
 * `scaling_relative_to_root_parent`, `keypoints_xy`, `keypoints_confidence`, `keypoints_class_id`, `keypoints_class_name`.
 */
export class DetectionTable {
  readonly length: number;
  /** 4 numbers a row: left, top, right, bottom in pixels. */
  readonly xyxy: Float64Array;
  readonly confidence: Float64Array | undefined;
  readonly classId: Int32Array | undefined;
  /** Absent until a tracker has run. */
  readonly trackerId: Int32Array | undefined;
  readonly masks: readonly Mask[] | undefined;
  readonly data: Columns;
  /** What holds for all rows, also when there are none: `image_dimensions` and where the picture comes from. */
  readonly metadata: Readonly<Record<string, ColumnValue>>;

  constructor({ xyxy, confidence, classId, trackerId, masks, data = {}, metadata = {} }: DetectionFields) {
    this.length = xyxy.length / 4;
    this.xyxy = xyxy;
    this.confidence = confidence;
    this.classId = classId;
    this.trackerId = trackerId;
    this.masks = masks;
    this.data = data;
    this.metadata = metadata;
  }

  /** The same with some parts replaced. */
  with(fields: Partial<DetectionFields>): DetectionTable {
    return new DetectionTable({ ...this, ...fields });
  }
}

export function emptyDetections(metadata: Readonly<Record<string, ColumnValue>> = {}): DetectionTable {
  return new DetectionTable({
    xyxy: new Float64Array(0),
    confidence: new Float64Array(0),
    classId: new Int32Array(0),
    metadata,
  });
}

/** Things of one class that are certain: flat rows of boxes, with more columns if there are any. */
export function certainDetections(boxes: readonly number[], className: string, columns: Columns = {}): DetectionTable {
  const length = boxes.length / 4;
  return new DetectionTable({
    xyxy: Float64Array.from(boxes),
    confidence: new Float64Array(length).fill(1),
    classId: new Int32Array(length),
    data: { class_name: repeated(className, length), ...columns },
  });
}

/** The rows that are wanted, in their order. */
export function filterRows(detections: DetectionTable, isWanted: (row: number) => boolean): DetectionTable {
  return selectRows(
    detections,
    Array.from({ length: detections.length }, (_, row) => row).filter((row) => isWanted(row)),
  );
}

/** The given rows in the given order, with all their columns. */
export function selectRows(detections: DetectionTable, rows: readonly number[]): DetectionTable {
  const { confidence, classId, trackerId, masks, data, metadata } = detections;
  const xyxy = new Float64Array(4 * rows.length);
  for (let to = 0; to < rows.length; to++) {
    const from = 4 * rows[to]!;
    for (let side = 0; side < 4; side++) xyxy[4 * to + side] = detections.xyxy[from + side]!;
  }
  const columns: Record<string, readonly ColumnValue[]> = {};
  for (const name in data) columns[name] = rows.map((row) => data[name]![row]!);
  return new DetectionTable({
    xyxy,
    confidence: confidence && Float64Array.from(rows, (row) => confidence[row]!),
    classId: classId && Int32Array.from(rows, (row) => classId[row]!),
    trackerId: trackerId && Int32Array.from(rows, (row) => trackerId[row]!),
    masks: masks && rows.map((row) => masks[row]!),
    data: columns,
    metadata,
  });
}

/** The same with columns added or replaced. */
export function withColumns(detections: DetectionTable, columns: Columns): DetectionTable {
  return detections.with({ data: { ...detections.data, ...columns } });
}

/** A column of `length` equal values. */
export function repeated<T extends ColumnValue>(value: T, length: number): readonly T[] {
  return new Array<T>(length).fill(value);
}

/** Class of each row; a row without one is told by its number. */
export function classNamesOf({ data, classId, length }: DetectionTable): readonly string[] {
  const names = data.class_name;
  if (names !== undefined) return names as readonly string[];
  return Array.from({ length }, (_, row) => String(classId?.[row] ?? ""));
}

/** One value of a row. Throws when the column is missing. */
export function columnOf(detections: DetectionTable, name: string): readonly ColumnValue[] {
  const column = detections.data[name];
  if (column === undefined) throw inputError(`The detections have no "${name}".`, "KeyError");
  return column;
}

type Metadata = Readonly<Record<string, ColumnValue>>;

/**
 * All rows in one, in order. Members without rows are left out; the others must have the same parts, the same columns
 * and the same metadata.
 */
export function mergeDetections(list: readonly DetectionTable[]): DetectionTable {
  const members = list.filter(({ length }) => length > 0);
  const [first] = members;
  if (first === undefined) return emptyDetections();
  requireSameParts(members);
  return new DetectionTable({
    xyxy: Float64Array.from(members.flatMap(({ xyxy }) => [...xyxy])),
    confidence: first.confidence && Float64Array.from(members.flatMap(({ confidence }) => [...confidence!])),
    classId: first.classId && Int32Array.from(members.flatMap(({ classId }) => [...classId!])),
    trackerId: first.trackerId && Int32Array.from(members.flatMap(({ trackerId }) => [...trackerId!])),
    masks: first.masks && members.flatMap(({ masks }) => masks!),
    data: mergeColumns(members.map(({ data }) => data)),
    metadata: mergeMetadata(members.map(({ metadata }) => metadata)),
  });
}

/** Columns one after the other. Throws unless all have the same columns. */
export function mergeColumns(list: readonly Columns[]): Columns {
  requireSameKeys(list, "columns");
  for (const columns of list) {
    const lengths = new Set(Object.values(columns).map(({ length }) => length));
    if (lengths.size > 1) throw inputError("Columns of the same detections must have the same length.");
  }
  const merged: Record<string, readonly ColumnValue[]> = {};
  for (const name in list[0]) merged[name] = list.flatMap((columns) => columns[name]!);
  return merged;
}

/** What all agree on. Throws when they do not. */
export function mergeMetadata(list: readonly Metadata[]): Metadata {
  requireSameKeys(list, "metadata");
  const [first = {}] = list;
  for (const name in first) {
    if (!list.every((metadata) => isDeepStrictEqual(metadata[name], first[name]))) {
      throw inputError(`The detections differ in the metadata "${name}" and cannot be merged.`);
    }
  }
  return first;
}

function requireSameParts(members: readonly DetectionTable[]): void {
  for (const part of ["confidence", "classId", "trackerId", "masks"] as const) {
    const having = members.filter((member) => member[part] !== undefined).length;
    if (having === 0 || having === members.length) continue;
    throw inputError(`Some of the detections have "${part}" and others have not: they cannot be merged.`);
  }
}

function requireSameKeys(list: readonly Readonly<Record<string, unknown>>[], what: string): void {
  const [first = {}] = list;
  const names = Object.keys(first);
  const same = list.every((item) => Object.keys(item).length === names.length && names.every((name) => name in item));
  if (!same) throw inputError(`All detections must have the same ${what} to be merged.`);
}

/** Plain arrays for the wire, rounded to 4 decimals so that 32-bit numbers stay short as text. */
export function toWireDetections(detections: DetectionTable): WireDetections {
  const { xyxy, confidence, classId, trackerId, length, metadata } = detections;
  const note = metadata.model_note;
  // Nobody noted how large the picture was: 0.
  const [height, width] = (detections.data.image_dimensions?.[0] ?? metadata.image_dimensions ?? [0, 0]) as number[];
  return {
    ...(typeof note === "string" ? { note } : {}),
    image: { width: width!, height: height! },
    xyxy: Array.from(xyxy, toFourDecimals),
    confidence: Array.from(confidence ?? new Float64Array(length).fill(1), toFourDecimals),
    class_id: Array.from(classId ?? new Int32Array(length).fill(-1)),
    class_name: [...classNamesOf(detections)],
    tracker_id: trackerId === undefined ? null : Array.from(trackerId),
  };
}

export function toFourDecimals(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
