// what the peer gave and what we gave → the first difference, or none
import { BlockBatch, FlowControl } from "../src/blocks/block.ts";
import { EngineError } from "../src/errors.ts";
import { DetectionTable } from "../src/frames/detections.ts";
import { isVideoMetadata, Timestamp } from "../src/frames/frame.ts";
import { ImageValue } from "../src/frames/image-value.ts";
import { readImage } from "../src/query/read-image.ts";
import { decodeImage, decodeMasks } from "./decode-value.ts";
import { isObject, type Recorded, type RecordedObject } from "./vector-record.ts";

/** How far values may differ. */
export interface ValueTolerance {
  /** Numbers: this much, or `relative` of the value if that is more. */
  readonly absolute: number;
  readonly relative: number;
  /** Mean difference of colours. */
  readonly picture: number;
}

export const STANDARD_TOLERANCE: ValueTolerance = { absolute: 1e-4, relative: 1e-5, picture: 2 };

/** Text that the recorder put in place of what differs from run to run. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  "<UUID>": "[0-9a-fA-F-]{8,}",
  "<TIMESTAMP>": ".+",
  "<TMPDIR>": ".+",
  "<FILE_TIMESTAMP>": "\\d{4}(?:_\\d\\d){5}_\\d{6}",
  "<JPEG_BASE64>": "[A-Za-z0-9+/=]+",
};

/** How a JPEG begins as base64. Encoders differ: such text is compared by its pixels. */
const JPEG_BASE64 = "/9j/";

/** A sentence on the first difference, with its place; `undefined` when they agree. */
export async function differenceOf(
  expected: Recorded,
  actual: unknown,
  tolerance: ValueTolerance = STANDARD_TOLERANCE,
  path = "result",
): Promise<string | undefined> {
  if (Array.isArray(expected)) return listDifference(expected, actual, tolerance, path);
  if (isObject(expected)) {
    if (Object.keys(expected)[0]?.startsWith("$")) return tagDifference(expected, actual, tolerance, path);
    return objectDifference(expected, actual, tolerance, path);
  }
  if (typeof expected === "string" && typeof actual === "string" && expected.startsWith(JPEG_BASE64)) {
    return jpegDifference(Buffer.from(expected, "base64"), Buffer.from(actual, "base64"), tolerance, path);
  }
  return scalarDifference(expected, actual, tolerance, path);
}

function scalarDifference(
  expected: Recorded,
  actual: unknown,
  tolerance: ValueTolerance,
  path: string,
): string | undefined {
  if (typeof expected === "number") {
    const value = typeof actual === "bigint" ? Number(actual) : actual;
    return typeof value === "number" && isNear(expected, value, tolerance) ? undefined : told(path, expected, actual);
  }
  if (typeof expected === "string" && typeof actual === "string") {
    return matches(expected, actual) ? undefined : told(path, expected, actual);
  }
  if (typeof expected === "string" && actual instanceof Timestamp) {
    return scalarDifference(expected, actual.iso, tolerance, path);
  }
  return expected === (actual ?? null) ? undefined : told(path, expected, actual);
}

function isNear(expected: number, actual: number, { absolute, relative }: ValueTolerance): boolean {
  if (Number.isNaN(expected)) return Number.isNaN(actual);
  return expected === actual || Math.abs(expected - actual) <= Math.max(absolute, relative * Math.abs(expected));
}

function matches(expected: string, actual: string): boolean {
  if (expected === actual) return true;
  if (!/<[A-Z_0-9]+>/.test(expected)) return false;
  const escaped = expected.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = Object.entries(PLACEHOLDERS).reduce((text, [word, form]) => text.replaceAll(word, form), escaped);
  return new RegExp(`^${pattern}$`, "s").test(actual);
}

