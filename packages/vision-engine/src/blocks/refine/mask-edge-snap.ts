// masks and the picture they were made on → masks whose borders lie on edges of the picture
import { Detections, emptyDetections } from "../../frames/detections.ts";
import { type Mask, maskBounds, maskFromBits, maskToBits } from "../../frames/mask.ts";
import { type Contour, contoursOf } from "../../geometry/contours.ts";
import { fillPolygon } from "../../geometry/fill-polygon.ts";
import { type Point, roundHalfEven } from "../../geometry/points.ts";
import { morph, type StructuringElement } from "../../pixels/morphology.ts";
import { toGrey } from "../../pixels/plane.ts";
import { detectionsOf, imageOf, numberOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";
import { type EdgeMap, findEdges } from "./edge-map.ts";

/** Points to either side from which the direction of the border is taken. */
const TANGENT_REACH = 5;

export const maskEdgeSnap = statelessBlock({
  type: "roboflow_core/mask_edge_snap@v1",
  description: "Moves the borders of masks onto edges of the picture nearby.",
  phrase: "moves the borders of masks onto edges",
  run: (inputs, { newId }) => {
    const image = imageOf(inputs, "image");
    const segmentation = detectionsOf(inputs, "segmentation");
    const masks = segmentation.masks ?? [];
    const tolerance = Math.trunc(numberOf(inputs, "pixel_tolerance"));
    const map = findEdges(toGrey(image.rgba, image.width, image.height), masks, {
      window: Math.trunc(numberOf(inputs, "adaptive_window_size")),
      sigma: numberOf(inputs, "sigma"),
      closing: Math.max(0, Math.trunc(numberOf(inputs, "dilation_iterations"))),
      minArea: Math.max(0, numberOf(inputs, "min_contour_area")),
      bandWidth: Math.trunc(numberOf(inputs, "boundary_band_width")),
    });
    const refined =
      masks.length === 0 ? segmentation : segmentation.with({ masks: masks.map((mask) => snap(mask, map, tolerance)) });
    return { refined_segmentation: refined, edges: edgesAsDetection(map.edges, newId) };
  },
});

function edgesAsDetection(edges: Mask, newId: () => string): Detections {
  const bounds = maskBounds(edges);
  if (bounds === undefined) return emptyDetections();
  const [left, top, right, bottom] = bounds;
  return new Detections({
    xyxy: Float64Array.of(left, top, right + 1, bottom + 1),
    confidence: Float64Array.of(1),
    classId: Int32Array.of(0),
    masks: [edges],
    data: { class_name: ["edges"], detection_id: [newId()] },
  });
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
