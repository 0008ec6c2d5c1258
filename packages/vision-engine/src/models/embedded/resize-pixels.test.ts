import { describe, expect, it } from "vitest";
import { createPixelPool, createPixelResizer, type PixelLayout, type PixelSource, wholeOf } from "./resize-pixels.ts";

const PLAIN: PixelLayout = { width: 2, height: 1, order: "pixels", colors: "rgb", mean: [0, 0, 0], std: [1, 1, 1] };

describe("createPixelResizer", () => {
  it("copies a picture that fits", () => {
    const resizer = createPixelResizer(PLAIN);
    resizer.write(picture(2, 1));
    expect([...resizer.data]).toEqual([0, 1, 2, 10, 11, 12]);
  });

  it("writes planes, blue first and normalised", () => {
    const resizer = createPixelResizer({ ...PLAIN, order: "planes", colors: "bgr", mean: [2, 0, 0], std: [2, 1, 10] });
    resizer.write(picture(2, 1));
    expect([...resizer.data].map((value) => Math.round(value * 1e4) / 1e4)).toEqual([0, 5, 1, 11, 0, 1]);
  });

  it("takes the mean of neighbours when it makes a picture smaller", () => {
    const resizer = createPixelResizer({ ...PLAIN, width: 1 });
    resizer.write(picture(2, 1));
    expect([...resizer.data]).toEqual([5, 6, 7]);
  });

  it("keeps the edges when it makes a picture larger", () => {
    const resizer = createPixelResizer({ ...PLAIN, width: 4 });
    resizer.write(picture(2, 1));
    expect([...resizer.data].filter((_, at) => at % 3 === 0)).toEqual([0, 2.5, 7.5, 10]);
  });

  it("looks at a region only, and at another one with the next call", () => {
    const resizer = createPixelResizer({ ...PLAIN, width: 1 });
    const reds = [1, 2].map((left) => {
      resizer.write(picture(4, 2), { left, top: 1, width: 1, height: 1 });
      return resizer.data[0];
    });
    expect(reds).toEqual([50, 60]);
  });
});

describe("createPixelPool", () => {
  it("gives overlapping runs memory of their own and uses it again", async () => {
    const pool = createPixelPool(PLAIN);
    const source = picture(2, 1);
    const seen: Float32Array[] = [];
    const run = () => pool.use(source, wholeOf(source), async (data) => void seen.push(data));
    await Promise.all([run(), run()]);
    await run();
    expect(seen[0]).not.toBe(seen[1]);
    expect(seen.slice(0, 2)).toContain(seen[2]);
  });
});

/** Red is 10 × the number of the pixel, green and blue one more each. */
function picture(width: number, height: number): PixelSource {
  const rgba = new Uint8ClampedArray(4 * width * height);
  for (let at = 0; at < width * height; at++) rgba.set([10 * at, 10 * at + 1, 10 * at + 2, 255], 4 * at);
  return { rgba, width, height };
}
