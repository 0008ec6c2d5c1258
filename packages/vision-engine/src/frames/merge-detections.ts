// several detections → one
import { isDeepStrictEqual } from "node:util";
import { inputError } from "../errors.ts";
import { type Columns, type ColumnValue, Detections, emptyDetections } from "./detections.ts";

type Metadata = Readonly<Record<string, ColumnValue>>;

/**
 * All rows in one, in order. Members without rows are left out; the others must have the same parts, the same columns
 * and the same metadata.
 */
export function mergeDetections(list: readonly Detections[]): Detections {
  const members = list.filter(({ length }) => length > 0);
  const [first] = members;
  if (first === undefined) return emptyDetections();
  requireSameParts(members);
  return new Detections({
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

function requireSameParts(members: readonly Detections[]): void {
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
