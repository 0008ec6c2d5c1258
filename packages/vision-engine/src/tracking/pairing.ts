// tracks and boxes → which box continues which track
import { boxIou } from "../geometry/boxes.ts";
import { assign } from "./assignment.ts";

/** How well each track (row) fits each box (column), row by row; more is better. */
export interface Likeness {
  readonly values: Float64Array;
  readonly rows: number;
  readonly columns: number;
}

/** Positions in the lists that were paired, and what was left of both. */
export interface Pairing {
  readonly pairs: readonly (readonly [row: number, column: number])[];
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

/** Intersection over union of every box of one list with every box of the other. */
export function overlapsOf(first: Float64Array, second: Float64Array): Likeness {
  const rows = first.length / 4;
  const columns = second.length / 4;
  const values = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      values[row * columns + column] = boxIou(first, row, second, column);
    }
  }
  return { values, rows, columns };
}

/** Likeness × score of the box, so that sure boxes are preferred. */
export function weighedBy({ values, rows, columns }: Likeness, scores: readonly number[]): Likeness {
  return { values: values.map((value, at) => Math.fround(value * scores[at % columns]!)), rows, columns };
}

/** Pairs at the greatest total likeness, then parts those with less than `least` in `measure`. */
export function pairAlike(likeness: Likeness, least: number, measure: Likeness = likeness): Pairing {
  const { values, rows, columns } = likeness;
  const { columnOfRow, rowOfColumn } = assign({ cost: values.map((value) => -value), rows, columns });
  // The measures have 32 bits: 0.3 of them must reach a limit of 0.3.
  const limit = Math.fround(least);
  const pairs: [number, number][] = [];
  for (let row = 0; row < rows; row++) {
    const column = columnOfRow[row]!;
    if (column < 0) continue;
    if (measure.values[row * columns + column]! >= limit) {
      pairs.push([row, column]);
      continue;
    }
    columnOfRow[row] = -1;
    rowOfColumn[column] = -1;
  }
  return { pairs, rows: withoutPartner(columnOfRow), columns: withoutPartner(rowOfColumn) };
}

function withoutPartner(partners: Int32Array): number[] {
  const alone: number[] = [];
  for (let at = 0; at < partners.length; at++) if (partners[at] === -1) alone.push(at);
  return alone;
}
