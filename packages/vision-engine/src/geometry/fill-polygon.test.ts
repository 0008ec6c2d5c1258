import { describe, expect, it } from "vitest";
import { maskArea, maskToBits } from "../frames/mask.ts";
import { polygonToMask } from "./fill-polygon.ts";
import type { Polygon } from "./polygons.ts";

describe("polygonToMask", () => {
  it("fills what is in the picture, however far away the vertices lie", () => {
    const wide: Polygon = [
      [-1e300, 2],
      [1e300, 2],
      [1e300, 4],
      [-1e300, 4],
    ];
    expect(maskArea(polygonToMask(wide, 10, 8))).toBe(30);
    expect(
      maskArea(
        polygonToMask(
          [
            [-1e9, -1e9],
            [1e9, -1e9],
            [1e9, 1e9],
            [-1e9, 1e9],
          ],
          10,
          8,
        ),
      ),
    ).toBe(80);
    expect(
      maskArea(
        polygonToMask(
          [
            [20, 20],
            [30, 20],
            [30, 30],
          ],
          10,
          8,
        ),
      ),
    ).toBe(0);
  });

  it("draws a side that begins outside with the pixels that it has inside", () => {
    const rows = (polygon: Polygon, left: number): string[] => {
      const bits = maskToBits(
        polygonToMask(
          polygon.map(([x, y]) => [x + left, y]),
          40,
          12,
        ),
      );
      return Array.from({ length: 12 }, (_, y) => bits.subarray(40 * y, 40 * (y + 1)).join(""));
    };
    const triangle: Polygon = [
      [0, 1],
      [33, 6],
      [5, 10],
    ];
    const whole = rows(triangle, 0);
    expect(rows(triangle, -9)).toEqual(whole.map((row) => row.slice(9).padEnd(40, "0")));
  });
});
