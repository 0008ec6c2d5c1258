// decoded frames → frames with where and when

import { type ChildProcess, spawn } from "node:child_process";
import { childEnvironment } from "../../config/child-environment.ts";
import type { EngineError } from "../../errors.ts";
import type { PixelSize } from "../../frames/frame.ts";
import { bufferedSource, FrameBuffer } from "../frame-buffer.ts";
import { type BufferStrategy, bufferStrategy, type FrameSource, type SourceClock } from "../frame-source.ts";
import { type BytePipe, openBytePipe } from "./byte-pipe.ts";
import { type FfmpegInput, type FfmpegOptions, ffmpegCall } from "./ffmpeg-arguments.ts";
import {
  changedSizeFailure,
  createStreamLog,
  type DecodedStamp,
  lostFailure,
  missingProgram,
  type StreamLog,
  stalledFailure,
  toSourceFailure,
} from "./ffmpeg-failure.ts";

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
  const { width, height, fps, finite, buffer } = stream;
  const ofFile = finite ? { comes_from_video_file: true, total_frames: totalFrames } : {};
  const common = { source_id: options.sourceId, width, height, fps, ...ofFile };
  return bufferedSource(options.label, buffer, common, () => decoder.close());
}

interface DecoderOptions extends Omit<FfmpegOptions, "timeoutMs"> {
  readonly input: FfmpegInput;
  readonly ffmpegPath: string;
  readonly platform: NodeJS.Platform;
  readonly clock: SourceClock;
  /** Date of the first frame of a source that has an end, in milliseconds since 1970. */
  readonly openedAt: number;
  readonly buffer: Partial<BufferStrategy>;
  readonly allocate: (bytes: number) => Uint8ClampedArray;
  /** So long may the first frame take, and then each next one; a decoder that takes longer is killed. */
  readonly openMs: number;
  readonly stallMs: number;
}

/** What the first frame told. */
interface DecodedStream extends PixelSize {
  readonly fps: number;
  /** The source has an end: a file, here or on a server. */
  readonly finite: boolean;
  readonly buffer: FrameBuffer;
}

/** Of a listed address ffmpeg does not tell how long it lasts. */
function isVideoFile({ url }: Extract<FfmpegInput, { kind: "http" }>): boolean {
  return /\.(?:mp4|m4v|mov|mkv|webm|avi|gif)$/i.test(new URL(url).pathname);
}

/** Starts ffmpeg. Call `open` once. */
class Decoder {
  readonly #options: DecoderOptions;
  readonly #log: StreamLog = createStreamLog((stamp) => this.#onStamp(stamp));
  readonly #opened = Promise.withResolvers<DecodedStream>();
  readonly #stop = new AbortController();
  readonly #stamps: DecodedStamp[] = [];
  #child: ChildProcess | undefined;
  #pipe: BytePipe | undefined;
  #stream: DecodedStream | undefined;
  /** Bytes of the frame that is being read. */
  #written = 0;
  /** A frame is complete but its line of the log was not read yet. */
  #undated = false;
  #frameNumber = 0;
  #lastSeconds = 0;
  #damagedCounted = 0;
  /** When the last sign of life was seen. */
  #aliveAt = performance.now();

  constructor(options: DecoderOptions) {
    this.#options = options;
  }

