import type { SKRSContext2D } from "@napi-rs/canvas";
import { registerFont } from "../../../frames/font.ts";

export interface Caption {
  /** E.g. `STREET 14:02:31`. */
  readonly title: string;
  /** Of the picture, in pixels. */
  readonly height: number;
}

/** Name and time in the upper left corner as surveillance cameras write them, and that this is a simulation. */
export function drawCaption(ctx: SKRSContext2D, { title, height }: Caption): void {
  const size = Math.max(7, Math.round(height / 36));
  const margin = Math.round(size * 0.9);
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  ctx.font = `${size}px "${registerFont("Vision Mono Bold")}"`;
  // The font's letters are all 0.602 em wide.
  const width = title.length * size * 0.602;
  ctx.fillStyle = "rgba(16,20,28,0.45)";
  ctx.beginPath();
  ctx.roundRect(margin * 0.6, margin * 0.6, width + margin * 0.8, size * 2.7, size * 0.3);
  ctx.fill();
  ctx.fillStyle = "rgba(255,255,255,0.94)";
  ctx.fillText(title, margin, margin);
  ctx.font = `${Math.round(size * 0.75)}px "${registerFont("Vision Sans")}"`;
  ctx.fillStyle = "rgba(255,255,255,0.72)";
  ctx.fillText("simulation", margin, margin + size * 1.25);
}
