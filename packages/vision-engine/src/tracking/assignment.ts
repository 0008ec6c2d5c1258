// tracks and boxes → which box continues which track
import { boxIou } from "../geometry/boxes.ts";

export interface CostMatrix {
  /** Row by row. */
  readonly cost: Float64Array;
  readonly rows: number;
  readonly columns: number;
}

export interface Assignment {
  /** Column of each row, -1 when none. */
  readonly columnOfRow: Int32Array;
  /** Row of each column, -1 when none. */
  readonly rowOfColumn: Int32Array;
}

/**
 * Pairs rows with columns at the least total cost, and keeps the pairs that cost at most `limit`.
 * Costs above the limit count as barely above it: that decides which of several optima is found.
 */
export function assignWithin({ cost, rows, columns }: CostMatrix, limit: number): Assignment {
  const tooMuch = limit + 1e-4;
  const clamped = cost.slice();
  for (let i = 0; i < clamped.length; i++) if (clamped[i]! > limit) clamped[i] = tooMuch;
  const { columnOfRow, rowOfColumn } = assign({ cost: clamped, rows, columns });
  for (let row = 0; row < rows; row++) {
    const column = columnOfRow[row]!;
    if (column < 0 || clamped[row * columns + column]! <= limit) continue;
    columnOfRow[row] = -1;
    rowOfColumn[column] = -1;
  }
  return { columnOfRow, rowOfColumn };
}

/**
 * Optimal assignment of a rectangular matrix by shortest augmenting paths (Crouse, "On implementing 2D rectangular
 * assignment algorithms", 2016). Ties fall as in SciPy's `linear_sum_assignment`.
 */
export function assign(matrix: CostMatrix): Assignment {
  if (matrix.rows <= matrix.columns) return assignWide(matrix);
  const { columnOfRow, rowOfColumn } = assignWide(transpose(matrix));
  return { columnOfRow: rowOfColumn, rowOfColumn: columnOfRow };
}

/** What one search for an augmenting path knows. Allocated once, used for every row. */
interface Search {
  readonly rowPotential: Float64Array;
  readonly columnPotential: Float64Array;
  readonly pathCost: Float64Array;
  readonly rowBefore: Int32Array;
  readonly openColumns: Int32Array;
  readonly seenRow: Uint8Array;
  readonly seenColumn: Uint8Array;
}

function assignWide(matrix: CostMatrix): Assignment {
  const { rows, columns } = matrix;
  const columnOfRow = new Int32Array(rows).fill(-1);
  const rowOfColumn = new Int32Array(columns).fill(-1);
  const search: Search = {
    rowPotential: new Float64Array(rows),
    columnPotential: new Float64Array(columns),
    pathCost: new Float64Array(columns),
    rowBefore: new Int32Array(columns).fill(-1),
    openColumns: new Int32Array(columns),
    seenRow: new Uint8Array(rows),
    seenColumn: new Uint8Array(columns),
  };
  for (let row = 0; row < rows; row++) {
    const { freeColumn, cost } = findPath(matrix, search, rowOfColumn, row);
    shiftPotentials(search, columnOfRow, row, cost);
    augment(search.rowBefore, { columnOfRow, rowOfColumn }, row, freeColumn);
  }
  return { columnOfRow, rowOfColumn };
}

function findPath(
  { cost, columns }: CostMatrix,
  search: Search,
  rowOfColumn: Int32Array,
  start: number,
): { freeColumn: number; cost: number } {
  const { rowPotential, columnPotential, pathCost, rowBefore, openColumns, seenRow, seenColumn } = search;
  seenRow.fill(0);
  seenColumn.fill(0);
  pathCost.fill(Number.POSITIVE_INFINITY);
  // Last column first: a constant matrix then gives the identity.
  for (let i = 0; i < columns; i++) openColumns[i] = columns - i - 1;
  let open = columns;
  let row = start;
  let reached = 0;
  for (;;) {
    seenRow[row] = 1;
    let lowest = Number.POSITIVE_INFINITY;
    let nearest = 0;
    for (let i = 0; i < open; i++) {
      const column = openColumns[i]!;
      const through = reached + cost[row * columns + column]! - rowPotential[row]! - columnPotential[column]!;
      if (through < pathCost[column]!) {
        rowBefore[column] = row;
        pathCost[column] = through;
      }
      const length = pathCost[column]!;
      if (length < lowest || (length === lowest && rowOfColumn[column] === -1)) {
        lowest = length;
        nearest = i;
      }
    }
    reached = lowest;
    const column = openColumns[nearest]!;
    seenColumn[column] = 1;
    open -= 1;
    openColumns[nearest] = openColumns[open]!;
    if (rowOfColumn[column] === -1) return { freeColumn: column, cost: reached };
    row = rowOfColumn[column]!;
  }
}

function shiftPotentials(search: Search, columnOfRow: Int32Array, start: number, cost: number): void {
  const { rowPotential, columnPotential, pathCost, seenRow, seenColumn } = search;
  rowPotential[start] = rowPotential[start]! + cost;
  for (let row = 0; row < seenRow.length; row++) {
    if (seenRow[row] === 1 && row !== start) {
      rowPotential[row] = rowPotential[row]! + cost - pathCost[columnOfRow[row]!]!;
    }
  }
  for (let column = 0; column < seenColumn.length; column++) {
    if (seenColumn[column] === 1) columnPotential[column] = columnPotential[column]! - (cost - pathCost[column]!);
  }
}

function augment(rowBefore: Int32Array, { columnOfRow, rowOfColumn }: Assignment, start: number, free: number): void {
  let column = free;
  for (;;) {
    const row = rowBefore[column]!;
    rowOfColumn[column] = row;
    const next = columnOfRow[row]!;
    columnOfRow[row] = column;
    if (row === start) return;
    column = next;
  }
}

function transpose({ cost, rows, columns }: CostMatrix): CostMatrix {
  const turned = new Float64Array(cost.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) turned[column * rows + row] = cost[row * columns + column]!;
  }
  return { cost: turned, rows: columns, columns: rows };
}

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
