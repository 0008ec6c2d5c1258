// newest frame → decoded picture → canvas, with the boxes of that very frame
import type { FrameResult } from "@vision-agent/protocol";
import { boxAt, boxesOf, type DetectedBox } from "./frame-reading.ts";
import type { StreamedFrame } from "./live-connection.ts";
import { type DrawnShape, drawOverlay } from "./overlay.ts";
import { createTrails, type Trail } from "./trails.ts";

export interface PaintedFrame {
  readonly result: FrameResult;
  readonly boxes: readonly DetectedBox[];
}

export interface LivePainterOptions {
  readonly canvas: HTMLCanvasElement;
  readonly onPainted: (frame: PaintedFrame) => void;
  /** A picture that cannot be decoded is told here and left out. */
  readonly onBadPicture: (cause: unknown) => void;
}

interface Shown extends PaintedFrame {
  readonly bitmap: ImageBitmap;
  readonly trails: readonly Trail[];
}

/** Keeps at most one frame that is not drawn yet: a slow page shows fewer frames, never older ones. */
export class LivePainter {
  readonly #canvas: HTMLCanvasElement;
  readonly #options: LivePainterOptions;
  readonly #trails = createTrails();
  #undecoded: StreamedFrame | undefined;
  #decoding = false;
  #unpainted: Shown | undefined;
  #shown: Shown | undefined;
  #shapes: readonly DrawnShape[] = [];
  #pointer: { readonly x: number; readonly y: number } | undefined;
  #animationFrame = 0;
  #stopped = false;

  constructor(options: LivePainterOptions) {
    this.#options = options;
    this.#canvas = options.canvas;
  }

  take(frame: StreamedFrame): void {
    this.#undecoded = frame;
    if (!this.#decoding) void this.#decodeNewest();
  }

  showShapes(shapes: readonly DrawnShape[]): void {
    this.#shapes = shapes;
    this.repaint();
  }

  /** The pointer in CSS pixels of the canvas, undefined when it left. */
  pointAt(pointer: { readonly x: number; readonly y: number } | undefined): void {
    this.#pointer = pointer;
    this.repaint();
  }

  /** The box under the pointer, in the frame that is shown now. */
  pointedBox(): DetectedBox | undefined {
    const { clientWidth, clientHeight } = this.#canvas;
    if (this.#shown === undefined || this.#pointer === undefined || clientWidth === 0) return undefined;
    const { width, height } = this.#shown.result.frame;
    const { x, y } = this.#pointer;
    return boxAt(this.#shown.boxes, (x / clientWidth) * width, (y / clientHeight) * height);
  }

  /** Asks for a new drawing of what is shown, at the canvas' present size. */
  repaint(): void {
    if (this.#stopped || this.#animationFrame !== 0) return;
    this.#animationFrame = requestAnimationFrame(() => {
      this.#animationFrame = 0;
      this.#paint();
    });
  }

  stop(): void {
    this.#stopped = true;
    cancelAnimationFrame(this.#animationFrame);
    this.#undecoded = undefined;
    this.#unpainted?.bitmap.close();
    this.#shown?.bitmap.close();
    this.#unpainted = undefined;
    this.#shown = undefined;
  }

  async #decodeNewest(): Promise<void> {
    this.#decoding = true;
    while (this.#undecoded !== undefined) {
      const { jpeg, result } = this.#undecoded;
      this.#undecoded = undefined;
      try {
        const bitmap = await createImageBitmap(new Blob([jpeg], { type: "image/jpeg" }));
        this.#offer(bitmap, result);
      } catch (cause) {
        this.#options.onBadPicture(cause);
      }
    }
    this.#decoding = false;
  }

  #offer(bitmap: ImageBitmap, result: FrameResult): void {
    if (this.#stopped) {
      bitmap.close();
      return;
    }
    const boxes = boxesOf(result);
    this.#unpainted?.bitmap.close();
    this.#unpainted = { bitmap, result, boxes, trails: this.#trails.extend(result.frame, boxes) };
    this.repaint();
  }

  #paint(): void {
    const fresh = this.#unpainted;
    if (fresh !== undefined) {
      this.#shown?.bitmap.close();
      this.#shown = fresh;
      this.#unpainted = undefined;
    }
    const shown = this.#shown;
    const surface = this.#canvas.getContext("2d", { alpha: false });
    if (shown === undefined || surface === null) return;
    const pixelRatio = this.#fitCanvas();
    const { width, height } = this.#canvas;
    surface.drawImage(shown.bitmap, 0, 0, width, height);
    const scene = { boxes: shown.boxes, trails: shown.trails, shapes: this.#shapes, hovered: this.pointedBox() };
    drawOverlay(surface, scene, {
      x: width / shown.result.frame.width,
      y: height / shown.result.frame.height,
      pixelRatio,
      canvasWidth: width,
    });
    if (fresh !== undefined) this.#options.onPainted(shown);
  }

  #fitCanvas(): number {
    const pixelRatio = devicePixelRatio;
    const width = Math.round(this.#canvas.clientWidth * pixelRatio);
    const height = Math.round(this.#canvas.clientHeight * pixelRatio);
    // Setting a size clears the canvas, so only when it differs.
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    return pixelRatio;
  }
}
