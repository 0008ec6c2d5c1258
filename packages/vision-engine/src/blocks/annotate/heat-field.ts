// places → in how many frames each pixel was near one
import type { Point } from "../../geometry/points.ts";

/** Frames that wait to be drawn; beyond these the oldest are taken in even if nobody looks. */
const MOST_WAITING = 1000;

/**
 * Counts of discs on a picture, once a frame. Discs are only noted when they come and drawn when the field is looked
 * at: a video that nobody watches costs next to nothing.
 */
export class HeatField {
  readonly width: number;
  readonly height: number;
  readonly #radius: number;
  readonly #heat: Float32Array;
  /** The last frame that was counted at each pixel: discs of one frame that overlap count once. */
  readonly #lastFrame: Uint32Array;
  #taken = 0;
  #waiting: (readonly Point[])[] = [];

  constructor({ width, height, radius }: { readonly width: number; readonly height: number; readonly radius: number }) {
    this.width = width;
    this.height = height;
    this.#radius = radius;
    this.#heat = new Float32Array(width * height);
    this.#lastFrame = new Uint32Array(width * height);
  }

  /** Takes the places of the next frame and answers its number. */
  add(points: readonly Point[]): number {
    this.#waiting.push(points);
    const frame = this.#taken + this.#waiting.length;
    if (this.#waiting.length > MOST_WAITING) this.#takeIn(frame);
    return frame;
  }

  /** Counts of all pixels, row by row, up to a frame; later ones that were looked at stay. Valid until the next call. */
  upTo(frame: number): Float32Array {
    this.#takeIn(frame);
    return this.#heat;
  }

  #takeIn(frame: number): void {
    for (const points of this.#waiting.splice(0, Math.max(0, frame - this.#taken))) {
      this.#taken += 1;
      for (const [x, y] of points) this.#addDisc(Math.trunc(x), Math.trunc(y));
    }
  }

  #addDisc(x: number, y: number): void {
    const radius = this.#radius;
    for (let row = Math.max(0, y - radius); row <= Math.min(this.height - 1, y + radius); row++) {
      const half = Math.trunc(Math.sqrt(radius * radius - (row - y) * (row - y)));
      const end = row * this.width + Math.min(this.width - 1, x + half);
      for (let at = row * this.width + Math.max(0, x - half); at <= end; at++) {
        if (this.#lastFrame[at] === this.#taken) continue;
        this.#lastFrame[at] = this.#taken;
        this.#heat[at] = this.#heat[at]! + 1;
      }
    }
  }
}
