// detections → fewer, moved or renamed detections, or a property of them
import { type ColumnValue, Detections, emptyDetections, selectRows } from "../../frames/detections.ts";
import { DetectionRow } from "../detection-row.ts";
import { toText } from "../python-text.ts";
import { failingAs, queryError } from "../query-error.ts";
import { typeNameOf } from "../query-value.ts";
import { serializeDetections } from "../serialize-detections.ts";
import { listProperty, numbersOf, readRowProperty } from "./detection-properties.ts";
import type { OperationBuilder, OperationBuilders, OperationSetting, QueryScope } from "./operation.ts";
import { renameClasses } from "./rename-classes.ts";

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
export function detectionsIn(value: unknown, place?: string): Detections {
  if (value instanceof Detections) return value;
  throw queryError("InvalidInputTypeError", `Detections are needed, not a ${typeNameOf(value)}.`, place);
}

function onDetections(
  build: (setting: OperationSetting) => (detections: Detections, scope: QueryScope) => unknown,
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
    throw queryError(
      "OperationError",
      `The detections have no property "${name}": put a block that gives it before this step.`,
      place,
    );
  };
  return { run, numbers: numbersOf(name, true) };
}

function extractRowProperty({ definition, place }: OperationSetting) {
  const name = String(definition.property_name);
  const read = readRowProperty(name);
  const run = (value: unknown): ColumnValue => {
    if (value instanceof DetectionRow) return read(value.detections, value.row);
    throw queryError("InvalidInputTypeError", `One detection is needed, not a ${typeNameOf(value)}.`, place);
  };
  return { run, numbers: numbersOf(name, false) };
}

function moveSides(detections: Detections, by: readonly number[]): Detections {
  return detections.with({ xyxy: detections.xyxy.map((value, at) => value + by[at % 4]!) });
}

/** A text names a parameter. */
function parameterIn(value: unknown, scope: QueryScope, what: string): unknown {
  if (typeof value !== "string") return value;
  if (Object.hasOwn(scope, value)) return scope[value];
  throw queryError("UndeclaredSymbolError", `"${what}" refers to "${value}", which is not among the parameters.`);
}

const PICKS: Readonly<Record<string, (detections: Detections) => number>> = {
  first: () => 0,
  last: ({ length }) => length - 1,
  left_most: (detections) => bestRow(detections, (row) => -centre(detections, row, 0)),
  right_most: (detections) => bestRow(detections, (row) => centre(detections, row, 0)),
  top_confidence: (detections) => bestRow(detections, (row) => detections.confidence?.[row] ?? 0),
};

/** The first row with the highest score. */
function bestRow({ length }: Detections, score: (row: number) => number): number {
  let best = 0;
  for (let row = 1; row < length; row++) if (score(row) > score(best)) best = row;
  return best;
}

function centre({ xyxy }: Detections, row: number, axis: 0 | 1): number {
  return (xyxy[4 * row + axis]! + xyxy[4 * row + 2 + axis]!) / 2;
}

type SortKey = (detections: Detections, row: number) => number;

function readSortKey(mode: string): SortKey {
  if (mode === "center_x") return (detections, row) => centre(detections, row, 0);
  if (mode === "center_y") return (detections, row) => centre(detections, row, 1);
  const read = readRowProperty(mode);
  return (detections, row) => read(detections, row) as number;
}

/** Descending is the ascending order told backwards, ties included. */
function sortRows(detections: Detections, key: SortKey, ascending: boolean): Detections {
  const rows = Array.from({ length: detections.length }, (_, row) => row);
  if (rows.length === 0 || key(detections, 0) === null) return detections;
  rows.sort((a, b) => key(detections, a) - key(detections, b));
  return selectRows(detections, ascending ? rows : rows.reverse());
}

/** Those of the class, then the others whose centre lies in one of them. */
function pickByParent(detections: Detections, parentClass: string): Detections {
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