  /** Resolves when the first frame is on its way. Throws `EngineError` kind `source`, or the reason of the signal. */
  async open(signal?: AbortSignal): Promise<DecodedStream> {
    signal?.throwIfAborted();
    const abort = (): void => this.#opened.reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await this.#start();
      return await this.#opened.promise;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** May be called twice. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#stream?.buffer.close();
    this.#pipe?.destroy();
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  async #start(): Promise<void> {
    const { input, openMs, ffmpegPath, platform } = this.#options;
    const pipe = await openBytePipe({ room: () => this.#room(), wrote: (count) => this.#wrote(count) }, platform);
    this.#pipe = pipe;
    const { words, stdin } = ffmpegCall(input, { ...this.#options, timeoutMs: openMs });
    const child = spawn(ffmpegPath, words, {
      stdio: [stdin === undefined ? "ignore" : "pipe", pipe.childEnd, "pipe"],
      env: childEnvironment(),
      windowsHide: true,
    });
    this.#child = child;
    // Without a reader it has ended, and says why when it is gone.
    child.stdin?.once("error", () => child.kill("SIGKILL")).end(stdin);
    pipe.connectTo(child.stdout);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#log.read(text));
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    child.once("error", (cause) => this.#lose(missingProgram("ffmpeg", cause)));
    this.#watch();
    void closed.then(async () => {
      // Frames that were written before the exit are still read; those that were never opened have none.
      if (this.#stream !== undefined) await pipe.ended;
      this.#onEnd();
    });
  }

  #onStamp(stamp: DecodedStamp): void {
    this.#stamps.push(stamp);
    if (this.#stream === undefined) this.#begin(stamp);
    else if (this.#undated) {
      this.#undated = false;
      this.#finishFrame();
      if (this.#room() !== undefined) this.#pipe?.goOn();
    }
  }

  #begin({ width, height }: DecodedStamp): void {
    const { allocate, clock, input, realTime } = this.#options;
    const finite = input.kind === "video" || (input.kind === "http" && (this.#log.finite || isVideoFile(input)));
    const buffer = new FrameBuffer({
      ...bufferStrategy(!finite || realTime, this.#options.buffer),
      frameBytes: width * height * 4,
      allocate,
      now: () => clock.now(),
      onRoom: () => {
        this.#aliveAt = performance.now();
        this.#pipe?.goOn();
      },
    });
    this.#aliveAt = performance.now();
    // MJPEG from the web declares no rate; ffmpeg makes one up.
    const fps = input.kind === "http" && this.#log.codec === "mjpeg" ? 0 : this.#log.fps;
    this.#stream = { width, height, fps, finite, buffer };
    this.#opened.resolve(this.#stream);
    this.#pipe?.goOn();
  }

  #room(): Uint8Array | undefined {
    const buffer = this.#stream?.buffer;
    if (buffer === undefined || this.#undated || buffer.full) return undefined;
    const { filling } = buffer;
    return new Uint8Array(filling.buffer, filling.byteOffset + this.#written, filling.length - this.#written);
  }

  #wrote(count: number): void {
    this.#written += count;
    if (this.#written === this.#stream?.buffer.filling.length) this.#finishFrame();
  }

  #finishFrame(): void {
    const [stream, stamp] = [this.#stream!, this.#stamps.shift()];
    if (stamp === undefined) {
      this.#undated = true;
      return;
    }
    const { clock, openedAt, input } = this.#options;
    // ffmpeg goes on in the first size: right for a file, wrong for a camera that was set anew.
    if (!stream.finite && (stamp.width !== stream.width || stamp.height !== stream.height)) {
      this.#lose(changedSizeFailure(input.kind));
      return;
    }
    this.#written = 0;
    this.#aliveAt = performance.now();
    this.#countFrame(stream, stamp.seconds);
    const takenAt = stream.finite ? openedAt + stamp.seconds * 1000 : clock.now();
    stream.buffer.commit({ frameNumber: this.#frameNumber, takenAt });
  }

  /** Frames that the rate limit left out inside ffmpeg leave a gap in time. */
  #countFrame({ buffer, fps }: DecodedStream, seconds: number): void {
    const steps = Math.round((seconds - this.#lastSeconds) * fps);
    const limited = this.#options.maxFps !== undefined && this.#frameNumber > 0;
    const leftOut = limited ? Math.max(0, steps - 1) : 0;
    if (leftOut > 0) buffer.drops.add("rate_limit", leftOut);
    if (this.#log.damaged > this.#damagedCounted)
      buffer.drops.add("decode_error", this.#log.damaged - this.#damagedCounted);
    this.#damagedCounted = this.#log.damaged;
    this.#lastSeconds = seconds;
    this.#frameNumber += leftOut + 1;
  }

  /** By a real timer: a clock that is set, or simulated, says nothing about a silent camera. */
  #watch(): void {
    const { openMs, stallMs, input } = this.#options;
    const timer = setInterval(() => {
      // A reader that waits for room is not a camera that is silent.
      if (this.#stream?.buffer.full === true) this.#aliveAt = performance.now();
      const limitMs = this.#stream === undefined ? openMs : stallMs;
      if (performance.now() - this.#aliveAt < limitMs) return;
      this.#lose(stalledFailure(input.kind, limitMs, this.#stream !== undefined));
    }, Math.min(openMs, stallMs) / 4);
    this.#stop.signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  }

  #onEnd(): void {
    const { input } = this.#options;
    const stream = this.#stream;
    if (stream === undefined) this.#lose(toSourceFailure(this.#log.complaints, input.kind));
    else if (stream.finite) stream.buffer.end();
    else this.#lose(lostFailure(input.kind, this.#log.complaints));
    this.#stop.abort();
  }

  #lose(error: EngineError): void {
    this.#opened.reject(error);
    this.#stream?.buffer.fail(error);
    this.#stop.abort();
    this.#child?.kill("SIGKILL");
    this.#pipe?.destroy();
  }
}
