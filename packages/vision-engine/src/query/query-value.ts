import { Detections } from "../frames/detections.ts";
import { ImageValue } from "../frames/image-value.ts";
import { Timestamp } from "../frames/timestamp.ts";
import { isVideoMetadata, type VideoMetadata } from "../frames/video-metadata.ts";

/** A value that operations take and give, and that can be read from and written to text. */
export type QueryValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | Float32Array
  | Timestamp
  | ImageValue
  | Detections
  | VideoMetadata
  | readonly QueryValue[]
  | QueryDictionary;

export type QueryDictionary = { readonly [name: string]: QueryValue };

/** A plain object: no picture, no detections, no time, no list. */
export function isDictionary(value: unknown): value is QueryDictionary {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !isVideoMetadata(value);
}

/** Name of a value's type as Python has it; errors tell it. */
export function typeNameOf(value: unknown): string {
  if (value === null || value === undefined) return "NoneType";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  if (typeof value === "string") return "str";
  if (value instanceof Detections) return "Detections";
  if (value instanceof ImageValue) return "WorkflowImageData";
  if (value instanceof Timestamp) return "datetime";
  if (value instanceof Uint8Array) return "bytes";
  if (Array.isArray(value)) return "list";
  return isVideoMetadata(value) ? "VideoMetadata" : "dict";
}
