// where a picture lay in another, as text → numbers
import { isDictionary } from "./query-value.ts";
import { runtimeInputError } from "./runtime-input-error.ts";

/** Place and size of a cut, as it is written with pictures and detections. */
export interface ParentOrigin {
  readonly offset_x: number;
  readonly offset_y: number;
  /** Size of the picture that it was cut from. */
  readonly width: number;
  readonly height: number;
}

/** Throws a `RuntimeInputError` when it is not whole numbers with a size above 0. */
export function readParentOrigin(value: unknown, name: string): ParentOrigin {
  if (!isDictionary(value)) throw runtimeInputError(`Input "${name}": an origin must be a dictionary.`);
  const { offset_x, offset_y, width, height } = value;
  if (isWhole(offset_x) && isWhole(offset_y) && isSize(width) && isSize(height)) {
    return { offset_x, offset_y, width, height };
  }
  throw runtimeInputError(
    `Input "${name}": an origin needs the whole numbers offset_x, offset_y, width and height, the last two above 0.`,
  );
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value);
}

function isSize(value: unknown): value is number {
  return isWhole(value) && value > 0;
}
