// detections and picture of a plane seen at an angle → as seen from above

import { inputError } from "../../errors.ts";
import { type ColumnValue, DetectionTable } from "../../frames/detections.ts";
import type { PixelSize } from "../../frames/frame.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { uniteMasks } from "../../frames/mask.ts";
import { type BoxAnchor, boxAt, boxCorners, isAnchor } from "../../geometry/boxes.ts";
import { contoursOf } from "../../geometry/contours.ts";
import { polygonToMask } from "../../geometry/fill-polygon.ts";
import { applyHomography, type Homography, homographyBetween, invertHomography } from "../../geometry/homography.ts";
import { anchorPoints } from "../../geometry/overlap.ts";
import {
  containsPoint,
  distance,
  type Point,
  type Polygon,
  polygonArea,
  polygonBounds,
  rotated,
  roundHalfEven,
  turn,
} from "../../geometry/polygons.ts";
import {
  BlockBatch,
  type BlockInputs,
  type BlockOutputs,
  batchLength,
  block,
  elementInputs,
  imageOf,
  numberOr,
} from "../block.ts";

/** The view from above: where points go and how large the picture becomes. */
interface View extends PixelSize {
  readonly matrix: Homography;
}

export const perspectiveCorrection = block({
  type: "roboflow_core/perspective_correction@v1",
  takesBatches: true,
  description: "Turns detections, and the picture if asked, into the view from straight above a four-cornered area.",
  phrase: "looks at the area from above",
  start: () => {
    // Found at the first run and kept, for a camera stays where it is.
    let views: readonly View[] = [];
    return (inputs) => {
      const length = batchLength(inputs);
      const elements = Array.from({ length }, (_, at) => elementOf(inputs, at));
      const anchor = anchorOf(inputs);
      if (views.length === 0 || anchor !== undefined) views = viewsOf(inputs, elements, anchor);
      return elements.map((element, at) => correct(element, views[at]!, inputs.warp_image === true));
    };
  },
});

interface Element extends PixelSize {
  readonly image: ImageValue | undefined;
  readonly detections: DetectionTable | undefined;
}

function elementOf(inputs: BlockInputs, at: number): Element {
  const { images: image, predictions, ...own } = elementInputs(inputs, at);
  return {
    image: image instanceof ImageValue ? image : undefined,
    detections: predictions instanceof DetectionTable ? predictions : undefined,
    width: Number(own.transformed_rect_width ?? null),
    height: Number(own.transformed_rect_height ?? null),
  };
}

function anchorOf({
  extend_perspective_polygon_by_detections_anchor: name,
}: BlockInputs): BoxAnchor | "ALL" | undefined {
  if (name === null || name === undefined || name === "") return undefined;
  if (typeof name === "string" && (name === "ALL" || isAnchor(name))) return name;
  throw inputError(`"extend_perspective_polygon_by_detections_anchor" knows no ${JSON.stringify(name)}.`);
}

function viewsOf(
  inputs: BlockInputs,
  elements: readonly Element[],
  anchor: BoxAnchor | "ALL" | undefined,
): readonly View[] {
  const polygons = largestQuads(inputs.perspective_polygons);
  if (polygons.length !== 1 && polygons.length !== elements.length) {
    throw inputError(`There are ${elements.length} pictures but ${polygons.length} perspective polygons.`);
  }
  return elements.map((element, at) => viewOf(polygons.length === 1 ? polygons[0]! : polygons[at]!, element, anchor));
}

function viewOf(polygon: Polygon, { detections, width, height }: Element, anchor: BoxAnchor | "ALL" | undefined): View {
  let quad = toQuad(polygon);
  let [fullWidth, fullHeight] = [width, height];
  if (detections !== undefined && detections.length > 0 && anchor !== undefined) {
    const extended = extendQuad(quad, detections, anchor);
    quad = extended.quad;
    fullWidth += roundHalfEven((extended.extraWidth * width) / Math.max(extended.width, 1));
    fullHeight += roundHalfEven((extended.extraHeight * height) / Math.max(extended.height, 1));
  }
  const matrix = homographyBetween(quad, rotated(boxCorners([0, 0, fullWidth - 1, fullHeight - 1]), 3));
  return { matrix, width: fullWidth, height: fullHeight };
}

