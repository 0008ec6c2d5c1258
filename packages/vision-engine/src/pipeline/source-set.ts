// several sources → one frame of each → one run
import { EngineError } from "../errors.ts";
import type { Frame } from "../frames/frame.ts";
import type { DropCounts } from "../sources/drop-counts.ts";
import { NO_DROPS, type SourceFeed, sumOf } from "./source-feed.ts";

export interface SourceSetOptions {
  readonly createFeed: (id: string, address: string) => SourceFeed;
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

/** The sources of one pipeline. They come and go while it runs. */
export interface SourceSet {
  /** Opens a source, once and without trying again. Throws when the name is taken or it does not open. */
  add(id: string, address: string): Promise<void>;
  /** False when there is none of that name. */
  remove(id: string): Promise<boolean>;
  readonly ids: readonly string[];
  /** One frame each, at least one; absent when all sources have ended. A frame is valid until the next call. */
  collect(): Promise<readonly Frame[] | undefined>;
  readonly drops: DropCounts;
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

interface Member {
  readonly id: string;
  readonly feed: SourceFeed;
  readonly leave: AbortController;
  /** Ends what is asked of it: all is over, or it was taken away. Made once, for a source is asked many times. */
  readonly signal: AbortSignal;
  /** The frame that was asked for and has not come, or has come and was not collected. */
  asked: Promise<void> | undefined;
  frame: Frame | undefined;
  ended: boolean;
}

export function createSourceSet(options: SourceSetOptions): SourceSet {
  return new Sources(options);
}

class Sources implements SourceSet {
  readonly #options: SourceSetOptions;
  readonly #members = new Map<string, Member>();
  /** Of sources that have left. */
  #past: DropCounts = NO_DROPS;
  #failure: { readonly error: unknown } | undefined;
  #news = Promise.withResolvers<void>();

  constructor(options: SourceSetOptions) {
    this.#options = options;
  }

  get ids(): readonly string[] {
    return [...this.#members.keys()];
  }

  async add(id: string, address: string): Promise<void> {
    if (this.#members.has(id)) {
      throw new EngineError({ kind: "input", message: `The pipeline has a source "${id}" already.` });
    }
    const feed = this.#options.createFeed(id, address);
    const leave = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, leave.signal]);
    this.#members.set(id, { id, feed, leave, signal, asked: undefined, frame: undefined, ended: false });
    try {
      await feed.open();
    } catch (error) {
      this.#members.delete(id);
      throw error;
    }
    this.#wake();
  }

  async remove(id: string): Promise<boolean> {
    const member = this.#members.get(id);
    if (member === undefined) return false;
    this.#members.delete(id);
    this.#past = sumOf(this.#past, member.feed.drops);
    member.leave.abort(new EngineError({ kind: "input", message: `The source "${id}" was taken away.` }));
    await member.feed.close();
    this.#wake();
    return true;
  }

  async collect(): Promise<readonly Frame[] | undefined> {
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

  async #ask(member: Member): Promise<void> {
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

  #takeFrames(): readonly Frame[] {
    const frames: Frame[] = [];
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
