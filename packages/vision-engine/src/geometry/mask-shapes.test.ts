import { describe, expect, it } from "vitest";
import { maskFromBits } from "../frames/mask.ts";
import { maskFromCocoRle, maskToCocoRle, scaleMask } from "./mask-shapes.ts";

const CORNER = maskFromBits(Uint8Array.of(1, 1, 1, 0), 2, 2);

describe("masks", () => {
  it("join runs that come to touch when they grow, and keep those that do not", () => {
    expect(scaleMask(CORNER, 4, 4).runs).toEqual(Int32Array.of(0, 10, 12, 2));
    expect(scaleMask(CORNER, 1, 1).runs).toEqual(Int32Array.of(0, 1));
  });

  it("are packed column by column as COCO does, and unpacked again", () => {
    const packed = maskToCocoRle(maskFromBits(Uint8Array.of(0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0), 4, 4));
    expect(packed).toEqual({ size: [4, 4], counts: "52203" });
    expect(maskToCocoRle(maskFromCocoRle(packed)!)).toEqual(packed);
  });

  it("that do not fill the picture, or end inside a number, are none", () => {
    expect(maskFromCocoRle({ size: [4, 4], counts: [5, 2] })).toBeUndefined();
    expect(maskFromCocoRle({ size: [4, 4], counts: "P" })).toBeUndefined();
    expect(maskFromCocoRle({ size: [1, 2], counts: [-1, 3] })).toBeUndefined();
  });
});
