// decoded frames → frames with where and when
import type { FrameMetadata } from "@vision-agent/protocol";
import type { Frame } from "../../frames/frame.ts";
import type { DropCounts } from "../drop-counts.ts";
import type { FrameSource } from "../frame-source.ts";
import { type DecodedStream, Decoder, type DecoderOptions } from "./decoder.ts";

export interface FfmpegSourceOptions extends DecoderOptions {
  readonly sourceId: string;
  readonly label: string;
  /** Frames of a file, asked while it is opened; absent when nobody knows. */
  readonly totalFrames?: () => Promise<number | undefined>;
  readonly signal?: AbortSignal;
}

/** Throws `EngineError` kind `source` when there is no picture within `openMs`. */
export async function openFfmpegSource(options: FfmpegSourceOptions): Promise<FrameSource> {
  const decoder = new Decoder(options);
  const [stream, totalFrames] = await Promise.all([decoder.open(options.signal), options.totalFrames?.()]);
  const { sourceId, label } = options;
  const { width, height, fps, finite } = stream;
  const ofFile = finite ? { comes_from_video_file: true, total_frames: totalFrames } : {};
  return new FfmpegSource({ decoder, stream, label, metadata: { source_id: sourceId, width, height, fps, ...ofFile } });
}

interface FfmpegSourceParts {
  readonly decoder: Decoder;
  readonly stream: DecodedStream;
  readonly label: string;
  readonly metadata: Omit<FrameMetadata, "frame_number" | "timestamp">;
}

class FfmpegSource implements FrameSource {
  readonly #parts: FfmpegSourceParts;

  constructor(parts: FfmpegSourceParts) {
    this.#parts = parts;
  }

  get label(): string {
    return this.#parts.label;
  }

  get width(): number {
    return this.#parts.stream.width;
  }

  get height(): number {
    return this.#parts.stream.height;
  }

  get fps(): number {
    return this.#parts.stream.fps;
  }

  get dropped(): number {
    return this.#parts.stream.buffer.drops.total;
  }

  get drops(): DropCounts {
    return this.#parts.stream.buffer.drops.counts;
  }

  async next(signal: AbortSignal): Promise<Frame | undefined> {
    signal.throwIfAborted();
    const frame = await this.#parts.stream.buffer.take(signal);
    if (frame === undefined) return undefined;
    const { frameNumber, takenAt, rgba } = frame;
    const timestamp = new Date(takenAt).toISOString();
    return { metadata: { ...this.#parts.metadata, frame_number: frameNumber, timestamp }, rgba };
  }

  pause(): void {
    this.#parts.stream.buffer.pause();
  }

  resume(): void {
    this.#parts.stream.buffer.resume();
  }

  async close(): Promise<void> {
    await this.#parts.decoder.close();
  }
}
