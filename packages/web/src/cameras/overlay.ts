// boxes, trails, lines and zones → strokes on a canvas
import type { PipelineStatus } from "@vision-agent/protocol";
import { classColour, LABEL_INK } from "./class-colour.ts";
import { type DetectedBox, nameOf } from "./frame-reading.ts";
import type { Trail } from "./trails.ts";

export type DrawnShape = PipelineStatus["shapes"][number];

/** What of a canvas context is used, so that a test can stand in for it. */
export type OverlaySurface = Pick<
  CanvasRenderingContext2D,
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "closePath"
  | "stroke"
  | "strokeRect"
  | "fillRect"
  | "fillText"
  | "measureText"
  | "setLineDash"
  | "strokeStyle"
  | "fillStyle"
  | "lineWidth"
  | "globalAlpha"
  | "font"
  | "textBaseline"
>;

export interface OverlayScene {
  readonly boxes: readonly DetectedBox[];
  readonly trails: readonly Trail[];
  readonly shapes: readonly DrawnShape[];
  /** The box under the pointer. */
  readonly hovered?: DetectedBox | undefined;
}

export interface OverlayScale {
  /** Canvas pixels per frame pixel. */
  readonly x: number;
  readonly y: number;
  /** Canvas pixels per CSS pixel: how thick "one pixel" is. */
  readonly pixelRatio: number;
  /** Width of the canvas in its own pixels: labels stay inside. */
  readonly canvasWidth: number;
}

/** With more boxes than this, names would hide the picture. */
export const LABELLED_BOXES = 8;
const DARK_EDGE = "rgb(0 0 0 / 0.75)";
const SHAPE_COLOUR = "#f4f4f2";
const LABEL_HEIGHT = 16;
const LABEL_PADDING = 4;

export function drawOverlay(surface: OverlaySurface, scene: OverlayScene, scale: OverlayScale): void {
  for (const shape of scene.shapes) drawShape(surface, shape, scale);
  for (const trail of scene.trails) drawTrail(surface, trail, scale);
  for (const box of scene.boxes) drawBox(surface, box, scale);
  for (const box of labelledBoxes(scene)) drawLabel(surface, box, scale);
}

export function labelledBoxes({ boxes, hovered }: OverlayScene): readonly DetectedBox[] {
  if (boxes.length <= LABELLED_BOXES) return boxes;
  return hovered === undefined ? [] : [hovered];
}

function drawBox(surface: OverlaySurface, box: DetectedBox, scale: OverlayScale): void {
  const [left, top, right, bottom] = box.xyxy;
  const place = [left * scale.x, top * scale.y, (right - left) * scale.x, (bottom - top) * scale.y] as const;
  // Two pixels of colour inside one dark pixel on either side.
  surface.strokeStyle = DARK_EDGE;
  surface.lineWidth = 4 * scale.pixelRatio;
  surface.strokeRect(...place);
  surface.strokeStyle = classColour(box.class_name);
  surface.lineWidth = 2 * scale.pixelRatio;
  surface.strokeRect(...place);
}

function drawLabel(surface: OverlaySurface, box: DetectedBox, scale: OverlayScale): void {
  const ratio = scale.pixelRatio;
  const text = `${nameOf(box)} ${Math.round(box.confidence * 100)} %`;
  surface.font = `${12 * ratio}px system-ui, sans-serif`;
  surface.textBaseline = "middle";
  const height = LABEL_HEIGHT * ratio;
  const width = surface.measureText(text).width + 2 * LABEL_PADDING * ratio;
  const left = Math.max(0, Math.min(box.xyxy[0] * scale.x - ratio, scale.canvasWidth - width));
  // Above the box, or inside it at the upper edge of the picture.
  const top = Math.max(0, box.xyxy[1] * scale.y - height - ratio);
  surface.fillStyle = classColour(box.class_name);
  surface.fillRect(left, top, width, height);
  surface.fillStyle = LABEL_INK;
  surface.fillText(text, left + LABEL_PADDING * ratio, top + height / 2);
}

function drawTrail(surface: OverlaySurface, trail: Trail, scale: OverlayScale): void {
  if (trail.points.length < 2) return;
  surface.globalAlpha = 0.8;
  surface.strokeStyle = classColour(trail.className);
  surface.lineWidth = 2 * scale.pixelRatio;
  tracePath(surface, trail.points, scale);
  surface.stroke();
  surface.globalAlpha = 1;
}

function drawShape(surface: OverlaySurface, shape: DrawnShape, scale: OverlayScale): void {
  tracePath(surface, shape.points, scale);
  if (shape.kind === "zone") surface.closePath();
  surface.strokeStyle = DARK_EDGE;
  surface.lineWidth = 3 * scale.pixelRatio;
  surface.stroke();
  surface.setLineDash([6 * scale.pixelRatio, 4 * scale.pixelRatio]);
  surface.strokeStyle = SHAPE_COLOUR;
  surface.lineWidth = 1.5 * scale.pixelRatio;
  surface.stroke();
  surface.setLineDash([]);
}

function tracePath(
  surface: OverlaySurface,
  points: readonly (readonly [x: number, y: number])[],
  scale: OverlayScale,
): void {
  surface.beginPath();
  points.forEach(([x, y], index) => {
    if (index === 0) surface.moveTo(x * scale.x, y * scale.y);
    else surface.lineTo(x * scale.x, y * scale.y);
  });
}
