// name of a property → its value at a row of detections
import type { ColumnValue, Detections } from "../../frames/detections.ts";
import { roundHalfEven } from "../../geometry/points.ts";
import type { NumberStyle } from "../python-text.ts";

type RowProperty = (detections: Detections, row: number) => ColumnValue | undefined;

function side(at: number): RowProperty {
  return ({ xyxy }, row) => xyxy[4 * row + at]!;
}

/** `across` and `down`: 0 at the left top corner, 1 at the right bottom one. */
function spot(across: number, down: number): RowProperty {
  return ({ xyxy }, row) => {
    const at = 4 * row;
    return [xyxy[at]! + across * (xyxy[at + 2]! - xyxy[at]!), xyxy[at + 1]! + down * (xyxy[at + 3]! - xyxy[at + 1]!)];
  };
}

/** Properties that every detection has, besides its columns. */
const BUILT_IN: Readonly<Record<string, RowProperty>> = {
  confidence: ({ confidence }, row) => confidence?.[row],
  class_id: ({ classId }, row) => classId?.[row],
  class_name: ({ data }, row) => data.class_name?.[row],
  tracker_id: ({ trackerId, data }, row) => trackerId?.[row] ?? data.tracker_id?.[row],
  x_min: side(0),
  y_min: side(1),
  x_max: side(2),
  y_max: side(3),
  size: ({ xyxy }, row) => (xyxy[4 * row + 3]! - xyxy[4 * row + 1]!) * (xyxy[4 * row + 2]! - xyxy[4 * row]!),
  center: spot(0.5, 0.5),
  top_left: spot(0, 0),
  top_right: spot(1, 0),
  bottom_left: spot(0, 1),
  bottom_right: spot(1, 1),
};

const SPOTS: ReadonlySet<string> = new Set(["center", "top_left", "top_right", "bottom_left", "bottom_right"]);
const WHOLE: ReadonlySet<string> = new Set(["class_id", "tracker_id", "image_dimensions", "polygon", "in_out"]);

/** A property of one row; null when it has none of that name. */
export function readRowProperty(name: string): (detections: Detections, row: number) => ColumnValue {
  const read = BUILT_IN[name];
  if (read !== undefined) return (detections, row) => read(detections, row) ?? null;
  return ({ data }, row) => data[name]?.[row] ?? null;
}

/** A property of all rows; corners are rounded to whole pixels. Absent when the rows have none of that name. */
export function listProperty(detections: Detections, name: string): readonly ColumnValue[] | undefined {
  const { trackerId, data, length } = detections;
  if (name === "tracker_id" && trackerId !== undefined) return Array.from(trackerId);
  const column = data[name];
  if (column !== undefined) return column;
  if (name === "class_name") return [];
  const read = BUILT_IN[name];
  if (read === undefined) return undefined;
  const values: ColumnValue[] = [];
  for (let row = 0; row < length; row++) {
    const value = read(detections, row);
    if (value === undefined) return undefined;
    values.push(SPOTS.has(name) ? (value as readonly number[]).map(roundHalfEven) : value);
  }
  return values;
}

/** What is known of the numbers of a property; corners in lists are whole. */
export function numbersOf(name: string, inList: boolean): NumberStyle {
  return WHOLE.has(name) || (inList && SPOTS.has(name)) ? "integer" : "float";
}
