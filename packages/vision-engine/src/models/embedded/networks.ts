// picture → one of the two networks → candidates
import type { PixelPicture } from "../../frames/frame.ts";
import { boxAt } from "../../geometry/boxes.ts";
import { toUnitLength } from "../cosine-similarity.ts";
import { bestOf } from "../heads/box-heads.ts";
import type { Tensor, TensorSession } from "../runtime/tensor-session.ts";
import { type CandidateList, createCandidates, type EmbeddedCandidates, suppressOverlaps } from "./candidates.ts";
import { createPixelPool } from "./resize-pixels.ts";

const NANODET_SIDE = 416;
const STRIDES = [8, 16, 32];
const CLASSES = 80;
/** Each side of a box is a distribution over so many distances, in strides. */
const BINS = 8;
const NANODET_OVERLAP = 0.6;

export function createNanodet(session: TensorSession) {
  const pixels = createPixelPool({
    width: NANODET_SIDE,
    height: NANODET_SIDE,
    order: "planes",
    colors: "bgr",
    mean: [103.53, 116.28, 123.675],
    std: [57.375, 57.12, 58.395],
  });
  return {
    /** Boxes of at least `threshold`, in pixels of the source. */
    async look(source: PixelPicture, threshold: number): Promise<EmbeddedCandidates> {
      const outputs = await pixels(source, (data) => {
        const images: Tensor = { type: "float32", dims: [1, 3, NANODET_SIDE, NANODET_SIDE], data };
        return session.run({ images });
      });
      const found = createCandidates();
      STRIDES.forEach((stride, level) => {
        const scores = outputs[`scores${level}`]!.data as Float32Array;
        const distances = outputs[`distances${level}`]!.data as Float32Array;
        decodeNanodet(stride, scores, distances, { threshold, source, found });
      });
      return suppressOverlaps(found, NANODET_OVERLAP);
    },
  };
}

/**
 * Adds every cell of one level whose best class is sure enough, as a box in pixels. A cell is `stride` pixels of the
 * input; it has 80 scores, and 8 logits each for the distances of left, top, right and bottom.
 */
function decodeNanodet(
  stride: number,
  scores: Float32Array,
  distances: Float32Array,
  { threshold, source, found }: { threshold: number; source: PixelPicture; found: CandidateList },
): void {
  const cells = NANODET_SIDE / stride;
  const scaleX = source.width / NANODET_SIDE;
  const scaleY = source.height / NANODET_SIDE;
  for (let cell = 0; cell < cells * cells; cell++) {
    const classId = bestOf(scores, cell * CLASSES, CLASSES);
    const score = scores[cell * CLASSES + classId]!;
    if (score < threshold) continue;
    const x = ((cell % cells) + 0.5) * stride;
    const y = (Math.floor(cell / cells) + 0.5) * stride;
    const side = (place: number): number => expectation(distances, (4 * cell + place) * BINS) * stride;
    found.add(
      [(x - side(0)) * scaleX, (y - side(1)) * scaleY, (x + side(2)) * scaleX, (y + side(3)) * scaleY],
      score,
      classId,
    );
  }
}

/** Mean of the distribution that the softmax of 8 logits makes. */
function expectation(logits: Float32Array, start: number): number {
  let sum = 0;
  let weighted = 0;
  for (let bin = 0; bin < BINS; bin++) {
    const weight = Math.exp(logits[start + bin]!);
    sum += weight;
    weighted += weight * bin;
  }
  return weighted / sum;
}

const SSD_SIDE = 300;
/** Numbers that COCO's list of 91 skips: those are no classes. 0 is the background. */
const SKIPPED: ReadonlySet<number> = new Set([0, 12, 26, 29, 30, 45, 66, 68, 69, 71, 83]);
/** Class numbers of the graph that are classes; their position is the COCO-80 class id. */
const COLUMNS = Array.from({ length: 91 }, (_, column) => column).filter((column) => !SKIPPED.has(column));
const OUTPUTS = 91;
/** Offsets are stored so many times larger: centres, sizes. */
const CENTER_GAIN = 10;
const SIZE_GAIN = 5;
const SSD_OVERLAP = 0.5;

