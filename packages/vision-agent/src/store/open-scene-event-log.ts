// drafts → events with an id and a picture → memory, disk and listeners

import type { Clock, IdSource } from "@vision-agent/agent-core";
import type { SceneEvent } from "@vision-agent/protocol";
import PQueue from "p-queue";
import { reasonOf } from "../workspace/kinded-error.ts";
import { EventFiles, type EventFilesOptions, MOST_EVENTS, PICTURE_NAMESPACE, type Removal } from "./event-files.ts";
import { type ForgetTarget, type Forgotten, toForgotten } from "./forget-target.ts";
import { ofCamera, toSources } from "./picture-origin.ts";

const DEFAULT_LIMIT = 100;
const MOST_LISTED = 1000;
/** A disk that is almost full fails now and then; it is told once in a while. */
const COMPLAIN_EVERY_MS = 600_000;
const PRUNE_EVERY_MS = 3_600_000;

export interface SceneEventLogOptions extends EventFilesOptions {
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Told when the disk refuses, at most once in ten minutes. Must not throw. */
  readonly onProblem: (message: string) => void;
}

/** An event before it has an id and a picture. */
export type SceneEventDraft = Omit<SceneEvent, "id" | "picture">;

export interface EventFilter {
  readonly camera?: string;
  readonly className?: string;
  readonly kind?: string;
  /** ISO 8601, inclusive. */
  readonly from?: string;
  /** ISO 8601, exclusive. */
  readonly to?: string;
  /** Default 100, at most 1000. */
  readonly limit?: number;
  /** Which end of the time comes first. Default newest. */
  readonly order?: "newest" | "oldest";
}

/** What happened, to be read. Survives a restart. */
export type SceneEventLog = Pick<Events, "list" | "get" | "onEvent">;
/** The log with its writing side. */
export type OpenSceneEventLog = Pick<Events, keyof Events>;

/** Reads what is there and removes what is too old. */
export async function openSceneEventLog(options: SceneEventLogOptions): Promise<OpenSceneEventLog> {
  const files = await EventFiles.open(options);
  const log = new Events(options, files, await files.load());
  await log.prune();
  return log;
}

class Events {
  readonly #options: SceneEventLogOptions;
  readonly #files: EventFiles;
  readonly #events: SceneEvent[];
  readonly #listeners = new Set<(event: SceneEvent) => void>();
  /** Events enter one after the other. */
  readonly #entering = new PQueue({ concurrency: 1 });
  readonly #writing = new PQueue({ concurrency: 1 });
  #prunedAtMs = Number.NEGATIVE_INFINITY;
  #complainedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SceneEventLogOptions, files: EventFiles, events: readonly SceneEvent[]) {
    this.#options = options;
    this.#files = files;
    this.#events = [...events];
  }

  list(filter: EventFilter = {}): readonly SceneEvent[] {
    const limit = Math.min(MOST_LISTED, Math.max(0, filter.limit ?? DEFAULT_LIMIT));
    const found: SceneEvent[] = [];
    const { length } = this.#events;
    for (let step = 0; step < length && found.length < limit; step += 1) {
      const event = this.#events[filter.order === "oldest" ? step : length - 1 - step];
      if (event && matches(event, filter)) found.push(event);
    }
    return found;
  }

  get(id: string): SceneEvent | undefined {
    return this.#events.find((event) => event.id === id);
  }

  /** Called for each new event once its picture is stored. Must not throw. Returns the way to stop. */
  onEvent(listener: (event: SceneEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Events enter in the order of the calls. The picture may be late or absent; the event is never lost for it. */
  add(draft: SceneEventDraft, picture: Promise<Uint8Array | undefined>): void {
    const stored = this.#storePicture(picture, draft.camera);
    void this.#entering.add(async () => this.#enter(draft, await stored));
  }

  /** Days and pictures that were removed to make room, oldest first. */
  removals(): readonly Removal[] {
    return this.#files.removals();
  }

  /** Resolves when everything added is stored. May be called twice. */
  async close(): Promise<void> {
    await this.#entering.onIdle();
    await this.#writing.onIdle();
  }

  /** Events whose time is over and that fit, also those that are only on disk. */
  async find(goes: (event: SceneEvent) => boolean): Promise<readonly SceneEvent[]> {
    await this.close();
    return this.#files.forget(goes, { preview: true, nowMs: this.#options.clock.now() });
  }

  async forget({ events }: ForgetTarget, { preview }: { readonly preview: boolean }): Promise<Forgotten> {
    const goes = ({ id }: SceneEvent): boolean => events.has(id);
    const nowMs = this.#options.clock.now();
    const found = await this.#writing.add(() => this.#files.forget(goes, { preview, nowMs }));
    if (!preview) this.#events.splice(0, this.#events.length, ...this.#events.filter((event) => !goes(event)));
    return toForgotten(found.map(({ timestamp, camera, text }) => `${timestamp} ${camera}: ${text}`));
  }

  async prune(): Promise<void> {
    this.#prunedAtMs = this.#options.clock.now();
    await this.#guarded(() => this.#files.prune(this.#prunedAtMs));
  }

  #enter(draft: SceneEventDraft, picture: string | undefined): void {
    const event: SceneEvent = { id: this.#options.ids.next("event"), ...draft, ...(picture && { picture }) };
    this.#events.push(event);
    if (this.#events.length > MOST_EVENTS) this.#events.shift();
    const nowMs = this.#options.clock.now();
    void this.#writing.add(() => this.#guarded(() => this.#files.append(event, nowMs)));
    if (nowMs - this.#prunedAtMs > PRUNE_EVERY_MS) void this.#writing.add(() => this.prune());
    for (const listener of this.#listeners) listener(event);
  }

  async #storePicture(picture: Promise<Uint8Array | undefined>, camera: string): Promise<string | undefined> {
    let id: string | undefined;
    await this.#guarded(async () => {
      const bytes = await picture;
      if (bytes === undefined) return;
      const sources = toSources(ofCamera(camera));
      const about = { mimeType: "image/jpeg", namespace: PICTURE_NAMESPACE, sources };
      const ref = await this.#options.pictures.put(bytes, about);
      id = ref.id;
    });
    return id;
  }

  /** A failing disk costs what could not be written, never the event. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const nowMs = this.#options.clock.monotonic();
      if (nowMs - this.#complainedAtMs < COMPLAIN_EVERY_MS) return;
      this.#complainedAtMs = nowMs;
      this.#options.onProblem(problem(error));
    }
  }
}

function problem(error: unknown): string {
  const reason = reasonOf(error);
  return `Events go on, but not all of them reach the disk: ${reason}`;
}

function matches(event: SceneEvent, { camera, className, kind, from, to }: EventFilter): boolean {
  return (
    (camera === undefined || event.camera.toLowerCase() === camera.toLowerCase()) &&
    (className === undefined || event.class_name?.toLowerCase() === className.toLowerCase()) &&
    (kind === undefined || event.kind === kind) &&
    (from === undefined || Date.parse(event.timestamp) >= Date.parse(from)) &&
    (to === undefined || Date.parse(event.timestamp) < Date.parse(to))
  );
}
