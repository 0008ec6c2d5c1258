// days and bytes → which pictures and events have to go
import { join } from "node:path";
import { z } from "zod";
import type { FilePort } from "../workspace/file-port.ts";
import { type BoundedLog, openBoundedLog } from "./bounded-log.ts";
import { type DayFile, dayOf } from "./event-files.ts";

/** The part of an artifact store that pictures of events need. */
export interface PictureStore {
  put(
    bytes: Uint8Array,
    options: { readonly mimeType: string; readonly namespace: string; readonly sources: readonly string[] },
  ): Promise<{ readonly id: string }>;
  /** Oldest first. */
  list(filter: { readonly namespace: string }): Promise<readonly StoredPicture[]>;
  ref(id: string): Promise<{ readonly namespace: string } | undefined>;
  remove(id: string): Promise<boolean>;
}

export interface StoredPicture {
  readonly id: string;
  readonly bytes: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

export const PICTURE_NAMESPACE = "event_picture";
const DAY_MS = 86_400_000;
/** Room is made from this share on, down to the other, so that the limit is never met. */
const FULL = 0.95;
const ROOMY = 0.9;
/** Pictures go before events until they have this share: a log without any picture is of little use. */
const PICTURE_SHARE = 0.5;

/** What was removed, and why. */
const removalSchema = z.object({
  timestamp: z.iso.datetime(),
  day: z.string(),
  reason: z.string(),
  events: z.int(),
  pictures: z.int(),
});
export type Removal = z.infer<typeof removalSchema>;
export type RemovalLog = BoundedLog<Removal>;

export function openRemovals(files: FilePort, folder: string): Promise<RemovalLog> {
  return openBoundedLog({ files, path: join(folder, "removed.jsonl"), schema: removalSchema, maxEntries: 1000 });
}

export interface RetentionOptions {
  readonly pictures: PictureStore;
  /** Pictures of alerts: they go last. */
  readonly alertPictures: () => ReadonlySet<string>;
  readonly keepDays: number;
  /** Lines, pictures and the index together. */
  readonly maxBytes: number;
}

/** What a removal needs of the log. */
export interface RetentionTargets {
  days(): Promise<readonly DayFile[]>;
  /** What the index takes now; what it gave up is used again before it grows. */
  indexBytes(): number;
  /** Removes a day's lines with their rows of the index; how often what happened may stay there. How many events went. */
  removeDay(day: string, counts: "go" | "stay"): Promise<number>;
  /** Of days whose events are gone. */
  forgetCountsBefore(ms: number): void;
  readonly removals: RemovalLog;
}

/**
 * Days that are too old go with their pictures. Then, while there is too much: the oldest pictures down to half of the
 * room, the oldest days (how often what happened is still known of them), all pictures, those of alerts last.
 */
export async function makeRoom(options: RetentionOptions, targets: RetentionTargets, nowMs: number): Promise<void> {
  await new RoomMaker(options, targets, nowMs).run();
}

class RoomMaker {
  readonly #options: RetentionOptions;
  readonly #targets: RetentionTargets;
  readonly #nowMs: number;
  #pictures: readonly StoredPicture[] = [];
  #bytes = 0;

  constructor(options: RetentionOptions, targets: RetentionTargets, nowMs: number) {
    this.#options = options;
    this.#targets = targets;
    this.#nowMs = nowMs;
  }

  async run(): Promise<void> {
    const { keepDays, maxBytes, pictures, alertPictures } = this.#options;
    const days = await this.#targets.days();
    this.#pictures = await pictures.list({ namespace: PICTURE_NAMESPACE });
    const sum = [...days, ...this.#pictures].reduce((total, { bytes }) => total + bytes, 0);
    this.#bytes = sum + this.#targets.indexBytes();
    const oldest = dayOf(this.#nowMs - (keepDays - 1) * DAY_MS);
    const old = `older than ${keepDays} days`;
    for (const day of days.filter((one) => one.day < oldest)) await this.#removeDay(day, "go", old);
    this.#targets.forgetCountsBefore(Date.parse(oldest));
    await this.#removePictures(({ createdAt }) => createdAt.slice(0, 10) < oldest, { reason: old, enough: 0 });
    if (this.#bytes <= maxBytes * FULL) return;
    const reason = `events and pictures took more than ${Math.round(maxBytes / 1_000_000)} MB`;
    const enough = maxBytes * ROOMY;
    const ofAlerts = alertPictures();
    const isOrdinary = ({ id }: StoredPicture): boolean => !ofAlerts.has(id);
    const most = maxBytes * PICTURE_SHARE;
    await this.#removePictures(isOrdinary, { reason, enough: Math.max(enough, this.#otherThan(isOrdinary) + most) });
    for (const day of days.filter((one) => one.day >= oldest && one.day < dayOf(this.#nowMs))) {
      if (this.#bytes <= enough) return;
      await this.#removeDay(day, "stay", reason);
    }
    await this.#removePictures(isOrdinary, { reason, enough });
    await this.#removePictures(() => true, { reason, enough });
  }

  /** Bytes of all but these pictures. */
  #otherThan(isOne: (picture: StoredPicture) => boolean): number {
    return this.#bytes - this.#pictures.reduce((sum, one) => sum + (isOne(one) ? one.bytes : 0), 0);
  }

  async #removeDay({ day, bytes }: DayFile, counts: "go" | "stay", reason: string): Promise<void> {
    const before = this.#targets.indexBytes();
    const events = await this.#targets.removeDay(day, counts);
    this.#bytes -= bytes + before - this.#targets.indexBytes();
    await this.#record({ day, reason, events, pictures: 0 });
  }

  /** From the oldest on, until no more than `enough` bytes are in use. */
  async #removePictures(
    goes: (picture: StoredPicture) => boolean,
    { reason, enough }: { readonly reason: string; readonly enough: number },
  ): Promise<void> {
    const removed = new Map<string, number>();
    const kept: StoredPicture[] = [];
    for (const picture of this.#pictures) {
      if (this.#bytes <= enough || !goes(picture)) kept.push(picture);
      else if (await this.#options.pictures.remove(picture.id)) {
        this.#bytes -= picture.bytes;
        const day = picture.createdAt.slice(0, 10);
        removed.set(day, (removed.get(day) ?? 0) + 1);
      }
    }
    this.#pictures = kept;
    for (const [day, pictures] of removed) await this.#record({ day, reason, events: 0, pictures });
  }

  #record(removal: Omit<Removal, "timestamp">): Promise<void> {
    return this.#targets.removals.append({ timestamp: new Date(this.#nowMs).toISOString(), ...removal });
  }
}