function correct({ image, detections }: Element, view: View, warp: boolean): BlockOutputs {
  const picture = image !== undefined && warp ? warpImage(image, view) : image;
  return {
    corrected_coordinates: detections === undefined ? null : correctDetections(detections, view),
    warped_image: picture ?? null,
    extended_transformed_rect_width: view.width,
    extended_transformed_rect_height: view.height,
  };
}

function warpImage(image: ImageValue, { matrix, width, height }: View): ImageValue {
  const back = invertHomography(matrix);
  return sampleImage(image, { width, height, placeOf: (x, y) => applyHomography(back, [x, y]) });
}

/** Boxes, masks and points of the view, in whole pixels. */
export function correctDetections(detections: DetectionTable, view: View): DetectionTable {
  if (detections.length === 0) return detections;
  const { masks, xyxy, length } = detections;
  const toView = (polygon: Polygon): Polygon => polygon.map((point) => applyHomography(view.matrix, point));
  const outlines = Array.from({ length }, (_, row) => {
    const contours =
      masks === undefined
        ? [whole(boxCorners(boxAt(xyxy, row)))]
        : contoursOf(masks[row]!).filter(({ length }) => length >= 3);
    return contours.map(toView);
  });
  const data: Record<string, readonly ColumnValue[]> = { ...detections.data };
  for (const name of ["keypoints_xy", "xyxyxyxy"]) {
    if (data[name] !== undefined) data[name] = data[name].map((points) => whole(toView(points as unknown as Polygon)));
  }
  return detections.with({
    xyxy: Float64Array.from(outlines.flatMap((polygons) => [...polygonBounds(polygons.flat())].map(roundHalfEven))),
    masks: masks && outlines.map((polygons) => maskOf(polygons, view)),
    data,
  });
}

function maskOf(polygons: readonly Polygon[], { width, height }: View) {
  const [first, ...others] = polygons.map((polygon) => polygonToMask(whole(polygon), width, height));
  return uniteMasks([first ?? polygonToMask([], width, height), ...others]);
}

function whole(polygon: Polygon): Polygon {
  return polygon.map(([x, y]): Point => [roundHalfEven(x), roundHalfEven(y)]);
}

/** Bottom left, top left, top right, bottom right. */
export type Quad = readonly [Point, Point, Point, Point];

/** One polygon for each picture: the only one, or the largest that has four corners. */
export function largestQuads(value: unknown): readonly Polygon[] {
  const given = value instanceof BlockBatch ? value.items : value;
  if (!Array.isArray(given) || given.length === 0) {
    throw inputError(`"perspective_polygons" must be a list of polygons with four corners.`);
  }
  const pictures = isQuad(given) ? [given] : (given as readonly unknown[]);
  return pictures.filter((polygons) => polygons !== null).map(largestQuad);
}

function largestQuad(polygons: unknown): Polygon {
  if (isQuad(polygons)) return polygons;
  const quads = Array.isArray(polygons) ? polygons.filter(isQuad) : [];
  if (quads.length === 0) throw inputError("No perspective polygon of a picture has four corners.");
  const rounded = quads.map(whole);
  const areas = rounded.map(polygonArea);
  return rounded[areas.indexOf(Math.max(...areas))]!;
}

function isQuad(value: unknown): value is Polygon {
  const isPoint = (point: unknown): boolean =>
    Array.isArray(point) && point.length === 2 && point.every((part) => typeof part === "number");
  return Array.isArray(value) && value.length === 4 && value.every(isPoint);
}

/** The corners around their middle, told from the bottom left on. */
export function toQuad(polygon: Polygon): Quad {
  const [left, top, right, bottom] = polygonBounds(polygon);
  const angle = ([x, y]: Point): number => Math.atan2((left + right) / 2 - x, (top + bottom) / 2 - y);
  return fromBottomLeft(polygon.toSorted((a, b) => angle(b) - angle(a)));
}

/** The way of telling a clockwise polygon that comes closest to the corners of the box around it. */
export function fromBottomLeft(polygon: Polygon): Quad {
  const [left, top, right, bottom] = polygonBounds(polygon);
  const corners = rotated(boxCorners([left, top, right, bottom]), 3);
  const away = (ring: Polygon): number => corners.reduce((sum, corner, at) => sum + distance(corner, ring[at]!), 0);
  let closest = polygon;
  for (let shift = 0; shift < 4; shift++) {
    const ring = rotated(polygon, (4 - shift) % 4);
    const [own, best] = [away(ring), away(closest)];
    if (own < best || (own === best && ring[0]![0] < closest[0]![0])) closest = ring;
  }
  return closest as unknown as Quad;
}

