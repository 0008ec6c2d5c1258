import { createCanvas, ImageData, type SKRSContext2D } from "@napi-rs/canvas";
import type { FrameMetadata } from "@vision-agent/protocol";
import type { DetectionTable } from "./detections.ts";
import { type Frame, type Motion, type PixelPicture, type PixelSize, Timestamp, type VideoMetadata } from "./frame.ts";
import { giveBack } from "./jpeg.ts";

/** Draws onto a picture. Called at most once, perhaps never, perhaps much later. */
export type Draw = (context: SKRSContext2D) => void;

/** Where a picture lies in the one it was cut from. */
export interface ImageOrigin extends PixelSize {
  /** Name of the picture in the workflow: the input for a frame, the detection or crop for a cut. */
  readonly id: string;
  /** Left top corner within the picture it was cut from, whose size is told. */
  readonly x: number;
  readonly y: number;
}

export interface ImageFields extends PixelPicture {
  /** 1 for a grey picture, whose red, green and blue are equal. Default 3. */
  readonly channels?: 1 | 3;
  /** Default: the whole picture, named "image". */
  readonly parent?: ImageOrigin;
  /** Default: as `parent`. */
  readonly root?: ImageOrigin;
  readonly video?: VideoMetadata | undefined;
  readonly truth?: DetectionTable | undefined;
  readonly motion?: Motion | undefined;
}

/**
 * A picture inside a workflow. What is drawn over it is remembered, and drawn when somebody asks for the pixels:
 * a frame that nobody looks at costs no drawing.
 */
export class ImageValue implements Frame {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  /** The picture it was cut from. */
  readonly parent: ImageOrigin;
  /** The frame that it comes from in the end. */
  readonly root: ImageOrigin;
  readonly video: VideoMetadata | undefined;
  readonly truth: DetectionTable | undefined;
  readonly motion: Motion | undefined;
  readonly #base: Uint8ClampedArray;
  readonly #drawings: readonly Draw[];
  #drawn: Uint8ClampedArray | undefined;
  #kept: ImageValue | undefined;

  constructor(fields: ImageFields, drawings: readonly Draw[] = []) {
    const { width, height, channels = 3, video, truth } = fields;
    this.width = width;
    this.height = height;
    this.channels = channels;
    this.parent = fields.parent ?? { id: "image", x: 0, y: 0, width, height };
    this.root = fields.root ?? this.parent;
    this.video = video;
    this.truth = truth;
    this.motion = fields.motion;
    this.#base = fields instanceof ImageValue ? fields.#base : fields.rgba;
    this.#drawings = fields instanceof ImageValue ? [...fields.#drawings, ...drawings] : drawings;
  }

  /** A frame of a source as the input `name` of a workflow. */
  static ofFrame({ metadata, rgba, truth, motion }: Frame, name = "image"): ImageValue {
    const { width, height } = metadata;
    const parent = { id: name, x: 0, y: 0, width, height };
    return new ImageValue({ width, height, rgba, parent, video: toVideo(metadata), truth, motion });
  }

  /** RGBA, 8 bits, rows from the top without padding. */
  get rgba(): Uint8ClampedArray {
    if (this.#drawings.length === 0) return this.#base;
    this.#drawn ??= this.#draw();
    return this.#drawn;
  }

  /** The pixels for a moment: what had to be drawn for it is gone when `use` returns, and so never piles up. */
  lendPixels<T>(use: (rgba: Uint8ClampedArray) => T): T {
    if (this.#drawings.length === 0 || this.#drawn !== undefined) return use(this.rgba);
    const drawn = this.#draw();
    try {
      return use(drawn);
    } finally {
      giveBack(drawn);
    }
  }

  /** The video it belongs to; a picture of no video is frame 0 of one named after it, taken at `nowMs`. */
  videoOrDefault(nowMs: number): VideoMetadata {
    if (this.video !== undefined) return this.video;
    return { videoIdentifier: this.parent.id, frameNumber: 0, timestamp: Timestamp.ofMs(nowMs), fps: 30 };
  }

  get metadata(): FrameMetadata {
    const { videoIdentifier, frameNumber, timestamp, fps, comesFromVideoFile, totalFrames } = this.videoOrDefault(0);
    const { width, height } = this;
    return {
      source_id: videoIdentifier,
      frame_number: frameNumber,
      timestamp: timestamp.iso,
      width,
      height,
      fps,
      comes_from_video_file: comesFromVideoFile,
      total_frames: totalFrames,
    };
  }

  /** The same picture with something drawn over it; this one stays as it is. */
  withDrawing(draw: Draw): ImageValue {
    // A grey picture takes colour with what is drawn on it.
    return new ImageValue(this.channels === 3 ? this : this.withChannels(3), [draw]);
  }

  /** The same place and time with other pixels, perhaps of another size. */
  withPixels(fields: Pick<ImageFields, "width" | "height" | "rgba" | "channels">): ImageValue {
    return new ImageValue({ parent: this.parent, root: this.root, video: this.video, ...fields });
  }

  withChannels(channels: 1 | 3): ImageValue {
    return this.withPixels({ width: this.width, height: this.height, rgba: this.rgba, channels });
  }

  /**
   * The same picture for longer than its frame is there: drawn, in memory of its own, made once however many ask.
   * What moved is left out, for it says nothing about frames to come.
   */
  kept(): ImageValue {
    if (this.#kept !== undefined) return this.#kept;
    const { width, height, channels, parent, root, video, truth } = this;
    const rgba = this.#drawings.length === 0 ? this.#base.slice() : this.rgba;
    const kept = new ImageValue({ width, height, rgba, channels, parent, root, video, truth });
    kept.#kept = kept;
    this.#kept = kept;
    return kept;
  }

  #draw(): Uint8ClampedArray {
    const { width, height } = this;
    const canvas = createCanvas(width, height);
    const context = canvas.getContext("2d");
    const base = new ImageData(this.#base, width, height);
    context.putImageData(base, 0, 0);
    giveBack(base.data);
    for (const draw of this.#drawings) {
      context.save();
      draw(context);
      context.restore();
    }
    const { data } = context.getImageData(0, 0, width, height);
    // Frees the pixels of the canvas now; the garbage collector would come for them much later.
    canvas.width = 1;
    return data;
  }
}

function toVideo(metadata: FrameMetadata): VideoMetadata {
  return {
    videoIdentifier: metadata.source_id,
    frameNumber: metadata.frame_number,
    timestamp: new Timestamp(metadata.timestamp),
    fps: metadata.fps,
    comesFromVideoFile: metadata.comes_from_video_file,
    totalFrames: metadata.total_frames,
  };
}
