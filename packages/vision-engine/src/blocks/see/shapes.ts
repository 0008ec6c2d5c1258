// picture → outlines, known patterns, upright edges
import type { SKRSContext2D } from "@napi-rs/canvas";
import { inputError } from "../../errors.ts";
import {
  certainDetections,
  type DetectionTable,
  emptyDetections,
  selectRows,
  withColumns,
} from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { maskFromBits } from "../../frames/mask.ts";
import { type Contour, contoursOf } from "../../geometry/contours.ts";
import { boxNms } from "../../geometry/overlap.ts";
import { dominantColor as findDominantColor } from "../../pixels/dominant-color.ts";
import { dominantGradientAngle, shrinkTo } from "../../pixels/edges.ts";
import { matchTemplate } from "../../pixels/match-template.ts";
import { type BlockInputs, type BlockValue, block, imageOf, numberOf, textOf } from "../block.ts";
import { noteOrigin } from "../detection-origin.ts";
import { colorPlanesOf, greyOf, greyOfColor, pictureError, turned, withPlanes } from "./picture-filters.ts";

const COLOR = "rgb(255, 0, 255)";

export const contoursDetection = block({
  type: "roboflow_core/contours_detection@v1",
  description: "Finds and draws the outer outlines of all areas that are not black.",
  phrase: "outlines what is not black",
  run: (inputs) => {
    const image = imageOf(inputs, "image");
    const grey = greyOf(image);
    const contours = contoursOf(maskFromBits(grey.data, grey.width, grey.height));
    const thickness = numberOf(inputs, "line_thickness");
    return {
      image: withPlanes(image, [grey, grey, grey]).withDrawing((context) => draw(context, contours, thickness)),
      // Each point is wrapped once more, and the hierarchy names the next and the previous outline, as in OpenCV.
      contours: contours.map((contour) => contour.map((point) => [point])),
      hierarchy: contours.length === 0 ? null : [contours.map((_, at) => neighboursOf(at, contours.length))],
      number_contours: contours.length,
    };
  },
});

/** Next, previous, first child and parent; −1 for none. */
function neighboursOf(at: number, count: number): readonly number[] {
  return [at + 1 < count ? at + 1 : -1, at - 1, -1, -1];
}

/** A negative thickness fills. */
function draw(context: SKRSContext2D, contours: readonly Contour[], thickness: number): void {
  context.translate(0.5, 0.5);
  context.beginPath();
  for (const contour of contours) {
    for (const [x, y] of contour) context.lineTo(x, y);
    context.closePath();
    const [next] = contour;
    if (next !== undefined) context.moveTo(next[0], next[1]);
  }
  context.fillStyle = COLOR;
  context.strokeStyle = COLOR;
  context.lineWidth = Math.max(1, thickness);
  context.lineJoin = "round";
  context.lineCap = "round";
  if (thickness < 0) context.fill();
  context.stroke();
}

export const templateMatching = block({
  type: "roboflow_core/template_matching@v1",
  description: "Finds the places where a small picture occurs in a larger one.",
  phrase: "looks for the template",
  run: (inputs, { newId }) => {
    const image = imageOf(inputs, "image");
    const matches = findMatches(image, inputs);
    const ids = Array.from({ length: matches.length }, newId);
    const predictions = noteOrigin(withColumns(matches, { detection_id: ids }), image, "object-detection");
    return { predictions, number_of_matches: matches.length };
  },
});

function findMatches(image: ImageValue, inputs: BlockInputs): DetectionTable {
  const { width, height } = imageOf(inputs, "template");
  if (width > image.width || height > image.height) {
    throw pictureError(
      `The template (${width}×${height}) is larger than the picture (${image.width}×${image.height}).`,
    );
  }
  const found = matchTemplate(greyOfColor(image), greyOfColor(imageOf(inputs, "template")));
  const threshold = numberOf(inputs, "matching_threshold");
  const boxes: number[] = [];
  for (const [at, score] of found.scores.entries()) {
    if (score < threshold) continue;
    const x = at % found.width;
    const y = (at - x) / found.width;
    boxes.push(x, y, x + width, y + height);
  }
  if (boxes.length === 0) return emptyDetections();
  // A match counts as certain, however alike it is.
  const matches = certainDetections(boxes, "template_match");
  if (inputs.apply_nms === false) return matches;
  return selectRows(
    matches,
    boxNms({ xyxy: matches.xyxy, confidence: matches.confidence! }, numberOf(inputs, "nms_threshold")),
  );
}

