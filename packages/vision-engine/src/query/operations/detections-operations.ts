// detections → fewer, moved or renamed detections, or a property of them
import { type ColumnValue, DetectionTable, emptyDetections, selectRows, withColumns } from "../../frames/detections.ts";
import { boxArea, boxAt } from "../../geometry/boxes.ts";
import { roundHalfEven } from "../../geometry/polygons.ts";
import { type NumberStyle, toText } from "../python-text.ts";
import { DetectionRow } from "../python-values.ts";
import { failingAs, isDictionary, queryError } from "../query-value.ts";
import { serializeDetections } from "../serialize-value.ts";
import {
  type OperationBuilder,
  type OperationBuilders,
  type OperationSetting,
  type QueryScope,
  unfit,
} from "./operation.ts";

export const DETECTIONS_OPERATIONS: OperationBuilders = {
  DetectionsPropertyExtract: extractProperty,
  ExtractDetectionProperty: extractRowProperty,
  DetectionsOffset: onDetections(({ definition }) => {
    const [x, y] = [Number(definition.offset_x) / 2, Number(definition.offset_y) / 2];
    return (detections) => moveSides(detections, [-x, -y, x, y]);
  }),
  DetectionsShift: onDetections(({ definition }) => {
    const [x, y] = [Number(definition.shift_x), Number(definition.shift_y)];
    return (detections) => moveSides(detections, [x, y, x, y]);
  }),
  DetectionsRename: onDetections(({ definition }) => {
    const { class_map: classMap, strict = true, new_classes_id_offset: firstNewId = 1024 } = definition;
    return (detections, scope) =>
      renameClasses(detections, {
        classMap: parameterIn(classMap, scope, "class_map"),
        strict: parameterIn(strict, scope, "strict"),
        firstNewId: Number(firstNewId),
      });
  }),
  DetectionsSelection: onDetections(({ definition }) => {
    const pick = PICKS[String(definition.mode)];
    if (pick === undefined) throw queryError("InvalidInputTypeError", `There is no selection "${definition.mode}".`);
    return (detections) => (detections.length === 0 ? detections : selectRows(detections, [pick(detections)]));
  }),
  SortDetections: onDetections(({ definition: { mode, ascending = true } }) => {
    const read = readSortKey(String(mode));
    return (detections) => sortRows(detections, read, ascending === true);
  }),
  DetectionsToDictionary: (setting) => ({
    numbers: "prediction",
    run: (value) => {
      const detections = detectionsIn(value, setting.place);
      return failingAs("OperationError", setting.place, () => serializeDetections(detections));
    },
  }),
  PickDetectionsByParentClass: ({ definition, place, numbers }) => ({
    numbers,
    run: (value) => pickByParent(detectionsIn(value, place), String(definition.parent_class)),
  }),
};

/** The detections in `value`, or an `InvalidInputTypeError`. */
export function detectionsIn(value: unknown, place?: string): DetectionTable {
  if (value instanceof DetectionTable) return value;
  throw unfit("Detections are needed", value, place);
}

function onDetections(
  build: (setting: OperationSetting) => (detections: DetectionTable, scope: QueryScope) => unknown,
): OperationBuilder {
  return (setting) => {
    const change = build(setting);
    return { numbers: setting.numbers, run: (value, scope) => change(detectionsIn(value), scope) };
  };
}

function extractProperty({ definition, place }: OperationSetting) {
  const name = String(definition.property_name);
  const run = (value: unknown): readonly ColumnValue[] => {
    const detections = detectionsIn(value, place);
    if (detections.length === 0) return [];
    const values = listProperty(detections, name);
    if (values !== undefined) return values;
    const message = `The detections have no property "${name}": put a block that gives it before this step.`;
    throw queryError("OperationError", message, place);
  };
  return { run, numbers: numbersOf(name, true) };
}

function extractRowProperty({ definition, place }: OperationSetting) {
  const name = String(definition.property_name);
  const read = readRowProperty(name);
  const run = (value: unknown): ColumnValue => {
    if (value instanceof DetectionRow) return read(value.detections, value.row);
    throw unfit("One detection is needed", value, place);
  };
  return { run, numbers: numbersOf(name, false) };
}

function moveSides(detections: DetectionTable, by: readonly number[]): DetectionTable {
  return detections.with({ xyxy: detections.xyxy.map((value, at) => value + by[at % 4]!) });
}

/** A text names a parameter. */
function parameterIn(value: unknown, scope: QueryScope, what: string): unknown {
  if (typeof value !== "string") return value;
  if (Object.hasOwn(scope, value)) return scope[value];
  throw queryError("UndeclaredSymbolError", `"${what}" refers to "${value}", which is not among the parameters.`);
}

const PICKS: Readonly<Record<string, (detections: DetectionTable) => number>> = {
  first: () => 0,
  last: ({ length }) => length - 1,
  left_most: (detections) => bestRow(detections, (row) => -centre(detections, row, 0)),
  right_most: (detections) => bestRow(detections, (row) => centre(detections, row, 0)),
  top_confidence: (detections) => bestRow(detections, (row) => detections.confidence?.[row] ?? 0),
};

/** The first row with the highest score. */
function bestRow({ length }: DetectionTable, score: (row: number) => number): number {
  let best = 0;
  for (let row = 1; row < length; row++) if (score(row) > score(best)) best = row;
  return best;
}

function centre({ xyxy }: DetectionTable, row: number, axis: 0 | 1): number {
  return (xyxy[4 * row + axis]! + xyxy[4 * row + 2 + axis]!) / 2;
}

