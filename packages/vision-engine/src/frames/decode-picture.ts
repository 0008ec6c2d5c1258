// encoded picture → pixels, within limits
import "../picture-formats.ts";
import sharp from "sharp";
import type { PixelPicture } from "./frame.ts";

export interface DecodedImage extends PixelPicture {
  /** As the file says: jpeg, png, … */
  readonly format: string;
}

/** Pictures beyond this are refused before they are decoded: 100 megapixels, 400 MB of RGBA. */
export const MOST_PIXELS = 100_000_000;
const DECODE_SECONDS = 20;

/** JPEG, PNG, WebP, GIF (its first picture), TIFF, AVIF; turned upright as EXIF says; transparency is left out. Throws. */
export async function decodePicture(bytes: Uint8Array, maxPixels = MOST_PIXELS): Promise<DecodedImage> {
  // `error` still accepts pictures with harmless oddities, as some cameras write them.
  const picture = sharp(bytes, { failOn: "error", limitInputPixels: maxPixels }).timeout({ seconds: DECODE_SECONDS });
  const { format } = await picture.metadata();
  const upright = picture.autoOrient().toColourspace("srgb").removeAlpha().ensureAlpha(1);
  const { data, info } = await upright.raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
  const rgba = new Uint8ClampedArray(data.buffer, data.byteOffset, data.length);
  return { rgba, width: info.width, height: info.height, format };
}
