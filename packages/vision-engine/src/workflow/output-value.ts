// value inside the engine → value on the wire
import type { Json, OutputValue } from "@vision-agent/protocol";
import type { BlockValue } from "../blocks/block.ts";
import { isDetections } from "../blocks/block-inputs.ts";
import { toWireDetections } from "../frames/detections-wire.ts";
import { ImageValue } from "../frames/image-value.ts";

export function toOutputValue(value: BlockValue): OutputValue {
  if (value instanceof ImageValue) return { kind: "image", width: value.width, height: value.height };
  if (isDetections(value)) return { kind: "detections", detections: toWireDetections(value) };
  return { kind: "value", value };
}

/** All outputs of one step as one dictionary; pictures are told by their size. */
export function toDictionary(values: Readonly<Record<string, BlockValue>>): OutputValue {
  return {
    kind: "value",
    value: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toJson(value)])),
  };
}

function toJson(value: BlockValue): Json {
  if (value instanceof ImageValue) return { width: value.width, height: value.height };
  return isDetections(value) ? toWireDetections(value) : value;
}
