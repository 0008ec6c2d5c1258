// a video and a reading strategy → frames as a pipeline's source gives them
import type { OpenVideo } from "./cameras.ts";

export type FakeSourceState = "NOT_STARTED" | "INITIALISING" | "RUNNING" | "MUTED" | "ENDED" | "ERROR";

export interface SourceFrame {
  readonly frame: number;
  readonly timestamp: string;
}

export interface SourceReading {
  /** Frames decoded ahead. */
  readonly bufferSize: number;
  readonly filling: string;
  readonly consumption: string;
}

/** Time to decode one frame of a file, in the server's milliseconds. */
const DECODE_MS = 4;
const FILE_BEGAN = Date.UTC(2026, 0, 1);

/** One source of a hosted pipeline. Time comes in from outside, in the server's milliseconds. */
export class SourceRun {
  readonly id: number;
  readonly reference: string;
  readonly reading: SourceReading;
  completed = 0;
  lastFrame: number | undefined;
  #video: OpenVideo | undefined;
  #state: FakeSourceState = "NOT_STARTED";
  #decoded = 0;
  #began = 0;
  #buffer: SourceFrame[] = [];
  #stopListening: () => void = () => undefined;
  readonly #onState: (previous: FakeSourceState, next: FakeSourceState) => void;

  constructor(parts: {
    id: number;
    reference: string;
    reading: SourceReading;
    onState: (source: SourceRun, previous: FakeSourceState, next: FakeSourceState) => void;
  }) {
    this.id = parts.id;
    this.reference = parts.reference;
    this.reading = parts.reading;
    this.#onState = (previous, next) => parts.onState(this, previous, next);
  }

  get state(): FakeSourceState {
    return this.#state;
  }

  get video(): OpenVideo | undefined {
    return this.#video;
  }

  get isOver(): boolean {
    return this.#state === "ENDED" || this.#state === "ERROR";
  }

  /** The decoder of a file that waits for room is waited for, too, by whoever ends it: for ever. */
  get cannotEnd(): boolean {
    return this.#video?.isFile === true && this.reading.filling === "WAIT" && !this.isOver;
  }

  /** False when nothing can be read there. */
  open(video: OpenVideo | undefined, now: number): boolean {
    this.#enter("INITIALISING");
    if (video === undefined) {
      this.#enter("ERROR");
      return false;
    }
    this.#video = video;
    this.#began = now;
    this.#stopListening = video.onCut(() => this.#enter("ENDED"));
    this.#enter("RUNNING");
    return true;
  }

  mute(): boolean {
    return this.#swap("RUNNING", "MUTED");
  }

  unmute(): boolean {
    return this.#swap("MUTED", "RUNNING");
  }

  /** The next frame, if there is one by now. */
  take(now: number): SourceFrame | undefined {
    this.#decode(now);
    const frame = this.reading.consumption === "EAGER" ? this.#buffer.pop() : this.#buffer.shift();
    if (this.reading.consumption === "EAGER") this.#buffer = [];
    this.#decode(now);
    return frame;
  }

  close(): void {
    this.#stopListening();
  }

  #swap(from: FakeSourceState, to: FakeSourceState): boolean {
    if (this.#state !== from) return false;
    this.#enter(to);
    return true;
  }

  #enter(next: FakeSourceState): void {
    if (this.isOver) return;
    const previous = this.#state;
    this.#state = next;
    if (this.isOver) this.#stopListening();
    this.#onState(previous, next);
  }

  #decode(now: number): void {
    const video = this.#video;
    if (video === undefined || this.isOver) return;
    const isWaiting = video.isFile && this.reading.filling === "WAIT" && this.#state === "RUNNING";
    const due = 1 + Math.floor((now - this.#began) / (video.isFile ? DECODE_MS : 1000 / video.fps));
    while (this.#decoded < Math.min(due, video.frames)) {
      if (isWaiting && this.#buffer.length >= this.reading.bufferSize) return;
      this.#decoded += 1;
      if (this.#state === "RUNNING") this.#buffer.push({ frame: this.#decoded, timestamp: this.#timestamp(video) });
      if (this.#buffer.length > this.reading.bufferSize) this.#buffer.shift();
    }
    if (this.#decoded >= video.frames) this.#enter("ENDED");
  }

  #timestamp(video: OpenVideo): string {
    const ms = video.isFile ? FILE_BEGAN + ((this.#decoded - 1) * 1000) / video.fps : Date.now();
    return pythonTime(ms);
  }
}

/** As Python writes it: no zone, microseconds. */
export function pythonTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000");
}
