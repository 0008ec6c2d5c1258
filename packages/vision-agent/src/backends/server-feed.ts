// what a server says about a frame → a result, its pictures and the figures of one pipeline
import { type SerialisedOutputs, toOutputs } from "@vision-agent/inference-client";
import type { FrameMetadata, FrameResult, OutputValue, PipelineState } from "@vision-agent/protocol";
import type { LiveFrame, Picture, PictureRequest, PipelineFigures } from "@vision-agent/vision-engine";
import { LivePictures, type LivePicturesOptions } from "./live-pictures.ts";
import { FRAME_OUTPUT } from "./server-source.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** One frame that went through the workflow on a server. */
export interface ServedFrame {
  readonly frameNumber: number;
  /** Milliseconds since 1970, in our time. */
  readonly takenAtMs: number;
  readonly latencyMs: number;
  /** Of the frame; absent when the server did not say. */
  readonly size: Size | undefined;
  /** Declared frames per second of the source; 0 when unknown. */
  readonly fps: number;
  /** Present for files. */
  readonly file?: { readonly totalFrames: number | undefined };
  readonly outputs: SerialisedOutputs;
}

export interface ServerFeedOptions extends LivePicturesOptions {
  readonly sourceId: string;
  /** The workflow's own outputs, in order. What a server leaves out among them is a picture nobody asked for. */
  readonly outputs: readonly string[];
  /** Milliseconds that never go back. */
  readonly monotonic: () => number;
  /** Must not throw. */
  readonly onResult: (result: FrameResult) => void;
}

const KEPT_RESULTS = 256;
const RATE_WINDOW_MS = 3000;

/** Keeps the last results of one pipeline, and pictures for those who want them. */
export class ServerFeed {
  readonly #options: ServerFeedOptions;
  readonly #pictures: LivePictures;
  readonly #imageSizes = new Map<string, Size>();
  #results: FrameResult[] = [];
  #arrivals: number[] = [];
  #size: Size | undefined;
  #taken = 0;

  constructor(options: ServerFeedOptions) {
    this.#options = options;
    this.#pictures = new LivePictures(options);
  }

  /** Results so far. */
  get taken(): number {
    return this.#taken;
  }

