// picture → NanoDet-m → scored boxes
import type { Tensor, TensorSession } from "../runtime/tensor-session.ts";
import { type CandidateList, createCandidates, type EmbeddedCandidates, suppressOverlaps } from "./candidates.ts";
import { createPixelPool, type PixelRegion, type PixelSource, wholeOf } from "./resize-pixels.ts";

const SIDE = 416;
const STRIDES = [8, 16, 32];
const CLASSES = 80;
/** Each side of a box is a distribution over so many distances, in strides. */
const BINS = 8;
const OVERLAP = 0.6;

export interface Nanodet {
  /** Boxes of at least `threshold`, in pixels of the source; `region` limits where to look. */
  look(source: PixelSource, threshold: number, region?: PixelRegion): Promise<EmbeddedCandidates>;
}

export function createNanodet(session: TensorSession): Nanodet {
  const pixels = createPixelPool({
    width: SIDE,
    height: SIDE,
    order: "planes",
    colors: "bgr",
    mean: [103.53, 116.28, 123.675],
    std: [57.375, 57.12, 58.395],
  });
  return {
    async look(source, threshold, region = wholeOf(source)) {
      const outputs = await pixels.use(source, region, (data) => {
        const images: Tensor = { type: "float32", dims: [1, 3, SIDE, SIDE], data };
        return session.run({ images });
      });
      const found = createCandidates();
      STRIDES.forEach((stride, level) => {
        const scores = outputs[`scores${level}`]!.data as Float32Array;
        const distances = outputs[`distances${level}`]!.data as Float32Array;
        decodeNanodet({ stride, scores, distances, threshold, region }, found);
      });
      return suppressOverlaps(found, OVERLAP);
    },
  };
}

/** One level of what the graph gave, and what to make of it. */
interface NanodetOutput {
  /** Pixels of the graph's input a cell. */
  readonly stride: number;
  /** 80 a cell. */
  readonly scores: Float32Array;
  /** Left, top, right, bottom; 8 logits each. */
  readonly distances: Float32Array;
  readonly threshold: number;
  readonly region: PixelRegion;
}

/** Adds every cell whose best class is sure enough, as a box in pixels. */
function decodeNanodet(output: NanodetOutput, found: CandidateList): void {
  const { stride, scores, distances, threshold, region } = output;
  const cells = SIDE / stride;
  const scaleX = region.width / SIDE;
  const scaleY = region.height / SIDE;
  for (let cell = 0; cell < cells * cells; cell++) {
    const row = scores.subarray(cell * CLASSES, (cell + 1) * CLASSES);
    let classId = 0;
    for (let each = 1; each < CLASSES; each++) if (row[each]! > row[classId]!) classId = each;
    const score = row[classId]!;
    if (score < threshold) continue;
    const x = ((cell % cells) + 0.5) * stride;
    const y = (Math.floor(cell / cells) + 0.5) * stride;
    const side = (place: number): number => expectation(distances, (4 * cell + place) * BINS) * stride;
    found.add(
      [
        region.left + (x - side(0)) * scaleX,
        region.top + (y - side(1)) * scaleY,
        region.left + (x + side(2)) * scaleX,
        region.top + (y + side(3)) * scaleY,
      ],
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