type SortKey = (detections: DetectionTable, row: number) => number;

function readSortKey(mode: string): SortKey {
  if (mode === "center_x") return (detections, row) => centre(detections, row, 0);
  if (mode === "center_y") return (detections, row) => centre(detections, row, 1);
  const read = readRowProperty(mode);
  return (detections, row) => read(detections, row) as number;
}

/** Descending is the ascending order told backwards, ties included. */
function sortRows(detections: DetectionTable, key: SortKey, ascending: boolean): DetectionTable {
  const rows = Array.from({ length: detections.length }, (_, row) => row);
  if (rows.length === 0 || key(detections, 0) === null) return detections;
  rows.sort((a, b) => key(detections, a) - key(detections, b));
  return selectRows(detections, ascending ? rows : rows.reverse());
}

/** Those of the class, then the others whose centre lies in one of them. */
function pickByParent(detections: DetectionTable, parentClass: string): DetectionTable {
  const names = detections.data.class_name ?? [];
  const isParent = (row: number): boolean => toText(names[row]) === parentClass;
  const rows = Array.from({ length: detections.length }, (_, row) => row);
  const parents = rows.filter(isParent);
  if (parents.length === 0 || names.length === 0) return emptyDetections();
  const { xyxy } = detections;
  const inside = rows.filter((row) => {
    const [x, y] = [centre(detections, row, 0), centre(detections, row, 1)];
    const isAround = (parent: number): boolean =>
      xyxy[4 * parent]! <= x && x <= xyxy[4 * parent + 2]! && xyxy[4 * parent + 1]! <= y && y <= xyxy[4 * parent + 3]!;
    return !isParent(row) && parents.some(isAround);
  });
  return selectRows(detections, [...parents, ...inside]);
}

type RowProperty = (detections: DetectionTable, row: number) => ColumnValue | undefined;

function side(at: number): RowProperty {
  return ({ xyxy }, row) => xyxy[4 * row + at]!;
}

/** `across` and `down`: 0 at the left top corner, 1 at the right bottom one. */
function spot(across: number, down: number): RowProperty {
  return ({ xyxy }, row) => {
    const [left, top, right, bottom] = boxAt(xyxy, row);
    return [left + across * (right - left), top + down * (bottom - top)];
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
  size: ({ xyxy }, row) => boxArea(xyxy, row),
  center: spot(0.5, 0.5),
  top_left: spot(0, 0),
  top_right: spot(1, 0),
  bottom_left: spot(0, 1),
  bottom_right: spot(1, 1),
};

const SPOTS: ReadonlySet<string> = new Set(["center", "top_left", "top_right", "bottom_left", "bottom_right"]);
const WHOLE: ReadonlySet<string> = new Set(["class_id", "tracker_id", "image_dimensions", "polygon", "in_out"]);

/** A property of one row; null when it has none of that name. */
function readRowProperty(name: string): (detections: DetectionTable, row: number) => ColumnValue {
  const read = BUILT_IN[name];
  if (read !== undefined) return (detections, row) => read(detections, row) ?? null;
  return ({ data }, row) => data[name]?.[row] ?? null;
}

/** A property of all rows; corners are rounded to whole pixels. Absent when the rows have none of that name. */
function listProperty(detections: DetectionTable, name: string): readonly ColumnValue[] | undefined {
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
function numbersOf(name: string, inList: boolean): NumberStyle {
  return WHOLE.has(name) || (inList && SPOTS.has(name)) ? "integer" : "float";
}

interface ClassRenaming {
  /** Old name → new name. */
  readonly classMap: unknown;
  /** Every class must be in the map; ids are then the places of the new names in the alphabet. */
  readonly strict: unknown;
  /** Id of the first new name when not strict. */
  readonly firstNewId: number;
}

function renameClasses(detections: DetectionTable, { classMap, strict, firstNewId }: ClassRenaming): DetectionTable {
  if (!isDictionary(classMap)) throw unfit('"class_map" must be a dictionary', classMap);
  if (typeof strict !== "boolean") throw unfit('"strict" must be true or false', strict);
  const map = new Map(Object.entries(classMap).map(([from, to]) => [from, String(to)]));
  const names = detections.data.class_name as readonly string[] | undefined;
  if (strict) refuseUnmapped(detections.length, names, map);
  if (names === undefined) return detections;
  const ids = strict ? alphabeticalIds(map) : extendedIds(detections, names, map, firstNewId);
  const renamed = names.map((name) => map.get(name) ?? name);
  return withColumns(detections, { class_name: renamed }).with({
    classId: Int32Array.from(renamed, (name) => ids.get(name)!),
  });
}

function refuseUnmapped(length: number, names: readonly string[] | undefined, map: ReadonlyMap<string, string>): void {
  if (names === undefined && length > 0) {
    throw queryError("OperationError", "The detections have no class names, so not all of them can be mapped.");
  }
  const missing = names?.find((name) => !map.has(name));
  if (missing !== undefined) throw queryError("OperationError", `The class "${missing}" is not in "class_map".`);
}

function alphabeticalIds(map: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  return new Map([...new Set(map.values())].sort().map((name, id) => [name, id]));
}

function extendedIds(
  { classId }: DetectionTable,
  names: readonly string[],
  map: ReadonlyMap<string, string>,
  firstNewId: number,
): ReadonlyMap<string, number> {
  const ids = new Map(names.map((name, row) => [name, classId?.[row] ?? -1]));
  const added = [...new Set(map.values())].filter((name) => !ids.has(name)).sort();
  for (const [at, name] of added.entries()) ids.set(name, firstNewId + at);
  return ids;
}
