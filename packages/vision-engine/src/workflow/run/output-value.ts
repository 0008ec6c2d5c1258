// value inside the engine → value on the wire
import type { Json, OutputValue } from "@vision-agent/protocol";
import { Batch } from "../../blocks/batch.ts";
import type { BlockValue } from "../../blocks/block.ts";
import { Detections } from "../../frames/detections.ts";
import { toWireDetections } from "../../frames/detections-wire.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { Timestamp } from "../../frames/timestamp.ts";
import { isVideoMetadata } from "../../frames/video-metadata.ts";
import { serializeVideoMetadata } from "../../query/serialize-value.ts";

export function toOutputValue(value: BlockValue): OutputValue {
  if (value instanceof ImageValue) return { kind: "image", width: value.width, height: value.height };
  if (value instanceof Detections) return { kind: "detections", detections: toWireDetections(value) };
  return { kind: "value", value: toJson(value) };
}

/** Pictures and bytes are told by their size: they never travel with results. */
function toJson(value: BlockValue): Json {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof ImageValue) return { width: value.width, height: value.height };
  if (value instanceof Detections) return toWireDetections(value);
  if (value instanceof Timestamp) return value.iso;
  if (value instanceof Batch) return value.items.map(toJson);
  if (value instanceof Uint8Array) return { bytes: value.length };
  if (value instanceof Float32Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (isVideoMetadata(value)) return toJson(serializeVideoMetadata(value) as BlockValue);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toJson(item)]));
}
