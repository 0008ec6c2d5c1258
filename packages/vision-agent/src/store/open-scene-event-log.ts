// drafts → events with an id and a picture → files, index and listeners
import { setImmediate } from "node:timers/promises";
import type { Clock, IdSource } from "@vision-agent/agent-core";
import type { EventCount, EventGrouping, SceneEvent, Visit } from "@vision-agent/protocol";
import PQueue from "p-queue";
import { type CameraNames, FIXED_NAMES } from "../workspace/camera-names.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { dayOf, EventFiles } from "./event-files.ts";
import type { CrossingCounts, CrossingQuery, EventFilter, EventIndex, EventQuery, VisitFilter } from "./event-index.ts";
import { EventIndexError, EventIndexFile } from "./event-index-file.ts";
import {
  makeRoom,
  openRemovals,
  PICTURE_NAMESPACE,
  type Removal,
  type RemovalLog,
  type RetentionOptions,
} from "./event-retention.ts";
import type { FiledEvent } from "./event-tables.ts";
import { type ForgetTarget, type Forgotten, toForgotten } from "./forget-target.ts";
import { BEHIND, IndexCatchUp } from "./index-catch-up.ts";
import { ofCamera, toSources } from "./picture-origin.ts";

/** A disk that is almost full fails now and then; it is told once in a while. */
const COMPLAIN_EVERY_MS = 600_000;
const PRUNE_EVERY_MS = 3_600_000;
/** Room is also made when so large a share of it was filled since the last time. */
const PRUNE_EVERY_SHARE = 0.02;
/** A start waits no longer for an index that is behind. */
const CATCH_UP_MS = 2000;
const MOST_PENDING = 50_000;

export interface SceneEventLogOptions extends RetentionOptions {
  readonly files: FilePort;
  /** Absolute path of `events/`; it exists. */
  readonly folder: string;
  /** Absolute path of the index; its folder exists. `:memory:` for one that is built at each start. */
  readonly indexPath: string;
  /** Days and hours are counted in it. */
  readonly timeZone: string;
  /** What a camera of that time is called now. Default: no camera was ever renamed. */
  readonly nameOf?: CameraNames["nameOf"];
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Makes a picture as small as those of events are kept. Default: it stays as it is. */
  readonly shrink?: (bytes: Uint8Array) => Promise<Uint8Array>;
  /** Takes secrets out of the texts of what is written. Default: nothing is taken out. */
  readonly redact?: <E>(entry: E) => E;
  /** Told when the disk refuses, at most once in ten minutes, and how far the index is. Must not throw. */
  readonly onProblem: (message: string) => void;
}

/** An event before it has an id and a picture. */
export type SceneEventDraft = Omit<SceneEvent, "id" | "picture">;

/** What happened, to be read. Survives a restart. */
export type SceneEventLog = Pick<
  Events,
  "list" | "get" | "count" | "countCrossings" | "visits" | "visit" | "shows" | "onEvent"
>;
/** The log with its writing side. */
export type OpenSceneEventLog = Pick<Events, keyof Events>;

/** Reads what the index lacks; what takes longer goes on while the app runs. Then removes what is too old. */
export async function openSceneEventLog(options: SceneEventLogOptions): Promise<OpenSceneEventLog> {
  const log = new Events(options, await openRemovals(options.files, options.folder));
  await log.open();
  return log;
}

