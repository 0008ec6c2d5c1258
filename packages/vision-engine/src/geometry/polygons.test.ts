import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyHomography, homographyBetween, invertHomography } from "./homography.ts";
import { minAreaRect, rectCorners } from "./min-area-rect.ts";
import { isSimplePolygon, sharedArea } from "./polygon-overlap.ts";
import {
  containsPoint,
  convexHull,
  type Point,
  type Polygon,
  polygonArea,
  polygonCentroid,
  simplifyPolygon,
} from "./polygons.ts";

const SQUARE = square(0, 0, 10);

describe("a polygon", () => {
  it("has an area, a centre and points inside and on its border", () => {
    expect(polygonArea(SQUARE)).toBe(100);
    expect(polygonCentroid(SQUARE)).toEqual([5, 5]);
    expect([containsPoint(SQUARE, [10, 3]), containsPoint(SQUARE, [11, 3]), containsPoint(SQUARE, [4, 4])]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("shares with another what lies in both", () => {
    expect(sharedArea(SQUARE, square(5, 5, 10))).toBeCloseTo(25);
    expect(
      sharedArea(SQUARE, [
        [5, -5],
        [15, 5],
        [5, 15],
        [-5, 5],
      ]),
    ).toBeCloseTo(100);
    expect(sharedArea(SQUARE, square(20, 0, 5))).toBe(0);
  });

  it("is not simple when it crosses or touches itself", () => {
    expect(isSimplePolygon(SQUARE)).toBe(true);
    expect(
      isSimplePolygon([
        [0, 0],
        [10, 10],
        [10, 0],
        [0, 10],
      ]),
    ).toBe(false);
    expect(
      isSimplePolygon([
        [0, 0],
        [4, 0],
        [4, 4],
        [0, 4],
        [0, 0],
        [-4, 0],
        [-4, -4],
        [0, -4],
      ]),
    ).toBe(false);
  });

  it("loses vertices within the tolerance only", () => {
    const bumpy: Polygon = [
      [0, 0],
      [5, 1],
      [10, 0],
      [10, 10],
      [0, 10],
    ];
    expect(simplifyPolygon(bumpy, 0.5)).toHaveLength(5);
    expect(simplifyPolygon(bumpy, 2)).toHaveLength(4);
    expect(simplifyPolygon(bumpy, 100)).toHaveLength(1);
  });
});

describe("the convex hull", () => {
  it("holds every point and goes clockwise", () => {
    const point = fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 }));
    fc.assert(
      fc.property(fc.array(point, { minLength: 3, maxLength: 12 }), (points) => {
        const hull = convexHull(points);
        fc.pre(hull.length >= 3);
        expect(points.every((candidate) => containsPoint(hull, candidate))).toBe(true);
        expect(new Set(convexHull(points, { counterclockwise: true }).map(String))).toEqual(new Set(hull.map(String)));
      }),
    );
  });
});

describe("the smallest rectangle around points", () => {
  it("stands upright around an upright square", () => {
    expect(minAreaRect(SQUARE)).toMatchObject({ center: [5, 5], width: 10, height: 10, angle: 90 });
  });

  it("lies along a turned rectangle", () => {
    const corners = rectCorners({ center: [50, 40], width: 30, height: 10, angle: 30 });
    const rect = minAreaRect(corners);
    expect(rect.angle).toBeCloseTo(30, 5);
    expect([rect.width, rect.height]).toEqual([expect.closeTo(30, 5), expect.closeTo(10, 5)]);
  });
});

describe("a perspective", () => {
  it("takes four corners to four others, and back", () => {
    const slanted: Polygon = [
      [100, 500],
      [50, 200],
      [500, 100],
      [400, 600],
    ];
    const matrix = homographyBetween(slanted, SQUARE);
    expect(slanted.map((corner) => near(applyHomography(matrix, corner)))).toEqual(SQUARE);
    expect(near(applyHomography(invertHomography(matrix), [10, 0]))).toEqual([500, 100]);
  });

  it("is refused when three corners lie on a line", () => {
    expect(() =>
      homographyBetween(
        [
          [0, 0],
          [1, 1],
          [2, 2],
          [0, 5],
        ],
        SQUARE,
      ),
    ).toThrow(/line/);
  });
});

function square(x: number, y: number, side: number): Polygon {
  return [
    [x, y + side],
    [x + side, y + side],
    [x + side, y],
    [x, y],
  ];
}

function near([x, y]: Point): Point {
  return [Math.round(x * 1e6) / 1e6, Math.round(y * 1e6) / 1e6];
}
