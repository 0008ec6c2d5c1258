// frames as they come → memory used in turns → frames as they are asked for
import type { FrameMetadata } from "@vision-agent/protocol";
import { type BufferStrategy, createDropCounter, type DropCounter, type FrameSource } from "./frame-source.ts";

/** What is known about a frame besides its pixels. */
export interface FrameStamp {
  readonly frameNumber: number;
  /** Milliseconds since 1970. */
  readonly takenAt: number;
}

export interface BufferedFrame extends FrameStamp {
  readonly rgba: Uint8ClampedArray;
}

export interface FrameBufferOptions extends BufferStrategy {
  /** Size of one frame in bytes. */
  readonly frameBytes: number;
  readonly allocate: (bytes: number) => Uint8ClampedArray;
  /** Milliseconds. */
  readonly now: () => number;
  /** Called when a full buffer has room again. Must not throw. */
  readonly onRoom?: () => void;
}

/** Frames per second that a consumer may be behind before the adaptive strategies leave frames out, and how many in a row. */
const BEHIND_FPS = 5;
const MOST_LEFT_OUT_IN_A_ROW = 16;

/**
 * Writers fill `filling` and `commit` it; readers `take`. A frame taken is valid until the next one is.
 * All memory is taken once: `size` frames that wait, one being filled, one being read.
 */
export class FrameBuffer {
  readonly drops: DropCounter = createDropCounter();
  readonly #options: FrameBufferOptions;
  /** Oldest first. */
  readonly #ready: BufferedFrame[] = [];
  readonly #free: Uint8ClampedArray[] = [];
  readonly #arrivals: PaceMeter = createPaceMeter();
  readonly #takes: PaceMeter = createPaceMeter();
  #filling: Uint8ClampedArray;
  #lent: Uint8ClampedArray | undefined;
  #leftOutInARow = 0;
  #paused = false;
  #outcome: { readonly error?: Error } | undefined;
  #news = Promise.withResolvers<void>();

  constructor(options: FrameBufferOptions) {
    this.#options = options;
    this.#filling = options.allocate(options.frameBytes);
  }

  /** Where the next frame is written. Changes with every `commit`. */
  get filling(): Uint8ClampedArray {
    return this.#filling;
  }

  /** The writer should wait for `onRoom`; only a buffer that loses nothing is ever full. */
  get full(): boolean {
    return this.#options.filling === "WAIT" && (this.#paused || this.#ready.length >= this.#options.size);
  }

  /** The frame in `filling` is complete. Whether it is kept is up to the strategy. */
  commit(stamp: FrameStamp): void {
    const { filling, size, now } = this.#options;
    this.#arrivals.tick(now());
    if (this.#outcome !== undefined || (this.#paused && filling !== "WAIT")) return;
    if (this.#isConsumerBehind()) {
      this.#leftOutInARow += 1;
      this.drops.add("consumer_behind");
      return;
    }
    this.#leftOutInARow = 0;
    if (this.#ready.length >= size && filling !== "WAIT") {
      this.drops.add("buffer_full");
      if (filling.endsWith("DROP_LATEST")) return;
      this.#free.push(this.#ready.shift()!.rgba);
    }
    this.#ready.push({ ...stamp, rgba: this.#filling });
    this.#filling = this.#free.pop() ?? this.#options.allocate(this.#options.frameBytes);
    this.#tell();
  }

  /** The next frame; absent after `end` once all are taken. Throws what `fail` was given, or the reason of the signal. */
  async take(signal: AbortSignal): Promise<BufferedFrame | undefined> {
    while (this.#ready.length === 0) {
      if (this.#outcome?.error !== undefined) throw this.#outcome.error;
      if (this.#outcome !== undefined) return undefined;
      await waitFor(this.#news.promise, signal);
    }
    signal.throwIfAborted();
    return this.#give();
  }

  /** No more frames will come; those that wait can still be taken. */
  end(): void {
    this.#outcome ??= {};
    this.#tell();
  }

  /** The source is lost: frames that wait can still be taken, then `error` is thrown. */
  fail(error: Error): void {
    this.#outcome ??= { error };
    this.#tell();
  }

  /** Nothing more comes, and nothing more is given. */
  close(): void {
    this.#outcome = {};
    this.#ready.length = 0;
    this.#tell();
  }

  pause(): void {
    this.#paused = true;
  }

  /** Live frames from before the pause are old and go, uncounted. */
  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#options.filling !== "WAIT") this.#free.push(...this.#ready.splice(0).map(({ rgba }) => rgba));
    else if (!this.full) this.#options.onRoom?.();
  }

  #give(): BufferedFrame {
    const wasFull = this.full;
    const { consumption, now, onRoom } = this.#options;
    if (this.#lent !== undefined) this.#free.push(this.#lent);
    const missed = consumption === "EAGER" ? this.#ready.splice(0, this.#ready.length - 1) : [];
    this.#free.push(...missed.map(({ rgba }) => rgba));
    if (missed.length > 0) this.drops.add("not_taken_in_time", missed.length);
    const frame = this.#ready.shift()!;
    this.#lent = frame.rgba;
    this.#takes.tick(now());
    if (wasFull && !this.full) onRoom?.();
    return frame;
  }

  #isConsumerBehind(): boolean {
    const { filling, now } = this.#options;
    if (!filling.startsWith("ADAPTIVE") || this.#leftOutInARow >= MOST_LEFT_OUT_IN_A_ROW) return false;
    const [arriving, taken] = [this.#arrivals.paceAt(now()), this.#takes.paceAt(now())];
    return arriving !== undefined && taken !== undefined && arriving - taken > BEHIND_FPS;
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers<void>();
  }
}

/** A source that gives what comes into a buffer; `common` is told with each frame. */
export function bufferedSource(
  label: string,
  buffer: FrameBuffer,
  common: Omit<FrameMetadata, "frame_number" | "timestamp">,
  close: () => Promise<void>,
): FrameSource {
  const { width, height, fps } = common;
  return {
    label,
    width,
    height,
    fps,
    get dropped() {
      return buffer.drops.total;
    },
    get drops() {
      return buffer.drops.counts;
    },
    async next(signal) {
      signal.throwIfAborted();
      const frame = await buffer.take(signal);
      if (frame === undefined) return undefined;
      const timestamp = new Date(frame.takenAt).toISOString();
      return { metadata: { ...common, frame_number: frame.frameNumber, timestamp }, rgba: frame.rgba };
    },
    pause: () => buffer.pause(),
    resume: () => buffer.resume(),
    close,
  };
}

function waitFor(news: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((wake, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    void news.then(() => {
      signal.removeEventListener("abort", abort);
      wake();
    });
  });
}

/** Events per second over the last few of them. */
export interface PaceMeter {
  tick(nowMs: number): void;
  /** The pace if the next event came now; absent before there are enough of them. */
  paceAt(nowMs: number): number | undefined;
}

/** Fewer say too little. */
const FEWEST = 10;
const MOST = 64;

function createPaceMeter(): PaceMeter {
  const times: number[] = [];
  return {
    tick(nowMs) {
      times.push(nowMs);
      if (times.length > MOST) times.shift();
    },
    paceAt(nowMs) {
      if (times.length <= FEWEST) return undefined;
      return (times.length * 1000) / Math.max(1, nowMs - times[0]!);
    },
  };
}
