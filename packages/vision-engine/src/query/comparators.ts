// two operands, or one → true or false
import type { Point } from "../geometry/points.ts";
import { isStrictlyInside } from "./point-in-zone.ts";
import { compareValues, elementsOf, isEqual, isIn, lengthOf, typeError } from "./python-values.ts";
import { typeNameOf } from "./query-value.ts";

/** Every one throws a `TypeError` for operands that it cannot compare. */
export const BINARY_COMPARATORS: Readonly<Record<string, (left: unknown, right: unknown) => boolean>> = {
  "==": isEqual,
  "(Number) ==": isEqual,
  "!=": (left, right) => !isEqual(left, right),
  "(Number) !=": (left, right) => !isEqual(left, right),
  "(Number) >": (left, right) => compareValues(left, right) > 0,
  "(Number) >=": (left, right) => compareValues(left, right) >= 0,
  "(Number) <": (left, right) => compareValues(left, right) < 0,
  "(Number) <=": (left, right) => compareValues(left, right) <= 0,
  "(Number) in range": (left, right) => {
    const [low, high] = elementsOf(right);
    return compareValues(low, left) <= 0 && compareValues(left, high) <= 0;
  },
  "(String) startsWith": (left, right) => textIn(left).startsWith(textIn(right)),
  "(String) endsWith": (left, right) => textIn(left).endsWith(textIn(right)),
  "(String) contains": (left, right) => isIn(right, left),
  "in (Sequence)": isIn,
  "any in (Sequence)": (left, right) => elementsOf(left).some((item) => isIn(item, right)),
  "all in (Sequence)": (left, right) => elementsOf(left).every((item) => isIn(item, right)),
  "(Detection) in zone": (left, right) => isStrictlyInside(pointIn(left), elementsOf(right).map(pointIn)),
};

export const UNARY_COMPARATORS: Readonly<Record<string, (value: unknown) => boolean>> = {
  Exists: (value) => (value ?? null) !== null,
  DoesNotExist: (value) => (value ?? null) === null,
  "(Boolean) is True": (value) => value === true,
  "(Boolean) is False": (value) => value === false,
  "(Sequence) is empty": (value) => lengthOf(value) === 0,
  "(Sequence) is not empty": (value) => lengthOf(value) > 0,
};

function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  throw typeError(`A text is needed, not a ${typeNameOf(value)}.`);
}

function pointIn(value: unknown): Point {
  const [x, y] = elementsOf(value);
  if (typeof x === "number" && typeof y === "number") return [x, y];
  throw typeError("A point of two numbers is needed.");
}
