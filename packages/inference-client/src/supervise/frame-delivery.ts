// results of one server pipeline after the other → one row of frames that never goes back
import type { ConsumedFrame, ConsumedResult } from "../wire/pipeline-answers.ts";
import type { SerialisedOutputs } from "../wire/to-outputs.ts";
import type { SuperviseOptions } from "./supervised-pipeline.ts";

type DeliveryOptions = Pick<SuperviseOptions, "isFile" | "clock" | "wantsImages" | "onResult">;

interface Row {
  /** The server's number of the last frame of this opening. */
  lastId: number;
  /** What the numbers of this opening are counted on from. */
  base: number;
  lastNumber: number;
}

const RATE_WINDOW_MS = 3000;

export class FrameDelivery {
  readonly #options: DeliveryOptions;
  readonly #images = new Set<string>();
  readonly #rows = new Map<number, Row>();
  #times: number[] = [];
  processed = 0;
  dropped = 0;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** The highest frame number so far, over all sources; 0 before the first. */
  get lastFrameNumber(): number {
    return Math.max(0, ...[...this.#rows.values()].map(({ lastNumber }) => lastNumber));
  }

  /** Results per second over the last 3 seconds. */
  get fps(): number {
    this.#forgetOldTimes();
    return (this.#times.length * 1000) / RATE_WINDOW_MS;
  }

  /** The source is opened again: a stream counts on, a file begins with frames that were seen before. */
  beginOpening(): void {
    for (const row of this.#rows.values()) {
      row.lastId = 0;
      if (!this.#options.isFile) row.base = row.lastNumber;
    }
  }

  /** Pictures that nobody wants now. */
  excludedFields(): readonly string[] {
    const wanted = this.#options.wantsImages();
    return [...this.#images].filter((name) => !wanted.includes(name));
  }

  /** True when at least one frame was new. `discard`: frames pass by unseen, as while paused. */
  take(result: ConsumedResult, discard: boolean): boolean {
    let isNew = false;
    for (const frame of result.frames) {
      if (frame && this.#takeFrame(frame, discard)) isNew = true;
    }
    return isNew;
  }

  #takeFrame(frame: ConsumedFrame, discard: boolean): boolean {
    const row = this.#row(frame.sourceId);
    const number = row.base + frame.frameId;
    if (frame.frameId <= row.lastId || number <= row.lastNumber) return false;
    const skipped = number - row.lastNumber - 1;
    const isFirstOfOpening = row.lastId === 0 && !this.#options.isFile;
    if (!discard && !isFirstOfOpening) this.dropped += skipped;
    row.lastId = frame.frameId;
    row.lastNumber = number;
    if (discard) return false;
    this.#learnImages(frame.outputs);
    this.processed += 1;
    this.#times.push(this.#options.clock.monotonic());
    this.#forgetOldTimes();
    this.#options.onResult({
      sourceIndex: frame.sourceId,
      frameNumber: number,
      timestampMs: toFrameTime(frame.timestamp, this.#options.clock.now(), this.#options.isFile),
      outputs: frame.outputs,
    });
    return true;
  }

  #row(sourceId: number): Row {
    const known = this.#rows.get(sourceId);
    if (known) return known;
    const row: Row = { lastId: 0, base: 0, lastNumber: 0 };
    this.#rows.set(sourceId, row);
    return row;
  }

  #learnImages(outputs: SerialisedOutputs): void {
    for (const [name, value] of Object.entries(outputs)) {
      if (holdsPicture(value)) this.#images.add(name);
    }
  }

  #forgetOldTimes(): void {
    const oldest = this.#options.clock.monotonic() - RATE_WINDOW_MS;
    this.#times = this.#times.filter((time) => time > oldest);
  }
}

/** A serialised picture, or a list that begins with one. */
function holdsPicture(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && holdsPicture(value[0]);
  return typeof value === "object" && value !== null && "type" in value && value.type === "base64" && "value" in value;
}

const ZONE_STEP_MS = 15 * 60_000;

/**
 * The server writes its local time without saying which. Zones differ by quarters of an hour and a live frame is never
 * that late, so the difference to our clock tells the zone. A file's frames carry the file's date, which is left alone.
 */
export function toFrameTime(timestamp: string, nowMs: number, isFile: boolean): number {
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(timestamp);
  const time = Date.parse(hasZone ? timestamp : `${timestamp}Z`);
  if (Number.isNaN(time)) return nowMs;
  if (isFile) return time;
  return time + Math.round((nowMs - time) / ZONE_STEP_MS) * ZONE_STEP_MS;
}
