import type { BlockValue } from "../../src/blocks/block.ts";
import { type CropPlace, cropAt, cropDetections, toPixels } from "../../src/blocks/crop/crops.ts";
import { simplifyTo } from "../../src/blocks/crop/dynamic-zone.ts";
import {
  correctDetections,
  extendQuad,
  fromBottomLeft,
  largestQuads,
  type Quad,
} from "../../src/blocks/crop/perspective-correction.ts";
import { parseRgb } from "../../src/blocks/see/shapes.ts";
import type { DetectionTable } from "../../src/frames/detections.ts";
import type { ImageValue } from "../../src/frames/image-value.ts";
import type { BoxAnchor } from "../../src/geometry/boxes.ts";
import { type Contour, longestContour } from "../../src/geometry/contours.ts";
import type { Homography } from "../../src/geometry/homography.ts";
import { fitSides, type Polygon } from "../../src/geometry/polygons.ts";
import { decodeValue } from "../decode-value.ts";
import type { Drivers, Recorded, RecordedObject } from "../vector-record.ts";

const decoded = (value: Recorded | undefined): Promise<unknown> => decodeValue(value ?? null);
const imageOf = async (value: Recorded | undefined): Promise<ImageValue> => (await decoded(value)) as ImageValue;
const detectionsOf = async (value: Recorded | undefined): Promise<DetectionTable> =>
  (await decoded(value)) as DetectionTable;
const ID = "00000000-0000-4000-8000-000000000000";

function placeOf({ x_center, y_center, width, height }: RecordedObject): CropPlace {
  return { x: x_center as number, y: y_center as number, width: width as number, height: height as number };
}

export const CROP_DRIVERS: Drivers = {
  "absolute_static_crop.take_static_crop": async (input) =>
    cropAt(await imageOf(input.image), placeOf(input), `absolute_static_crop.${ID}`) ?? null,
  "relative_static_crop.take_static_crop": async (input) => {
    const image = await imageOf(input.image);
    return cropAt(image, toPixels(placeOf(input), image), `relative_static_crop.${ID}`) ?? null;
  },
  "dynamic_crop.crop_image": async ({ image, detections, mask_opacity, background_color }) =>
    cropDetections(await imageOf(image), await detectionsOf(detections), {
      maskOpacity: mask_opacity as number,
      background: background_color as BlockValue,
    }),
  // Pictures of the peer hold blue first.
  "dynamic_crop.convert_color_to_bgr_tuple": ({ color }) => parseRgb(color as BlockValue).toReversed(),
  "perspective_correction.pick_largest_perspective_polygons": async ({ perspective_polygons_batch }) =>
    largestQuads(await decoded(perspective_polygons_batch)),
  "perspective_correction.roll_polygon_vertices_to_start_from_leftmost_bottom": async ({ polygon }) =>
    fromBottomLeft((await decoded(polygon)) as Polygon),
  "perspective_correction.extend_perspective_polygon": async ({ polygon, detections, bbox_position }) => {
    const quad = (await decoded(polygon)) as Quad;
    const extended = extendQuad(quad, await detectionsOf(detections), bbox_position as BoxAnchor | "ALL");
    return [extended.quad, extended.width, extended.height, extended.extraWidth, extended.extraHeight];
  },
  "perspective_correction.correct_detections": async (input) =>
    correctDetections(await detectionsOf(input.detections), {
      matrix: ((await decoded(input.perspective_transformer)) as number[][]).flat() as unknown as Homography,
      width: input.transformed_rect_width as number,
      height: input.transformed_rect_height as number,
    }),
  "dynamic_zones.calculate_simplified_polygon": async ({ contours, required_number_of_vertices, max_steps }) => {
    const contour = longestContour((await decoded(contours)) as Contour[]) ?? [];
    return [simplifyTo(contour, required_number_of_vertices as number, max_steps as number), contour];
  },
  "dynamic_zones.calculate_least_squares_polygon": async ({ contour, polygon, midpoint_fraction }) =>
    fitSides((await decoded(polygon)) as Polygon, (await decoded(contour)) as Contour, midpoint_fraction as number),
};
