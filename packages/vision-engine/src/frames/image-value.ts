import { createCanvas, ImageData, type SKRSContext2D } from "@napi-rs/canvas";
import type { FrameMetadata } from "@vision-agent/protocol";
import type { Detections } from "./detections.ts";
import type { Frame } from "./frame.ts";

/** Draws onto a picture. Called at most once, perhaps never, perhaps much later. */
export type Draw = (context: SKRSContext2D) => void;

/**
 * A picture inside a workflow. What is drawn over it is remembered, and drawn when somebody asks for the pixels:
 * a frame that nobody looks at costs no drawing.
 */
export class ImageValue implements Frame {
  readonly metadata: FrameMetadata;
  readonly truth?: Detections;
  readonly #ground: Uint8ClampedArray;
  readonly #drawings: readonly Draw[];
  #drawn: Uint8ClampedArray | undefined;

  constructor(frame: Frame, drawings: readonly Draw[] = []) {
    this.metadata = frame.metadata;
    if (frame.truth !== undefined) this.truth = frame.truth;
    this.#ground = frame instanceof ImageValue ? frame.#ground : frame.rgba;
    this.#drawings = frame instanceof ImageValue ? [...frame.#drawings, ...drawings] : drawings;
  }

  get width(): number {
    return this.metadata.width;
  }

  get height(): number {
    return this.metadata.height;
  }

  /** RGBA, 8 bits, rows from the top without padding. */
  get rgba(): Uint8ClampedArray {
    if (this.#drawings.length === 0) return this.#ground;
    this.#drawn ??= this.#draw();
    return this.#drawn;
  }

  /** The same picture with something drawn over it; this one stays as it is. */
  withDrawing(draw: Draw): ImageValue {
    return new ImageValue(this, [draw]);
  }

  #draw(): Uint8ClampedArray {
    const { width, height } = this;
    const context = createCanvas(width, height).getContext("2d");
    context.putImageData(new ImageData(this.#ground, width, height), 0, 0);
    for (const draw of this.#drawings) {
      context.save();
      draw(context);
      context.restore();
    }
    return context.getImageData(0, 0, width, height).data;
  }
}