interface QuadSide {
  /** Indices of its ends. */
  readonly from: number;
  readonly to: number;
  /** The end whose way tells how much the side moved. */
  readonly measured: number;
  /** Of a whole box that must lie inside. */
  readonly anchors: readonly BoxAnchor[];
  /** Left or right: it moves sideways. */
  readonly isUpright: boolean;
}

/** In the order in which they move: left, right, bottom, top. */
const SIDES: readonly QuadSide[] = [
  { from: 0, to: 1, measured: 0, anchors: ["BOTTOM_LEFT", "TOP_LEFT"], isUpright: true },
  { from: 2, to: 3, measured: 3, anchors: ["BOTTOM_RIGHT", "TOP_RIGHT"], isUpright: true },
  { from: 3, to: 0, measured: 0, anchors: ["BOTTOM_RIGHT", "BOTTOM_LEFT"], isUpright: false },
  { from: 1, to: 2, measured: 1, anchors: ["TOP_RIGHT", "TOP_LEFT"], isUpright: false },
];

/**
 * Moves sides outwards, parallel to themselves, until the anchors lie inside. `ALL` takes in whole boxes. Lengths are in
 * pixels of the picture: those of the quad as it was, and by how much it grew.
 */
export function extendQuad(quad: Quad, detections: DetectionTable, anchor: BoxAnchor | "ALL") {
  const [bottomLeft, topLeft, topRight, bottomRight] = quad;
  const corners: Point[] = [...quad];
  let [extraWidth, extraHeight] = [0, 0];
  for (let row = 0; row < detections.length; row++) {
    for (const side of SIDES) {
      const names = anchor === "ALL" ? side.anchors : [anchor];
      const grown = names.reduce((sum, name) => sum + takeIn(corners, side, anchorPoints(detections, name)[row]!), 0);
      if (side.isUpright) extraWidth += grown;
      else extraHeight += grown;
    }
  }
  return {
    quad: corners as unknown as Quad,
    width: Math.max(distance(bottomLeft, bottomRight), distance(topLeft, topRight)),
    height: Math.max(distance(bottomLeft, topLeft), distance(bottomRight, topRight)),
    extraWidth,
    extraHeight,
  };
}

/** Moves one side so that it runs through a point beyond it; tells by how much its lower or left end moved. */
function takeIn(corners: Point[], { from, to, measured }: QuadSide, point: Point): number {
  if (containsPoint(corners, point) || turn(corners[from]!, corners[to]!, point) > 0) return 0;
  const before = corners[measured]!;
  [corners[from], corners[to]] = movedSide(corners, from, to, point);
  return distance(before, corners[measured]!);
}

/** The ends of a side that runs through the point, still on the lines of its neighbours. Whole pixels. */
function movedSide(corners: readonly Point[], from: number, to: number, point: Point): [Point, Point] {
  const [start, end] = [corners[from]!, corners[to]!];
  const direction: Point = [end[0] - start[0], end[1] - start[1]];
  return [
    crossing(start, corners[(from + 3) % 4]!, point, direction),
    crossing(end, corners[(to + 1) % 4]!, point, direction),
  ];
}

function crossing(corner: Point, neighbour: Point, point: Point, [dx, dy]: Point): Point {
  const [nx, ny] = [neighbour[0] - corner[0], neighbour[1] - corner[1]];
  const share = ((point[0] - corner[0]) * dy - (point[1] - corner[1]) * dx) / (nx * dy - ny * dx);
  if (!Number.isFinite(share)) throw inputError("Two sides of the perspective polygon are parallel to a third.");
  return [roundHalfEven(corner[0] + share * nx), roundHalfEven(corner[1] + share * ny)];
}

/** Focal lengths and optical centre in pixels. */
type Pinhole = Readonly<Record<"fx" | "fy" | "cx" | "cy", number>>;

/** Radial (k) and tangential (p) coefficients of the Brown-Conrady model. */
type Distortion = Readonly<Record<"k1" | "k2" | "k3" | "p1" | "p2", number>>;

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

export interface SampleOptions extends PixelSize {
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
