import { describe, expect, it } from "vitest";
import { base64Of, bmpOf, jpegOf, pngOf, webpOf } from "./__fixtures__/pictures.ts";
import { decodeImage, encodeImage, imageSizeOf, mimeTypeOf } from "./image-file.ts";

const PICTURES = [
  ["image/jpeg", jpegOf(640, 480)],
  ["image/png", pngOf(640, 480)],
  ["image/bmp", bmpOf(640, 480)],
  ["image/webp", webpOf("VP8 ", 640, 480)],
  ["image/webp", webpOf("VP8L", 640, 480)],
  ["image/webp", webpOf("VP8X", 640, 480)],
] as const;

describe("pictures as files", () => {
  it.each(PICTURES)("F-10 labels a picture by its own format, not always JPEG: %s", (mimeType, bytes) => {
    expect(mimeTypeOf(bytes)).toBe(mimeType);
    expect(encodeImage(bytes)).toEqual({ type: "base64", value: base64Of(bytes) });
  });

  it.each(PICTURES)("reads the size of %s from its header", (_, bytes) => {
    expect(imageSizeOf(bytes)).toEqual({ width: 640, height: 480 });
  });

  it("sends a view into a larger buffer without its neighbours", () => {
    const large = Buffer.concat([Buffer.from("before"), jpegOf(8, 8), Buffer.from("after")]);
    const view = large.subarray(6, large.length - 5);
    expect(encodeImage(view).value).toBe(base64Of(jpegOf(8, 8)));
  });

  it("refuses what is no picture with a sentence, before anything is sent", () => {
    expect(() => encodeImage(Buffer.from("hello"))).toThrow(
      expect.objectContaining({ kind: "invalid", message: expect.stringContaining("JPEG, PNG, WebP nor BMP") }),
    );
    expect(imageSizeOf(Buffer.from("hello"))).toBeUndefined();
  });

  it("gives no size for a header that is cut off or broken", () => {
    expect(imageSizeOf(jpegOf(640, 480).subarray(0, 12))).toBeUndefined();
    expect(imageSizeOf(pngOf(640, 480).subarray(0, 16))).toBeUndefined();
    expect(
      imageSizeOf(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9])),
    ).toBeUndefined();
    expect(imageSizeOf(pngOf(0, 480))).toBeUndefined();
  });

  it("reads base64 with and without a data prefix", () => {
    const bytes = pngOf(3, 2);
    expect(decodeImage(base64Of(bytes))).toEqual(bytes);
    expect(decodeImage(`data:image/png;base64,${base64Of(bytes)}`)).toEqual(bytes);
  });
});

it("gives up on a damaged JPEG at once", () => {
  const damaged = new Uint8Array(2_000_000);
  damaged.set([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x02]);
  expect(imageSizeOf(damaged)).toBeUndefined();
});