async function listDifference(
  expected: readonly Recorded[],
  actual: unknown,
  tolerance: ValueTolerance,
  path: string,
): Promise<string | undefined> {
  const list = toList(actual);
  if (list === undefined) return told(path, expected, actual);
  if (list.length !== expected.length) return `${path}: ${expected.length} expected, ${list.length} given`;
  for (const [at, item] of expected.entries()) {
    const difference = await differenceOf(item, list[at], tolerance, `${path}[${at}]`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function toList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (value instanceof BlockBatch) return value.items;
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(value as Float32Array);
  return undefined;
}

async function objectDifference(
  expected: RecordedObject,
  actual: unknown,
  tolerance: ValueTolerance,
  path: string,
): Promise<string | undefined> {
  if (typeof actual !== "object" || actual === null || Array.isArray(actual)) return told(path, expected, actual);
  const given = actual instanceof Map ? Object.fromEntries(actual) : (actual as Record<string, unknown>);
  const extra = Object.keys(given).find((name) => given[name] !== undefined && !Object.hasOwn(expected, name));
  if (extra !== undefined) return `${path}: "${extra}" was not expected`;
  for (const [name, item] of Object.entries(expected)) {
    const difference = await differenceOf(item, given[name], tolerance, `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

async function tagDifference(
  expected: RecordedObject,
  actual: unknown,
  tolerance: ValueTolerance,
  path: string,
): Promise<string | undefined> {
  const [tag, inner] = Object.entries(expected)[0]!;
  switch (tag) {
    case "$detections":
      return detectionsDifference(inner as RecordedObject, actual, tolerance, path);
    case "$ndarray":
      return differenceOf(inner, actual, tolerance, path);
    case "$image":
      return pictureDifference(inner as RecordedObject, actual, tolerance, path);
    case "$workflow_image":
      return workflowImageDifference(inner as RecordedObject, actual, tolerance, path);
    case "$batch":
      return differenceOf(inner, actual, tolerance, path);
    case "$set":
      return setDifference(inner as readonly Recorded[], actual, tolerance, path);
    case "$flow_control":
      if (!(actual instanceof FlowControl)) return told(path, expected, actual);
      return differenceOf((inner as RecordedObject).context ?? null, actual.next ?? null, tolerance, path);
    case "$error":
      return errorDifference(inner as RecordedObject, actual, path);
    case "$float":
      return scalarDifference(Number(String(inner).replace("inf", "Infinity")), actual, tolerance, path);
    case "$datetime":
      return timeDifference(String(inner), actual, path);
    case "$bytes_base64":
      return bytesDifference(String(inner), actual, tolerance, path);
    case "$entries":
      return differenceOf(Object.fromEntries(inner as [string, Recorded][]), actual, tolerance, path);
    case "$tensor_summary":
      return summaryDifference(inner as RecordedObject, actual, tolerance, path);
    case "$video_metadata":
      return videoDifference(inner as RecordedObject, actual, tolerance, path);
    default:
      return differenceOf(inner, actual, tolerance, path);
  }
}

async function bytesDifference(
  expected: string,
  actual: unknown,
  tolerance: ValueTolerance,
  path: string,
): Promise<string | undefined> {
  if (!(actual instanceof Uint8Array)) return told(path, "bytes", actual);
  const bytes = Buffer.from(expected, "base64");
  if (expected.startsWith(JPEG_BASE64)) return jpegDifference(bytes, Buffer.from(actual), tolerance, path);
  return bytes.equals(actual) ? undefined : `${path}: other bytes`;
}

async function jpegDifference(
  expected: Buffer,
  actual: Buffer,
  tolerance: ValueTolerance,
  path: string,
): Promise<string | undefined> {
  const given = await readImage(new Uint8Array(actual), path, {});
  return pictureDifference({ png_base64: expected.toString("base64") }, given, tolerance, path);
}

/** Type and place must agree; the words are our own. */
export function errorDifference(expected: RecordedObject, actual: unknown, path: string): string | undefined {
  if (!(actual instanceof EngineError)) return told(path, expected, actual);
  if (actual.type !== expected.type)
    return `${path}: ${expected.type} expected, ${actual.type} given (${actual.message})`;
  const { context = null } = expected;
  if (context === null || context === (actual.context ?? null)) return undefined;
  return `${path}: context "${context}" expected, "${actual.context}" given`;
}

function timeDifference(expected: string, actual: unknown, path: string): string | undefined {
  const given = actual instanceof Timestamp ? actual : undefined;
  if (given === undefined) return told(path, expected, actual);
  if (matches(expected, given.iso)) return undefined;
  const near = Math.abs(new Timestamp(expected).seconds - given.seconds) < 1e-6;
  return near ? undefined : told(path, expected, given.iso);
}

async function setDifference(
  expected: readonly Recorded[],
  actual: unknown,
  tolerance: ValueTolerance,
  path: string,
): Promise<string | undefined> {
  const rest = [...((actual instanceof Set ? [...actual] : toList(actual)) ?? [])];
  if (rest.length !== expected.length) return `${path}: ${expected.length} expected, ${rest.length} given`;
  for (const item of expected) {
    const differences = await Promise.all(rest.map((given) => differenceOf(item, given, tolerance, path)));
    const found = differences.indexOf(undefined);
    if (found < 0) return `${path}: nothing given is like ${brief(item)}`;
    rest.splice(found, 1);
  }
  return undefined;
}

async function detectionsDifference(
  expected: RecordedObject,
  actual: unknown,
  tolerance: ValueTolerance,
  path: string,
): Promise<string | undefined> {
  if (!(actual instanceof DetectionTable)) return told(path, "detections", actual);
  const rows = Array.from({ length: actual.length }, (_, row) => actual.xyxy.subarray(4 * row, 4 * row + 4));
  const columns: readonly (readonly [name: string, expected: Recorded | undefined, actual: unknown])[] = [
    ["xyxy", expected.xyxy, rows],
    ["tracker_id", expected.tracker_id, actual.trackerId],
    ["class_id", expected.class_id, actual.classId],
    ["confidence", expected.confidence, actual.confidence],
    ["data", expected.data ?? {}, actual.data],
  ];
  for (const [name, wanted, given] of columns) {
    // Columns without rows say nothing.
    if (actual.length === 0 && name !== "xyxy") continue;
    const difference = await differenceOf(wanted ?? null, given ?? null, tolerance, `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return (
    (await metadataDifference(expected.metadata, actual, tolerance, path)) ??
    maskDifference(expected.mask ?? null, actual, path)
  );
}

/** Only what was recorded counts. */
async function metadataDifference(
  expected: Recorded | undefined,
  { metadata }: DetectionTable,
  tolerance: ValueTolerance,
  path: string,
): Promise<string | undefined> {
  for (const [name, value] of Object.entries(isObject(expected) ? expected : {})) {
    const difference = await differenceOf(value, metadata[name], tolerance, `${path}.metadata.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function maskDifference(expected: Recorded, actual: DetectionTable, path: string): string | undefined {
  const wanted = isObject(expected) ? decodeMasks(expected) : undefined;
  if (wanted === undefined || actual.length === 0) return undefined;
  if (actual.masks === undefined) return `${path}.mask: expected, none given`;
  for (const [row, { width, height, runs }] of wanted.entries()) {
    const given = actual.masks[row]!;
    if (given.width !== width || given.height !== height) return `${path}.mask[${row}]: another size`;
    if (runs.length !== given.runs.length || runs.some((value, at) => value !== given.runs[at])) {
      return `${path}.mask[${row}]: other pixels`;
    }
  }
  return undefined;
}

async function workflowImageDifference(
  expected: RecordedObject,
  actual: unknown,
  tolerance: ValueTolerance,
  path: string,
): Promise<string | undefined> {
  const difference = await pictureDifference(expected.image as RecordedObject, actual, tolerance, path);
  if (difference !== undefined || !(actual instanceof ImageValue)) return difference;
  if (expected.parent_id === undefined) return undefined;
  return scalarDifference(expected.parent_id, actual.parent.id, tolerance, `${path}.parent_id`);
}

async function pictureDifference(
  expected: RecordedObject,
  actual: unknown,
  tolerance: ValueTolerance,
  path: string,
): Promise<string | undefined> {
  if (!(actual instanceof ImageValue)) return told(path, "a picture", actual);
  const wanted = await decodeImage(expected);
  if (wanted.width !== actual.width || wanted.height !== actual.height) {
    return `${path}: ${wanted.width}×${wanted.height} expected, ${actual.width}×${actual.height} given`;
  }
  if (expected.asset !== undefined) return undefined;
  const [a, b] = [wanted.rgba, actual.rgba];
  let sum = 0;
  for (let at = 0; at < a.length; at += 4) {
    for (let channel = at; channel < at + 3; channel++) sum += Math.abs(a[channel]! - b[channel]!);
  }
  const mean = sum / ((a.length / 4) * 3 || 1);
  return mean <= tolerance.picture ? undefined : `${path}: colours differ by ${mean.toFixed(2)}`;
}

function summaryDifference(
  expected: RecordedObject,
  actual: unknown,
  tolerance: ValueTolerance,
  path: string,
): string | undefined {
  const tensor = actual as { dims?: readonly number[]; shape?: readonly number[]; data?: ArrayLike<number> };
  const { data } = tensor;
  if (data === undefined) return told(path, "a tensor", actual);
  const shape = (tensor.dims ?? tensor.shape)?.join("×");
  if (shape !== (expected.shape as number[]).join("×")) return told(`${path}.shape`, expected.shape!, shape);
  let [min, max, sum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let at = 0; at < data.length; at++) {
    const value = data[at]!;
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
  }
  const given: Readonly<Record<string, number>> = { min, max, mean: sum / data.length };
  for (const name in given) {
    const difference = scalarDifference(expected[name]!, given[name], tolerance, `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function videoDifference(
  expected: RecordedObject,
  actual: unknown,
  tolerance: ValueTolerance,
  path: string,
): Promise<string | undefined> {
  if (!isVideoMetadata(actual)) return Promise.resolve(told(path, "video metadata", actual));
  const given = {
    video_identifier: actual.videoIdentifier,
    frame_number: actual.frameNumber,
    frame_timestamp: actual.timestamp.iso,
    fps: actual.fps,
  };
  const { video_identifier = null, frame_number = null, frame_timestamp = null, fps = null } = expected;
  return differenceOf({ video_identifier, frame_number, frame_timestamp, fps }, given, tolerance, path);
}

function told(path: string, expected: unknown, actual: unknown): string {
  return `${path}: expected ${brief(expected)}, given ${brief(actual)}`;
}

function brief(value: unknown): string {
  if (value instanceof DetectionTable) return `detections of ${value.length}`;
  if (value instanceof ImageValue) return `a picture of ${value.width}×${value.height}`;
  const text = JSON.stringify(value, (_, item) => (typeof item === "bigint" ? Number(item) : item)) ?? "nothing";
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
