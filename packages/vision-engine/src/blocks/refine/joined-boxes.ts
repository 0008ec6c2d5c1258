// boxes → larger ones, turned ones, one for all, one for all slices
import { inputError } from "../../errors.ts";
import {
  columnOf,
  DetectionTable,
  emptyDetections,
  mergeDetections,
  repeated,
  withColumns,
} from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { contoursOf, longestContour } from "../../geometry/contours.ts";
import { polygonToMask } from "../../geometry/fill-polygon.ts";
import { minAreaRect, rectCorners } from "../../geometry/min-area-rect.ts";
import { mergeOverlapping, suppressHidden } from "../../geometry/overlap.ts";
import { moveDetections, noteForAll } from "../../geometry/placed-detections.ts";
import { type Point, polygonBounds } from "../../geometry/polygons.ts";
import { BlockBatch, type BlockInputs, block, detectionsOf, imageOf, numberOf, textOf } from "../block.ts";
import { originOf } from "../detection-origin.ts";

export const boundingRect = block({
  type: "roboflow_core/bounding_rect@v1",
  description: "Replaces each mask by the smallest rectangle around it, which need not be upright.",
  phrase: "draws tight rectangles around the masks",
  run: (inputs) => ({ detections_with_rect: withRects(detectionsOf(inputs, "predictions")) }),
});

function withRects(detections: DetectionTable): DetectionTable {
  const { masks, length } = detections;
  if (masks === undefined) throw inputError("There are no masks: a bounding rectangle needs a segmentation model.");
  if (length === 0) return detections;
  const rects = masks.map((mask) => minAreaRect(longestContour(contoursOf(mask)) ?? []));
  const corners = rects.map((rect) => rectCorners(rect).map(toWholePixel));
  const boxed = detections.with({
    xyxy: Float64Array.from(corners.flatMap((polygon) => [...polygonBounds(polygon)])),
    masks: masks.map((mask, row) => polygonToMask(corners[row]!, mask.width, mask.height)),
  });
  return withColumns(boxed, {
    rect: corners.map((polygon) => polygon.map((point) => point.map(toHalf))),
    width: rects.map(({ width }) => toHalf(width)),
    height: rects.map(({ height }) => toHalf(height)),
    angle: rects.map(({ angle }) => toHalf(angle)),
  });
}

/** Cut off, after rounding to 32 bits, so that 15.999999999 stays 16. */
function toWholePixel([x, y]: Point): Point {
  return [Math.trunc(Math.fround(x)), Math.trunc(Math.fround(y))];
}

/** Rounded to a number of 16 bits, as these columns hold them. */
function toHalf(value: number): number {
  const step = 2 ** (Math.floor(Math.log2(Math.abs(value) || 1)) - 10);
  return Math.round(value / step) * step;
}

export interface OffsetOptions {
  readonly width: number;
  readonly height: number;
  /** The offsets are percent of the box instead of pixels. */
  readonly percent: boolean;
  readonly newId: () => string;
}

export const detectionOffset = block({
  type: "roboflow_core/detection_offset@v1",
  description: "Makes boxes larger by pixels or percent, within the picture.",
  phrase: "widens the boxes",
  run: (inputs, { newId }) => ({
    predictions: offsetBoxes(detectionsOf(inputs, "predictions"), {
      width: numberOf(inputs, "offset_width"),
      height: numberOf(inputs, "offset_height"),
      percent: inputs.units === "Percent (%)",
      newId,
    }),
  }),
});

/** Half the offset on each side, cut at the picture. What was the id of a detection becomes the id of its parent. */
export function offsetBoxes(
  detections: DetectionTable,
  { width, height, percent, newId }: OffsetOptions,
): DetectionTable {
  const { xyxy, length } = detections;
  if (length === 0) return detections;
  const sizes = columnOf(detections, "image_dimensions") as readonly (readonly [number, number])[];
  const grown = xyxy.map((value, at) => {
    const [imageHeight, imageWidth] = sizes[Math.floor(at / 4)]!;
    const upright = at % 2 === 1;
    const side = Math.abs(xyxy[at % 4 < 2 ? at + 2 : at - 2]! - value);
    const offset = upright ? height : width;
    const margin = percent ? Math.trunc((side * offset) / 200) : Math.floor(offset / 2);
    if (at % 4 < 2) return Math.max(0, value - margin);
    return Math.min(upright ? imageHeight : imageWidth, value + margin);
  });
  return withColumns(detections.with({ xyxy: grown }), {
    parent_id: columnOf(detections, "detection_id"),
    detection_id: repeated("", length).map(newId),
  });
}

