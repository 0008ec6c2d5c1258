import { describe, expect, it } from "vitest";
import { frameOf } from "../testing.ts";
import { ImageValue } from "./image-value.ts";

describe("ImageValue", () => {
  it("draws once, and only when somebody asks for the pixels", () => {
    let drawings = 0;
    const drawn = new ImageValue(frameOf()).withDrawing((context) => {
      drawings += 1;
      context.fillStyle = "#FF0000";
      context.fillRect(0, 0, 10, 10);
    });
    expect(drawings).toBe(0);
    expect([...drawn.rgba.subarray(0, 3)]).toEqual([255, 0, 0]);
    expect(drawn.rgba).toBe(drawn.rgba);
    expect(drawings).toBe(1);
  });

  it("leaves the picture below as it is", () => {
    const image = new ImageValue(opaque());
    const red = image.withDrawing(fill("#FF0000", 0));
    const both = red.withDrawing(fill("#0000FF", 1));
    expect(pixels(both)).toEqual([255, 0, 0, 0, 0, 255]);
    expect(pixels(red)).toEqual([255, 0, 0, 128, 128, 128]);
    expect(pixels(image)).toEqual([128, 128, 128, 128, 128, 128]);
  });

  it("keeps a drawing's settings to itself", () => {
    const image = new ImageValue(opaque()).withDrawing((context) => {
      context.globalAlpha = 0;
    });
    expect(pixels(image.withDrawing(fill("#FF0000", 0)))).toEqual([255, 0, 0, 128, 128, 128]);
  });
});

function opaque() {
  const frame = frameOf();
  for (let at = 3; at < frame.rgba.length; at += 4) frame.rgba[at] = 255;
  return frame;
}

function fill(color: string, x: number) {
  return (context: { fillStyle: unknown; fillRect(x: number, y: number, w: number, h: number): void }) => {
    context.fillStyle = color;
    context.fillRect(x, 0, 1, 1);
  };
}

/** Colours of the first two pixels. */
function pixels({ rgba }: ImageValue): number[] {
  return [...rgba.subarray(0, 3), ...rgba.subarray(4, 7)];
}
