// value → the text that Python's `str`, `repr` and `json.dumps` give
import { inputError } from "../errors.ts";
import { DetectionTable } from "../frames/detections.ts";
import { Timestamp } from "../frames/frame.ts";
import { ImageValue } from "../frames/image-value.ts";
import { isDictionary, typeNameOf } from "./query-value.ts";

/**
 * What is known of the numbers inside a value, for 2 and 2.0 are one number here and two texts there:
 * `plain` nothing, so whole ones are written without point · `integer` · `float` · `prediction` the numbers of
 * serialised detections, which are floats but for ids and sizes of pictures.
 */
export type NumberStyle = "plain" | "integer" | "float" | "prediction";

/** Entries of serialised detections that hold whole numbers. */
const WHOLE_ENTRIES: ReadonlySet<string> = new Set([
  "image",
  "class_id",
  "tracker_id",
  "polygon",
  "parent_origin",
  "root_parent_origin",
  "rle_mask",
]);

/** As `str(value)`. */
export function toText(value: unknown, style: NumberStyle = "plain"): string {
  return typeof value === "string" ? value : toSource(value, style);
}

/** As `repr(value)`: texts in quotes. */
export function toSource(value: unknown, style: NumberStyle = "plain"): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return numberText(value, style);
  if (typeof value === "string") return quoted(value);
  if (value instanceof Timestamp) return value.iso.replace("T", " ");
  if (value instanceof Uint8Array) return bytesText(value);
  if (value instanceof DetectionTable || value instanceof ImageValue) return `<${typeNameOf(value)}>`;
  if (ArrayBuffer.isView(value)) return toSource(Array.from(value as Float32Array), "float");
  if (Array.isArray(value)) return `[${value.map((item) => toSource(item, style)).join(", ")}]`;
  const entries = Object.entries(value as object);
  return `{${entries.map(([name, item]) => `${quoted(name)}: ${toSource(item, entryStyle(name, style))}`).join(", ")}}`;
}

/** As `json.dumps(value)`: spaces after `,` and `:`, anything beyond ASCII escaped. Throws a `TypeError`. */
export function toJsonText(value: unknown, style: NumberStyle = "plain"): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return jsonNumber(value, style);
  if (typeof value === "string") return escapeAscii(JSON.stringify(value));
  if (Array.isArray(value)) return `[${value.map((item) => toJsonText(item, style)).join(", ")}]`;
  if (!isDictionary(value)) throw inputError(`A ${typeNameOf(value)} cannot be written as JSON.`, "TypeError");
  const entries = Object.entries(value).map(
    ([name, item]) => `${escapeAscii(JSON.stringify(name))}: ${toJsonText(item, entryStyle(name, style))}`,
  );
  return `{${entries.join(", ")}}`;
}

/** A number as Python writes it. */
export function numberText(value: number, style: NumberStyle = "plain"): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const isFloat = style === "float" || style === "prediction" || !Number.isInteger(value);
  return isFloat ? floatText(value) : wholeText(value);
}

function wholeText(value: number): string {
  return Object.is(value, -0) ? "0" : BigInt(value).toString();
}

/** Shortest digits that give the number back; with an exponent below 1e-4 and from 1e16 on. */
function floatText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits, exponent] = value.toExponential().split("e") as [string, string];
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  }
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes(".") ? text : `${text}.0`;
}

function jsonNumber(value: number, style: NumberStyle): string {
  const text = numberText(value, style);
  const named: Readonly<Record<string, string>> = { nan: "NaN", inf: "Infinity", "-inf": "-Infinity" };
  return named[text] ?? text;
}

function entryStyle(name: string, style: NumberStyle): NumberStyle {
  return style === "prediction" && WHOLE_ENTRIES.has(name) ? "integer" : style;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll("\\", "\\\\").replace(/[\p{C}\p{Z}]/gu, escapeUnprintable);
  return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`;
}

function escapeUnprintable(character: string): string {
  if (character === " ") return character;
  const hex = character.codePointAt(0)!.toString(16);
  if (hex.length <= 2) return SHORT_ESCAPES[character] ?? `\\x${hex.padStart(2, "0")}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

function bytesText(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => {
    if (byte === 0x5c || byte === 0x27) return `\\${String.fromCharCode(byte)}`;
    return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
  });
  return `b'${text.join("")}'`;
}

function escapeAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Pieces that are written otherwise: named groups, ends of the text, comments. */
const PIECES = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\(\?P<|\(\?P=(\w+)\)|\(\?P>|\(\?#[^)]*\)|\$/g;

/** Throws a `ValueError` when the pattern is not understood. */
export function parsePattern(source: string): RegExp {
  const leading = /^\(\?([aiLmsux]+)\)/.exec(source);
  const flags = leading?.[1] ?? "";
  const body = source.slice(leading?.[0].length ?? 0);
  const multiline = flags.includes("m");
  const pattern = body.replace(PIECES, (piece: string, group?: string) => {
    if (piece === "\\A") return "(?<![\\s\\S])";
    if (piece === "\\Z") return "(?![\\s\\S])";
    if (piece === "(?P<") return "(?<";
    if (group !== undefined) return `\\k<${group}>`;
    if (piece.startsWith("(?#")) return "";
    // The end of the text is also before a last line break.
    if (piece === "$" && !multiline) return "(?=\\n?(?![\\s\\S]))";
    return piece;
  });
  try {
    return new RegExp(pattern, flags.replace(/[^ims]/g, ""));
  } catch (error) {
    throw inputError(`The pattern "${source}" is not understood: ${error instanceof Error ? error.message : error}`);
  }
}
