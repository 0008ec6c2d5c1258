import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assign, assignWithin } from "./assignment.ts";

describe("assign", () => {
  it("finds the least total, not the least of each row", () => {
    expect([...assign(matrix([1, 2], [1, 10])).columnOfRow]).toEqual([1, 0]);
  });

  it("leaves rows over in a tall matrix and columns over in a wide one", () => {
    expect([...assign(matrix([5], [1], [3])).columnOfRow]).toEqual([-1, 0, -1]);
    expect([...assign(matrix([5, 1, 3])).rowOfColumn]).toEqual([-1, 0, -1]);
  });

  it("gives the identity for equal costs", () => {
    expect([...assign(matrix([1, 1, 1], [1, 1, 1], [1, 1, 1])).columnOfRow]).toEqual([0, 1, 2]);
  });

  it("takes an empty matrix", () => {
    expect(assign({ cost: new Float64Array(0), rows: 0, columns: 3 }).rowOfColumn).toHaveLength(3);
  });

  it("is as cheap as trying everything", () => {
    const size = fc.integer({ min: 1, max: 4 });
    const cases = fc.tuple(size, size).chain(([rows, columns]) => {
      const row = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: columns, maxLength: columns });
      return fc.array(row, { minLength: rows, maxLength: rows });
    });
    fc.assert(
      fc.property(cases, (rows) => {
        const { columnOfRow } = assign(matrix(...rows));
        const total = rows.reduce((sum, row, i) => sum + (row[columnOfRow[i]!] ?? 0), 0);
        expect(total).toBe(cheapest(rows, Math.min(rows.length, rows[0]!.length)));
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});

describe("assignWithin", () => {
  it("leaves out pairs above the limit", () => {
    const { columnOfRow, rowOfColumn } = assignWithin(matrix([0.2, 0.9], [0.9, 0.8]), 0.5);
    expect([...columnOfRow]).toEqual([0, -1]);
    expect([...rowOfColumn]).toEqual([0, -1]);
  });
});

function matrix(...rows: number[][]) {
  return { cost: Float64Array.from(rows.flat()), rows: rows.length, columns: rows[0]!.length };
}

/** Least total of `pairs` pairs, by trying all. */
function cheapest(rows: readonly number[][], pairs: number, used: readonly number[] = [], from = 0): number {
  if (pairs === 0) return 0;
  let least = Number.POSITIVE_INFINITY;
  for (let row = from; row < rows.length; row++) {
    for (const [column, cost] of rows[row]!.entries()) {
      if (used.includes(column)) continue;
      least = Math.min(least, cost + cheapest(rows, pairs - 1, [...used, column], row + 1));
    }
  }
  return least;
}
