import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boxToMask } from "../testing/index.ts";
import {
  intersectMasks,
  isMaskSet,
  maskArea,
  maskBounds,
  maskFromBits,
  maskIntersection,
  maskToBits,
  moveMask,
  uniteMasks,
} from "./mask.ts";

const bits = fc.uint8Array({ minLength: 35, maxLength: 35, max: 1 });

describe("a mask of runs", () => {
  it("behaves like one byte a pixel", () => {
    fc.assert(
      fc.property(bits, bits, (a, b) => {
        const [one, other] = [maskFromBits(a, 7, 5), maskFromBits(b, 7, 5)];
        expect(maskToBits(one)).toEqual(a);
        expect(maskToBits(uniteMasks([one, other]))).toEqual(a.map((bit, at) => bit | b[at]!));
        const shared = intersectMasks([one, other]);
        expect(maskToBits(shared)).toEqual(a.map((bit, at) => bit & b[at]!));
        expect(maskArea(shared)).toBe(maskIntersection(one, other));
        expect(isMaskSet(one, 3, 2)).toBe(a[17] === 1);
      }),
    );
  });

  it("is cut off where it leaves the picture", () => {
    const square = boxToMask([1, 1, 2, 2], 0, 4, 4);
    expect(maskBounds(square)).toEqual([1, 1, 2, 2]);
    expect(maskBounds(moveMask(square, [2, 1], 4, 4))).toEqual([3, 2, 3, 3]);
    expect(maskBounds(moveMask(square, [9, 9], 4, 4))).toBeUndefined();
  });
});
