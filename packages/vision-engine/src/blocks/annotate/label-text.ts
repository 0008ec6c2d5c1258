// detections → what is written at each
import { inputError } from "../../errors.ts";
import { type ColumnValue, classNamesOf, type Detections } from "../../frames/detections.ts";
import { maskArea } from "../../frames/mask.ts";
import { boxArea } from "../../geometry/boxes.ts";
import { numberText, toText } from "../../query/python-text.ts";
import { roundTo } from "../../query/python-values.ts";

type LabelOf = (detections: Detections, row: number) => string;

const LABELS: Readonly<Record<string, LabelOf>> = {
  Class: (detections, row) => classNamesOf(detections)[row]!,
  Confidence: confidenceOf,
  "Class and Confidence": (detections, row) => {
    const confidence = confidenceOf(detections, row);
    return detections.data.class_name === undefined ? confidence : `${classNamesOf(detections)[row]} ${confidence}`;
  },
  Index: (_, row) => String(row),
  Dimensions: dimensionsOf,
  Area: ({ masks, xyxy }, row) => String(masks === undefined ? Math.trunc(boxArea(xyxy, row)) : maskArea(masks[row]!)),
  "Area (mask)": ({ data }, row) => `Area (mask): ${twoDigits(data.area_px?.[row])}`,
  "Area (converted)": ({ data }, row) => `Area (conv): ${twoDigits(data.area_converted?.[row])}`,
  "Tracker Id": ({ trackerId }, row) => (trackerId === undefined ? "No Tracker ID" : String(trackerId[row])),
  "Time In Zone": ({ data }, row) => {
    const seconds = Number(data.time_in_zone?.[row] ?? 0);
    return seconds === 0 ? "In zone: N/A" : `In zone: ${numberText(roundTo(seconds, 2), "float")}s`;
  },
};

/** One text a row, by the wanted kind: `Class and Confidence`, …, or the name of a column. */
export function labelsOf(detections: Detections, kind: string): readonly string[] {
  const labelOf = LABELS[kind] ?? columnLabel(detections, kind);
  return Array.from({ length: detections.length }, (_, row) => labelOf(detections, row));
}

function columnLabel({ data }: Detections, name: string): LabelOf {
  const column = data[name];
  if (column === undefined) {
    throw inputError(
      `"text" knows no "${name}": take ${Object.keys(LABELS).join(", ")} or a column of the detections.`,
    );
  }
  return (_, row) => (isEmpty(column[row]!) ? "" : toText(column[row]));
}

function isEmpty(value: ColumnValue): boolean {
  return value === null || value === "" || value === 0 || value === false;
}

function confidenceOf({ confidence }: Detections, row: number): string {
  if (confidence === undefined) throw inputError("The detections have no confidence to write.");
  return confidence[row]!.toFixed(2);
}

function dimensionsOf(detections: Detections, row: number): string {
  const { xyxy } = detections;
  const [left, top, right, bottom] = xyxy.subarray(4 * row, 4 * row + 4);
  const centre = `${Math.trunc((left! + right!) / 2)}, ${Math.trunc((top! + bottom!) / 2)}`;
  return `${centre} ${Math.trunc(right! - left!)}x${Math.trunc(bottom! - top!)}`;
}

function twoDigits(value: ColumnValue | undefined): string {
  return typeof value === "number" ? value.toFixed(2) : "N/A";
}

/** Shorter side of the picture for which sizes are meant. */
const REFERENCE_SIDE = 1080;
const REFERENCE_SCALE = 0.7;

interface TextSizing {
  readonly width: number;
  readonly height: number;
  /** What the step says. */
  readonly manual: number;
  /** Whether the size follows that of the picture. */
  readonly automatic: boolean;
}

/** Scale of the text for a picture. */
export function textScaleFor({ width, height, manual, automatic }: TextSizing): number {
  if (!automatic) return manual;
  const scale = REFERENCE_SCALE * (Math.min(width, height) / REFERENCE_SIDE) * (manual / REFERENCE_SCALE);
  return Math.min(5, Math.max(0.3, scale));
}

/** Height of the font for a picture, in pixels. */
export function fontSizeFor({ width, height, manual, automatic }: TextSizing): number {
  if (!automatic) return manual;
  return Math.min(128, Math.max(8, Math.round((manual * Math.min(width, height)) / REFERENCE_SIDE)));
}
