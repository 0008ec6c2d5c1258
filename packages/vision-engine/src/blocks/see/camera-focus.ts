// picture → how sharp it is, and what helps to focus

import type { SKRSContext2D } from "@napi-rs/canvas";
import type { DetectionTable } from "../../frames/detections.ts";
import { registerFont } from "../../frames/font.ts";
import type { PixelSize, Rect } from "../../frames/frame.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { brennerSharpness, meanWithin, tenengrad } from "../../pixels/edges.ts";
import { histogramOf, type Plane, splitColors } from "../../pixels/plane.ts";
import { type BlockInputs, block, detectionsOf, imageOf, numberOf } from "../block.ts";
import { greyOf, withPlanes } from "./picture-filters.ts";

export const cameraFocusV1 = block({
  type: "roboflow_core/camera_focus@v1",
  description: "Measures how sharp a picture is (Brenner) and shows where.",
  phrase: "measures the focus",
  run: (inputs) => {
    const image = imageOf(inputs, "image");
    const { measure, map } = brennerSharpness(greyOf(image));
    const drawn = withPlanes(image, [map]).withDrawing((context) => {
      context.font = `30px "${registerFont("Vision Sans")}"`;
      context.fillStyle = "white";
      context.fillText(`Focus value: ${measure.toFixed(2)}`, 10, 30);
    });
    return { image: drawn.withChannels(1), focus_measure: measure };
  },
});

const GRIDS: Readonly<Record<string, number>> = { "2x2": 2, "3x3": 3, "4x4": 4, "5x5": 5 };

export const cameraFocusV2 = block({
  type: "roboflow_core/camera_focus@v2",
  description: "Measures how sharp a picture and its parts are (Tenengrad), with aids for adjusting a camera.",
  phrase: "measures the focus",
  run: (inputs) => {
    const image = imageOf(inputs, "image");
    const grey = greyOf(image);
    const steepness = tenengrad(grey);
    const measure = meanWithin(steepness, image, [0, 0, image.width, image.height]) ?? 0;
    const detections = (inputs.detections ?? null) === null ? undefined : detectionsOf(inputs, "detections");
    return {
      image: drawFocusAids(image, { grey, steepness, measure }, aidsOf(inputs)),
      focus_measure: measure,
      bbox_focus_measures: detections === undefined ? [] : boxMeasures(detections, steepness, image),
    };
  },
});

/** Null for a box that has no pixel in the picture. */
function boxMeasures(
  { xyxy, length }: DetectionTable,
  steepness: Float32Array,
  size: PixelSize,
): readonly (number | null)[] {
  return Array.from({ length }, (_, row) => {
    const [x1, y1, x2, y2] = xyxy.subarray(4 * row, 4 * row + 4).map(Math.trunc);
    return meanWithin(steepness, size, [x1!, y1!, x2!, y2!]) ?? null;
  });
}

type FocusAids = ReturnType<typeof aidsOf>;

function aidsOf(inputs: BlockInputs) {
  return {
    /** Levels below and above which a pixel is too dark or too light. */
    underexposed: Math.trunc((numberOf(inputs, "underexposed_threshold_percent") * 255) / 100),
    overexposed: Math.trunc((numberOf(inputs, "overexposed_threshold_percent") * 255) / 100),
    zebra: inputs.show_zebra_warnings === true,
    /** Fields across and down; 0 draws none. */
    grid: GRIDS[String(inputs.grid_overlay)] ?? 0,
    panel: inputs.show_hud === true,
    peaking: inputs.show_focus_peaking === true,
    center: inputs.show_center_marker === true,
  };
}

interface Focus {
  readonly grey: Plane;
  /** Squared gradient of each pixel. */
  readonly steepness: Float32Array;
  readonly measure: number;
}

type Color = readonly [red: number, green: number, blue: number];

const TOO_DARK: Color = [0, 0, 255];
const TOO_LIGHT: Color = [255, 0, 0];
const SHARP: Color = [0, 255, 0];
/** Share of the greatest steepness, in levels, from which a pixel counts as sharp. */
const SHARP_LEVEL = 76;
const STRIPE = 8;

/** Without any aid the picture itself. */
function drawFocusAids(image: ImageValue, focus: Focus, aids: FocusAids): ImageValue {
  const hasDrawing = aids.center || aids.grid > 0 || aids.panel;
  if (!aids.zebra && !aids.peaking && !hasDrawing) return image;
  const { width, height } = image;
  const rgba = image.rgba.slice();
  if (aids.zebra) paintZebra(rgba, focus.grey, aids);
  if (aids.peaking) paintPeaking(rgba, focus.steepness);
  const painted = image.withPixels({ width, height, rgba, channels: 3 });
  if (!hasDrawing) return painted;
  const histograms = aids.panel ? histogramsOf(image, focus.grey) : [];
  return painted.withDrawing((context) => {
    const scale = Math.max(0.4, Math.min(Math.min(width, height) / 720, 2.5));
    if (aids.center) drawCenter(context, image, scale);
    if (aids.grid > 0) drawGrid(context, image, aids.grid);
    if (aids.panel) drawPanel(context, focus.measure, histograms, scale);
  });
}

