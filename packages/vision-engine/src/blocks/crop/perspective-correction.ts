// detections and picture of a plane seen at an angle → as seen from above
import { inputError } from "../../errors.ts";
import { type ColumnValue, Detections } from "../../frames/detections.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { uniteMasks } from "../../frames/mask.ts";
import { type BoxAnchor, isAnchor } from "../../geometry/boxes.ts";
import { contoursOf } from "../../geometry/contours.ts";
import { polygonToMask } from "../../geometry/fill-polygon.ts";
import { applyHomography, type Homography, homographyBetween, invertHomography } from "../../geometry/homography.ts";
import { type Point, type Polygon, roundHalfEven } from "../../geometry/points.ts";
import { polygonBounds } from "../../geometry/polygons.ts";
import { Batch } from "../batch.ts";
import type { Block, BlockInputs, BlockOutputs, BlockValue } from "../block.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { batchLength } from "../per-element.ts";
import { extendQuad, largestQuads, toQuad } from "./perspective-quad.ts";
import { sampleImage } from "./sample-image.ts";

/** The view from above: where points go and how large the picture becomes. */
interface View {
  readonly matrix: Homography;
  readonly width: number;
  readonly height: number;
}

export const perspectiveCorrection: Block = {
  manifest: manifestOf("roboflow_core/perspective_correction@v1"),
  description: "Turns detections, and the picture if asked, into the view from straight above a four-cornered area.",
  phrase: () => "looks at the area from above",
  create: () => {
    // Found at the first run and kept, for a camera stays where it is.
    let views: readonly View[] = [];
    return {
      run(inputs) {
        const length = batchLength(inputs);
        const elements = Array.from({ length }, (_, at) => elementOf(inputs, at));
        const anchor = anchorOf(inputs);
        if (views.length === 0 || anchor !== undefined) views = viewsOf(inputs, elements, anchor);
        return elements.map((element, at) => correct(element, views[at]!, inputs.warp_image === true));
      },
    };
  },
};

interface Element {
  readonly image: ImageValue | undefined;
  readonly detections: Detections | undefined;
  readonly width: number;
  readonly height: number;
}

function elementOf(inputs: BlockInputs, at: number): Element {
  const pick = (name: string): BlockValue => {
    const value = inputs[name] ?? null;
    return value instanceof Batch ? (value.items[value.length === 1 ? 0 : at] ?? null) : value;
  };
  const [image, detections] = [pick("images"), pick("predictions")];
  return {
    image: image instanceof ImageValue ? image : undefined,
    detections: detections instanceof Detections ? detections : undefined,
    width: Number(pick("transformed_rect_width")),
    height: Number(pick("transformed_rect_height")),
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
  const matrix = homographyBetween(quad, [
    [0, fullHeight - 1],
    [0, 0],
    [fullWidth - 1, 0],
    [fullWidth - 1, fullHeight - 1],
  ]);
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
export function correctDetections(detections: Detections, view: View): Detections {
  if (detections.length === 0) return detections;
  const { masks, xyxy, length } = detections;
  const toView = (polygon: Polygon): Polygon => polygon.map((point) => applyHomography(view.matrix, point));
  const outlines = Array.from({ length }, (_, row) => {
    const contours =
      masks === undefined ? [boxCorners(xyxy, row)] : contoursOf(masks[row]!).filter(({ length }) => length >= 3);
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

function boxCorners(xyxy: Float64Array, row: number): Polygon {
  const [left, top, right, bottom] = Array.from(xyxy.subarray(4 * row, 4 * row + 4), roundHalfEven) as [
    number,
    number,
    number,
    number,
  ];
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

function whole(polygon: Polygon): Polygon {
  return polygon.map(([x, y]): Point => [roundHalfEven(x), roundHalfEven(y)]);
}
