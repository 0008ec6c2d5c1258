// sources that may be lost → one frame of each → one run

import type { FrameMetadata } from "@vision-agent/protocol";
import { EngineError, inputError } from "../errors.ts";
import type { Frame } from "../frames/frame.ts";
import { type DropCounts, type DropReason, type FrameSource, NO_DROPS } from "../sources/frame-source.ts";
import type { PipelineSource } from "./pipeline.ts";

export interface SourceFeedOptions {
  /** The signal ends the opening when nobody wants the source any more. */
  readonly open: (signal: AbortSignal) => Promise<FrameSource>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Wait before the attempt of this number, counted from 0. */
  readonly backOffMs: (attempt: number) => number;
  /** The source is gone and is tried again. Must not throw. */
  readonly onLost: (reason: string) => void;
  /** Each frame as it is given. Must not throw. */
  readonly onFrame?: (frame: Frame) => void;
  /** Whether a lost source is opened anew; a file would begin from its first frame. Default true. */
  readonly reopens?: boolean;
}

export interface SourceFeed<T = Frame> {
  /** Opens the source, once and without trying again. */
  open(): Promise<void>;
  /** The next frame, from the source opened anew when it was lost; absent when it has ended. */
  next(signal: AbortSignal): Promise<T | undefined>;
  /** Frames that were there but never given, over all openings, by reason. */
  readonly drops: DropCounts;
  /** What comes meanwhile is not wanted; a file waits. Both may be called twice. */
  pause(): void;
  resume(): void;
  /** May be called twice. */
  close(): Promise<void>;
}

/** Half a second, doubled each time, at most ten. */
export function standardBackOffMs(attempt: number): number {
  return Math.min(10_000, 500 * 2 ** attempt);
}

export function createSourceFeed(options: SourceFeedOptions): SourceFeed {
  const { open, sleep, backOffMs, onLost, onFrame, reopens = true } = options;
  let source: FrameSource | undefined;
  let before: DropCounts = NO_DROPS;
  let attempt = 0;
  let paused = false;
  const closing = new AbortController();

  async function letGo(): Promise<void> {
    const leaving = source;
    source = undefined;
    before = sumOf(before, leaving === undefined ? NO_DROPS : dropsOf(leaving));
    await leaving?.close();
  }

  async function take(signal: AbortSignal): Promise<Frame | undefined> {
    source ??= await open(AbortSignal.any([signal, closing.signal]));
    if (paused) source.pause?.();
    const frame = await source.next(signal);
    attempt = 0;
    if (frame !== undefined) onFrame?.(frame);
    return frame;
  }

  return {
    get drops() {
      return source === undefined ? before : sumOf(before, dropsOf(source));
    },
    pause() {
      paused = true;
      source?.pause?.();
    },
    resume() {
      paused = false;
      source?.resume?.();
    },
    async open() {
      source = await open(closing.signal);
    },
    async next(signal) {
      for (;;) {
        try {
          return await take(signal);
        } catch (error) {
          const lost = error instanceof EngineError && error.kind === "source";
          if (signal.aborted || !lost || !reopens) throw error;
          onLost(error.message);
          await letGo();
          await sleep(backOffMs(attempt), signal);
          attempt += 1;
        }
      }
    },
    async close() {
      closing.abort(inputError("The source was closed."));
      await letGo();
    },
  };
}

function dropsOf({ drops, dropped }: FrameSource): DropCounts {
  return drops ?? { ...NO_DROPS, not_taken_in_time: dropped };
}

export function sumOf(one: DropCounts, other: DropCounts): DropCounts {
  const reasons = Object.keys(one) as DropReason[];
  return Object.fromEntries(reasons.map((reason) => [reason, one[reason] + other[reason]])) as DropCounts;
}

export interface SourceSetOptions<T> {
  readonly createFeed: (source: PipelineSource) => SourceFeed<T>;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /**
   * `each` waits for a frame of every source that has not ended, so that runs do not depend on who is faster;
   * `any` waits for one, and a little longer for the others.
   */
  readonly wait: "each" | "any";
  /** How much longer, in milliseconds. */
  readonly collectMs: number;
  /** Ends every wait. */
  readonly signal: AbortSignal;
}

interface Member<T> {
  readonly id: string;
  readonly feed: SourceFeed<T>;
  readonly leave: AbortController;
  /** Ends what is asked of it: all is over, or it was taken away. Made once, for a source is asked many times. */
  readonly signal: AbortSignal;
  /** The frame that was asked for and has not come, or has come and was not collected. */
  asked: Promise<void> | undefined;
  frame: T | undefined;
  ended: boolean;
}

