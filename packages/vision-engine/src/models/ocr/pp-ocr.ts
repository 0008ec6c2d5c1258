// picture → PP-OCR: where text stands, then what it says

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type PixelPicture, type PixelSize, pictureOf } from "../../frames/frame.ts";
import { type Mask, maskFromBits } from "../../frames/mask.ts";
import { contoursOf } from "../../geometry/contours.ts";
import { polygonToMask } from "../../geometry/fill-polygon.ts";
import { minAreaRect, type RotatedRect, rectCorners } from "../../geometry/min-area-rect.ts";
import { distance, type Point, type Polygon } from "../../geometry/polygons.ts";
import { bestOf, type Matrix } from "../heads/box-heads.ts";
import { gridsOf, matrixOf } from "../heads/graph-outputs.ts";
import { createInputWriter } from "../heads/network-input.ts";
import type { TextLine, TextReadingModel } from "../model.ts";
import type { ModelInput } from "../model-description.ts";
import type { InferenceRuntime, Tensor, TensorSession } from "../runtime/tensor-session.ts";

export interface PpOcrOptions {
  readonly id: string;
  /** Graph that says how likely each pixel is text. */
  readonly detection: TensorSession;
  /** Graph that reads one line. */
  readonly recognition: TensorSession;
  /** Text of the file with the characters, one a line. */
  readonly keys: string;
  readonly note?: string;
}

/** Lines below are noise. */
const LEAST_CONFIDENCE = 0.5;
/** Longest side that the first graph is given, and what its sides must be multiples of. */
const LONGEST_SIDE = 960;
const SIDE_STEP = 32;

const DETECTION_INPUT: ModelInput = {
  width: LONGEST_SIDE,
  height: LONGEST_SIDE,
  resize: "stretch",
  padding: 0,
  colors: "bgr",
  scale: 255,
  normalization: { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] },
  otherSizes: "any",
};

/** Reads lines of printed text, Latin and Chinese. Closing it closes both sessions. */
export function createPpOcr({ id, detection, recognition, keys, note }: PpOcrOptions): TextReadingModel {
  const characters = parseCharacters(keys);
  return {
    id,
    description: "PP-OCR: finds lines of text and reads them.",
    note,
    async read(frame) {
      const picture = pictureOf(frame);
      const lines: TextLine[] = [];
      for (const corners of inReadingOrder(await findLines(id, detection, picture))) {
        const tensors = await recognition.run({ [inputName(recognition)]: toLineInput(picture, corners) });
        const wanted = `[1, steps, ${characters.length + 1}]`;
        const matrix = matrixOf(
          { modelId: id, tensors },
          wanted,
          (_, { columns }) => columns === characters.length + 1,
        );
        const { text, confidence } = decodeText(matrix, characters);
        if (confidence >= LEAST_CONFIDENCE) lines.push({ text, confidence, corners });
      }
      return lines;
    },
    async close() {
      await Promise.all([detection.close(), recognition.close()]);
    },
  };
}

async function findLines(id: string, detection: TensorSession, picture: PixelPicture): Promise<readonly Corners[]> {
  const size = detectionSize(picture);
  const { tensor } = createInputWriter(DETECTION_INPUT)(picture, size);
  const tensors = await detection.run({ [inputName(detection)]: tensor });
  const { width, height, data } = gridsOf({ modelId: id, tensors }, "a map [1, 1, height, width]");
  const scaleX = picture.width / width;
  const scaleY = picture.height / height;
  const toPicture = ([x, y]: readonly [number, number]): readonly [number, number] => [
    Math.min(Math.max(Math.round(x * scaleX), 0), picture.width),
    Math.min(Math.max(Math.round(y * scaleY), 0), picture.height),
  ];
  return findTextBoxes({ width, height, data: data.subarray(0, width * height) })
    .map((corners) => corners.map(toPicture) as unknown as Corners)
    .filter(([a, b, , d]) => Math.hypot(b[0] - a[0], b[1] - a[1]) > 3 && Math.hypot(d[0] - a[0], d[1] - a[1]) > 3);
}

function detectionSize({ width, height }: PixelSize): PixelSize {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  const side = (length: number): number => Math.max(Math.round((length * scale) / SIDE_STEP), 1) * SIDE_STEP;
  return { width: side(width), height: side(height) };
}

function inputName(session: TensorSession): string {
  return session.inputs[0]?.name ?? "x";
}

export const TEXT_READER_ID = "vision-agent/ocr";

