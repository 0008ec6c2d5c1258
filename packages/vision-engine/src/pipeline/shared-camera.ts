// one source → every plan that looks at it: one decoder, one health, one copy of each frame
import { EngineError, inputError } from "../errors.ts";
import type { Frame, Motion } from "../frames/frame.ts";
import { createFramePool, type PooledFrame } from "../frames/frame-pool.ts";
import { type DropCounts, NO_DROPS } from "../sources/frame-source.ts";
import { type CameraHealthChange, createHealthMonitor } from "../sources/health-monitor.ts";
import { createFramePacer, type SourceFeed, sumOf } from "./source-set.ts";

export interface SharedCameraOptions {
  /** The source, opened again when it is lost. */
  readonly createFeed: (onLost: (reason: string) => void) => SourceFeed;
  /** Says what moved from frame to frame; absent when nobody wants to know. */
  readonly motion?: ((frame: Frame) => Motion) | undefined;
  /** The time of the source: milliseconds since 1970, in a replay those of the recording. */
  readonly wallClock: () => number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Nobody looks any more and the source is closed. Must not throw. */
  readonly onClosed?: () => void;
}

/** One who looks at a camera. The callbacks must not throw. */
export interface CameraGuest {
  readonly maxFps: number;
  readonly onLost: (reason: string) => void;
  readonly onHealth: (health: CameraHealthChange) => void;
}

/** Guests with the same rate take the same frames, so that what is found in a frame serves all of them. */
interface Rate {
  readonly takes: ReturnType<typeof createFramePacer>;
  guests: number;
  /** The newest frame of this rate, for guests that were busy when it came. */
  latest: PooledFrame | undefined;
  latestAtMs: number;
  accepted: boolean;
}

interface Seat {
  readonly guest: CameraGuest;
  readonly rate: Rate;
  waiting: PromiseWithResolvers<PooledFrame | undefined> | undefined;
  last: PooledFrame | undefined;
  paused: boolean;
  /** Frames that came while it was busy, and those that its rate left out. */
  missed: number;
  leftOut: number;
  /** What the source had dropped before it came and during its pauses. */
  dropsBefore: DropCounts;
  dropsAtPause: DropCounts;
}

