// shapes in metres → canvas, and the cover mask beside it
import type { CanvasGradient, SKRSContext2D } from "@napi-rs/canvas";
import type { CoverMask } from "./cover-mask.ts";
import type { SceneView, ScreenPoint, Vec3 } from "./view.ts";

export interface PenOptions {
  readonly view: SceneView;
  /** Absent: nothing is drawn, only the mask is painted. */
  readonly ctx?: SKRSContext2D;
  /** Absent: for backdrops, which hide nobody. */
  readonly mask?: CoverMask;
}

/** Draws flat shapes of the world. Radii and widths are metres. */
export class Pen {
  readonly view: SceneView;
  readonly ctx: SKRSContext2D | undefined;
  readonly #mask: CoverMask | undefined;
  #fillColor = "";
  #strokeColor = "";

  constructor({ view, ctx, mask }: PenOptions) {
    this.view = view;
    this.ctx = ctx;
    this.#mask = mask;
    if (ctx !== undefined) {
      ctx.lineCap = "round";
      ctx.lineJoin = "round";
    }
  }

  project(world: Vec3): ScreenPoint {
    return this.view.project(world);
  }

  /** Covers the whole picture. */
  cover(style: string | CanvasGradient): void {
    if (this.ctx === undefined) return;
    this.#fillColor = "";
    this.ctx.fillStyle = style;
    this.ctx.fillRect(0, 0, this.view.width, this.view.height);
  }

  /** To be called when somebody else has used the canvas. */
  forgetStyle(): void {
    this.#fillColor = "";
    this.#strokeColor = "";
  }

  /** Whether a ball around a place touches the picture. */
  sees(world: Vec3, radius: number): boolean {
    const { x, y, scale } = this.project(world);
    const reach = radius * scale;
    return x > -reach && x < this.view.width + reach && y > -reach && y < this.view.height + reach;
  }

  /** `rounding` pixels are added all around, with round corners. */
  polygon(points: readonly ScreenPoint[], color: string, rounding = 0): void {
    this.#mask?.polygon(points, rounding);
    this.paint([points], color, rounding);
  }

  /** A limb: a line as thick as its radius says, round at both ends. */
  capsule(from: ScreenPoint, to: ScreenPoint, radius: number, color: string): void {
    const pixels = (radius * (from.scale + to.scale)) / 2;
    this.#mask?.limb(from, to, pixels);
    const { ctx } = this;
    if (ctx === undefined) return;
    ctx.beginPath();
    ctx.moveTo(from.x, from.y);
    ctx.lineTo(to.x, to.y);
    this.#stroke(ctx, color, 2 * pixels);
  }

  disc(center: ScreenPoint, radius: number, color: string): void {
    const pixels = radius * center.scale;
    this.#mask?.disc(center, pixels);
    this.glow(center, pixels, color);
  }

  /** On top of what is there already: hides nobody and belongs to nobody, like markings, light and shadow. */
  paint(shapes: readonly (readonly ScreenPoint[])[], color: string, rounding = 0): void {
    const { ctx } = this;
    if (ctx === undefined) return;
    ctx.beginPath();
    for (const points of shapes) trace(ctx, points);
    this.#fill(ctx, color);
    if (rounding > 0) this.#stroke(ctx, color, 2 * rounding);
  }

  /** One flat shape of the world; see `paint`. */
  paintFlat(points: readonly Vec3[], color: string): void {
    this.paint([points.map((point) => this.project(point))], color);
  }

  /** A line of the world as thick as its radius says; see `capsule`. */
  line(from: Vec3, to: Vec3, radius: number, color: string): void {
    this.capsule(this.project(from), this.project(to), radius, color);
  }

  /** A painted disc; see `paint`. Radii are pixels, `flat` makes it lie on the ground. */
  glow(center: ScreenPoint, pixels: number, color: string, flat = 1): void {
    const { ctx } = this;
    if (ctx === undefined) return;
    ctx.beginPath();
    ctx.ellipse(center.x, center.y, pixels, pixels * flat, 0, 0, 2 * Math.PI);
    this.#fill(ctx, color);
  }

  #fill(ctx: SKRSContext2D, color: string): void {
    // Setting a style costs more than the shape; skip it when it stays.
    if (color !== this.#fillColor) ctx.fillStyle = color;
    this.#fillColor = color;
    ctx.fill();
  }

  #stroke(ctx: SKRSContext2D, color: string, pixels: number): void {
    if (color !== this.#strokeColor) ctx.strokeStyle = color;
    this.#strokeColor = color;
    ctx.lineWidth = pixels;
    ctx.stroke();
  }
}

function trace(ctx: SKRSContext2D, points: readonly ScreenPoint[]): void {
  for (const [index, { x, y }] of points.entries()) {
    if (index === 0) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  }
  ctx.closePath();
}
