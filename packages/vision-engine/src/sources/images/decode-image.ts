// bytes of a picture → RGBA, upright, 8 bits
import { open } from "node:fs/promises";
import sharp from "sharp";
import { EngineError } from "../../errors.ts";

export interface DecodedImage {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  /** As the file says: jpeg, png, … */
  readonly format: string;
}

/** Pictures beyond this are refused before they are decoded: 100 megapixels, 400 MB of RGBA. */
export const MOST_PIXELS = 100_000_000;
const MOST_BYTES = 256 * 1024 * 1024;

/** JPEG, PNG, WebP, GIF (its first picture), TIFF, AVIF; turned upright as EXIF says; transparency is left out. Throws `EngineError` kind `source`. */
export async function decodeImage(
  bytes: Uint8Array,
  name: string,
  maxPixels: number = MOST_PIXELS,
): Promise<DecodedImage> {
  if (bytes.length === 0) throw failure(`${name} is empty.`);
  try {
    // `error` still accepts pictures with harmless oddities, as some cameras write them.
    const picture = sharp(bytes, { failOn: "error", limitInputPixels: maxPixels });
    const { format } = await picture.metadata();
    const upright = picture.autoOrient().toColourspace("srgb").removeAlpha().ensureAlpha(1);
    const { data, info } = await upright.raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
    const rgba = new Uint8ClampedArray(data.buffer, data.byteOffset, data.length);
    return { rgba, width: info.width, height: info.height, format };
  } catch (cause) {
    if (cause instanceof Error && /pixel limit/i.test(cause.message)) {
      throw failure(`${name} is too large: at most ${Math.round(maxPixels / 1e6)} megapixels are read.`, cause);
    }
    throw failure(`${name} is damaged, or no picture at all.`, cause);
  }
}

/** Reads and decodes a file. Throws `EngineError` kind `source`. */
export async function loadImage(path: string, name: string, maxPixels?: number): Promise<DecodedImage> {
  return decodeImage(await readBounded(path, name), name, maxPixels);
}

async function readBounded(path: string, name: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > MOST_BYTES) throw failure(`${name} is too large: at most ${MOST_BYTES / 1024 / 1024} MB are read.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function failure(message: string, cause?: unknown): EngineError {
  return new EngineError({ kind: "source", reason: "no_video", message, cause });
}