export class SharedCamera {
  readonly #options: SharedCameraOptions;
  readonly #source: SourceFeed;
  readonly #pool = createFramePool();
  readonly #health = createHealthMonitor();
  readonly #rates = new Map<number, Rate>();
  readonly #seats = new Set<Seat>();
  readonly #life = new AbortController();
  #opening: Promise<void> | undefined;
  #reading = false;
  /** Why the source gives nothing just now. */
  #lost: string | undefined;
  #illness: CameraHealthChange | undefined;
  #end: { readonly error?: unknown } | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SharedCameraOptions) {
    this.#options = options;
    this.#source = options.createFeed((reason) => this.#lose(reason));
  }

  /** A way to the frames; the source is opened for the first who opens its feed, and closed with the last. */
  join(guest: CameraGuest): SourceFeed<PooledFrame> {
    const seat = this.#takeSeat(guest);
    let closed: Promise<void> | undefined;
    const dropsOf = (): DropCounts =>
      sumOf(differenceOf(seat.paused ? seat.dropsAtPause : this.#source.drops, seat.dropsBefore), {
        ...NO_DROPS,
        not_taken_in_time: seat.missed,
        rate_limit: seat.leftOut,
      });
    return {
      open: () => this.#open(seat),
      next: (signal) => this.#next(seat, signal),
      get drops() {
        return dropsOf();
      },
      pause: () => this.#pause(seat),
      resume: () => this.#resume(seat),
      close: () => {
        closed ??= this.#leave(seat);
        return closed;
      },
    };
  }

  #takeSeat(guest: CameraGuest): Seat {
    const { maxFps } = guest;
    const takes = createFramePacer(maxFps);
    const rate = this.#rates.get(maxFps) ?? { takes, guests: 0, latest: undefined, latestAtMs: 0, accepted: false };
    this.#rates.set(maxFps, rate);
    rate.guests += 1;
    const dropsBefore = this.#source.drops;
    const counts = { missed: 0, leftOut: 0, dropsBefore, dropsAtPause: dropsBefore };
    const seat: Seat = { guest, rate, waiting: undefined, last: undefined, paused: false, ...counts };
    this.#seats.add(seat);
    this.#source.resume();
    return seat;
  }

  async #open({ guest }: Seat): Promise<void> {
    this.#opening ??= this.#source.open();
    await this.#opening;
    if (this.#lost !== undefined) throw new EngineError({ kind: "source", message: this.#lost });
    if (this.#illness !== undefined) guest.onHealth(this.#illness);
  }

  async #next(seat: Seat, signal: AbortSignal): Promise<PooledFrame | undefined> {
    signal.throwIfAborted();
    const { latest, latestAtMs } = seat.rate;
    if (latest !== undefined && latest !== seat.last && this.#isNewest(latest, latestAtMs, seat)) {
      // It was counted as missed when it came, unless this guest is new.
      seat.missed = Math.max(0, seat.missed - 1);
      return take(seat, latest);
    }
    if (this.#end !== undefined) {
      if ("error" in this.#end) throw this.#end.error;
      return undefined;
    }
    const waiting = Promise.withResolvers<PooledFrame | undefined>();
    seat.waiting = waiting;
    const abort = (): void => waiting.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    void this.#read();
    try {
      return await waiting.promise;
    } finally {
      signal.removeEventListener("abort", abort);
      if (seat.waiting === waiting) seat.waiting = undefined;
    }
  }

  /** Whether no newer frame of this rate can be there yet. */
  #isNewest({ image }: PooledFrame, atMs: number, { guest }: Seat): boolean {
    const { fps } = image.metadata;
    const intervalMs = Math.max(1000 / guest.maxFps, fps > 0 ? 1000 / fps : 0);
    return this.#options.now() - atMs < intervalMs;
  }

  /** Takes frames from the source while somebody waits for one. */
  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#end === undefined && [...this.#seats].some(({ waiting }) => waiting)) {
        const frame = await this.#source.next(this.#life.signal);
        if (frame === undefined) this.#finish({});
        else this.#offer(frame);
      }
    } catch (error) {
      this.#finish({ error });
    } finally {
      this.#reading = false;
    }
  }

  #finish(end: { readonly error?: unknown }): void {
    this.#end = end;
    for (const { waiting } of this.#seats) {
      if ("error" in end) waiting?.reject(end.error);
      else waiting?.resolve(undefined);
    }
  }

  #offer(frame: Frame): void {
    this.#lost = undefined;
    this.#noteHealth(this.#health.see(frame, Date.parse(frame.metadata.timestamp)));
    let wanted = false;
    for (const rate of this.#rates.values()) {
      rate.accepted = rate.takes(frame.metadata);
      wanted ||= rate.accepted;
    }
    const copy = wanted ? this.#pool.copy({ ...frame, motion: this.#options.motion?.(frame) }) : undefined;
    for (const seat of this.#seats) this.#give(seat, copy);
    for (const rate of this.#rates.values()) if (rate.accepted && copy !== undefined) this.#remember(rate, copy);
    copy?.letGo();
  }

  #give(seat: Seat, copy: PooledFrame | undefined): void {
    if (copy === undefined || !seat.rate.accepted) {
      if (!seat.paused) seat.leftOut += 1;
    } else if (seat.waiting !== undefined) {
      seat.waiting.resolve(take(seat, copy));
      seat.waiting = undefined;
    } else if (!seat.paused) seat.missed += 1;
  }

  #remember(rate: Rate, copy: PooledFrame): void {
    rate.latest?.letGo();
    // A single guest was there when it was read.
    rate.latest = this.#seats.size > 1 ? copy : undefined;
    rate.latest?.hold();
    rate.latestAtMs = this.#options.now();
  }

  #lose(reason: string): void {
    this.#lost = reason;
    this.#noteHealth(this.#health.see(undefined, this.#options.wallClock()));
    for (const { guest } of this.#seats) guest.onLost(reason);
  }

  #noteHealth(health: CameraHealthChange | undefined): void {
    if (health === undefined) return;
    this.#illness = health.state === "ok" ? undefined : health;
    for (const { guest } of this.#seats) guest.onHealth(health);
  }

  /** A file waits while all are paused; of a live source nothing is wanted meanwhile. */
  #pause(seat: Seat): void {
    if (seat.paused) return;
    seat.paused = true;
    seat.dropsAtPause = this.#source.drops;
    this.#pauseWithAll();
  }

  #pauseWithAll(): void {
    if ([...this.#seats].every(({ paused }) => paused)) this.#source.pause();
  }

  #resume(seat: Seat): void {
    if (!seat.paused) return;
    seat.paused = false;
    seat.dropsBefore = sumOf(seat.dropsBefore, differenceOf(this.#source.drops, seat.dropsAtPause));
    this.#source.resume();
  }

  async #leave(seat: Seat): Promise<void> {
    this.#seats.delete(seat);
    seat.rate.guests -= 1;
    if (seat.rate.guests === 0) this.#rates.delete(seat.guest.maxFps);
    if (this.#seats.size > 0) return this.#pauseWithAll();
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.#options.onClosed?.();
    this.#life.abort(inputError("The source was closed."));
    await this.#source.close();
  }
}

function take(seat: Seat, frame: PooledFrame): PooledFrame {
  frame.hold();
  seat.last = frame;
  return frame;
}

function differenceOf(after: DropCounts, before: DropCounts): DropCounts {
  const reasons = Object.keys(after) as (keyof DropCounts)[];
  return Object.fromEntries(reasons.map((reason) => [reason, after[reason] - before[reason]])) as DropCounts;
}
