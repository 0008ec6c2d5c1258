// value and format specification → text, as Python's `format` writes it
import { inputError } from "../../errors.ts";
import { Timestamp } from "../../frames/frame.ts";
import { type NumberStyle, numberText, toText } from "../../query/python-text.ts";
import { roundTo } from "../../query/python-values.ts";
import { typeNameOf } from "../../query/query-value.ts";

const SPECIFICATION = /^(?:(.)?([<>=^]))?([+\- ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su;

type Specification = ReturnType<typeof parseSpecification>;

/** `{value:specification}`. Throws a `ValueError` when they do not fit. */
export function formatValue(value: unknown, specification: string, numbers: NumberStyle = "plain"): string {
  if (specification === "") return toText(value, numbers);
  if (value instanceof Timestamp) return formatTime(value, specification);
  const parsed = parseSpecification(specification);
  if (typeof value === "string") return formatText(value, parsed);
  if (typeof value === "boolean") return formatNumber(Number(value), parsed, "integer");
  if (typeof value === "number") return formatNumber(value, parsed, numbers);
  throw inputError(`A ${typeNameOf(value)} cannot be written as "${specification}".`);
}

function parseSpecification(text: string) {
  const parts = SPECIFICATION.exec(text);
  if (parts === null) throw inputError(`"${text}" is no format.`);
  const [, fill, align, sign = "-", , prefix, zero, width = "0", group = "", precision, type = ""] = parts;
  return {
    fill: fill ?? (zero && align === undefined ? "0" : " "),
    align: align ?? (zero ? "=" : undefined),
    sign,
    prefix: prefix !== undefined,
    width: Number(width),
    group,
    precision: precision === undefined ? undefined : Number(precision),
    type,
  };
}

function formatText(text: string, specification: Specification): string {
  const { type, precision, align } = specification;
  if ((type !== "" && type !== "s") || align === "=") throw inputError("A text cannot be written as a number.");
  const characters = [...text].slice(0, precision);
  return pad("", characters.join(""), { ...specification, align: align ?? "<" });
}

function formatNumber(value: number, specification: Specification, numbers: NumberStyle): string {
  const { sign, group } = specification;
  const negative = value < 0 || Object.is(value, -0);
  const size = Math.abs(value);
  const digits = writeSize(size, specification, numbers);
  const plus = sign === "-" ? "" : sign;
  const mark = negative ? "-" : plus;
  return pad(mark, group === "" ? digits : grouped(digits, group), specification);
}

type SizeWriter = (size: number, specification: Specification) => string;

/** How the size of a number is written, by the letter of the format. */
const WRITERS: Readonly<Record<string, SizeWriter>> = {
  c: (size) => String.fromCodePoint(whole(size)),
  d: (size) => String(whole(size)),
  n: (size) => String(whole(size)),
  b: inBase(2),
  o: inBase(8),
  x: inBase(16),
  X: (size, specification) => inBase(16)(size, specification).toUpperCase(),
  f: (size, { precision = 6 }) => fixed(size, precision),
  F: (size, { precision = 6 }) => fixed(size, precision),
  "%": (size, { precision = 6 }) => `${fixed(size * 100, precision)}%`,
  e: (size, { precision = 6 }) => exponential(size, precision, "e"),
  E: (size, { precision = 6 }) => exponential(size, precision, "E"),
  g: (size, { precision = 6, prefix }) => general(size, precision, prefix),
  G: (size, { precision = 6, prefix }) => general(size, precision, prefix).toUpperCase(),
};

function writeSize(size: number, specification: Specification, numbers: NumberStyle): string {
  const { type, precision } = specification;
  if (!Number.isFinite(size)) return numberText(size);
  if (type !== "") {
    const write = WRITERS[type];
    if (write === undefined) throw inputError(`There is no format "${type}" for numbers.`);
    return write(size, specification);
  }
  const isFloat = numbers === "float" || numbers === "prediction" || !Number.isInteger(size);
  if (precision === undefined || !isFloat) return numberText(size, numbers);
  // One place is kept for the decimal that makes it a float.
  const text = general(size, precision, false, Math.max(1, precision) - 1);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function inBase(base: number): SizeWriter {
  return (size, { type, prefix }) => `${prefix ? `0${type}` : ""}${whole(size).toString(base)}`;
}

function whole(size: number): number {
  if (Number.isInteger(size)) return size;
  throw inputError("A number with decimals cannot be written as a whole one.");
}

function fixed(size: number, precision: number): string {
  const kept = Math.min(precision, 100);
  if (size >= 1e21) return `${BigInt(size)}${kept > 0 ? `.${"0".repeat(kept)}` : ""}`;
  return kept <= 50 ? roundTo(size, kept).toFixed(kept) : size.toFixed(kept);
}

function exponential(size: number, precision: number, letter: string): string {
  const kept = Math.min(precision, 100);
  // Rounded first, for a tie must go to the even digit.
  const [digits, exponent] = roundTo(size, kept - exponentOf(size))
    .toExponential(kept)
    .split("e") as [string, string];
  return `${digits}${letter}${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

function exponentOf(size: number): number {
  return Number(size.toExponential().split("e")[1]);
}

/** Significant digits; an exponent for what is small or has more than `wholeDigits` places before the point. */
function general(size: number, precision: number, keepZeros: boolean, wholeDigits = Math.max(1, precision)): string {
  const digits = Math.max(1, Math.min(precision, 100));
  const [head, tail] = exponential(size, digits - 1, "e").split("e") as [string, string];
  const exponent = Number(tail);
  if (exponent < -4 || exponent >= wholeDigits) return `${keepZeros ? head : withoutZeros(head)}e${tail}`;
  const text = fixed(size, Math.max(0, digits - 1 - exponent));
  return keepZeros ? withPoint(text) : withoutZeros(text);
}

function withPoint(text: string): string {
  return text.includes(".") ? text : `${text}.`;
}

function withoutZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function grouped(digits: string, group: string): string {
  const [, head, tail] = /^(\d*)(.*)$/s.exec(digits)!;
  return head!.replace(/\B(?=(\d{3})+$)/g, group) + tail!;
}

function pad(mark: string, body: string, { fill, align = ">", width }: Specification): string {
  const missing = Math.max(0, width - [...mark, ...body].length);
  if (align === "=") return mark + fill.repeat(missing) + body;
  const shares: Readonly<Record<string, number>> = { "<": 0, "^": Math.floor(missing / 2), ">": missing };
  const before = shares[align]!;
  return fill.repeat(before) + mark + body + fill.repeat(missing - before);
}

const PARTS = /^(\d+)-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?(?:[.,](\d+))?\s*(Z|[+-]\d\d:?\d\d)?$/;

/** Directives that are not known stay as they are. */
function formatTime({ iso }: Timestamp, pattern: string): string {
  const parts = PARTS.exec(iso);
  if (parts === null) return iso;
  const [, year = "", month = "", day = "", hour = "", minute = "", second = "00", fraction = "", offset = ""] = parts;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  const nameOf = (part: "weekday" | "month"): string => date.toLocaleString("en", { [part]: "long", timeZone: "UTC" });
  const hour12 = ((Number(hour) + 11) % 12) + 1;
  const values: Readonly<Record<string, string>> = {
    Y: year,
    y: year.slice(-2),
    m: month,
    d: day,
    H: hour,
    I: String(hour12).padStart(2, "0"),
    M: minute,
    S: second,
    f: fraction.slice(0, 6).padEnd(6, "0"),
    p: Number(hour) < 12 ? "AM" : "PM",
    A: nameOf("weekday"),
    a: nameOf("weekday").slice(0, 3),
    B: nameOf("month"),
    b: nameOf("month").slice(0, 3),
    z: offset === "Z" ? "+0000" : offset.replace(":", ""),
    "%": "%",
  };
  return pattern.replace(/%(.)/gs, (directive, letter: string) => values[letter] ?? directive);
}
