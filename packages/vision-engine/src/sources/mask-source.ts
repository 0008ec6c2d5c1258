// frames of a source → the same frames without what must not be seen
import type { DetectionTable } from "../frames/detections.ts";
import { filterRows } from "../frames/detections.ts";
import type { Frame, PixelSize } from "../frames/frame.ts";
import { fillPolygon } from "../geometry/fill-polygon.ts";
import type { Polygon } from "../geometry/polygons.ts";
import type { FrameSource } from "./frame-source.ts";

/** Neighbours of a pixel share its colour: in video that was compressed, and in pictures that were made smaller. */
const MARGIN = 2;
/** RGBA in the order of memory, on every machine that we run on. */
const BLACK = 0xff000000;

/**
 * The same source; each frame is painted black inside the polygons, whose points are fractions of width and height,
 * before anybody else sees it. Objects of a simulated scene behind a mask are not there either.
 */
export function maskSource(source: FrameSource, polygons: readonly Polygon[]): FrameSource {
  if (polygons.length === 0) return source;
  const paint = createMaskPainter(polygons);
  return {
    get label() {
      return source.label;
    },
    get width() {
      return source.width;
    },
    get height() {
      return source.height;
    },
    get fps() {
      return source.fps;
    },
    get dropped() {
      return source.dropped;
    },
    get drops() {
      return source.drops;
    },
    async next(signal) {
      const frame = await source.next(signal);
      return frame && paint(frame);
    },
    pause: () => source.pause?.(),
    resume: () => source.resume?.(),
    close: () => source.close(),
  };
}

/** Paints into the frame's own memory. Spans are found once for each size of picture. */
function createMaskPainter(polygons: readonly Polygon[]): (frame: Frame) => Frame {
  let size: PixelSize = { width: 0, height: 0 };
  let bits: Uint8Array = new Uint8Array(0);
  let spans: Uint32Array = new Uint32Array(0);
  /** Sources use the same few pieces of memory again and again. */
  const words = new WeakMap<Uint8ClampedArray, Uint32Array>();
  return (frame) => {
    const { rgba, truth, metadata } = frame;
    if (metadata.width !== size.width || metadata.height !== size.height) {
      size = { width: metadata.width, height: metadata.height };
      bits = coveredPixels(polygons, size);
      spans = toSpans(bits);
    }
    let pixels = words.get(rgba);
    if (pixels === undefined && rgba.byteOffset % 4 === 0) {
      pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4);
      words.set(rgba, pixels);
    }
    for (let at = 0; at < spans.length; at += 2) {
      if (pixels !== undefined) pixels.fill(BLACK, spans[at]!, spans[at + 1]!);
      else paintBytes(rgba, spans[at]!, spans[at + 1]!);
    }
    return truth === undefined ? frame : { ...frame, truth: withoutHidden(truth, bits, size) };
  };
}

function paintBytes(rgba: Uint8ClampedArray, from: number, to: number): void {
  rgba.fill(0, 4 * from, 4 * to);
  for (let pixel = from; pixel < to; pixel++) rgba[4 * pixel + 3] = 255;
}

/** One byte a pixel: those inside, on the border, and a little around it. */
function coveredPixels(polygons: readonly Polygon[], size: PixelSize): Uint8Array {
  const { width, height } = size;
  const inside = new Uint8Array(width * height);
  for (const polygon of polygons) {
    const scaled = polygon.map(([x, y]) => [x * width, y * height] as const);
    fillPolygon(inside, size, scaled);
  }
  const wide = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (inside[y * width + x] === 0) continue;
      const [left, right] = [Math.max(0, x - MARGIN), Math.min(width, x + MARGIN + 1)];
      for (let row = Math.max(0, y - MARGIN); row <= Math.min(height - 1, y + MARGIN); row++) {
        wide.fill(1, row * width + left, row * width + right);
      }
    }
  }
  return wide;
}

/** Runs of set pixels: first and end, first and end, … */
function toSpans(bits: Uint8Array): Uint32Array {
  const spans: number[] = [];
  for (let at = bits.indexOf(1); at !== -1; ) {
    const end = bits.indexOf(0, at);
    spans.push(at, end === -1 ? bits.length : end);
    at = end === -1 ? -1 : bits.indexOf(1, end);
  }
  return Uint32Array.from(spans);
}

function withoutHidden(truth: DetectionTable, bits: Uint8Array, { width, height }: PixelSize): DetectionTable {
  return filterRows(truth, (row) => {
    const [left, top, right, bottom] = truth.xyxy.subarray(4 * row, 4 * row + 4) as unknown as number[];
    const x = Math.min(width - 1, Math.max(0, Math.floor((left! + right!) / 2)));
    const y = Math.min(height - 1, Math.max(0, Math.floor((top! + bottom!) / 2)));
    return bits[y * width + x] === 0;
  });
}
