// masks and the picture they were made on → masks whose borders lie on edges of the picture
import { certainDetections, type DetectionTable, emptyDetections } from "../../frames/detections.ts";
import { emptyMask, type Mask, maskBounds, maskFromBits, maskToBits, uniteMasks } from "../../frames/mask.ts";
import { type Contour, contoursOf } from "../../geometry/contours.ts";
import { fillPolygon } from "../../geometry/fill-polygon.ts";
import { maskParts } from "../../geometry/mask-shapes.ts";
import { type Point, polygonArea, roundHalfEven } from "../../geometry/polygons.ts";
import { sobelGradients } from "../../pixels/edges.ts";
import { borderIndices, type Plane, toGrey } from "../../pixels/plane.ts";
import { ellipseElement, morph, rectangleElement, type StructuringElement } from "../../pixels/threshold.ts";
import { type BlockInputs, block, detectionsOf, imageOf, numberOf } from "../block.ts";

/** Points to either side from which the direction of the border is taken. */
const TANGENT_REACH = 5;

export const maskEdgeSnap = block({
  type: "roboflow_core/mask_edge_snap@v1",
  description: "Moves the borders of masks onto edges of the picture nearby.",
  phrase: "moves the borders of masks onto edges",
  run: (inputs, { newId }) => {
    const image = imageOf(inputs, "image");
    const segmentation = detectionsOf(inputs, "segmentation");
    const masks = segmentation.masks ?? [];
    const tolerance = Math.trunc(numberOf(inputs, "pixel_tolerance"));
    const map = findEdges(toGrey(image.rgba, image.width, image.height), masks, edgeOptionsOf(inputs));
    const refined =
      masks.length === 0 ? segmentation : segmentation.with({ masks: masks.map((mask) => snap(mask, map, tolerance)) });
    return { refined_segmentation: refined, edges: edgesAsDetection(map.edges, newId) };
  },
});

function edgesAsDetection(edges: Mask, newId: () => string): DetectionTable {
  const bounds = maskBounds(edges);
  if (bounds === undefined) return emptyDetections();
  const [left, top, right, bottom] = bounds;
  const found = certainDetections([left, top, right + 1, bottom + 1], "edges", { detection_id: [newId()] });
  return found.with({ masks: [edges] });
}

/** Moves every point of the outlines to the best edge along the perpendicular, if there is one. */
function snap(mask: Mask, { edges, strength }: EdgeMap, tolerance: number): Mask {
  const { width, height } = mask;
  const contours = contoursOf(mask);
  if (contours.length === 0) return mask;
  const bits = maskToBits(mask);
  const deep = morph({ width, height, data: bits }, "erode", disc(tolerance)).data;
  const isEdge = maskToBits(edges);
  const scoreAt = (x: number, y: number, away: number): number => {
    const at = y * width + x;
    const usable = x >= 0 && x < width && y >= 0 && y < height && isEdge[at] === 1 && deep[at] === 0;
    return usable ? strength[at]! * (1 - away / (tolerance + 1)) : 0;
  };
  const refined = new Uint8Array(width * height);
  for (const contour of contours) {
    const points = everyPixel(contour);
    fillPolygon(
      refined,
      { width, height },
      points.map((point, at) => bestPlace(point, normalAt(points, at), tolerance, scoreAt)),
    );
  }
  return maskFromBits(refined, width, height);
}

function bestPlace(
  point: Point,
  normal: Point | undefined,
  tolerance: number,
  scoreAt: (x: number, y: number, away: number) => number,
): Point {
  let [best, place] = [0, point];
  for (const side of normal === undefined ? [] : [1, -1]) {
    for (let away = 1; away <= tolerance; away++) {
      const x = roundHalfEven(point[0] + side * normal![0] * away);
      const y = roundHalfEven(point[1] + side * normal![1] * away);
      const score = scoreAt(x, y, away);
      if (score > best) [best, place] = [score, [x, y]];
    }
  }
  return place;
}

/** Across the border, one pixel long. */
function normalAt(points: readonly Point[], at: number): Point | undefined {
  const count = points.length;
  const before = points[(((at - TANGENT_REACH) % count) + count) % count]!;
  const after = points[(at + TANGENT_REACH) % count]!;
  const [dx, dy] = [after[0] - before[0], after[1] - before[1]];
  const length = Math.hypot(dx, dy);
  return length < 1e-6 ? undefined : [-dy / length, dx / length];
}

/** An outline with all its pixels, not the corners alone. */
function everyPixel(contour: Contour): readonly Point[] {
  return contour.flatMap(([x, y], at) => {
    const [toX, toY] = contour[(at + 1) % contour.length]!;
    const steps = Math.max(1, Math.abs(toX - x), Math.abs(toY - y));
    return Array.from(
      { length: steps },
      (_, step): Point => [x + Math.sign(toX - x) * step, y + Math.sign(toY - y) * step],
    );
  });
}

/** All pixels within a distance. */
function disc(radius: number): StructuringElement {
  const size = 2 * radius + 1;
  const rows = Array.from({ length: size }, (_, row) => {
    const reach = Math.floor(Math.sqrt(radius ** 2 - (row - radius) ** 2));
    return { from: radius - reach, to: radius + reach + 1 };
  });
  return { width: size, height: size, rows };
}

type EdgeOptions = ReturnType<typeof edgeOptionsOf>;

