// frames of one camera → what moves in them
import { inputError } from "../../errors.ts";
import { certainDetections, type DetectionTable, emptyDetections } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { maskFromBits, maskToBits } from "../../frames/mask.ts";
import { contoursOf } from "../../geometry/contours.ts";
import { polygonToMask } from "../../geometry/fill-polygon.ts";
import {
  type Polygon,
  polygonArea,
  polygonBounds,
  polygonPerimeter,
  rotated,
  simplifyPolygon,
} from "../../geometry/polygons.ts";
import { type BackgroundSubtractor, createBackgroundSubtractor } from "../../pixels/background-subtractor.ts";
import type { Plane } from "../../pixels/plane.ts";
import { ellipseElement, morph } from "../../pixels/threshold.ts";
import { type BlockInputs, type BlockValue, block, imageOf, numberOf } from "../block.ts";
import { planesOf, withPlanes } from "./picture-filters.ts";

/** Outlines are simplified by this share of their length. */
const SIMPLIFICATION = 0.01;

export const backgroundSubtraction = block({
  type: "roboflow_core/background_subtraction@v1",
  description: "Shows in white what differs from the learned background, and shadows in grey.",
  phrase: "subtracts the background",
  start: () => {
    const foregroundOf = createForeground();
    return (inputs) => {
      const image = imageOf(inputs, "image");
      const mask = foregroundOf(image, inputs);
      return { image: withPlanes(image, [mask, mask, mask]) };
    };
  },
});

export const motionDetection = block({
  type: "roboflow_core/motion_detection@v1",
  description: "Tells whether and where something moves, and when it begins, from the learned background.",
  phrase: "watches for motion",
  start: () => {
    const foregroundOf = createForeground();
    let suppressed = 0;
    let wasMoving = false;
    return (inputs) => {
      const image = imageOf(inputs, "image");
      const zone = parseZone(inputs.detection_zone);
      const mask = foregroundOf(image, inputs);
      if (inputs.suppress_first_detections === true && suppressed < numberOf(inputs, "history")) {
        suppressed += 1;
        return { motion: false, alarm: false, detections: emptyDetections(), motion_zones: [] };
      }
      const outlines = movingOutlines(mask, zone, inputs);
      const zones = outlines.map(simplified).filter((outline) => outline.length >= 3);
      const motion = outlines.length > 0;
      const alarm = motion && !wasMoving;
      wasMoving = motion;
      return { motion, alarm, detections: toDetections(zones), motion_zones: zones };
    };
  },
});

/** One background for all frames of the block, with the settings of the first. */
function createForeground(): (image: ImageValue, inputs: BlockInputs) => Plane {
  let subtractor: BackgroundSubtractor | undefined;
  return (image, inputs) => {
    subtractor ??= createBackgroundSubtractor({
      history: numberOf(inputs, "history"),
      varThreshold: numberOf(inputs, "threshold"),
    });
    return subtractor(planesOf(image));
  };
}

function parseZone(value: BlockValue | undefined): Polygon | undefined {
  if (value === null || value === undefined) return undefined;
  const zone = typeof value === "string" ? parseJson(value) : value;
  if (!Array.isArray(zone)) throw inputError(`"detection_zone" must be a list of points: [[x, y], …].`);
  return zone.length === 0 ? undefined : (zone as Polygon);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw inputError(`Could not parse detection zone as a valid json: ${(error as Error).message}`);
  }
}

/** Outlines of what moves and is large enough, cut to the zone. */
function movingOutlines(foreground: Plane, zone: Polygon | undefined, inputs: BlockInputs): readonly Polygon[] {
  const opened = morph(foreground, "open", ellipseElement(numberOf(inputs, "morphological_kernel_size")));
  const leastArea = numberOf(inputs, "minimum_contour_area");
  const outlines = contoursOf(maskFromBits(opened.data, opened.width, opened.height)).filter(
    (outline) => outline.length > 2 && polygonArea(outline) > leastArea,
  );
  if (zone === undefined) return outlines;
  const inside = maskToBits(polygonToMask(zone, foreground.width, foreground.height));
  return outlines.flatMap((outline) => cutToZone(outline, { ...foreground, data: inside }));
}

/** The parts of an outline that lie inside the zone, told from their second vertex on as the peer's geometry does. */
function cutToZone(outline: Polygon, { width, height, data }: Plane): readonly Polygon[] {
  const moving = maskToBits(polygonToMask(outline, width, height));
  if (moving.every((bit, at) => bit <= data[at]!)) return [rotated(outline, 1)];
  for (let at = 0; at < moving.length; at++) moving[at]! &= data[at]!;
  const parts = contoursOf(maskFromBits(moving, width, height));
  return parts.filter((part) => part.length > 2 && polygonArea(part) > 0).map((part) => rotated(part, 1));
}

function simplified(outline: Polygon): Polygon {
  return simplifyPolygon(outline, SIMPLIFICATION * polygonPerimeter(outline));
}

function toDetections(zones: readonly Polygon[]): DetectionTable {
  if (zones.length === 0) return emptyDetections();
  const boxes = zones.flatMap((zone) => {
    const [left, top, right, bottom] = polygonBounds(zone);
    return [left, top, right + 1, bottom + 1];
  });
  return certainDetections(boxes, "motion");
}
