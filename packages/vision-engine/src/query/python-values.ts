// the rules of the language that workflows were written against: truth, equality, order, length, slices, rounding
import { inputError } from "../errors.ts";
import { DetectionTable } from "../frames/detections.ts";
import { Timestamp } from "../frames/frame.ts";
import { isDictionary, typeNameOf } from "./query-value.ts";

/** Zero, nothing, and what has no elements are false. */
export function isTruthy(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  if (typeof value === "number") return value !== 0;
  if (typeof value === "boolean") return value;
  return hasLength(value) ? lengthOf(value) > 0 : true;
}

/** Equal by value, also inside lists and dictionaries; `true` equals 1. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (isNumeric(one) && isNumeric(other)) return Number(one) === Number(other);
  if (isArrayLike(one) && isArrayLike(other)) {
    return one.length === other.length && Array.prototype.every.call(one, (item, at) => isEqual(item, other[at]));
  }
  if (one instanceof Timestamp && other instanceof Timestamp) return one.seconds === other.seconds;
  if (one instanceof DetectionTable && other instanceof DetectionTable) return areSameDetections(one, other);
  if (!isDictionary(one) || !isDictionary(other)) return (one ?? null) === (other ?? null);
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
  );
}

function areSameDetections(one: DetectionTable, other: DetectionTable): boolean {
  const parts = ["xyxy", "confidence", "classId", "trackerId", "data"] as const;
  return parts.every((part) => isEqual(one[part], other[part])) && isEqual(runsOf(one), runsOf(other));
}

function runsOf({ masks }: DetectionTable): readonly Int32Array[] | undefined {
  return masks?.map(({ runs }) => runs);
}

/** Negative, zero or positive. Throws a `TypeError` for values that have no order. */
export function compareValues(one: unknown, other: unknown): number {
  if (isNumeric(one) && isNumeric(other)) return Number(one) - Number(other);
  if (typeof one === "string" && typeof other === "string") return Number(one > other) - Number(one < other);
  if (one instanceof Timestamp && other instanceof Timestamp) return one.seconds - other.seconds;
  if (Array.isArray(one) && Array.isArray(other)) {
    for (let at = 0; at < Math.min(one.length, other.length); at++) {
      if (!isEqual(one[at], other[at])) return compareValues(one[at], other[at]);
    }
    return one.length - other.length;
  }
  throw typeError(`A ${typeNameOf(one)} and a ${typeNameOf(other)} cannot be put in order.`);
}

/** Characters of a text, elements of a list, entries of a dictionary, rows of detections. Throws a `TypeError`. */
export function lengthOf(value: unknown): number {
  if (typeof value === "string") return isPlain(value) ? value.length : [...value].length;
  if (value instanceof DetectionTable || isArrayLike(value)) return value.length;
  if (isDictionary(value)) return Object.keys(value).length;
  throw typeError(`A ${typeNameOf(value)} has no length.`);
}

/** What a loop over the value sees: characters, elements, names of entries, rows. Throws a `TypeError`. */
export function elementsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === "string") return [...value];
  if (isArrayLike(value)) return Array.from(value as ArrayLike<unknown>);
  if (value instanceof DetectionTable)
    return Array.from({ length: value.length }, (_, row) => new DetectionRow(value, row));
  if (isDictionary(value)) return Object.keys(value);
  throw typeError(`A ${typeNameOf(value)} has no elements.`);
}

/** Element of a list, part of a text, or name in a dictionary. Throws a `TypeError`. */
export function isIn(item: unknown, container: unknown): boolean {
  if (typeof container !== "string") return elementsOf(container).some((element) => isEqual(element, item));
  if (typeof item === "string") return container.includes(item);
  throw typeError(`A ${typeNameOf(item)} cannot be looked for in a text.`);
}

/** `text[start:end]`: negative places count from the end. */
export function sliceText(text: string, start: number, end: number): string {
  return isPlain(text) ? text.slice(start, end) : [...text].slice(start, end).join("");
}

/** A text or number as a number. Throws a `TypeError` or `ValueError`. */
export function toFloat(value: unknown): number {
  if (isNumeric(value)) return Number(value);
  if (typeof value !== "string") throw typeError(`A ${typeNameOf(value)} is no number.`);
  const text = value
    .trim()
    .toLowerCase()
    .replace(/(?<=\d)_(?=\d)/g, "");
  const special = /^([+-]?)(?:(inf|infinity)|nan)$/.exec(text);
  if (special) return special[2] ? Number(`${special[1]}Infinity`) : Number.NaN;
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/.test(text)) return Number(text);
  throw inputError(`The text "${value.slice(0, 60)}" is no number.`);
}

/** Rounds what the number really is; a tie goes to the even neighbour. */
export function roundTo(value: number, digits: number): number {
  if (!Number.isFinite(value) || Math.abs(value) >= 1e21) return value;
  if (digits < 0) {
    const unit = 10 ** -digits;
    return roundTo(value / unit, 0) * unit;
  }
  const kept = Math.min(digits, 50);
  const exact = Math.abs(value).toFixed(100);
  const cut = exact.length - (100 - kept);
  const isTie = /^50*$/.test(exact.slice(cut));
  const below = Number(exact.slice(0, cut));
  // Digits of the part that stays; its last one says whether it is even.
  const last = Number(exact.slice(0, cut).replace(".", "").at(-1));
  const rounded = isTie && last % 2 === 0 ? below : Number(Math.abs(value).toFixed(kept));
  return Math.sign(value) * rounded;
}

export function isNumeric(value: unknown): value is number | boolean {
  return typeof value === "number" || typeof value === "boolean";
}

export function typeError(message: string): Error {
  return inputError(message, "TypeError");
}

function hasLength(value: unknown): boolean {
  return typeof value === "string" || value instanceof DetectionTable || isArrayLike(value) || isDictionary(value);
}

function isArrayLike(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

/** Without characters that take two places. */
function isPlain(text: string): boolean {
  return !/[\ud800-\udbff]/.test(text);
}

/** One row of detections under a statement. A filter moves it from row to row, so it is not to be kept. */
export class DetectionRow {
  readonly detections: DetectionTable;
  row: number;

  constructor(detections: DetectionTable, row: number) {
    this.detections = detections;
    this.row = row;
  }
}