/** The sources of one pipeline. They come and go while it runs. */
export class SourceSet<T> {
  readonly #options: SourceSetOptions<T>;
  readonly #members = new Map<string, Member<T>>();
  /** Of sources that have left. */
  #past: DropCounts = NO_DROPS;
  #failure: { readonly error: unknown } | undefined;
  #news = Promise.withResolvers<void>();

  constructor(options: SourceSetOptions<T>) {
    this.#options = options;
  }

  get ids(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** Opens a source, once and without trying again. Throws when the name is taken or it does not open. */
  async add(source: PipelineSource): Promise<void> {
    const { sourceId: id } = source;
    if (this.#members.has(id)) {
      throw inputError(`The pipeline has a source "${id}" already.`);
    }
    const feed = this.#options.createFeed(source);
    const leave = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, leave.signal]);
    this.#members.set(id, { id, feed, leave, signal, asked: undefined, frame: undefined, ended: false });
    try {
      await feed.open();
    } catch (error) {
      this.#members.delete(id);
      await feed.close();
      throw error;
    }
    this.#wake();
  }

  /** False when there is none of that name. */
  async remove(id: string): Promise<boolean> {
    const member = this.#members.get(id);
    if (member === undefined) return false;
    this.#members.delete(id);
    this.#past = sumOf(this.#past, member.feed.drops);
    member.leave.abort(inputError(`The source "${id}" was taken away.`));
    await member.feed.close();
    this.#wake();
    return true;
  }

  /** One frame each, at least one; absent when all sources have ended. */
  async collect(): Promise<readonly T[] | undefined> {
    const { wait, sleep, collectMs, signal } = this.#options;
    await this.#until(wait === "each" ? () => this.#allHere() : () => this.#someHere());
    if (!this.#allHere()) {
      let patient = true;
      await Promise.race([this.#until(() => this.#allHere() || !patient), sleep(collectMs, signal)]);
      patient = false;
    }
    const frames = this.#takeFrames();
    return frames.length > 0 ? frames : undefined;
  }

  get drops(): DropCounts {
    return [...this.#members.values()].reduce((sum, { feed }) => sumOf(sum, feed.drops), this.#past);
  }

  pause(): void {
    for (const { feed } of this.#members.values()) feed.pause();
  }

  resume(): void {
    for (const { feed } of this.#members.values()) feed.resume();
  }

  async close(): Promise<void> {
    await Promise.all(this.ids.map((id) => this.remove(id)));
  }

  async #ask(member: Member<T>): Promise<void> {
    try {
      const frame = await member.feed.next(member.signal);
      member.frame = frame;
      member.ended = frame === undefined;
    } catch (error) {
      // A source that was taken away has nothing more to say.
      if (!member.leave.signal.aborted) this.#failure ??= { error };
    }
    this.#wake();
  }

  /** Asks every source for its next frame and waits. Sources that come meanwhile are asked, too. */
  async #until(isReady: () => boolean): Promise<void> {
    for (;;) {
      this.#options.signal.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.error;
      for (const member of this.#members.values()) {
        if (!member.ended) member.asked ??= this.#ask(member);
      }
      if (isReady()) return;
      await this.#news.promise;
    }
  }

  #allHere(): boolean {
    return [...this.#members.values()].every(({ frame, ended }) => frame !== undefined || ended);
  }

  #someHere(): boolean {
    return this.#allHere() || [...this.#members.values()].some(({ frame }) => frame !== undefined);
  }

  #takeFrames(): readonly T[] {
    const frames: T[] = [];
    for (const member of this.#members.values()) {
      if (member.frame === undefined) continue;
      frames.push(member.frame);
      member.frame = undefined;
      member.asked = undefined;
    }
    return frames;
  }

  #wake(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers<void>();
  }
}

/** How early a frame may come, as a part of the interval and in milliseconds, so that jitter costs no frames. */
const EARLY = { part: 0.25, ms: 10 };

/** Lets through at most so many frames per second of the source's own time: tells whether a frame is taken. */
export function createFramePacer(maxFps: number): (frame: FrameMetadata) => boolean {
  // Without a limit there is no interval, and every frame is taken.
  if (maxFps === Number.POSITIVE_INFINITY) return () => true;
  const interval = 1000 / maxFps;
  const early = Math.min(EARLY.part * interval, EARLY.ms);
  let due = Number.NEGATIVE_INFINITY;
  return ({ timestamp }) => {
    const at = Date.parse(timestamp);
    const clockWentBack = due - at > 2 * interval;
    if (at < due - early && !clockWentBack) return false;
    // Behind by more than one interval: begin anew instead of catching up.
    due = Math.abs(at - due) > interval ? at + interval : due + interval;
    return true;
  };
}
