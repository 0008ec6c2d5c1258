// boxes of letters and words → the text they make
import { classNamesOf, DetectionTable } from "../../frames/detections.ts";
import { boxAt } from "../../geometry/boxes.ts";
import { mean, roundHalfEven } from "../../geometry/polygons.ts";
import { type Block, BlockBatch, type BlockInputs, block, numberOr, textOf } from "../block.ts";

export const stitchOcrDetectionsV1 = stitchOcrDetections("v1");
export const stitchOcrDetectionsV2 = stitchOcrDetections("v2");

function stitchOcrDetections(version: string): Block {
  return block({
    type: `roboflow_core/stitch_ocr_detections@${version}`,
    takesBatches: true,
    description: "Joins the letters and words that were found into text, line by line.",
    phrase: "joins letters into text",
    run: (inputs) => {
      const predictions = inputs.predictions instanceof BlockBatch ? inputs.predictions.items : [inputs.predictions];
      const pictures = predictions.filter((value) => value instanceof DetectionTable);
      // The first picture decides for all.
      const [first] = pictures;
      const written = textOf(inputs, "reading_direction");
      const direction = written === "auto" && first !== undefined ? detectReadingDirection(first) : written;
      return pictures.map((detections) => ({ ocr_text: stitch(detections, direction as ReadingDirection, inputs) }));
    },
  });
}

function stitch(detections: DetectionTable, direction: ReadingDirection, inputs: BlockInputs): string {
  const delimiter = typeof inputs.delimiter === "string" ? inputs.delimiter : "";
  if (detections.length === 0) return "";
  if (inputs.stitching_algorithm === "otsu") {
    return stitchByGaps(detections, direction, numberOr(inputs, "otsu_threshold_multiplier", 1), delimiter);
  }
  if (inputs.stitching_algorithm === "collimate") {
    return stitchByFollowing(detections, direction, numberOr(inputs, "collimate_tolerance", 10), delimiter);
  }
  return stitchByTolerance(detections, direction, numberOr(inputs, "tolerance", 10), delimiter);
}

export type ReadingDirection = "left_to_right" | "right_to_left" | "vertical_top_to_bottom" | "vertical_bottom_to_top";

/** A piece of text: `along` the line it is read on, and `across` to the next line. */
interface Glyph {
  readonly text: string;
  readonly along: number;
  readonly across: number;
  readonly length: number;
  readonly thickness: number;
}

type Line = readonly Glyph[];

/** Wide boxes are read across, high ones downwards. */
function detectReadingDirection({ xyxy, length }: DetectionTable): ReadingDirection {
  let [width, height] = [0, 0];
  for (let at = 0; at < 4 * length; at += 4) {
    width += xyxy[at + 2]! - xyxy[at]!;
    height += xyxy[at + 3]! - xyxy[at + 1]!;
  }
  return length === 0 || width > height ? "left_to_right" : "vertical_top_to_bottom";
}

/** Lines by the top of the boxes, in steps of `tolerance` pixels. */
function stitchByTolerance(
  detections: DetectionTable,
  direction: ReadingDirection,
  tolerance: number,
  delimiter: string,
): string {
  const names = classNamesOf(detections);
  const lines = new Map<number, { text: string; start: number }[]>();
  const [start, edge] = isVertical(direction) ? [1, 0] : [0, 1];
  for (let row = 0; row < detections.length; row++) {
    const side = (at: number): number => roundHalfEven(detections.xyxy[4 * row + at]!);
    const line = roundHalfEven(side(edge) / tolerance) * tolerance;
    const entries = lines.get(line) ?? [];
    entries.push({ text: names[row]!, start: side(start) });
    lines.set(line, entries);
  }
  const order = [...lines.keys()].sort((a, b) => a - b);
  if (direction === "vertical_bottom_to_top") order.reverse();
  const sign = isBackwards(direction) ? -1 : 1;
  const texts = order.map((line) =>
    lines
      .get(line)!
      .sort((a, b) => sign * (a.start - b.start))
      .map(({ text }) => text),
  );
  // The break between lines is one more piece of text.
  return texts.flatMap((line, at) => (at === 0 ? line : [lineBreak(direction), ...line])).join(delimiter);
}

/** Lines by half the usual height; words where the gaps fall into two groups (Otsu). */
export function stitchByGaps(
  detections: DetectionTable,
  direction: ReadingDirection,
  multiplier: number,
  delimiter: string,
): string {
  const lines = adaptiveLines(glyphsOf(detections, direction), direction);
  const gaps = lines.map((line) => gapsOf(line, direction));
  const split = otsuSplit(gaps.flat());
  const threshold = split.threshold * multiplier;
  const texts = lines.map((line, at) => {
    if (!split.isBimodal) return line.map(({ text }) => text).join(delimiter);
    return wordsOf(line, gaps[at]!, threshold)
      .map((word) => word.map(({ text }) => text).join(delimiter))
      .join(delimiter === "" ? " " : delimiter);
  });
  return texts.join(lineBreak(direction));
}

