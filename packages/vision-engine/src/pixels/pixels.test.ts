import { describe, expect, it } from "vitest";
import { createBackgroundSubtractor } from "./background-subtractor.ts";
import { averageBlur, gaussianBlur, medianBlur } from "./blur.ts";
import { dominantColor } from "./dominant-color.ts";
import { brennerSharpness } from "./edges.ts";
import { matchTemplate } from "./match-template.ts";
import type { ColorPlanes, Plane } from "./plane.ts";
import { ellipseElement, morph, otsuThreshold, rectangleElement } from "./threshold.ts";
import { resizeArea, turnOf, warpAffine } from "./transforms.ts";

// Numbers by OpenCV 5.0 unless they follow from the definition.
describe("classical vision", () => {
  it("blurs with the borders and the rounding of OpenCV", () => {
    const spot = planeOf([
      [0, 0, 0, 0],
      [0, 250, 0, 0],
      [0, 0, 0, 90],
    ]);
    expect(rowsOf(averageBlur(spot, 3))).toEqual([
      [111, 56, 56, 0],
      [56, 28, 38, 10],
      [111, 56, 66, 10],
    ]);
    expect(rowsOf(gaussianBlur(spot, 3))[1]).toEqual([63, 63, 37, 11]);
    expect(rowsOf(medianBlur(spot, 3))).toEqual([
      [0, 0, 0, 0],
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ]);
  });

  it("opens with an ellipse, which is a cross for size 3", () => {
    expect(ellipseElement(3).rows).toEqual([
      { from: 1, to: 2 },
      { from: 0, to: 3 },
      { from: 1, to: 2 },
    ]);
    const cross = planeOf([
      [0, 9, 0, 9],
      [9, 9, 9, 0],
      [0, 9, 0, 0],
    ]);
    expect(rowsOf(morph(cross, "open", ellipseElement(3)))).toEqual([
      [0, 9, 0, 0],
      [9, 9, 9, 0],
      [0, 9, 0, 0],
    ]);
  });

  it("closes a hole and leaves the edge of the picture alone", () => {
    const ring = planeOf([
      [7, 7, 7],
      [7, 0, 7],
      [7, 7, 7],
    ]);
    expect(rowsOf(morph(ring, "close", rectangleElement(3))).flat()).toEqual(new Array(9).fill(7));
  });

  it("averages when it shrinks and blends when it enlarges", () => {
    const small = planeOf([[0, 100, 200, 40]]);
    expect(rowsOf(resizeArea(small, 2, 1))).toEqual([[50, 120]]);
    expect(rowsOf(resizeArea(planeOf([[0, 100]]), 4, 1))).toEqual([[0, 0, 100, 100]]);
  });

  it("turns a picture about the pixel right below its middle", () => {
    const plane = planeOf([
      [10, 20],
      [30, 40],
    ]);
    const turn = turnOf(2, 2, 180);
    expect(turn).toMatchObject({ width: 2, height: 2 });
    expect(rowsOf(warpAffine(plane, turn))).toEqual([
      [0, 0],
      [0, 40],
    ]);
  });

  it("finds the threshold between two groups of levels", () => {
    expect(otsuThreshold(planeOf([[10, 10, 12, 200, 201, 210]]))).toBe(12);
  });

  it("finds a template where it was cut out, and nothing for a flat one", () => {
    const picture = planeOf(
      Array.from({ length: 20 }, (_, y) =>
        Array.from({ length: 30 }, (_, x) => (x * x * 7 + y * y * 13 + x * y) % 251),
      ),
    );
    const cut = planeOf(
      rowsOf(picture)
        .slice(6, 11)
        .map((row) => row.slice(9, 16)),
    );
    const { scores, width } = matchTemplate(picture, cut);
    const best = scores.indexOf(Math.max(...scores));
    expect([best % width, Math.floor(best / width)]).toEqual([9, 6]);
    expect(scores[best]).toBeCloseTo(1, 5);
    expect(
      Math.max(
        ...matchTemplate(
          picture,
          planeOf([
            [5, 5],
            [5, 5],
          ]),
        ).scores,
      ),
    ).toBe(0);
  });

  it("finds the commonest colour from any start", () => {
    const red = planeOf([[250, 250, 250, 10]]);
    const green = planeOf([[20, 20, 20, 240]]);
    const blue = planeOf([[30, 30, 30, 20]]);
    const planes: ColorPlanes = [red, green, blue];
    for (const start of [0, 0.3, 0.6, 0.99]) {
      const options = { clusters: 2, maxIterations: 10, targetSize: 100, random: () => start };
      expect(dominantColor(planes, options)).toEqual([250, 20, 30]);
    }
  });

  it("measures no sharpness in a flat picture and most at a hard edge", () => {
    expect(
      brennerSharpness(
        planeOf([
          [5, 5, 5],
          [5, 5, 5],
        ]),
      ).measure,
    ).toBe(0);
    const { measure, map } = brennerSharpness(planeOf([[0, 0, 200, 200]]));
    expect(measure).toBe(20000);
    expect([...map.data]).toEqual([255, 255, 0, 0]);
  });

  it("learns a background, sees what is new, and tells its shadow apart", () => {
    const subtractor = createBackgroundSubtractor({ history: 30, varThreshold: 16 });
    const scene = [planeOf([[100, 100, 100]])];
    expect([...subtractor(scene).data]).toEqual([127, 127, 127]);
    for (let frame = 0; frame < 30; frame++) subtractor(scene);
    expect([...subtractor([planeOf([[100, 250, 60]])]).data]).toEqual([0, 255, 127]);
  });
});

function planeOf(rows: readonly (readonly number[])[]): Plane {
  return { width: rows[0]!.length, height: rows.length, data: Uint8Array.from(rows.flat()) };
}

function rowsOf({ width, height, data }: Plane): number[][] {
  return Array.from({ length: height }, (_, y) => [...data.subarray(y * width, (y + 1) * width)]);
}
