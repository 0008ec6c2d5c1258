import { describe, expect, it } from "vitest";
import { frameOf } from "../testing/index.ts";
import { ImageValue } from "./image-value.ts";

describe("ImageValue", () => {
  it("draws once, and only when somebody asks for the pixels", () => {
    let drawings = 0;
    const drawn = ImageValue.ofFrame(frameOf()).withDrawing((context) => {
      drawings += 1;
      context.fillStyle = "#FF0000";
      context.fillRect(0, 0, 10, 10);
    });
    expect(drawings).toBe(0);
    expect([...drawn.rgba.subarray(0, 3)]).toEqual([255, 0, 0]);
    expect(drawn.rgba).toBe(drawn.rgba);
    expect(drawings).toBe(1);
  });

  it("lends pixels for a moment, and those that somebody holds stay", () => {
    const red = ImageValue.ofFrame(opaque()).withDrawing(fill("#FF0000", 0));
    let lent: Uint8ClampedArray = new Uint8ClampedArray();
    const first = red.lendPixels((rgba) => {
      lent = rgba;
      return [...rgba.subarray(0, 3)];
    });
    expect(first).toEqual([255, 0, 0]);
    expect(lent.length).toBe(0);
    expect(pixels(red)).toEqual([255, 0, 0, 128, 128, 128]);
    expect(red.lendPixels((rgba) => rgba)).toBe(red.rgba);
    expect(red.rgba.length).toBeGreaterThan(0);
  });

  it("leaves the picture below as it is", () => {
    const image = ImageValue.ofFrame(opaque());
    const red = image.withDrawing(fill("#FF0000", 0));
    const both = red.withDrawing(fill("#0000FF", 1));
    expect(pixels(both)).toEqual([255, 0, 0, 0, 0, 255]);
    expect(pixels(red)).toEqual([255, 0, 0, 128, 128, 128]);
    expect(pixels(image)).toEqual([128, 128, 128, 128, 128, 128]);
  });

  it("keeps a drawing's settings to itself", () => {
    const image = ImageValue.ofFrame(opaque()).withDrawing((context) => {
      context.globalAlpha = 0;
    });
    expect(pixels(image.withDrawing(fill("#FF0000", 0)))).toEqual([255, 0, 0, 128, 128, 128]);
  });

  it("says of a frame what its source said, also of a file", () => {
    const { metadata, ...frame } = frameOf();
    const ofFile = { ...metadata, comes_from_video_file: true, total_frames: 7 };
    expect(ImageValue.ofFrame({ ...frame, metadata: ofFile }).metadata).toEqual(ofFile);
    expect(ImageValue.ofFrame(frameOf()).metadata).toEqual(metadata);
  });

  it("is kept with its drawing when the memory of its frame is used again", () => {
    const frame = opaque();
    const image = ImageValue.ofFrame({ ...frame, motion: { moving: false, regions: [] } });
    const red = image.withDrawing(fill("#FF0000", 0));
    const [plain, drawn] = [image.kept(), red.kept()];
    frame.rgba.fill(9);
    expect(pixels(plain)).toEqual([128, 128, 128, 128, 128, 128]);
    expect(pixels(drawn)).toEqual([255, 0, 0, 128, 128, 128]);
    expect([image.kept(), plain.kept()]).toEqual([plain, plain]);
    expect(image.kept()).toBe(plain);
    expect(plain).toMatchObject({ video: image.video, root: image.root, truth: image.truth, motion: undefined });
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
