import type { Colour } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { colourOfBox } from "./box-colour.ts";

describe("the colour of a box", () => {
  it.each<[Colour, readonly [number, number, number]]>([
    ["black", [20, 22, 25]],
    ["grey", [128, 130, 126]],
    ["white", [235, 236, 230]],
    ["red", [190, 30, 35]],
    ["orange", [240, 140, 40]],
    ["yellow", [240, 220, 50]],
    ["green", [40, 130, 60]],
    ["blue", [40, 80, 180]],
    ["purple", [120, 60, 170]],
    ["pink", [240, 130, 160]],
    ["brown", [110, 70, 35]],
  ])("is %s for what people call so", (colour, pixel) => {
    expect(colourOfBox(plain(pixel), [0, 0, 20, 20], "car")).toBe(colour);
  });

  it("is that of the body, also where windows and tyres are more", () => {
    const picture = plain([90, 92, 95]);
    for (let y = 10; y < 14; y++) for (let x = 0; x < 20; x++) picture.rgba.set([200, 20, 30, 255], 4 * (y * 20 + x));
    expect(colourOfBox(picture, [0, 0, 20, 20], "car")).toBe("red");
  });

  it("is nothing outside of the picture", () => {
    expect(colourOfBox(plain([0, 0, 0]), [30, 30, 40, 40], "car")).toBeUndefined();
  });
});

function plain(pixel: readonly [number, number, number]) {
  const rgba = new Uint8ClampedArray(20 * 20 * 4);
  for (let at = 0; at < rgba.length; at += 4) rgba.set([...pixel, 255], at);
  return { rgba, width: 20, height: 20 };
}