class Events {
  readonly #options: SceneEventLogOptions;
  readonly #files: EventFiles;
  readonly #index: EventIndexFile;
  readonly #catchUp: IndexCatchUp;
  readonly #removals: RemovalLog;
  readonly #listeners = new Set<(event: SceneEvent) => void>();
  /** Events enter one after the other. */
  readonly #entering = new PQueue({ concurrency: 1 });
  readonly #writing = new PQueue({ concurrency: 1 });
  /** Id of a visit that goes on → its camera, and the picture of its beginning. */
  readonly #openVisits = new Map<string, { readonly camera: string; readonly picture: string | undefined }>();
  #pending: FiledEvent[] = [];
  #prunedAtMs = Number.NEGATIVE_INFINITY;
  #bytesSincePrune = 0;
  #complainedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SceneEventLogOptions, removals: RemovalLog) {
    this.#options = options;
    this.#removals = removals;
    this.#files = new EventFiles(options.files, options.folder);
    const { indexPath: path, timeZone, nameOf, onProblem } = options;
    this.#index = new EventIndexFile({ path, timeZone, nameOf, onProblem, onEmpty: () => void this.#catchUp.run() });
    this.#catchUp = new IndexCatchUp({
      files: this.#files,
      use: (work) => this.#index.use(work),
      inTurn: (work) => this.#writing.add(work),
      clock: options.clock,
      onProblem,
    });
  }

  async open(): Promise<void> {
    const waited = new AbortController();
    const tooLong = this.#options.clock.sleep(CATCH_UP_MS, waited.signal).catch(() => undefined);
    await Promise.race([this.#catchUp.run(), tooLong]);
    waited.abort();
    void this.#writing.add(() => this.prune());
  }

  list(filter: EventFilter = {}): readonly SceneEvent[] {
    return this.#read((index) => index.list(filter));
  }

  get(id: string): SceneEvent | undefined {
    return this.#read((index) => index.get(id)) ?? this.#pending.find(({ event }) => event.id === id)?.event;
  }

  /** Exact. Throws `EventIndexError` while the index is being built. */
  count(query: EventQuery, by: readonly EventGrouping[] = []): EventCount {
    this.#mustBeComplete();
    return this.#read((index) => index.count(query, by));
  }

  /** Crossings of lines, by day, with how many things crossed. Throws `EventIndexError` while the index is being built. */
  countCrossings(query: CrossingQuery): CrossingCounts {
    this.#mustBeComplete();
    return this.#read((index) => index.countCrossings(query));
  }

  visits(filter: VisitFilter = {}): readonly Visit[] {
    return this.#read((index) => index.visits(filter, (id) => this.#openVisits.has(id)));
  }

  visit(id: string): Visit | undefined {
    return this.#read((index) => index.visit(id, (open) => this.#openVisits.has(open)));
  }

  /** Whether an event shows this picture, on a camera for which `isSeen`. */
  shows(picture: string, isSeen: (camera: string) => boolean): boolean {
    return this.#read((index) => index.shows(picture, isSeen));
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

  /** Nobody follows this camera any more: whoever is there has no end that anybody saw. */
  endVisits(camera: string): void {
    void this.#entering.add(async () => {
      for (const [id, open] of this.#openVisits) if (open.camera === camera) this.#openVisits.delete(id);
    });
  }

  /** A camera has another name, and `nameOf` knows it: what it saw is found under that. May be called again. */
  async renameCamera(from: string, to: string): Promise<void> {
    await this.settled();
    for (const [id, open] of this.#openVisits)
      if (open.camera === from) this.#openVisits.set(id, { ...open, camera: to });
    this.#index.use((index) => index.renameCamera(from, to));
  }

  /** Days and pictures that were removed to make room, oldest first. */
  removals(): readonly Removal[] {
    return this.#removals.entries();
  }

  /** What the index takes, on disk or in memory. */
  indexBytes(): number {
    return this.#index.use((index) => index.usedBytes());
  }

  /** Resolves when everything added is stored. */
  async settled(): Promise<void> {
    await this.#entering.onIdle();
    await this.#writing.onIdle();
  }

  /** Stores what was added, then closes the index. May be called twice. */
  async close(): Promise<void> {
    const stopped = this.#catchUp.stop();
    await this.settled();
    await stopped;
    this.#index.close();
  }

  /** Events that fit, oldest first, with the names that their cameras have now. */
  async find(goes: (event: SceneEvent) => boolean): Promise<readonly SceneEvent[]> {
    await this.settled();
    const { nameOf = FIXED_NAMES.nameOf } = this.#options;
    const toCurrent = (event: SceneEvent): SceneEvent => ({
      ...event,
      camera: nameOf(event.camera, Date.parse(event.timestamp)),
    });
    const found: SceneEvent[] = [];
    for (const { day } of await this.#files.days())
      for await (const events of this.#files.read(day)) found.push(...events.map(toCurrent).filter(goes));
    return found;
  }

  async forget(target: ForgetTarget, { preview }: { readonly preview: boolean }): Promise<Forgotten> {
    const goes = ({ id }: SceneEvent): boolean => target.events.has(id);
    const found = await this.find(goes);
    if (!preview) await this.#writing.add(() => this.#forget(target, goes));
    return toForgotten(found.map(({ timestamp, camera, text }) => `${timestamp} ${camera}: ${text}`));
  }

  async prune(): Promise<void> {
    this.#prunedAtMs = this.#options.clock.now();
    this.#bytesSincePrune = 0;
    const targets = {
      removals: this.#removals,
      days: () => this.#files.days(),
      indexBytes: () => this.indexBytes(),
      removeDay: (day: string, counts: "go" | "stay") => this.#removeDay(day, counts),
      forgetCountsBefore: (ms: number) => this.#index.use((index) => index.removeCounts({ fromMs: 0, toMs: ms })),
    };
    await this.#guarded(() => makeRoom(this.#options, targets, this.#prunedAtMs));
  }

  #mustBeComplete(): void {
    const share = this.#catchUp.share();
    if (share === undefined) return;
    const percent = Math.floor(share * 100);
    throw new EventIndexError("busy", `The index of events is being built (${percent} %): ask again in a minute.`);
  }

  #read<T>(work: (index: EventIndex) => T): T {
    this.#flush();
    return this.#index.use(work);
  }

  #enter(draft: SceneEventDraft, picture: string | undefined): void {
    const { redact = (entry) => entry, ids, clock } = this.#options;
    const event: SceneEvent = { id: ids.next("event"), ...draft, ...(picture && { picture }) };
    const nowMs = clock.now();
    const stored = redact(event);
    this.#files.add(stored);
    this.#pending.push({ event: stored, day: dayOf(nowMs) });
    if (this.#pending.length > MOST_PENDING) this.#pending.shift();
    void this.#writing.add(() => this.#guarded(() => this.#write()));
    if (event.visit_id !== undefined) this.#followVisit(event.visit_id, event);
    const isFilled = this.#bytesSincePrune > this.#options.maxBytes * PRUNE_EVERY_SHARE;
    if (isFilled || nowMs - this.#prunedAtMs > PRUNE_EVERY_MS) {
      this.#prunedAtMs = nowMs;
      void this.#writing.add(() => this.prune());
    }
    // Who has no picture of its own shows that of its visit.
    const shown = picture ?? this.#openVisits.get(event.visit_id ?? "")?.picture;
    for (const listener of this.#listeners) listener({ ...event, ...(shown !== undefined && { picture: shown }) });
  }

  /** A better picture takes the place of the one from the beginning, unless somebody else shows it. */
  #followVisit(visit: string, { kind, camera, picture }: SceneEvent): void {
    const before = this.#openVisits.get(visit)?.picture;
    if (kind !== "left")
      return void this.#openVisits.set(visit, { camera, picture: kind === "appeared" ? picture : before });
    this.#openVisits.delete(visit);
    if (picture === undefined || before === undefined || before === picture) return;
    void this.#writing.add(() =>
      this.#guarded(async () => {
        if (!this.#flush()) return;
        const { pictures, alertPictures } = this.#options;
        if (this.#index.use((index) => index.shows(before)) || alertPictures().has(before)) return;
        if ((await pictures.ref(before))?.namespace === PICTURE_NAMESPACE) await pictures.remove(before);
      }),
    );
  }

  /** The files first: they are what counts. */
  async #write(): Promise<void> {
    try {
      const { day, bytes } = await this.#files.write(dayOf(this.#options.clock.now()));
      const isSame = this.#flush() && this.#files.unwritten().length === 0;
      if (isSame && this.#catchUp.isDone(day)) this.#index.use((index) => index.setDay(day, bytes));
    } finally {
      this.#flush();
    }
  }

  /** Whether the index has everything. */
  #flush(): boolean {
    if (this.#pending.length === 0) return true;
    try {
      const batch = this.#pending;
      this.#bytesSincePrune += batch.length * 1000;
      this.#index.use((index) => {
        if (this.#files.unwritten().length > 0)
          for (const day of new Set(batch.map((one) => one.day))) index.setDay(day, BEHIND);
        index.insert(batch);
      });
      this.#pending = [];
      return true;
    } catch (error) {
      this.#complain(error);
      return false;
    }
  }

  async #forget(target: ForgetTarget, goes: (event: SceneEvent) => boolean): Promise<void> {
    const timestamp = new Date(this.#options.clock.now()).toISOString();
    for (const { day } of await this.#files.days()) {
      const going: SceneEvent[] = [];
      for await (const events of this.#files.read(day)) going.push(...events.filter(goes));
      if (going.length === 0) continue;
      const { bytes } = await this.#files.rewrite(day, goes);
      this.#index.use((index) => {
        index.remove(going.map(({ id }) => id));
        if (this.#catchUp.isDone(day)) index.setDay(day, bytes);
      });
      const pictures = going.filter(({ picture }) => picture !== undefined).length;
      await this.#removals.append({ timestamp, day, reason: "forgotten on request", events: going.length, pictures });
    }
    this.#index.use((index) => {
      // Also of events that made room before.
      if (target.fromMs < target.toMs) index.removeCounts(target);
      index.purge();
    });
  }

  async #removeDay(day: string, counts: "go" | "stay"): Promise<number> {
    const events = this.#index.use((index) => index.idsOfDay(day)).length;
    await this.#files.remove(day);
    while (this.#index.use((index) => index.removeSomeOf(day, counts))) await setImmediate();
    return events;
  }

  async #storePicture(picture: Promise<Uint8Array | undefined>, camera: string): Promise<string | undefined> {
    const { pictures, shrink = async (bytes) => bytes } = this.#options;
    let id: string | undefined;
    await this.#guarded(async () => {
      const taken = await picture;
      if (taken === undefined) return;
      const bytes = await shrink(taken);
      this.#bytesSincePrune += bytes.length;
      const sources = toSources(ofCamera(camera));
      const ref = await pictures.put(bytes, { mimeType: "image/jpeg", namespace: PICTURE_NAMESPACE, sources });
      id = ref.id;
    });
    return id;
  }

  /** A failing disk costs what could not be written, never the event. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#complain(error);
    }
  }

  #complain(error: unknown): void {
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - this.#complainedAtMs < COMPLAIN_EVERY_MS) return;
    this.#complainedAtMs = nowMs;
    this.#options.onProblem(`Events go on, but not all of them reach the disk: ${reasonOf(error)}`);
  }
}
