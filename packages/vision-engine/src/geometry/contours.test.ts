import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyMask, type Mask, maskFromBits, uniteMasks } from "../frames/mask.ts";
import { contoursOf } from "./contours.ts";
import { polygonToMask } from "./fill-polygon.ts";
import { fillHoles } from "./mask-shapes.ts";

describe("outlines of a mask", () => {
  it("are the corners, down the left side first", () => {
    expect(contoursOf(drawn("....", ".##.", ".##.", "...."))).toEqual([
      [
        [1, 1],
        [1, 2],
        [2, 2],
        [2, 1],
      ],
    ]);
  });

  it("leave out holes and what lies in them, and come from the bottom up", () => {
    const ring = drawn("#####.", "#...#.", "#.#.#.", "#...#.", "#####.", "......", "..#...");
    expect(contoursOf(ring)).toEqual([
      [[2, 6]],
      [
        [0, 0],
        [0, 4],
        [4, 4],
        [4, 0],
      ],
    ]);
  });

  it("join pixels that touch at a corner", () => {
    expect(contoursOf(drawn("#.", ".#"))).toEqual([
      [
        [0, 0],
        [1, 1],
      ],
    ]);
  });

  it("enclose exactly the mask without its holes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 63, maxLength: 63, max: 1 }), (bits) => {
        const mask = maskFromBits(bits, 9, 7);
        const filled = contoursOf(mask).map((contour) => polygonToMask(contour, 9, 7));
        expect(uniteMasks([emptyMask(9, 7), ...filled])).toEqual(fillHoles(mask));
      }),
    );
  });
});

function drawn(...rows: readonly string[]): Mask {
  const bits = Uint8Array.from(rows.join(""), (letter) => (letter === "#" ? 1 : 0));
  return maskFromBits(bits, rows[0]!.length, rows.length);
}
