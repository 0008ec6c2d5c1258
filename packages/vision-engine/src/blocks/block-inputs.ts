// value of any kind → the kind that a block needs, or an error that says which property is wrong
import { EngineError } from "../errors.ts";
import { Detections } from "../frames/detections.ts";
import { ImageValue } from "../frames/image-value.ts";
import { isVideoMetadata, type VideoMetadata } from "../frames/video-metadata.ts";
import type { BlockInputs, BlockValue } from "./block.ts";

export function imageOf(inputs: BlockInputs, property: string): ImageValue {
  const value = inputs[property];
  return value instanceof ImageValue ? value : refuse(property, "an image", value);
}

export function detectionsOf(inputs: BlockInputs, property: string): Detections {
  const value = inputs[property];
  return value instanceof Detections ? value : refuse(property, "detections", value);
}

export function videoOf(inputs: BlockInputs, property: string): VideoMetadata {
  const value = inputs[property];
  return isVideoMetadata(value) ? value : refuse(property, "the metadata of a video frame", value);
}

export function numberOf(inputs: BlockInputs, property: string): number {
  const value = inputs[property];
  return typeof value === "number" ? value : refuse(property, "a number", value);
}

/** Null and absent give the fallback. */
export function numberOr(inputs: BlockInputs, property: string, fallback: number): number {
  return (inputs[property] ?? null) === null ? fallback : numberOf(inputs, property);
}

export function textOf(inputs: BlockInputs, property: string): string {
  const value = inputs[property];
  return typeof value === "string" ? value : refuse(property, "a text", value);
}

/** Null and absent give `undefined`. */
export function textsOf(inputs: BlockInputs, property: string): readonly string[] | undefined {
  const value = inputs[property] ?? null;
  if (value === null) return undefined;
  return isTexts(value) ? value : refuse(property, "a list of texts", value);
}

function isTexts(value: BlockValue): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function refuse(property: string, wanted: string, value: BlockValue | undefined): never {
  throw new EngineError({ kind: "input", message: `"${property}" must be ${wanted}, not ${wordFor(value)}.` });
}

function wordFor(value: BlockValue | undefined): string {
  if (value === undefined || value === null) return "nothing";
  if (value instanceof ImageValue) return "an image";
  if (value instanceof Detections) return "detections";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a dictionary" : `the ${typeof value} ${JSON.stringify(value)}`;
}
