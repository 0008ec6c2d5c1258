// pieces of a recording, one after the other → frames of one camera, dated by when each piece began
import { EngineError, sourceError } from "../errors.ts";
import type { Frame } from "../frames/frame.ts";
import type { FrameSource } from "./frame-source.ts";

/** A video file of a recording. */
export interface VideoPiece {
  readonly path: string;
  /** Time of its first picture, milliseconds since 1970. */
  readonly startMs: number;
}

export interface PieceSourceOptions {
  /** In the order of time. */
  readonly pieces: readonly VideoPiece[];
  readonly open: (piece: VideoPiece, signal: AbortSignal) => Promise<FrameSource>;
  readonly signal: AbortSignal;
}

/**
 * A piece that is gone or damaged is a gap. Frames are those of a camera: numbered on, and never earlier than the one
 * before, since pieces are named by whole seconds and may overlap.
 * Throws `EngineError` kind `source` when no piece can be opened.
 */
export async function openPieces(options: PieceSourceOptions): Promise<FrameSource> {
  const waiting = [...options.pieces];
  let failure = sourceError("not_found", "The recording has no pieces.");
  const openNext = async (signal: AbortSignal): Promise<FrameSource | undefined> => {
    for (let piece = waiting.shift(); piece; piece = waiting.shift()) {
      try {
        return await options.open(piece, signal);
      } catch (error) {
        if (!(error instanceof EngineError) || error.kind !== "source" || error.reason === "no_decoder") throw error;
        failure = error;
      }
    }
    return undefined;
  };
  const first = await openNext(options.signal);
  if (first === undefined) throw failure;
  return new PieceSource(first, openNext);
}

class PieceSource implements FrameSource {
  readonly #first: FrameSource;
  readonly #openNext: (signal: AbortSignal) => Promise<FrameSource | undefined>;
  #current: FrameSource | undefined;
  #isClosed = false;
  #droppedBefore = 0;
  #frameNumber = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(first: FrameSource, openNext: (signal: AbortSignal) => Promise<FrameSource | undefined>) {
    this.#first = first;
    this.#current = first;
    this.#openNext = openNext;
  }

  get label(): string {
    return this.#first.label;
  }

  get width(): number {
    return this.#first.width;
  }

  get height(): number {
    return this.#first.height;
  }

  get fps(): number {
    return this.#first.fps;
  }

  get dropped(): number {
    return this.#droppedBefore + (this.#current?.dropped ?? 0);
  }

  async next(signal: AbortSignal): Promise<Frame | undefined> {
    while (this.#current) {
      const frame = await this.#current.next(signal);
      if (frame === undefined) {
        this.#droppedBefore = this.dropped;
        const over = this.#current;
        this.#current = undefined;
        await over.close();
        const opened = await this.#openNext(signal);
        if (this.#isClosed) await opened?.close();
        else this.#current = opened;
        continue;
      }
      const ms = Date.parse(frame.metadata.timestamp);
      if (ms <= this.#lastMs) continue;
      this.#lastMs = ms;
      this.#frameNumber += 1;
      const { comes_from_video_file: _, total_frames: __, ...metadata } = frame.metadata;
      return { ...frame, metadata: { ...metadata, frame_number: this.#frameNumber } };
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const current = this.#current;
    this.#current = undefined;
    await current?.close();
  }
}
