// things and a thing of known size → how large they are
import { inputError } from "../../errors.ts";
import { Detections } from "../../frames/detections.ts";
import { contoursOf } from "../../geometry/contours.ts";
import { minAreaRect } from "../../geometry/min-area-rect.ts";
import type { Point, Polygon } from "../../geometry/points.ts";
import { polygonArea } from "../../geometry/polygons.ts";
import type { BlockInputs, BlockValue } from "../block.ts";
import { detectionsOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

export const sizeMeasurement = statelessBlock({
  type: "roboflow_core/size_measurement@v1",
  description: "Measures things against a reference thing of known width and height.",
  phrase: "measures sizes",
  run: (inputs) => {
    const actual = referenceDimensions(inputs.reference_dimensions);
    const reference = referenceSize(inputs);
    if (reference === undefined || reference.width === 0 || reference.height === 0) return { dimensions: null };
    const [scaleX, scaleY] = [actual.width / reference.width, actual.height / reference.height];
    const objects = detectionsOf(inputs, "object_predictions");
    const dimensions = Array.from({ length: objects.length }, (_, row) => {
      const size = sizeInPixels(objects, row);
      if (size === undefined || size.width <= 0 || size.height <= 0) return null;
      const [width, height] = [size.width * scaleX, size.height * scaleY];
      return { width, height, longer: Math.max(width, height), shorter: Math.min(width, height) };
    });
    return { dimensions };
  },
});

/** "w,h" or two numbers. */
function referenceDimensions(value: BlockValue | undefined): Size {
  const parts = typeof value === "string" ? value.split(",").map((part) => Number.parseFloat(part)) : value;
  if (
    Array.isArray(parts) &&
    parts.length === 2 &&
    parts.every((part) => typeof part === "number" && !Number.isNaN(part))
  ) {
    return { width: parts[0] as number, height: parts[1] as number };
  }
  throw inputError(`"reference_dimensions" must be a width and a height: "2.5,4" or [2.5, 4].`);
}

/** The most confident reference, or the polygon that was given. */
function referenceSize({ reference_predictions: reference }: BlockInputs): Size | undefined {
  if (reference instanceof Detections) {
    const { confidence } = reference;
    if (confidence === undefined || confidence.length === 0) return undefined;
    return sizeInPixels(reference, confidence.indexOf(Math.max(...confidence)));
  }
  if (!Array.isArray(reference)) throw inputError(`"reference_predictions" must be detections or a polygon.`);
  return sizeOfOutline(reference as unknown as readonly Point[]);
}

function sizeInPixels({ masks, xyxy }: Detections, row: number): Size | undefined {
  if (masks === undefined)
    return { width: xyxy[4 * row + 2]! - xyxy[4 * row]!, height: xyxy[4 * row + 3]! - xyxy[4 * row + 1]! };
  const contours = contoursOf(masks[row]!);
  const areas = contours.map(polygonArea);
  return sizeOfOutline(contours[areas.indexOf(Math.max(...areas))] ?? []);
}

/** Sides of the tightest rectangle; the more level one is the width. */
function sizeOfOutline(outline: Polygon): Size | undefined {
  if (outline.length < 3 || polygonArea(outline) <= 0) return undefined;
  const { width, height, angle } = minAreaRect(outline);
  return angle < 45 ? { width, height } : { width: height, height: width };
}
