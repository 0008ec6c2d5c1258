// detections → how large, how far apart, how much over each other

import { inputError } from "../../errors.ts";
import { classNamesOf, DetectionTable, withColumns } from "../../frames/detections.ts";
import type { PixelSize } from "../../frames/frame.ts";
import { maskArea } from "../../frames/mask.ts";
import { type BoxXyxy, boxArea, boxAt, boxCorners } from "../../geometry/boxes.ts";
import { contoursOf, longestContour } from "../../geometry/contours.ts";
import { minAreaRect } from "../../geometry/min-area-rect.ts";
import { boxOverlaps } from "../../geometry/overlap.ts";
import { isSimplePolygon, sharedArea } from "../../geometry/polygon-overlap.ts";
import { type Point, type Polygon, polygonArea, roundHalfEven, toRadians } from "../../geometry/polygons.ts";
import { type BlockInputs, type BlockValue, block, detectionsOf, imageOf, numberOf, textOf } from "../block.ts";

export const sizeMeasurement = block({
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
function referenceDimensions(value: BlockValue | undefined): PixelSize {
  const parts = typeof value === "string" ? value.split(",").map((part) => Number.parseFloat(part)) : value;
  const [width, height, ...others]: readonly unknown[] = Array.isArray(parts) ? parts : [];
  const isNumber = (part: unknown): part is number => typeof part === "number" && !Number.isNaN(part);
  if (isNumber(width) && isNumber(height) && others.length === 0) return { width, height };
  throw inputError(`"reference_dimensions" must be a width and a height: "2.5,4" or [2.5, 4].`);
}

/** The most confident reference, or the polygon that was given. */
function referenceSize({ reference_predictions: reference }: BlockInputs): PixelSize | undefined {
  if (reference instanceof DetectionTable) {
    const { confidence } = reference;
    if (confidence === undefined || confidence.length === 0) return undefined;
    return sizeInPixels(reference, confidence.indexOf(Math.max(...confidence)));
  }
  if (!Array.isArray(reference)) throw inputError(`"reference_predictions" must be detections or a polygon.`);
  return sizeOfOutline(reference as unknown as readonly Point[]);
}

function sizeInPixels({ masks, xyxy }: DetectionTable, row: number): PixelSize | undefined {
  if (masks === undefined) {
    const [left, top, right, bottom] = boxAt(xyxy, row);
    return { width: right - left, height: bottom - top };
  }
  const contours = contoursOf(masks[row]!);
  const areas = contours.map(polygonArea);
  return sizeOfOutline(contours[areas.indexOf(Math.max(...areas))] ?? []);
}

/** Sides of the tightest rectangle; the more level one is the width. */
function sizeOfOutline(outline: Polygon): PixelSize | undefined {
  if (outline.length < 3 || polygonArea(outline) <= 0) return undefined;
  const { width, height, angle } = minAreaRect(outline);
  return angle < 45 ? { width, height } : { width: height, height: width };
}

export const distanceMeasurement = block({
  type: "roboflow_core/distance_measurement@v1",
  description: "Measures the gap between two things along an axis, in pixels and centimetres.",
  phrase: ({ properties }) =>
    `measures from '${properties.object_1_class_name}' to '${properties.object_2_class_name}'`,
  run: (inputs) => {
    const detections = detectionsOf(inputs, "predictions");
    const [first, second] = measuredBoxes(
      detections,
      textOf(inputs, "object_1_class_name"),
      textOf(inputs, "object_2_class_name"),
    );
    const axis = inputs.reference_axis === "vertical" ? 1 : 0;
    const gap = gapBetween(first, second, axis);
    if (gap === 0) return { distance_cm: 0, distance_pixel: 0 };
    return { distance_cm: gap / pixelsPerCentimetre(inputs, detections), distance_pixel: gap };
  },
});

/** 0 where the boxes overlap, also along the axis alone. */
function gapBetween(first: BoxXyxy, second: BoxXyxy, axis: 0 | 1): number {
  const overlapOn = (side: 0 | 1): boolean => first[side] <= second[side + 2]! && second[side] <= first[side + 2]!;
  const passesBy = first[axis] < second[axis + 2]! && first[axis + 2]! > second[axis];
  if (passesBy || (overlapOn(0) && overlapOn(1))) return 0;
  return second[axis] > first[axis + 2]! ? second[axis] - first[axis + 2]! : Math.abs(first[axis] - second[axis + 2]!);
}

/** Whole pixels. Of several of one class the last before the other class was found. */
function measuredBoxes(detections: DetectionTable, firstName: string, secondName: string): readonly [BoxXyxy, BoxXyxy] {
  let [first, second]: (BoxXyxy | undefined)[] = [];
  for (const [row, name] of classNamesOf(detections).entries()) {
    if (name === firstName) first = roundedBox(detections, row);
    else if (name === secondName) second = roundedBox(detections, row);
    if (first !== undefined && second !== undefined) return [first, second];
  }
  throw inputError(`"${first === undefined ? firstName : secondName}" is not among the detections.`);
}

function pixelsPerCentimetre(inputs: BlockInputs, detections: DetectionTable): number {
  if (inputs.calibration_method !== "reference object") {
    const ratio = numberOf(inputs, "pixel_ratio");
    if (ratio > 0) return ratio;
    throw inputError(`"pixel_ratio" must be above 0: so many pixels are a centimetre.`);
  }
  const name = textOf(inputs, "reference_object_class_name");
  const row = classNamesOf(detections).indexOf(name);
  if (row < 0) throw inputError(`The reference object "${name}" is not among the detections.`);
  const [width, height] = [numberOf(inputs, "reference_width"), numberOf(inputs, "reference_height")];
  if (width <= 0 || height <= 0) throw inputError("The reference object must be wider and higher than 0.");
  const [left, top, right, bottom] = roundedBox(detections, row);
  return ((right - left) / width + (bottom - top) / height) / 2;
}

function roundedBox({ xyxy }: DetectionTable, row: number): BoxXyxy {
  return boxAt(xyxy.map(roundHalfEven), row);
}

export const maskAreaMeasurement = block({
  type: "roboflow_core/mask_area_measurement@v1",
  description: "Measures the area of each detection in pixels and in square units.",
  phrase: "measures areas",
  run: (inputs) => {
    const detections = detectionsOf(inputs, "predictions");
    const pixelsPerUnit = numberOf(inputs, "pixels_per_unit");
    const scale = pixelsPerUnit > 0 ? pixelsPerUnit ** 2 : 1;
    const areas = measureAreas(detections);
    return {
      predictions: withColumns(detections, { area_px: areas, area_converted: areas.map((area) => area / scale) }),
    };
  },
});

/** Set pixels of the mask; the area of the box where there are none. */
export function measureAreas({ xyxy, masks, length }: DetectionTable): readonly number[] {
  return Array.from({ length }, (_, row) => {
    const pixels = masks === undefined ? 0 : maskArea(masks[row]!);
    return pixels > 0 ? pixels : boxArea(xyxy, row);
  });
}

export const overlapAnalysis = block({
  type: "roboflow_core/overlap_analysis@v1",
  description: "Tells for each pair of two sets of detections which share of the first is covered by the second.",
  phrase: "measures overlaps",
  run: (inputs) => {
    const reference = detectionsOf(inputs, "reference_predictions");
    const candidate = detectionsOf(inputs, "candidate_predictions");
    const least = numberOf(inputs, "min_overlap");
    const { values, columns } = boxOverlaps(reference.xyxy, candidate.xyxy);
    const overlaps: BlockValue[] = [];
    for (const [at, value] of values.entries()) {
      if (value <= 0) continue;
      const [row, column] = [Math.floor(at / columns), at % columns];
      const outline = outlineOf(reference, row);
      const area = polygonArea(outline);
      if (area <= 0) continue;
      const ratio = sharedArea(outline, outlineOf(candidate, column)) / area;
      if (ratio < least) continue;
      overlaps.push({
        ...describe("reference", reference, row),
        ...describe("candidate", candidate, column),
        overlap_ratio: ratio,
      });
    }
    return { overlaps };
  },
});

/** Outline of the mask, of the box where there is none that does not cross itself. */
function outlineOf({ masks, xyxy }: DetectionTable, row: number): Polygon {
  const mask = masks?.[row];
  const contour = mask && longestContour(contoursOf(mask));
  if (contour !== undefined && contour.length >= 3 && isSimplePolygon(contour)) return contour;
  return boxCorners(boxAt(xyxy, row));
}

function describe(
  role: string,
  { data, confidence }: DetectionTable,
  row: number,
): Readonly<Record<string, BlockValue>> {
  const id = data.detection_id === undefined ? {} : { [`${role}_detection_id`]: data.detection_id[row] ?? null };
  return {
    [`${role}_class`]: data.class_name?.[row] ?? null,
    [`${role}_confidence`]: confidence?.[row] ?? null,
    ...id,
  };
}

const METRES_PER_DEGREE_OF_LATITUDE = 111_320;

export const geotagDetection = block({
  type: "roboflow_core/geotag_detection@v1",
  description: "Gives each detection of a camera that looks straight down its latitude and longitude, also as GeoJSON.",
  phrase: "tells where on earth they are",
  run: (inputs) => {
    const { records, features } = geotag(detectionsOf(inputs, "predictions"), cameraOf(inputs));
    return { geo_detections: records, geojson: { type: "FeatureCollection", features } };
  },
});

type DownwardCamera = ReturnType<typeof cameraOf>;

/** Where a camera hangs and what it sees. */
function cameraOf(inputs: BlockInputs) {
  const { width, height } = imageOf(inputs, "image");
  return {
    imageWidth: width,
    imageHeight: height,
    latitude: numberOf(inputs, "latitude"),
    longitude: numberOf(inputs, "longitude"),
    /** Metres above the ground. */
    altitude: numberOf(inputs, "altitude"),
    /** Horizontal field of view in degrees. */
    fieldOfView: numberOf(inputs, "horizontal_fov"),
    /** Where the top of the picture points, degrees clockwise from north. */
    heading: numberOf(inputs, "heading"),
  };
}

export function geotag({ xyxy, confidence, data, length }: DetectionTable, camera: DownwardCamera) {
  const records = Array.from({ length }, (_, row) => {
    const [left, top, right, bottom] = boxAt(xyxy, row);
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const place = pixelToPlace(x, y, camera);
    return {
      class: String(data.class_name?.[row] ?? "unknown"),
      confidence: rounded(confidence?.[row] ?? 0, 4),
      lat: rounded(place.latitude, 7),
      lon: rounded(place.longitude, 7),
      pixel_x: rounded(x, 1),
      pixel_y: rounded(y, 1),
      width: rounded(right - left, 1),
      height: rounded(bottom - top, 1),
    };
  });
  const features = records.map((record) => ({
    type: "Feature",
    geometry: { type: "Point", coordinates: [record.lon, record.lat] },
    properties: { class: record.class, confidence: record.confidence },
  }));
  return { records, features };
}

/** Flat ground, no lens distortion. On the ground itself every pixel is where the camera is. */
export function pixelToPlace(x: number, y: number, camera: DownwardCamera) {
  const { latitude, longitude, altitude, imageWidth, imageHeight } = camera;
  if (altitude <= 0) return { latitude, longitude };
  const metresPerPixel = (2 * altitude * Math.tan(toRadians(camera.fieldOfView) / 2)) / imageWidth;
  const right = (x - imageWidth / 2) * metresPerPixel;
  const up = (imageHeight / 2 - y) * metresPerPixel;
  const heading = toRadians(camera.heading);
  const east = right * Math.cos(heading) + up * Math.sin(heading);
  const north = up * Math.cos(heading) - right * Math.sin(heading);
  return {
    latitude: latitude + north / METRES_PER_DEGREE_OF_LATITUDE,
    longitude: longitude + east / (METRES_PER_DEGREE_OF_LATITUDE * Math.cos(toRadians(latitude))),
  };
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
