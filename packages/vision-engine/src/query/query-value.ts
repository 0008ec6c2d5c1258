import { EngineError } from "../errors.ts";
import { DetectionTable } from "../frames/detections.ts";
import { isVideoMetadata, Timestamp, type VideoMetadata } from "../frames/frame.ts";
import { ImageValue } from "../frames/image-value.ts";

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
  | DetectionTable
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
  if (value instanceof DetectionTable) return "Detections";
  if (value instanceof ImageValue) return "WorkflowImageData";
  if (value instanceof Timestamp) return "datetime";
  if (value instanceof Uint8Array) return "bytes";
  if (Array.isArray(value)) return "list";
  return isVideoMetadata(value) ? "VideoMetadata" : "dict";
}

/** How an operation or a statement fails, as a Roboflow server names it. */
const QUERY_ERROR_TYPES = [
  "InvalidInputTypeError",
  "OperationError",
  "UndeclaredSymbolError",
  "EvaluationEngineError",
  "OperationTypeNotRecognisedError",
] as const;
export type QueryErrorType = (typeof QUERY_ERROR_TYPES)[number];

const EVALUATION = "step_execution | roboflow_query_language_evaluation";

/** `place` is the way to the operation: `<root>[0]`, `<root>.statements[1]`; absent where the peer tells none. */
export function queryError(type: QueryErrorType, message: string, place?: string, cause?: unknown): EngineError {
  const context = place === undefined ? EVALUATION : `${EVALUATION} | ${place}`;
  return new EngineError({ kind: "input", type, context, message, cause });
}

export function isQueryError(error: unknown): error is EngineError {
  return error instanceof EngineError && QUERY_ERROR_TYPES.some((type) => type === error.type);
}

/** Runs `work`; what fails inside becomes an error of `type` that tells the place. */
export function failingAs<T>(type: QueryErrorType, place: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isQueryError(error)) throw error;
    throw queryError(type, error instanceof Error ? error.message : String(error), place, error);
  }
}

/** What was given for an input of a workflow is not of the kind that the input declares. */
export function runtimeInputError(message: string, cause?: unknown): EngineError {
  return new EngineError({
    kind: "input",
    type: "RuntimeInputError",
    context: "workflow_execution | runtime_input_validation",
    message,
    cause,
  });
}