/** The folder holds `detection.onnx`, `recognition.onnx` and `characters.txt`. Throws `EngineError` kind `model`. */
export async function openPpOcr(folder: string, runtime: InferenceRuntime): Promise<TextReadingModel> {
  const keys = await readFile(join(folder, "characters.txt"), "utf8");
  const [detection, recognition] = await Promise.all(
    ["detection.onnx", "recognition.onnx"].map((file) => runtime.open(join(folder, file))),
  );
  return createPpOcr({ id: TEXT_READER_ID, detection: detection!, recognition: recognition!, keys });
}

/** How likely each pixel of a picture is text, 0 to 1, row by row. */
export interface TextMap extends PixelSize {
  readonly data: Float32Array;
}

/** Corners clockwise from the left top. */
export type Corners = readonly [Point, Point, Point, Point];

/** A pixel is text from here on; a box stays when its pixels are text on average so surely. */
const PIXEL_THRESHOLD = 0.3;
const BOX_THRESHOLD = 0.6;
/** The map shows lines thinner than they are: boxes grow by this share of their area over their outline. */
const GROWTH = 1.5;
/** Shortest side of a box in pixels, before and after it grew. */
const SHORTEST = 3;
const SHORTEST_GROWN = 5;

/** Boxes around lines of text in pixels of the map, as DB (differentiable binarisation) finds them. */
export function findTextBoxes(map: TextMap): readonly Corners[] {
  const bits = Uint8Array.from(map.data, (likely) => (likely > PIXEL_THRESHOLD ? 1 : 0));
  const boxes: Corners[] = [];
  for (const contour of contoursOf(maskFromBits(bits, map.width, map.height))) {
    const rect = minAreaRect(contour);
    if (Math.min(rect.width, rect.height) < SHORTEST) continue;
    if (meanInside(map, rectCorners(rect)) < BOX_THRESHOLD) continue;
    const grown = grow(rect);
    if (Math.min(grown.width, grown.height) < SHORTEST_GROWN) continue;
    boxes.push(fromLeftTop(rectCorners(grown)));
  }
  return boxes;
}

/** Lines from the top, and from the left where they stand side by side. */
export function inReadingOrder(boxes: readonly Corners[]): readonly Corners[] {
  const sorted = boxes.toSorted((a, b) => a[0][1] - b[0][1] || a[0][0] - b[0][0]);
  for (let at = 1; at < sorted.length; at++) {
    for (let back = at; back > 0; back--) {
      const [before, after] = [sorted[back - 1]!, sorted[back]!];
      if (Math.abs(after[0][1] - before[0][1]) >= SAME_LINE || after[0][0] >= before[0][0]) break;
      [sorted[back - 1], sorted[back]] = [after, before];
    }
  }
  return sorted;
}

/** Boxes whose tops differ by less, in pixels of the picture, stand side by side. */
const SAME_LINE = 10;

function grow(rect: RotatedRect): RotatedRect {
  const distance = (rect.width * rect.height * GROWTH) / (2 * (rect.width + rect.height));
  return { ...rect, width: rect.width + 2 * distance, height: rect.height + 2 * distance };
}

function meanInside({ width, height, data }: TextMap, polygon: Polygon): number {
  const { runs }: Mask = polygonToMask(
    polygon.map(([x, y]) => [Math.trunc(x), Math.trunc(y)] as const),
    width,
    height,
  );
  let sum = 0;
  let count = 0;
  for (let at = 0; at < runs.length; at += 2) {
    for (let pixel = runs[at]!; pixel < runs[at]! + runs[at + 1]!; pixel++) sum += data[pixel]!;
    count += runs[at + 1]!;
  }
  return count === 0 ? 0 : sum / count;
}

/** The two leftmost corners first, each pair from the top. */
function fromLeftTop(polygon: Polygon): Corners {
  const [a, b, c, d] = polygon.toSorted((one, other) => one[0] - other[0]) as [Point, Point, Point, Point];
  const [leftTop, leftBottom] = a[1] <= b[1] ? [a, b] : [b, a];
  const [rightTop, rightBottom] = c[1] <= d[1] ? [c, d] : [d, c];
  return [leftTop, rightTop, rightBottom, leftBottom];
}

const STRIP_HEIGHT = 48;
/** Shorter lines are padded. */
const LEAST_WIDTH = 320;
/** A longer strip would take the graph minutes. */
const MOST_WIDTH = 3200;
/** From this height over width on, a line is taken to run from top to bottom. */
const UPRIGHT = 1.5;

