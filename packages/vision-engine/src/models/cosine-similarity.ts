import { inputError } from "../errors.ts";

/** How alike two vectors of one length point, -1 to 1. Throws when they are no such vectors. */
export function cosineSimilarity(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) {
    throw inputError(`Vectors of ${a.length} and of ${b.length} numbers cannot be compared.`);
  }
  let product = 0;
  let squareA = 0;
  let squareB = 0;
  for (let at = 0; at < a.length; at++) {
    product += a[at]! * b[at]!;
    squareA += a[at]! ** 2;
    squareB += b[at]! ** 2;
  }
  if (Number.isNaN(product)) throw inputError("Only vectors of numbers can be compared.");
  return product / Math.sqrt(squareA * squareB);
}

/** The same direction at length 1; zeros stay as they are. */
export function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / (length || 1));
}