export const detectionsMerge = block({
  type: "roboflow_core/detections_merge@v1",
  description: "Makes one detection around all of them, as confident as the least confident.",
  phrase: (step) => `makes them one '${step.properties.class_name ?? "merged_detection"}'`,
  run: (inputs, { newId }) => {
    const detections = detectionsOf(inputs, "predictions");
    if (detections.length === 0) return { predictions: emptyDetections() };
    return {
      predictions: new DetectionTable({
        xyxy: boxAround(detections),
        confidence: Float64Array.of(detections.confidence?.reduce((least, value) => Math.min(least, value)) ?? 0),
        classId: Int32Array.of(0),
        data: { class_name: [textOf(inputs, "class_name")], detection_id: [newId()] },
        metadata: detections.metadata,
      }),
    };
  },
});

export const detectionsCombine = block({
  type: "roboflow_core/detections_combine@v1",
  description: "Puts the detections of two steps into one list.",
  phrase: "puts both into one list",
  run: (inputs) => {
    const list = [detectionsOf(inputs, "prediction_one"), detectionsOf(inputs, "prediction_two")];
    return { predictions: mergeDetections(list) };
  },
});

/** One row: the smallest box that holds all boxes. */
export function boxAround({ xyxy }: DetectionTable): Float64Array {
  const around = xyxy.slice(0, 4);
  for (let at = 4; at < xyxy.length; at++) {
    around[at % 4] = (at % 4 < 2 ? Math.min : Math.max)(around[at % 4]!, xyxy[at]!);
  }
  return around;
}

export const detectionsStitch = block({
  type: "roboflow_core/detections_stitch@v1",
  description: "Puts detections made on slices back onto the whole picture and drops or joins those seen twice.",
  phrase: "puts the slices together",
  run: (inputs) => {
    const image = imageOf(inputs, "reference_image");
    const slices = slicesOf(inputs).filter(({ length }) => length > 0);
    if (slices.length === 0) return { predictions: emptyDetections(originOf(image)) };
    const stitched = mergeDetections(slices.map((slice) => ontoWhole(slice, image)));
    const strategy = textOf(inputs, "overlap_filtering_strategy");
    return { predictions: withoutOverlaps(stitched, strategy, numberOf(inputs, "iou_threshold")) };
  },
});

function slicesOf({ predictions }: BlockInputs): readonly DetectionTable[] {
  const items = predictions instanceof BlockBatch ? predictions.items : predictions;
  if (Array.isArray(items)) return items.filter((item) => item instanceof DetectionTable);
  throw inputError(`"predictions" must be the detections of slices, one for each slice.`);
}

function withoutOverlaps(detections: DetectionTable, strategy: string, threshold: number): DetectionTable {
  switch (strategy) {
    case "none":
      return detections;
    case "nms":
      return suppressHidden(detections, { threshold });
    case "nmm":
      return mergeOverlapping(detections, { threshold });
    default:
      throw inputError(`"overlap_filtering_strategy" knows "none", "nms" and "nmm", not "${strategy}".`);
  }
}

/** Moves the detections of a slice to where the slice was cut. */
function ontoWhole(slice: DetectionTable, image: ImageValue): DetectionTable {
  const scale = slice.data.scaling_relative_to_parent?.[0] ?? 1;
  if (Math.abs(Number(scale) - 1) > 1e-4) {
    throw inputError("Scaled detections cannot be stitched: give the detections of slices of the picture itself.");
  }
  const [place] = slice.data.parent_coordinates ?? [];
  if (place === undefined) {
    throw inputError(`The detections of a slice do not tell where it was cut ("parent_coordinates").`, "RuntimeError");
  }
  const [x, y] = place as readonly [number, number];
  return noteForAll(moveDetections(slice, [x, y], image).with({ metadata: {} }), originOf(image));
}