export const autoRotateOnEdges = block({
  type: "roboflow_core/auto_rotate_on_edges@v1",
  description: "Turns a picture so that its straight edges stand upright or lie level.",
  phrase: "straightens the picture",
  run: (inputs) => {
    const image = imageOf(inputs, "image");
    const angle = angleOf(image, inputs);
    return angle === undefined ? { image, angle: 0 } : { image: turned(image, angle), angle };
  },
});

/** Degrees to turn by; absent when no edge stands out, or the turn is too small or too large to be meant. */
function angleOf(image: ImageValue, inputs: BlockInputs): number | undefined {
  const orientation = textOf(inputs, "target_orientation");
  if (!["vertical", "horizontal", "either"].includes(orientation)) {
    throw inputError(`target_orientation must be one of 'vertical', 'horizontal', 'either', got: '${orientation}'`);
  }
  const direction = dominantGradientAngle(shrinkTo(greyOf(image), numberOf(inputs, "internal_resolution")));
  if (direction === undefined) return undefined;
  const wanted = orientation === "horizontal" ? direction - 90 : direction;
  const angle = nearestTurn(wanted, orientation === "either" ? 90 : 180);
  const size = Math.abs(angle);
  const isMeant = size >= numberOf(inputs, "skip_below_degrees") && size <= numberOf(inputs, "max_correction_degrees");
  return isMeant ? angle : undefined;
}

/** The same turn within half a period to either side. */
function nearestTurn(angle: number, period: number): number {
  const turned = ((angle % period) + period) % period;
  return turned > period / 2 ? turned - period : turned;
}

export const dominantColor = block({
  type: "roboflow_core/dominant_color@v1",
  description: "Finds the commonest colour of a picture.",
  phrase: "finds the commonest colour",
  run: (inputs, { random }) => ({
    rgb_color: findDominantColor(colorPlanesOf(imageOf(inputs, "image")), {
      clusters: numberOf(inputs, "color_clusters"),
      maxIterations: numberOf(inputs, "max_iterations"),
      targetSize: numberOf(inputs, "target_size"),
      random,
    }),
  }),
});

/** 0 to 255 each. */
export type Rgb = readonly [red: number, green: number, blue: number];

export const pixelColorCount = block({
  type: "roboflow_core/pixel_color_count@v1",
  description: "Counts the pixels whose colour is about the given one.",
  phrase: (step) => `counts pixels of the colour ${String(step.properties.target_color)}`,
  run: (inputs) => {
    const color = parseRgb(inputs.target_color);
    const count = countPixels(imageOf(inputs, "image"), color, numberOf(inputs, "tolerance"));
    return { matching_pixels_count: count };
  },
});

/** Pixels of which no channel is farther than `tolerance` from the colour. Throws for a grey picture. */
export function countPixels({ rgba, channels }: ImageValue, [red, green, blue]: Rgb, tolerance: number): number {
  if (channels === 1) throw pictureError("Colours can only be counted in a coloured picture, not in a grey one.");
  let count = 0;
  for (let at = 0; at < rgba.length; at += 4) {
    const isNear =
      Math.abs(rgba[at]! - red) <= tolerance &&
      Math.abs(rgba[at + 1]! - green) <= tolerance &&
      Math.abs(rgba[at + 2]! - blue) <= tolerance;
    if (isNear) count += 1;
  }
  return count;
}

/** Reads `#rrggbb`, `#rgb`, `(r, g, b)` or a list of three numbers: red, green, blue. */
export function parseRgb(value: BlockValue | undefined): Rgb {
  if (typeof value === "string") return parseRgbText(value);
  if (Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === "number")) {
    return value as unknown as Rgb;
  }
  throw inputError(`Invalid color format: ${JSON.stringify(value)}. Write "#ff0000" or [255, 0, 0].`);
}

function parseRgbText(text: string): Rgb {
  if (text.startsWith("(") && text.endsWith(")")) {
    const parts = text.slice(1, -1).split(",");
    if (parts.length === 3 && parts.every((part) => /^\s*[+-]?\d+\s*$/.test(part))) {
      return [Number(parts[0]), Number(parts[1]), Number(parts[2])];
    }
    throw inputError(`Invalid tuple color format: ${text}. Write "(255, 0, 0)".`);
  }
  if (!text.startsWith("#") || ![4, 7].includes(text.length)) {
    throw inputError(`Invalid color format: ${text}. Write "#ff0000" or "(255, 0, 0)".`);
  }
  if (!/^#[0-9a-f]+$/i.test(text)) throw inputError(`Invalid hex color format: ${text}. Write "#ff0000".`);
  const digits = text.length === 4 ? [...text.slice(1)].map((digit) => digit + digit) : text.slice(1).match(/../g)!;
  return [Number.parseInt(digits[0]!, 16), Number.parseInt(digits[1]!, 16), Number.parseInt(digits[2]!, 16)];
}
