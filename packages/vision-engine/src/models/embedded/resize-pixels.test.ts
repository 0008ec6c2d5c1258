import { describe, expect, it } from "vitest";
import type { PixelPicture } from "../../frames/frame.ts";
import { createPixelPool, createPixelResizer, type PixelLayout } from "./resize-pixels.ts";

const PLAIN: PixelLayout = { width: 2, height: 1, order: "pixels", colors: "rgb", mean: [0, 0, 0], std: [1, 1, 1] };

describe("createPixelResizer", () => {
  it("copies a picture that fits", () => {
    const resize = createPixelResizer(PLAIN);
    expect([...resize(picture(2, 1))]).toEqual([0, 1, 2, 10, 11, 12]);
  });

  it("writes planes, blue first and normalised", () => {
    const resize = createPixelResizer({ ...PLAIN, order: "planes", colors: "bgr", mean: [2, 0, 0], std: [2, 1, 10] });
    expect([...resize(picture(2, 1))].map((value) => Math.round(value * 1e4) / 1e4)).toEqual([0, 5, 1, 11, 0, 1]);
  });

  it("takes the mean of neighbours when it makes a picture smaller", () => {
    const resize = createPixelResizer({ ...PLAIN, width: 1 });
    expect([...resize(picture(2, 1))]).toEqual([5, 6, 7]);
  });

  it("keeps the edges when it makes a picture larger", () => {
    const resize = createPixelResizer({ ...PLAIN, width: 4 });
    expect([...resize(picture(2, 1))].filter((_, at) => at % 3 === 0)).toEqual([0, 2.5, 7.5, 10]);
  });

  it("follows a picture of another size", () => {
    const resize = createPixelResizer({ ...PLAIN, width: 1 });
    expect([picture(2, 1), picture(3, 1)].map((source) => resize(source)[0])).toEqual([5, 10]);
  });
});

describe("createPixelPool", () => {
  it("gives overlapping runs memory of their own and uses it again", async () => {
    const pool = createPixelPool(PLAIN);
    const source = picture(2, 1);
    const seen: Float32Array[] = [];
    const run = () => pool(source, async (data) => void seen.push(data));
    await Promise.all([run(), run()]);
    await run();
    expect(seen[0]).not.toBe(seen[1]);
    expect(seen.slice(0, 2)).toContain(seen[2]);
  });
});

/** Red is 10 × the number of the pixel, green and blue one more each. */
function picture(width: number, height: number): PixelPicture {
  const rgba = new Uint8ClampedArray(4 * width * height);
  for (let at = 0; at < width * height; at++) rgba.set([10 * at, 10 * at + 1, 10 * at + 2, 255], 4 * at);
  return { rgba, width, height };
}