/** The strip with channels in the order blue, green, red; levels from -1 to 1; what pads it is 0. */
export function toLineInput(picture: PixelPicture, corners: Corners): Extract<Tensor, { type: "float32" }> {
  const [leftTop, rightTop, , leftBottom] = lying(corners);
  const ratio = distance(leftTop, rightTop) / Math.max(distance(leftTop, leftBottom), 1);
  const textWidth = Math.min(Math.max(Math.ceil(STRIP_HEIGHT * ratio), 1), MOST_WIDTH);
  const width = Math.max(textWidth, LEAST_WIDTH);
  const plane = width * STRIP_HEIGHT;
  const data = new Float32Array(3 * plane);
  // Where text is larger than the strip, each pixel is the mean of several places.
  const samples = Math.max(1, Math.round(distance(leftTop, leftBottom) / STRIP_HEIGHT));
  for (let y = 0; y < STRIP_HEIGHT; y++) {
    for (let x = 0; x < textWidth; x++) {
      for (let sample = 0; sample < samples * samples; sample++) {
        const across = (x + ((sample % samples) + 0.5) / samples) / textWidth;
        const down = (y + (Math.floor(sample / samples) + 0.5) / samples) / STRIP_HEIGHT;
        const sourceX = leftTop[0] + (rightTop[0] - leftTop[0]) * across + (leftBottom[0] - leftTop[0]) * down;
        const sourceY = leftTop[1] + (rightTop[1] - leftTop[1]) * across + (leftBottom[1] - leftTop[1]) * down;
        addPixel(picture, sourceX - 0.5, sourceY - 0.5, { data, plane, at: y * width + x });
      }
      for (let channel = 0; channel < 3; channel++) {
        const at = channel * plane + y * width + x;
        data[at] = data[at]! / (samples * samples) / 127.5 - 1;
      }
    }
  }
  return { type: "float32", dims: [1, 3, STRIP_HEIGHT, width], data };
}

/** Text that runs from top to bottom is turned to the left. */
function lying(corners: Corners): Corners {
  const [leftTop, rightTop, rightBottom, leftBottom] = corners;
  const upright = distance(leftTop, leftBottom) >= UPRIGHT * distance(leftTop, rightTop);
  return upright ? [rightTop, rightBottom, leftBottom, leftTop] : corners;
}

/** Adds the colour at a place between pixels; places outside take the nearest pixel. */
function addPixel(
  { rgba, width, height }: PixelPicture,
  x: number,
  y: number,
  to: { readonly data: Float32Array; readonly plane: number; readonly at: number },
): void {
  const left = Math.min(Math.max(Math.floor(x), 0), width - 1);
  const top = Math.min(Math.max(Math.floor(y), 0), height - 1);
  const right = Math.min(left + 1, width - 1);
  const bottom = Math.min(top + 1, height - 1);
  const shareX = Math.min(Math.max(x - left, 0), 1);
  const shareY = Math.min(Math.max(y - top, 0), 1);
  for (let channel = 0; channel < 3; channel++) {
    const level = (column: number, row: number): number => rgba[4 * (row * width + column) + 2 - channel]!;
    const above = level(left, top) * (1 - shareX) + level(right, top) * shareX;
    const below = level(left, bottom) * (1 - shareX) + level(right, bottom) * shareX;
    to.data[channel * to.plane + to.at]! += above * (1 - shareY) + below * shareY;
  }
}

/** A line as it was read. */
export interface TextReading {
  readonly text: string;
  /** Mean likelihood of its characters; 0 when there are none. */
  readonly confidence: number;
}

/**
 * The best character of each step (greedy CTC): column 0 stands for none, and the same character in neighbouring
 * steps counts once.
 */
export function decodeText({ data, rows, columns }: Matrix, characters: readonly string[]): TextReading {
  let text = "";
  let sum = 0;
  let count = 0;
  let before = 0;
  for (let step = 0; step < rows; step++) {
    const column = bestOf(data, step * columns, columns);
    if (column !== 0 && column !== before) {
      text += characters[column - 1] ?? "";
      sum += data[step * columns + column]!;
      count += 1;
    }
    before = column;
  }
  return { text, confidence: count === 0 ? 0 : sum / count };
}

/** Characters by column, from a file with one a line; the last column is the space. */
export function parseCharacters(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return [...lines, " "];
}