function paintZebra(rgba: Uint8ClampedArray, { width, data }: Plane, { underexposed, overexposed }: FocusAids): void {
  for (let at = 0; at < data.length; at++) {
    const x = at % width;
    const y = (at - x) / width;
    if (Math.floor((x + y) / STRIPE) % 2 !== 0) continue;
    if (data[at]! < underexposed) blend(rgba, at, TOO_DARK, 0.5);
    if (data[at]! > overexposed) blend(rgba, at, TOO_LIGHT, 0.5);
  }
}

function paintPeaking(rgba: Uint8ClampedArray, steepness: Float32Array): void {
  const greatest = steepness.reduce((most, value) => Math.max(most, value), 0);
  if (greatest === 0) return;
  for (let at = 0; at < steepness.length; at++) {
    if (Math.floor((steepness[at]! / greatest) * 255) > SHARP_LEVEL) blend(rgba, at, SHARP, 0.6);
  }
}

function blend(rgba: Uint8ClampedArray, pixel: number, color: Color, opacity: number): void {
  for (let channel = 0; channel < 3; channel++) {
    const at = 4 * pixel + channel;
    rgba[at] = Math.floor(rgba[at]! * (1 - opacity) + color[channel]! * opacity);
  }
}

function drawCenter(context: SKRSContext2D, { width, height }: ImageValue, scale: number): void {
  const [x, y] = [width >> 1, height >> 1];
  const reach = Math.trunc(20 * scale);
  const thickness = Math.max(1, Math.trunc(1.6 * scale));
  const start = thickness >> 1;
  context.fillStyle = "white";
  context.fillRect(x - reach, y - start, 2 * reach + 1, thickness);
  context.fillRect(x - start, y - reach, thickness, 2 * reach + 1);
}

function drawGrid(context: SKRSContext2D, { width, height }: ImageValue, fields: number): void {
  context.fillStyle = "rgb(128, 128, 128)";
  for (let line = 1; line < fields; line++) {
    context.fillRect(Math.floor((width * line) / fields), 0, 1, height);
    context.fillRect(0, Math.floor((height * line) / fields), width, 1);
  }
}

interface Histogram {
  readonly color: string;
  readonly counts: Float64Array;
}

/** Of each colour of a coloured picture, and of the brightness. */
function histogramsOf(image: ImageValue, grey: Plane): readonly Histogram[] {
  const brightness = { color: "white", counts: histogramOf([grey]) };
  if (image.channels === 1) return [brightness];
  const [red, green, blue] = splitColors(image.rgba, image.width, image.height);
  return [
    { color: "rgb(0, 0, 255)", counts: histogramOf([blue]) },
    { color: "rgb(0, 255, 0)", counts: histogramOf([green]) },
    { color: "rgb(255, 0, 0)", counts: histogramOf([red]) },
    brightness,
  ];
}

/** Heights of text of a stroke font: 21 units at scale 1, plus the stroke. */
function textHeight(scale: number, thickness: number): number {
  return Math.round(21 * scale + (thickness + 1) / 2);
}

function drawPanel(context: SKRSContext2D, measure: number, histograms: readonly Histogram[], scale: number): void {
  const px = (length: number): number => Math.trunc(length * scale);
  const thickness = Math.max(1, px(1.6));
  const [labelHeight, smallHeight] = [textHeight(0.5 * scale, thickness), textHeight(0.4 * scale, thickness)];
  const [padding, left, top, gap] = [px(14), px(12), px(12), px(12)];
  const value = measure.toFixed(1);
  setFont(context, 0.5 * scale);
  const textWidth = context.measureText("TFM Focus").width + context.measureText(value).width + px(20);
  const width = Math.ceil(Math.max(textWidth, px(180))) + 2 * padding;
  const height = labelHeight + gap + smallHeight + px(6) + px(50) + 2 * padding;
  context.fillStyle = "rgba(0, 0, 0, 0.7)";
  context.fillRect(left, top, width + 1, height + 1);
  context.strokeStyle = "rgb(80, 80, 80)";
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, top + 0.5, width, height);
  const labelBottom = top + padding + labelHeight;
  context.fillStyle = "white";
  context.fillText("TFM Focus", left + padding, labelBottom);
  context.fillText(value, left + width - padding - context.measureText(value).width, labelBottom);
  context.fillStyle = "rgb(60, 60, 60)";
  context.fillRect(left + padding, labelBottom + Math.trunc(gap / 2), width - 2 * padding, 1);
  const exposureBottom = labelBottom + gap + smallHeight;
  setFont(context, 0.4 * scale);
  context.fillStyle = "rgb(180, 180, 180)";
  context.fillText("Exposure", left + padding, exposureBottom);
  const box = { x: left + padding, y: exposureBottom + px(6), width: px(180), height: px(50) };
  context.lineWidth = thickness;
  drawHistograms(context, histograms, box);
}

function setFont(context: SKRSContext2D, scale: number): void {
  context.font = `${30 * scale}px "${registerFont("Vision Sans")}"`;
}

function drawHistograms(context: SKRSContext2D, histograms: readonly Histogram[], box: Rect): void {
  const bottom = box.y + box.height - 1;
  context.fillStyle = "black";
  context.fillRect(box.x, box.y, box.width + 1, box.height);
  for (const { color, counts } of histograms) {
    const most = Math.max(...counts);
    context.strokeStyle = color;
    context.beginPath();
    for (let level = 0; level < 256; level++) {
      const x = box.x + Math.trunc((level * (box.width - 1)) / 255);
      context.lineTo(x + 0.5, bottom - Math.trunc((counts[level]! / most) * box.height) + 0.5);
    }
    context.stroke();
  }
}
