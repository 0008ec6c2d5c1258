import { createCanvas, loadImage } from "@napi-rs/canvas";
import { describe, expect, it } from "vitest";
import type { PixelPicture } from "./frame.ts";
import { encodeJpeg } from "./jpeg.ts";

describe("encodeJpeg", () => {
  it("gives back the colours of the picture", async () => {
    const { jpeg, width, height } = await encodeJpeg(plain(64, 32, [200, 40, 90]));
    expect([width, height]).toEqual([64, 32]);
    const [red, green, blue] = await colourOf(jpeg);
    expect(Math.abs(red - 200) + Math.abs(green - 40) + Math.abs(blue - 90)).toBeLessThan(12);
  });

  it("reduces to the longest side and never enlarges", async () => {
    expect(await encodeJpeg(plain(64, 32, [9, 9, 9]), { maxEdge: 16 })).toMatchObject({ width: 16, height: 8 });
    expect(await encodeJpeg(plain(64, 32, [9, 9, 9]), { maxEdge: 500 })).toMatchObject({ width: 64, height: 32 });
  });

  it("keeps overlapping calls apart, and pixels may change once it was called", async () => {
    const red = plain(64, 32, [255, 0, 0]);
    const first = encodeJpeg(red, { maxEdge: 32 });
    red.rgba.fill(0);
    const second = encodeJpeg(plain(64, 32, [0, 0, 255]), { maxEdge: 32 });
    expect((await colourOf((await first).jpeg))[0]).toBeGreaterThan(240);
    expect((await colourOf((await second).jpeg))[2]).toBeGreaterThan(240);
  });

  it("takes fewer bytes at lower quality", async () => {
    const noisy = plain(64, 64, [0, 0, 0]);
    noisy.rgba.forEach((_, index) => {
      noisy.rgba[index] = index % 4 === 3 ? 255 : (index * 7919) % 251;
    });
    const [low, high] = [await encodeJpeg(noisy, { quality: 30 }), await encodeJpeg(noisy, { quality: 95 })];
    expect(low.jpeg.byteLength).toBeLessThan(high.jpeg.byteLength);
  });
});

function plain(width: number, height: number, [red, green, blue]: readonly [number, number, number]): PixelPicture {
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < rgba.length; at += 4) rgba.set([red, green, blue, 255], at);
  return { rgba, width, height };
}

async function colourOf(jpeg: Uint8Array): Promise<[number, number, number]> {
  const ctx = createCanvas(1, 1).getContext("2d");
  ctx.drawImage(await loadImage(jpeg), 0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = ctx.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}