/** Lines that follow each other from box to box: good for slanted text. */
export function stitchByFollowing(
  detections: DetectionTable,
  direction: ReadingDirection,
  tolerance: number,
  delimiter: string,
): string {
  const sign = isBackwards(direction) ? -1 : 1;
  let rest = glyphsOf(detections, direction).sort((a, b) => sign * (a.along - b.along));
  const follows = (parent: Glyph, child: Glyph): boolean =>
    Math.abs(parent.across - child.across) < Math.max(parent.thickness, child.thickness) / 2 + tolerance &&
    sign * (child.along - parent.along) >= 0;
  const lines: Glyph[][] = [];
  while (rest.length > 0) {
    const before = rest.length;
    for (const line of lines) {
      rest = rest.filter((glyph) => {
        const isNext = follows(line.at(-1)!, glyph);
        if (isNext) line.push(glyph);
        return !isNext;
      });
    }
    if (rest.length === before) lines.push([rest.shift()!]);
  }
  return sortLines(lines, direction)
    .map((line) => line.map(({ text }) => text).join(delimiter))
    .join(lineBreak(direction));
}

function glyphsOf(detections: DetectionTable, direction: ReadingDirection): Glyph[] {
  const names = classNamesOf(detections);
  return Array.from({ length: detections.length }, (_, row) => {
    const [left, top, right, bottom] = boxAt(detections.xyxy, row);
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const [width, height] = [right - left, bottom - top];
    const text = names[row]!;
    return isVertical(direction)
      ? { text, along: y, across: x, length: height, thickness: width }
      : { text, along: x, across: y, length: width, thickness: height };
  });
}

function adaptiveLines(glyphs: readonly Glyph[], direction: ReadingDirection): readonly Line[] {
  const tolerance = median(glyphs.map(({ thickness }) => thickness)) / 2;
  const lines: Glyph[][] = [];
  for (const glyph of glyphs.toSorted((a, b) => a.across - b.across)) {
    const line = lines.at(-1);
    if (line !== undefined && Math.abs(glyph.across - acrossOf(line)) <= tolerance) line.push(glyph);
    else lines.push([glyph]);
  }
  const sign = isBackwards(direction) ? -1 : 1;
  return sortLines(lines, direction).map((line) => line.toSorted((a, b) => sign * (a.along - b.along)));
}

/** Bottom-to-top text also starts with its last column. */
function sortLines(lines: readonly Line[], direction: ReadingDirection): readonly Line[] {
  const sign = direction === "vertical_bottom_to_top" ? -1 : 1;
  return lines.toSorted((a, b) => sign * (acrossOf(a) - acrossOf(b)));
}

function acrossOf(line: Line): number {
  return mean(line.map(({ across }) => across));
}

/** Space before each piece but the first, in lengths of a letter. */
function gapsOf(line: Line, direction: ReadingDirection): readonly number[] {
  const sign = isBackwards(direction) ? -1 : 1;
  return line.slice(1).map((glyph, at) => {
    const before = line[at]!;
    const scale = (before.length + glyph.length) / 2;
    return scale > 0 ? (sign * (glyph.along - before.along) - scale) / scale : 0;
  });
}

function wordsOf(line: Line, gaps: readonly number[], threshold: number): readonly Line[] {
  const words: Glyph[][] = [[line[0]!]];
  for (const [at, glyph] of line.slice(1).entries()) {
    if (gaps[at]! > threshold) words.push([glyph]);
    else words.at(-1)!.push(glyph);
  }
  return words;
}

/** The split of numbers into two groups whose means lie furthest apart; bimodal when that is a gap between words. */
function otsuSplit(gaps: readonly number[]): { readonly threshold: number; readonly isBimodal: boolean } {
  const best = { threshold: 0, variance: 0, below: 0, above: 0 };
  if (gaps.length < 2) return { threshold: 0, isBimodal: false };
  for (const threshold of binCentres(gaps, Math.min(50, gaps.length))) {
    const below = gaps.filter((gap) => gap <= threshold);
    const above = gaps.filter((gap) => gap > threshold);
    if (below.length === 0 || above.length === 0) continue;
    const variance = below.length * above.length * (mean(below) - mean(above)) ** 2;
    if (variance > best.variance) Object.assign(best, { threshold, variance, below: mean(below), above: mean(above) });
  }
  return { threshold: best.threshold, isBimodal: best.above > 0.3 && Math.abs(best.above - best.below) > 0.3 };
}

function binCentres(values: readonly number[], bins: number): readonly number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [from, to] = low === high ? [low - 0.5, high + 0.5] : [low, high];
  const edge = (at: number): number => from + ((to - from) * at) / bins;
  return Array.from({ length: bins }, (_, at) => (edge(at) + edge(at + 1)) / 2);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function isVertical(direction: ReadingDirection): boolean {
  return direction.startsWith("vertical");
}

function isBackwards(direction: ReadingDirection): boolean {
  return direction === "right_to_left" || direction === "vertical_bottom_to_top";
}

function lineBreak(direction: ReadingDirection): string {
  return isVertical(direction) ? " " : "\n";
}
