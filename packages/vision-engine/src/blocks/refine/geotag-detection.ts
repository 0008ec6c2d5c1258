// pixels under a camera that looks straight down → places on earth
import type { DetectionTable } from "../../frames/detections.ts";
import { boxAt } from "../../geometry/boxes.ts";
import { type BlockValue, block, detectionsOf, imageOf, numberOf } from "../block.ts";

const METRES_PER_DEGREE_OF_LATITUDE = 111_320;

/** Where a camera hangs and what it sees. */
export interface DownwardCamera {
  readonly imageWidth: number;
  readonly imageHeight: number;
  readonly latitude: number;
  readonly longitude: number;
  /** Metres above the ground. */
  readonly altitude: number;
  /** Horizontal field of view in degrees. */
  readonly fieldOfView: number;
  /** Where the top of the picture points, degrees clockwise from north. */
  readonly heading: number;
}

export const geotagDetection = block({
  type: "roboflow_core/geotag_detection@v1",
  description: "Gives each detection of a camera that looks straight down its latitude and longitude, also as GeoJSON.",
  phrase: "tells where on earth they are",
  run: (inputs) => {
    const { width, height } = imageOf(inputs, "image");
    const { records, features } = geotag(detectionsOf(inputs, "predictions"), {
      imageWidth: width,
      imageHeight: height,
      latitude: numberOf(inputs, "latitude"),
      longitude: numberOf(inputs, "longitude"),
      altitude: numberOf(inputs, "altitude"),
      fieldOfView: numberOf(inputs, "horizontal_fov"),
      heading: numberOf(inputs, "heading"),
    });
    return { geo_detections: records, geojson: { type: "FeatureCollection", features } };
  },
});

export function geotag(
  { xyxy, confidence, data, length }: DetectionTable,
  camera: DownwardCamera,
): { readonly records: readonly BlockValue[]; readonly features: readonly BlockValue[] } {
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
export function pixelToPlace(
  x: number,
  y: number,
  camera: DownwardCamera,
): { readonly latitude: number; readonly longitude: number } {
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

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
