// four points and where they go → where every other point goes
import { inputError } from "../errors.ts";
import type { Point, Polygon } from "./polygons.ts";

/** 3 × 3, row by row; the last number is 1. */
// biome-ignore format: three rows of three
export type Homography = readonly [
  number, number, number,
  number, number, number,
  number, number, number,
];

/** The perspective that takes four points to four others. Throws when three of them lie on a line. */
export function homographyBetween(from: Polygon, to: Polygon): Homography {
  const rows = from.flatMap(([x, y], at) => {
    const [u, v] = to[at]!;
    return [
      [x, y, 1, 0, 0, 0, -x * u, -y * u, u],
      [0, 0, 0, x, y, 1, -x * v, -y * v, v],
    ];
  });
  return [...solve(rows), 1] as unknown as Homography;
}

export function applyHomography(matrix: Homography, [x, y]: Point): Point {
  const [a, b, c, d, e, f, g, h, i] = matrix;
  const depth = g * x + h * y + i;
  return depth === 0 ? [0, 0] : [(a * x + b * y + c) / depth, (d * x + e * y + f) / depth];
}

export function invertHomography(matrix: Homography): Homography {
  const [a, b, c, d, e, f, g, h, i] = matrix;
  const cofactors = [e * i - f * h, c * h - b * i, b * f - c * e, f * g - d * i, a * i - c * g, c * d - a * f];
  const determinant = a * cofactors[0]! + d * cofactors[1]! + g * cofactors[2]!;
  return [...cofactors, d * h - e * g, b * g - a * h, a * e - b * d].map(
    (value) => value / determinant,
  ) as unknown as Homography;
}

/** Gauss with pivots; each row holds its right side last. */
function solve(rows: number[][]): readonly number[] {
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    const candidates = rows.slice(column).map((row) => Math.abs(row[column]!));
    const largest = Math.max(...candidates);
    if (largest < 1e-12) throw inputError("A perspective needs four corners of which no three lie on a line.");
    const [head] = rows.splice(column + candidates.indexOf(largest), 1) as [number[]];
    for (const row of rows) {
      const factor = row[column]! / head[column]!;
      for (let at = column; at <= size; at++) row[at]! -= factor * head[at]!;
    }
    rows.splice(column, 0, head);
  }
  return rows.map((row, at) => row[size]! / row[at]!);
}