function edgeOptionsOf(inputs: BlockInputs) {
  return {
    /** Side of the square from which the local mean and deviation are taken. */
    window: Math.trunc(numberOf(inputs, "adaptive_window_size")),
    /** An edge must exceed the local mean by so many deviations. */
    sigma: numberOf(inputs, "sigma"),
    /** Gaps of about twice as many pixels are closed. */
    closing: Math.max(0, Math.trunc(numberOf(inputs, "dilation_iterations"))),
    /** Edges that enclose less are dropped. */
    minArea: Math.max(0, numberOf(inputs, "min_contour_area")),
    /** Edges count only this near to the border of a mask. */
    bandWidth: Math.trunc(numberOf(inputs, "boundary_band_width")),
  };
}

interface EdgeMap {
  readonly edges: Mask;
  /** Steepness at each pixel. */
  readonly strength: Float32Array;
}

/** Without masks edges count everywhere. */
function findEdges(grey: Plane, masks: readonly Mask[], options: EdgeOptions): EdgeMap {
  const { width, height } = grey;
  const { x, y } = sobelGradients(grey);
  const strength = x.map((across, at) => Math.hypot(across, y[at]!));
  let edges: Plane = { width, height, data: aboveLocal(strength, grey, options) };
  if (options.closing > 0) edges = thinned(morph(edges, "close", rectangleElement(2 * options.closing + 1)));
  const band = masks.length === 0 ? undefined : bandAround(masks, options.bandWidth);
  const near = edges.data.map((level, at) => (level > 0 && band?.[at] !== 0 ? 1 : 0));
  const parts = maskParts(maskFromBits(near, width, height), 8);
  const large = parts.filter((part) => Math.max(...contoursOf(part).map(polygonArea)) >= options.minArea);
  return { edges: uniteMasks([emptyMask(width, height), ...large]), strength };
}

/** 255 where the strength exceeds the local mean by `sigma` deviations. */
function aboveLocal(strength: Float32Array, { width, height }: Plane, { window, sigma }: EdgeOptions): Uint8Array {
  const side = Math.max(3, window % 2 === 0 ? window + 1 : window);
  const mean = boxMean(strength, width, height, side);
  const meanOfSquares = boxMean(
    strength.map((value) => value * value),
    width,
    height,
    side,
  );
  return Uint8Array.from(strength, (value, at) => {
    const deviation = Math.sqrt(Math.max(0, meanOfSquares[at]! - mean[at]! ** 2));
    return value > mean[at]! + sigma * deviation ? 255 : 0;
  });
}

function boxMean(values: Float32Array, width: number, height: number, side: number): Float64Array {
  const across = windowSums(values, { lines: height, length: width, lineStep: width, step: 1 }, side);
  const both = windowSums(across, { lines: width, length: height, lineStep: 1, step: width }, side);
  return both.map((sum) => sum / (side * side));
}

/** Lines of values within an array: rows or columns of a picture. */
interface Lines {
  readonly lines: number;
  readonly length: number;
  readonly lineStep: number;
  readonly step: number;
}

/** For each value the sum of those around it on its line. */
function windowSums(values: ArrayLike<number>, { lines, length, lineStep, step }: Lines, side: number): Float64Array {
  const reach = (side - 1) / 2;
  const places = borderIndices(length, reach, reach, "reflect");
  const sums = new Float64Array(values.length);
  for (let line = 0; line < lines; line++) {
    const start = line * lineStep;
    let sum = 0;
    for (const [at, place] of places.entries()) {
      sum += values[start + place * step]!;
      if (at >= side) sum -= values[start + places[at - side]! * step]!;
      if (at >= side - 1) sums[start + (at - side + 1) * step] = sum;
    }
  }
  return sums;
}

/** Pixels near the border of any mask, inside or outside. */
function bandAround(masks: readonly Mask[], bandWidth: number): Uint8Array {
  const element = ellipseElement(2 * Math.max(1, bandWidth) + 1);
  const band = new Uint8Array(masks[0]!.width * masks[0]!.height);
  for (const mask of masks) {
    const plane = { width: mask.width, height: mask.height, data: maskToBits(mask) };
    const [inner, outer] = [morph(plane, "erode", element), morph(plane, "dilate", element)];
    for (let at = 0; at < band.length; at++) if (outer.data[at] === 1 && inner.data[at] === 0) band[at] = 1;
  }
  return band;
}

/** Takes one layer of pixels off thick lines without breaking them (one round of Zhang and Suen 1984). */
function thinned({ width, height, data }: Plane): Plane {
  let bits = data.map((level) => (level > 0 ? 1 : 0));
  for (const half of [0, 1] as const) {
    const next = bits.slice();
    for (let y = 1; y < height - 1; y++) {
      for (let x = 1; x < width - 1; x++) {
        const at = y * width + x;
        if (bits[at] === 1 && isRemovable(bits, at, width, half)) next[at] = 0;
      }
    }
    bits = next;
  }
  return { width, height, data: bits.map((bit) => 255 * bit) };
}

function isRemovable(bits: Uint8Array, at: number, width: number, half: 0 | 1): boolean {
  // Clockwise from above.
  const around = [-width, 1 - width, 1, 1 + width, width, width - 1, -1, -1 - width].map((step) => bits[at + step]!);
  const count = around.reduce((sum, bit) => sum + bit, 0);
  const rises = around.filter((bit, place) => bit === 0 && around[(place + 1) % 8] === 1).length;
  if (count < 2 || count > 6 || rises !== 1) return false;
  const [above, , right, , below, , left] = around as [number, number, number, number, number, number, number];
  return half === 0
    ? above * right * below === 0 && right * below * left === 0
    : above * right * left === 0 && above * below * left === 0;
}
