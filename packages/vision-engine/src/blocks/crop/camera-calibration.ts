// picture through a lens → picture with straight lines
import { inputError } from "../../errors.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { type Point, polygonBounds } from "../../geometry/polygons.ts";
import { type BlockInputs, block, imageOf, numberOr } from "../block.ts";

/** Focal lengths and optical centre in pixels. */
interface Pinhole {
  readonly fx: number;
  readonly fy: number;
  readonly cx: number;
  readonly cy: number;
}

/** Radial (k) and tangential (p) coefficients of the Brown-Conrady model. */
interface Distortion {
  readonly k1: number;
  readonly k2: number;
  readonly k3: number;
  readonly p1: number;
  readonly p2: number;
}

/** Points by row and column from which the size of the straight picture is taken. */
const GRID = 9;
const ITERATIONS = 5;

export const cameraCalibration = block({
  type: "roboflow_core/camera-calibration@v1",
  description: "Takes out the distortion of a lens whose coefficients are known. Keeps the whole view.",
  phrase: "straightens the picture",
  run: (inputs) => {
    if (inputs.use_fisheye_model === true) {
      throw inputError(`"use_fisheye_model" is not available in the direct backend.`, "NotImplementedError");
    }
    const image = imageOf(inputs, "image");
    const { width, height } = image;
    const lens = numbersOf(inputs, ["fx", "fy", "cx", "cy"]);
    const distortion = numbersOf(inputs, ["k1", "k2", "k3", "p1", "p2"]);
    const straight = wholeView(lens, distortion, width, height);
    const placeOf = (x: number, y: number): Point => {
      const [bentX, bentY] = bend([(x - straight.cx) / straight.fx, (y - straight.cy) / straight.fy], distortion);
      return [bentX * lens.fx + lens.cx, bentY * lens.fy + lens.cy];
    };
    return { calibrated_image: sampleImage(image, { width, height, placeOf }) };
  },
});

function numbersOf<const Names extends readonly string[]>(
  inputs: BlockInputs,
  names: Names,
): Readonly<Record<Names[number], number>> {
  return Object.fromEntries(names.map((name) => [name, numberOr(inputs, name, 0)])) as Record<Names[number], number>;
}

/** The pinhole that shows every pixel of the bent picture. */
function wholeView(lens: Pinhole, distortion: Distortion, width: number, height: number): Pinhole {
  const points = Array.from({ length: GRID * GRID }, (_, at): Point => {
    const x = ((at % GRID) * (width - 1)) / (GRID - 1);
    const y = (Math.floor(at / GRID) * (height - 1)) / (GRID - 1);
    return straighten([(x - lens.cx) / lens.fx, (y - lens.cy) / lens.fy], distortion);
  });
  const [left, top, right, bottom] = polygonBounds(points);
  const [fx, fy] = [(width - 1) / (right - left), (height - 1) / (bottom - top)];
  return { fx, fy, cx: -fx * left, cy: -fy * top };
}

/** Where the lens puts a ray. */
function bend([x, y]: Point, distortion: Distortion): Point {
  const { radial, shiftX, shiftY } = effectAt([x, y], distortion);
  return [x * radial + shiftX, y * radial + shiftY];
}

/** The ray that the lens put there, found step by step. */
function straighten(bent: Point, distortion: Distortion): Point {
  let point = bent;
  for (let step = 0; step < ITERATIONS; step++) {
    const { radial, shiftX, shiftY } = effectAt(point, distortion);
    point = [(bent[0] - shiftX) / radial, (bent[1] - shiftY) / radial];
  }
  return point;
}

function effectAt([x, y]: Point, { k1, k2, k3, p1, p2 }: Distortion) {
  const r2 = x * x + y * y;
  return {
    radial: 1 + r2 * (k1 + r2 * (k2 + r2 * k3)),
    shiftX: 2 * p1 * x * y + p2 * (r2 + 2 * x * x),
    shiftY: p1 * (r2 + 2 * y * y) + 2 * p2 * x * y,
  };
}

export interface SampleOptions {
  readonly width: number;
  readonly height: number;
  /** Place in the old picture of a pixel of the new one. */
  readonly placeOf: (x: number, y: number) => readonly [x: number, y: number];
}

/** Blends the four pixels around each place; black where the old picture has none. */
export function sampleImage(image: ImageValue, { width, height, placeOf }: SampleOptions): ImageValue {
  const rgba = new Uint8ClampedArray(4 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [fromX, fromY] = placeOf(x, y);
      blend(image, fromX, fromY, rgba.subarray(4 * (y * width + x), 4 * (y * width + x) + 4));
    }
  }
  return image.withPixels({ width, height, rgba, channels: image.channels });
}

function blend({ rgba, width, height }: ImageValue, x: number, y: number, pixel: Uint8ClampedArray): void {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [right, lower] = [x - left, y - top];
  for (let channel = 0; channel < 3; channel++) {
    const level = (column: number, row: number): number =>
      column >= 0 && column < width && row >= 0 && row < height ? rgba[4 * (row * width + column) + channel]! : 0;
    const above = level(left, top) * (1 - right) + level(left + 1, top) * right;
    const below = level(left, top + 1) * (1 - right) + level(left + 1, top + 1) * right;
    pixel[channel] = above * (1 - lower) + below * lower;
  }
  pixel[3] = 255;
}
