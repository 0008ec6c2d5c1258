// frame pixels → canvas → JPEG bytes
import { type Canvas, createCanvas, ImageData } from "@napi-rs/canvas";

export interface JpegSource {
  /** RGBA, 8 bits, rows from the top without padding. Read before the first await; free to change afterwards. */
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

export interface JpegOptions {
  /** 1 to 100, default 82. Higher keeps more detail and costs more bytes. */
  readonly quality?: number;
  /** Longest side in pixels; a smaller picture is not enlarged. Default: as it is. */
  readonly maxEdge?: number;
}

export interface JpegPicture {
  readonly jpeg: Uint8Array;
  readonly width: number;
  readonly height: number;
}

// `encode` takes its snapshot before it returns, so one canvas per role serves calls that overlap.
const scratch: { whole?: Canvas; reduced?: Canvas } = {};

/** Encodes a picture; the compression runs off the calling thread. */
export async function encodeJpeg(source: JpegSource, options: JpegOptions = {}): Promise<JpegPicture> {
  const { rgba, width, height } = source;
  const whole = scratchCanvas("whole", width, height);
  whole.getContext("2d").putImageData(new ImageData(rgba, width, height), 0, 0);
  const reduction = Math.min(1, (options.maxEdge ?? Number.POSITIVE_INFINITY) / Math.max(width, height));
  const canvas = reduction < 1 ? reduce(whole, reduction) : whole;
  const size = { width: canvas.width, height: canvas.height };
  return { jpeg: await canvas.encode("jpeg", options.quality ?? 82), ...size };
}

/** The same on the calling thread, for those that cannot wait. `quality` 1 to 100. */
export function encodeJpegSync({ rgba, width, height }: JpegSource, quality: number): Uint8Array {
  const whole = scratchCanvas("whole", width, height);
  whole.getContext("2d").putImageData(new ImageData(rgba, width, height), 0, 0);
  return whole.encodeSync("jpeg", quality);
}

function reduce(whole: Canvas, reduction: number): Canvas {
  const width = Math.max(1, Math.round(whole.width * reduction));
  const height = Math.max(1, Math.round(whole.height * reduction));
  const reduced = scratchCanvas("reduced", width, height);
  const ctx = reduced.getContext("2d");
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(whole, 0, 0, width, height);
  return reduced;
}

function scratchCanvas(role: keyof typeof scratch, width: number, height: number): Canvas {
  const kept = scratch[role];
  if (kept?.width === width && kept.height === height) return kept;
  const canvas = createCanvas(width, height);
  scratch[role] = canvas;
  return canvas;
}
