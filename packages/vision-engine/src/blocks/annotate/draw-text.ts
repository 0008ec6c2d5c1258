import type { SKRSContext2D } from "@napi-rs/canvas";
import { registerFont } from "../../frames/font.ts";
import type { Anchor } from "../../geometry/boxes.ts";

export interface TextBox {
  readonly text: string;
  /** The point that the box touches, and where it lies as seen from there. */
  readonly x: number;
  readonly y: number;
  readonly anchor: Anchor;
  readonly color: string;
  readonly background: string;
  /** 1 gives letters of about 22 pixels. */
  readonly scale: number;
  readonly padding: number;
  readonly borderRadius: number;
}

/** Size of our font at which capitals are as tall as the stroke font of scale 1. */
const PIXELS_AT_SCALE_1 = 30;
const CAPITAL_HEIGHT = 0.73;

/** Text on a filled box. */
export function drawText(context: SKRSContext2D, box: TextBox): void {
  const size = PIXELS_AT_SCALE_1 * box.scale;
  context.font = `${size}px "${registerFont("Vision Sans")}"`;
  const textHeight = size * CAPITAL_HEIGHT;
  const width = context.measureText(box.text).width + 2 * box.padding;
  const height = textHeight + 2 * box.padding;
  const left = box.x + leftShift(box.anchor) * width;
  const top = box.y + topShift(box.anchor) * height;
  context.fillStyle = box.background;
  context.beginPath();
  context.roundRect(left, top, width, height, box.borderRadius);
  context.fill();
  context.fillStyle = box.color;
  context.fillText(box.text, left + box.padding, top + box.padding + textHeight);
}

/** Outside the object at the sides, flush with it at the corners. */
function leftShift(anchor: Anchor): number {
  if (anchor === "CENTER_LEFT" || anchor === "TOP_RIGHT" || anchor === "BOTTOM_RIGHT") return -1;
  return anchor.endsWith("CENTER") ? -0.5 : 0;
}

function topShift(anchor: Anchor): number {
  if (anchor.startsWith("TOP")) return -1;
  return anchor.startsWith("BOTTOM") ? 0 : -0.5;
}
