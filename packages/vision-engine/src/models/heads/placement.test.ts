import { describe, expect, it } from "vitest";
import { placePicture, toPictureBoxes } from "./placement.ts";

const PICTURE = { width: 200, height: 100 };

describe("placePicture", () => {
  it("puts a letterboxed picture in the middle or in the corner", () => {
    const middle = placePicture(PICTURE, { width: 50, height: 50, resize: "letterbox" });
    expect(middle).toMatchObject({ scaleX: 0.25, padLeft: 0, padTop: 12, padRight: 0, padBottom: 13 });
    const corner = placePicture(PICTURE, { width: 50, height: 50, resize: "letterbox-corner" });
    expect(corner).toMatchObject({ scaleX: 0.25, padLeft: 0, padTop: 0, padRight: 0, padBottom: 25 });
  });

  it("cuts off the sides of a picture that is to cover the input", () => {
    const placement = placePicture(PICTURE, { width: 50, height: 50, resize: "cover" });
    expect(placement).toMatchObject({ scaleX: 0.5, padLeft: -25, padTop: 0, padRight: -25, padBottom: 0 });
    expect([...toPictureBoxes([0, 0, 50, 50], placement)]).toEqual([50, 0, 150, 100]);
  });

  it("takes another size only where the graph does, in its steps", () => {
    const wanted = { width: 100, height: 70 };
    const input = { width: 64, height: 64, resize: "stretch" } as const;
    expect(placePicture(PICTURE, input, wanted).network).toEqual({ width: 64, height: 64 });
    expect(placePicture(PICTURE, { ...input, otherSizes: "any" }, wanted).network).toEqual(wanted);
    const stepped = placePicture(PICTURE, { ...input, otherSizes: { multipleOf: 32 } }, wanted);
    expect(stepped.network).toEqual({ width: 128, height: 96 });
  });

  it("maps boxes of a crop back into the whole picture, and holds them inside", () => {
    const crop = { left: 50, top: 0, right: 100, bottom: 50 };
    const placement = placePicture(PICTURE, { width: 50, height: 50, resize: "stretch", crop });
    expect(placement.region).toEqual({ left: 100, top: 0, width: 100, height: 50 });
    expect([...toPictureBoxes([10, 10, 60, 20], placement)]).toEqual([120, 10, 200, 20]);
  });
});
