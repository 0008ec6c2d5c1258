// scene events ⇄ events/YYYY-MM-DD.jsonl, for as long as they may stay
import { join } from "node:path";
import { type SceneEvent, sceneEventSchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { FilePort } from "../workspace/file-port.ts";
import { type BoundedLog, openBoundedLog } from "./bounded-log.ts";

/** The part of an artifact store that pictures of events need. */
export interface PictureStore {
  put(
    bytes: Uint8Array,
    options: { readonly mimeType: string; readonly namespace: string; readonly sources: readonly string[] },
  ): Promise<{ readonly id: string }>;
  list(filter: { readonly namespace: string }): Promise<readonly { readonly id: string; readonly bytes: number }[]>;
  remove(id: string): Promise<boolean>;
}

export const PICTURE_NAMESPACE = "event_picture";
/** So many of the newest events are at hand; older ones stay in their files. */
export const MOST_EVENTS = 50_000;
const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;
const DAY_MS = 86_400_000;
/** Room is made down to this share, so that it is not made again at once. */
const ROOMY = 0.9;

/** What was removed, and why. */
const removalSchema = z.object({
  timestamp: z.iso.datetime(),
  day: z.string(),
  reason: z.string(),
  events: z.int(),
  pictures: z.int(),
});
export type Removal = z.infer<typeof removalSchema>;

/** What is on disk, kept up to date while room is made. */
interface Usage {
  readonly days: ReadonlyMap<string, number>;
  readonly pictures: Map<string, number>;
  bytes: number;
}

export interface EventFilesOptions {
  readonly files: FilePort;
  /** Absolute path of `events/`; it exists. */
  readonly folder: string;
  readonly pictures: PictureStore;
  readonly keepDays: number;
  /** Lines and pictures together. */
  readonly maxBytes: number;
  /** Takes secrets out of the texts of what is written. Default: nothing is taken out. */
  readonly redact?: <E>(entry: E) => E;
}

/** Events of all days on disk. Everything rejects with `StoreError` or what the picture store says. */
export class EventFiles {
  readonly #options: EventFilesOptions;
  readonly #removals: BoundedLog<Removal>;
  #today: { readonly day: string; readonly lines: Promise<BoundedLog<SceneEvent>> } | undefined;

  constructor(options: EventFilesOptions, removals: BoundedLog<Removal>) {
    this.#options = options;
    this.#removals = removals;
  }

  static async open(options: EventFilesOptions): Promise<EventFiles> {
    const path = join(options.folder, "removed.jsonl");
    return new EventFiles(
      options,
      await openBoundedLog({ files: options.files, path, schema: removalSchema, maxEntries: 1000 }),
    );
  }

  /** Oldest first. */
  removals(): readonly Removal[] {
    return this.#removals.entries();
  }

  /** The newest events, oldest first. */
  async load(): Promise<readonly SceneEvent[]> {
    let events: readonly SceneEvent[] = [];
    for (const day of (await this.#days()).reverse()) {
      if (events.length >= MOST_EVENTS) break;
      events = [...(await this.#open(day)).entries(), ...events];
    }
    return events.slice(-MOST_EVENTS);
  }

  async append(event: SceneEvent, nowMs: number): Promise<void> {
    const day = dayOf(nowMs);
    if (this.#today?.day !== day) this.#today = { day, lines: this.#open(day) };
    const lines = await this.#today.lines.catch((error: unknown) => {
      this.#today = undefined;
      throw error;
    });
    await lines.append(event);
  }

  /** Takes events out of their files, and says so in the list of what was removed. Oldest first. */
  async forget(goes: (event: SceneEvent) => boolean, how: { readonly preview: boolean; readonly nowMs: number }) {
    const found: SceneEvent[] = [];
    for (const day of await this.#days()) {
      const lines = await (this.#today?.day === day ? this.#today.lines : this.#open(day));
      const going = lines.entries().filter(goes);
      found.push(...going);
      if (how.preview || going.length === 0) continue;
      await lines.rewrite((event) => (goes(event) ? undefined : event));
      const timestamp = new Date(how.nowMs).toISOString();
      const pictures = going.filter(({ picture }) => picture !== undefined).length;
      await this.#removals.append({ timestamp, day, reason: "forgotten on request", events: going.length, pictures });
    }
    return found;
  }

  /** Removes what is too old, then the oldest while all of it takes too much room. Each removal leaves a record. */
  async prune(nowMs: number): Promise<void> {
    const { keepDays, maxBytes } = this.#options;
    const timestamp = new Date(nowMs).toISOString();
    const today = dayOf(nowMs);
    const oldest = dayOf(nowMs - (keepDays - 1) * DAY_MS);
    const usage = await this.#measure();
    for (const day of (await this.#days()).filter((one) => one < oldest)) {
      await this.#removeDay(day, usage, { timestamp, reason: `older than ${keepDays} days` });
    }
    if (usage.bytes <= maxBytes) return;
    const reason = `events and pictures took more than ${Math.round(maxBytes / 1_000_000)} MB`;
    for (const day of (await this.#days()).filter((one) => one < today)) {
      await this.#removeDay(day, usage, { timestamp, reason });
      if (usage.bytes <= maxBytes * ROOMY) return;
    }
    const pictures = await this.#removePictures(today, usage, maxBytes * ROOMY);
    if (pictures > 0) await this.#removals.append({ timestamp, reason, day: today, events: 0, pictures });
  }

  async #removeDay(day: string, usage: Usage, why: Pick<Removal, "timestamp" | "reason">): Promise<void> {
    const events = (await this.#open(day)).entries().length;
    const pictures = await this.#removePictures(day, usage, 0);
    await this.#options.files.remove(this.#path(day));
    usage.bytes -= usage.days.get(day) ?? 0;
    await this.#removals.append({ ...why, day, events, pictures });
  }

  /** From the oldest on, until no more than `enough` bytes are in use. Says how many went. */
  async #removePictures(day: string, usage: Usage, enough: number): Promise<number> {
    let removed = 0;
    for (const { picture = "" } of (await this.#open(day)).entries()) {
      if (usage.bytes <= enough) break;
      const bytes = usage.pictures.get(picture);
      // The same bytes may belong to somebody else: only pictures of events go.
      if (bytes === undefined || !(await this.#options.pictures.remove(picture))) continue;
      usage.pictures.delete(picture);
      usage.bytes -= bytes;
      removed += 1;
    }
    return removed;
  }

  async #measure(): Promise<Usage> {
    const { files, folder, pictures } = this.#options;
    const lines = await files.list(folder);
    const stored = await pictures.list({ namespace: PICTURE_NAMESPACE });
    return {
      days: new Map(lines.map(({ name, bytes }) => [name.replace(/\.jsonl$/, ""), bytes])),
      pictures: new Map(stored.map(({ id, bytes }) => [id, bytes])),
      bytes: [...lines, ...stored].reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  async #days(): Promise<string[]> {
    const { files, folder } = this.#options;
    return (await files.list(folder)).flatMap(({ name }) => DAY_FILE.exec(name)?.[1] ?? []).sort();
  }

  #open(day: string): Promise<BoundedLog<SceneEvent>> {
    const { files, redact } = this.#options;
    const path = this.#path(day);
    return openBoundedLog({ files, path, schema: sceneEventSchema, maxEntries: MOST_EVENTS, redact });
  }

  #path(day: string): string {
    return join(this.#options.folder, `${day}.jsonl`);
  }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