  /** Results per second over the last 3 seconds. */
  get fps(): number {
    const since = this.#options.monotonic() - RATE_WINDOW_MS;
    return (this.#arrivals.filter((time) => time > since).length * 1000) / RATE_WINDOW_MS;
  }

  /** Outputs whose pictures are wanted with the next frame. The first frame brings its own, which tells the size. */
  wanted(): readonly string[] {
    const wanted = this.#pictures.wanted();
    return this.#size === undefined && !wanted.includes(FRAME_OUTPUT) ? [...wanted, FRAME_OUTPUT] : wanted;
  }

  take(served: ServedFrame): void {
    const { [FRAME_OUTPUT]: own, ...theirs } = served.outputs;
    const frameImage = own === undefined ? undefined : toOutputs({ [FRAME_OUTPUT]: own }, NO_SIZE);
    const size = sizeOf(frameImage?.outputs[FRAME_OUTPUT]) ?? served.size ?? this.#size;
    // Boxes mean nothing in a picture of unknown size; the next frame brings it.
    if (size === undefined) return;
    this.#size = size;
    const said = toOutputs(theirs, size);
    const frame = this.#metadata(served, size);
    const result = { frame, outputs: this.#fill(said.outputs, size), latency_ms: served.latencyMs };
    this.#keep(result);
    const encoded = [...(frameImage?.pictures ?? []), ...said.pictures];
    const pictures = encoded.map(([output, jpeg]): [string, Picture] => {
      const imageSize = output === FRAME_OUTPUT ? size : (this.#imageSizes.get(output) ?? size);
      return [output, { jpeg, ...imageSize, frame }];
    });
    this.#options.onResult(result);
    this.#pictures.take(result, new Map(pictures));
  }

  /** Oldest first. */
  latest(count: number): readonly FrameResult[] {
    return count > 0 ? this.#results.slice(-count) : [];
  }

  picture(request?: PictureRequest): Promise<Picture | undefined> {
    return this.#pictures.picture(request);
  }

  view(onFrame: (frame: LiveFrame) => void): () => void {
    return this.#pictures.view(onFrame);
  }

  close(): void {
    this.#pictures.close();
  }

  #metadata(served: ServedFrame, size: Size): FrameMetadata {
    const { frameNumber, takenAtMs, fps, file } = served;
    return {
      source_id: this.#options.sourceId,
      frame_number: frameNumber,
      timestamp: new Date(takenAtMs).toISOString(),
      ...size,
      fps,
      ...(file && { comes_from_video_file: true }),
      ...(file?.totalFrames !== undefined && { total_frames: file.totalFrames }),
    };
  }

  /** Pictures that did not travel are named all the same, so that somebody can ask for them. */
  #fill(said: Readonly<Record<string, OutputValue>>, frameSize: Size): Record<string, OutputValue> {
    const names = [...new Set([...this.#options.outputs, ...Object.keys(said)])];
    return Object.fromEntries(
      names.map((name) => {
        const value = said[name] ?? { kind: "image", ...(this.#imageSizes.get(name) ?? frameSize) };
        if (value.kind === "image") this.#imageSizes.set(name, { width: value.width, height: value.height });
        return [name, value];
      }),
    );
  }

  #keep(result: FrameResult): void {
    this.#taken += 1;
    this.#results.push(result);
    // Cut now and then, so that each frame costs no copy.
    if (this.#results.length >= 2 * KEPT_RESULTS) this.#results = this.#results.slice(-KEPT_RESULTS);
    const now = this.#options.monotonic();
    this.#arrivals.push(now);
    if (this.#arrivals[0]! <= now - 2 * RATE_WINDOW_MS)
      this.#arrivals = this.#arrivals.filter((time) => time > now - RATE_WINDOW_MS);
  }
}

const NO_SIZE: Size = { width: 0, height: 0 };

function sizeOf(output: OutputValue | undefined): Size | undefined {
  return output?.kind === "image" && output.width > 0 ? { width: output.width, height: output.height } : undefined;
}

/** What is known of a pipeline that runs elsewhere. */
interface ServerFigures {
  readonly state: PipelineState;
  readonly reason: string | undefined;
  readonly fps: number;
  readonly framesProcessed: number;
  readonly framesDropped: number;
}

/** Servers do not say why they left a frame out: a newer one was there. They watch no camera's health. */
export function toPipelineFigures({ reason, ...figures }: ServerFigures): PipelineFigures {
  const { state, fps, framesProcessed, framesDropped } = figures;
  return {
    state,
    reason,
    fps,
    framesProcessed,
    framesDropped,
    drops: {
      buffer_full: 0,
      not_taken_in_time: framesDropped,
      consumer_behind: 0,
      rate_limit: 0,
      decode_error: 0,
    },
    resultsLost: 0,
    health: {},
  };
}

/**
 * When a frame was taken, in our time: milliseconds since 1970, never earlier than the frame before. `stampMs` is its
 * time by the server's clock, or its place in the video; only differences count.
 */
export type CaptureTimes = (stampMs: number) => number;

/** So far behind and the server's clock was set back rather than the frame held up. */
const CLOCK_JUMP_MS = 60_000;

/**
 * A server names no time zone, and its clock may be wrong: the frame that arrived fastest tells how far it is off.
 * Frames of a file come as fast as they are computed: their first one is taken as now, the others by the video's time.
 */
export function createCaptureTimes(options: { readonly isFile: boolean; readonly now: () => number }): CaptureTimes {
  let offsetMs: number | undefined;
  let last = Number.NEGATIVE_INFINITY;
  return (stampMs) => {
    const offNow = options.now() - stampMs;
    offsetMs ??= offNow;
    if (!options.isFile && (offNow < offsetMs || offNow - offsetMs > CLOCK_JUMP_MS)) offsetMs = offNow;
    last = Math.max(last, stampMs + offsetMs);
    return last;
  };
}
