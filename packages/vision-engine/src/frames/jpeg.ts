// frame pixels → canvas → JPEG bytes
import { type Canvas, createCanvas, ImageData } from "@napi-rs/canvas";
import type { PixelPicture, PixelSize } from "./frame.ts";

export interface JpegOptions {
  /** 1 to 100, default 82. Higher keeps more detail and costs more bytes. */
  readonly quality?: number;
  /** Longest side in pixels; a smaller picture is not enlarged. Default: as it is. */
  readonly maxEdge?: number;
}

export interface JpegPicture extends PixelSize {
  /** In memory of its own, that can be moved to another thread. */
  readonly jpeg: Uint8Array;
}

// `encode` takes its snapshot before it returns, so one canvas per role serves calls that overlap.
const scratch: { whole?: { readonly canvas: Canvas; readonly pixels: ImageData }; reduced?: Canvas } = {};

/** Encodes a picture off the calling thread. Its pixels are read before the first await and free to change afterwards. */
export async function encodeJpeg(source: PixelPicture, options: JpegOptions = {}): Promise<JpegPicture> {
  const whole = paint(source);
  const reduction = Math.min(1, (options.maxEdge ?? Number.POSITIVE_INFINITY) / Math.max(source.width, source.height));
  const canvas = reduction < 1 ? reduce(whole, reduction) : whole;
  const { width, height } = canvas;
  const encoded = await canvas.encode("jpeg", options.quality ?? 82);
  const jpeg = new Uint8Array(encoded);
  giveBack(encoded);
  return { jpeg, width, height };
}

/** The same on the calling thread, for those that cannot wait. `quality` 1 to 100. */
export function encodeJpegSync(source: PixelPicture, quality: number): Uint8Array {
  return paint(source).encodeSync("jpeg", quality);
}

/** An `ImageData` has memory of its own, a whole picture: hence one for all. */
function paint({ rgba, width, height }: PixelPicture): Canvas {
  let { whole } = scratch;
  if (whole?.canvas.width !== width || whole.canvas.height !== height) {
    whole = { canvas: createCanvas(width, height), pixels: new ImageData(width, height) };
    scratch.whole = whole;
  }
  whole.pixels.data.set(rgba);
  whole.canvas.getContext("2d").putImageData(whole.pixels, 0, 0);
  return whole.canvas;
}

function reduce(whole: Canvas, reduction: number): Canvas {
  const width = Math.max(1, Math.round(whole.width * reduction));
  const height = Math.max(1, Math.round(whole.height * reduction));
  let { reduced } = scratch;
  if (reduced?.width !== width || reduced.height !== height) {
    reduced = createCanvas(width, height);
    scratch.reduced = reduced;
  }
  const ctx = reduced.getContext("2d");
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(whole, 0, 0, width, height);
  return reduced;
}

/**
 * Gives memory back that a native library made for one array, such as the pixels of `getImageData`. Left to the garbage
 * collector, to which a picture is a small object, tens of them pile up in each thread before it looks.
 * The array is empty afterwards; the memory is free with the next turn of the event loop.
 */
export function giveBack({ buffer }: Uint8Array | Uint8ClampedArray): void {
  (buffer as ArrayBuffer).transfer(0);
}