export function createSsdlite(session: TensorSession) {
  const pixels = createPixelPool({
    width: SSD_SIDE,
    height: SSD_SIDE,
    order: "pixels",
    colors: "rgb",
    mean: [0, 0, 0],
    std: [1, 1, 1],
  });
  const run = (source: PixelPicture): ReturnType<TensorSession["run"]> =>
    pixels(source, (data) => {
      const images: Tensor = { type: "float32", dims: [1, SSD_SIDE, SSD_SIDE, 3], data };
      return session.run({ images });
    });
  return {
    /** Boxes of at least `threshold`, in pixels of the source. */
    async look(source: PixelPicture, threshold: number): Promise<EmbeddedCandidates> {
      const { boxes, scores } = await run(source);
      const [offsets, classScores] = [boxes!.data as Float32Array, scores!.data as Float32Array];
      return suppressOverlaps(decodeSsd(offsets, classScores, threshold, source), SSD_OVERLAP);
    },
    /** What a picture looks like: 1280 numbers, length 1. */
    async embed(source: PixelPicture): Promise<Float32Array> {
      const { embedding } = await run(source);
      return toUnitLength(embedding!.data as Float32Array);
    },
  };
}

/** Every anchor whose best class is sure enough, as a box in pixels. An anchor has 91 scores; offsets are as anchors are. */
function decodeSsd(
  offsets: Float32Array,
  scores: Float32Array,
  threshold: number,
  source: PixelPicture,
): EmbeddedCandidates {
  const found = createCandidates();
  for (let anchor = 0; anchor < SSD_ANCHORS.length / 4; anchor++) {
    const { classId, score } = bestClass(scores, anchor * OUTPUTS);
    if (score < threshold) continue;
    const [centerY, centerX, height, width] = boxAt(SSD_ANCHORS, anchor);
    const [moveY, moveX, growY, growX] = boxAt(offsets, anchor);
    const middleX = (centerX + (moveX / CENTER_GAIN) * width) * source.width;
    const middleY = (centerY + (moveY / CENTER_GAIN) * height) * source.height;
    const halfWidth = (Math.exp(growX / SIZE_GAIN) * width * source.width) / 2;
    const halfHeight = (Math.exp(growY / SIZE_GAIN) * height * source.height) / 2;
    found.add([middleX - halfWidth, middleY - halfHeight, middleX + halfWidth, middleY + halfHeight], score, classId);
  }
  return found;
}

function bestClass(scores: Float32Array, start: number): { readonly classId: number; readonly score: number } {
  let classId = 0;
  let score = 0;
  for (let each = 0; each < COLUMNS.length; each++) {
    const value = scores[start + COLUMNS[each]!]!;
    if (value > score) {
      score = value;
      classId = each;
    }
  }
  return { classId, score };
}

/** Rows of the feature maps of SSDLite at 300 pixels, finest first. */
const GRIDS = [19, 10, 5, 3, 2, 1];
const SMALLEST_SCALE = 0.2;
const LARGEST_SCALE = 0.95;
/** The finest map has fewer and smaller anchors. */
const FINEST: readonly (readonly [scale: number, ratio: number])[] = [
  [0.1, 1],
  [0.2, 2],
  [0.2, 0.5],
];

/** 4 numbers an anchor: centre y, centre x, height, width as shares of the picture, in the order of the graph's rows. */
export function createSsdAnchors(): Float32Array {
  const rows: number[] = [];
  GRIDS.forEach((grid, level) => {
    const shapes = level === 0 ? FINEST : shapesOf(level);
    for (let cell = 0; cell < grid * grid; cell++) {
      const centerY = (Math.floor(cell / grid) + 0.5) / grid;
      const centerX = ((cell % grid) + 0.5) / grid;
      for (const [scale, ratio] of shapes) {
        rows.push(centerY, centerX, scale / Math.sqrt(ratio), scale * Math.sqrt(ratio));
      }
    }
  });
  return Float32Array.from(rows);
}

/** Five ratios at the scale of a level, and a square between this scale and the next. */
function shapesOf(level: number): readonly (readonly [scale: number, ratio: number])[] {
  const scale = scaleOf(level);
  const ratios = [1, 2, 0.5, 3, 0.3333];
  const next = level + 1 < GRIDS.length ? scaleOf(level + 1) : 1;
  return [...ratios.map((ratio) => [scale, ratio] as const), [Math.sqrt(scale * next), 1]];
}

function scaleOf(level: number): number {
  return SMALLEST_SCALE + ((LARGEST_SCALE - SMALLEST_SCALE) * level) / (GRIDS.length - 1);
}

const SSD_ANCHORS = createSsdAnchors();
