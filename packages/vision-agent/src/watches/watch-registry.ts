// what a person asked for → looked for on each camera → firings

import type { Clock, IdSource } from "@vision-agent/agent-core";
import type { Watch, WatchChange, WatchReport, WatchRequest } from "@vision-agent/protocol";
import PQueue from "p-queue";
import type { StateSection } from "../pipelines/active-state.ts";
import type { FollowedView } from "../scene/followed-view.ts";
import type { SceneFollower } from "../scene/open-scene.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import {
  type CameraAssignment,
  type CameraAssignmentOptions,
  CameraAssignments,
  type StoredWatch,
  withKeys,
} from "./camera-assignments.ts";
import { checkRequest } from "./check-request.ts";
import { camerasOf, interestsOn } from "./condition-interests.ts";
import type { PlaceFinder } from "./condition-reading.ts";
import { type ConditionChange, judgeWatch, type WatchMemories } from "./evaluate-condition.ts";
import { isSameWish, withoutRepeats } from "./same-wish.ts";
import { withChanges } from "./watch-differences.ts";
import { WatchError } from "./watch-error.ts";
import { createWatchExpiry, type WatchExpiry } from "./watch-expiry.ts";
import { type ReportContext, type RunningWatch, reportWatch } from "./watch-report.ts";

export interface WatchRegistryOptions
  extends CameraAssignmentOptions,
    Pick<ReportContext, "quiet" | "countsOf" | "timeZone"> {
  readonly scene: Pick<SceneFollower, "follow" | "onView">;
  /** Zones and lines of cameras by their names. Default: there are none. */
  readonly places?: { readonly placeOf: PlaceFinder; onChange(listener: () => void): () => void };
  /** Whether it is known where the cameras are, for sunrise and sunset. Default false. */
  readonly hasLocation?: boolean;
  /** IANA name. Default UTC. */
  readonly timeZone?: string;
  /** Where watches are kept between runs of the program. */
  readonly store: StateSection<StoredWatch>;
  /** Takes secrets out of the words of a watch, which are told with every alert. Default: nothing is taken out. */
  readonly redact?: (text: string) => string;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Told what went wrong without stopping anything, in a sentence. Must not throw. */
  readonly onProblem: (message: string) => void;
}

/** What became of a condition, in the view of a camera that shows it. */
export interface WatchFiring extends ConditionChange {
  readonly watch: Watch;
  readonly view: FollowedView;
}

export type WatchRegistry = Pick<Watches, keyof Watches>;

export function createWatchRegistry(options: WatchRegistryOptions): WatchRegistry {
  return new Watches(options);
}

interface Entry extends RunningWatch {
  watch: Watch;
  /** By camera of the watch. */
  readonly memories: WatchMemories;
  unfollow: readonly (() => void)[];
}

/**
 * The durable intentions of this app. Each runs on a pipeline of its camera that it shares with the other watches
 * of the same camera and model, and is there again after a restart.
 * Methods that take an id throw `WatchError` kind `not_found`, with those that exist.
 */
class Watches {
  readonly #options: WatchRegistryOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #assignments: CameraAssignments;
  readonly #firingListeners = new Set<(firing: WatchFiring) => void>();
  readonly #leave: readonly (() => void)[];
  /** One change at a time. */
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #expiry: WatchExpiry;

  constructor(options: WatchRegistryOptions) {
    this.#options = options;
    this.#assignments = new CameraAssignments(options);
    this.#expiry = createWatchExpiry(options.clock, () => this.#removeExpired());
    this.#leave = [
      options.scene.onView((view) => this.#judge(view)),
      // What is followed goes by points; an edit of a place changes them.
      options.places?.onChange(() => this.#followAgain()) ?? (() => undefined),
    ];
  }

  /**
   * Rejects with `WatchError` kind `invalid` for an unknown camera or class, or with the backend's error when nothing
   * can run. `replaces` is the id of a watch that goes as this one comes, in one step: it stays when this one cannot be made.
   */
  create(request: WatchRequest, { replaces }: { readonly replaces?: string } = {}): Promise<WatchReport> {
    return this.#queue.add(async () => {
      const { clock, ids, redact = (text) => text } = this.#options;
      const predecessor = replaces === undefined ? undefined : this.#mustFind(replaces);
      const asked = this.#tidy(request);
      const assignments = this.#planned(asked);
      this.#mustBeNew(asked, predecessor);
      const created_at = new Date(clock.now()).toISOString();
      const words = redact(request.words);
      const mute = muteOf(predecessor?.watch, clock.now());
      const watch = { ...mute, ...asked, words, id: ids.next("watch"), enabled: true, created_at } as Watch;
      const entry = toEntry(watch, assignments);
      await this.#attachAll(entry);
      this.#entries.set(watch.id, entry);
      if (predecessor) await this.#dismiss(predecessor);
      await this.#save();
      return this.#statusOf(entry);
    });
  }

  /** The same watch with some of it changed, in one step: it stays as it was when that cannot be. */
  update(id: string, changes: WatchChange): Promise<WatchReport> {
    return this.#queue.add(async () => {
      const { redact = (text) => text } = this.#options;
      const before = this.#mustFind(id);
      const asked = this.#tidy(withChanges<WatchRequest>(before.watch, changes));
      const assignments = this.#planned(asked, before.watch);
      this.#mustBeNew(asked, before);
      const { enabled, created_at } = before.watch;
      const watch = { ...asked, words: redact(asked.words), id, enabled, created_at } as Watch;
      const entry = toEntry(watch, assignments);
      if (enabled) await this.#attachAll(entry);
      this.#entries.set(id, entry);
      await this.#detachAll(before);
      await this.#save();
      return this.#statusOf(entry);
    });
  }

  /** Exactly this watch, under its own id: made anew where it is gone, changed where it is not. Rejects like `create`. */
  putBack(watch: Watch): Promise<WatchReport> {
    return this.#queue.add(async () => {
      const before = this.#entries.get(watch.id);
      const assignments = this.#planned(watch);
      this.#mustBeNew(watch, before);
      const entry = toEntry(watch, assignments);
      if (watch.enabled) await this.#attachAll(entry);
      this.#entries.set(watch.id, entry);
      if (before) await this.#detachAll(before);
      await this.#save();
      return this.#statusOf(entry);
    });
  }

  /** The request as `create` would take it. Throws as `create` rejects, but for one that is there already; changes nothing. */
  check(request: WatchRequest): WatchRequest {
    const asked = this.#tidy(request);
    this.#planned(asked);
    return asked;
  }

  list(): readonly WatchReport[] {
    return [...this.#entries.values()].map((entry) => this.#statusOf(entry));
  }

  /** The watch alone, which takes no time; undefined when there is none. */
  find(id: string): Watch | undefined {
    return this.#entries.get(id)?.watch;
  }

  get(id: string): WatchReport {
    return this.#statusOf(this.#mustFind(id));
  }

  /** A watch that is off keeps its place and tells nothing; its pipeline stops when nobody else needs it. */
  setEnabled(id: string, enabled: boolean): Promise<WatchReport> {
    return this.#queue.add(async () => {
      const entry = this.#mustFind(id);
      if (enabled) await this.#attachAll(entry);
      else await this.#detachAll(entry);
      entry.watch = { ...entry.watch, enabled };
      await this.#save();
      return this.#statusOf(entry);
    });
  }

  remove(id: string): Promise<WatchReport> {
    return this.#queue.add(async () => {
      const entry = this.#mustFind(id);
      const last = this.#statusOf(entry);
      await this.#dismiss(entry);
      await this.#save();
      return last;
    });
  }

  /** A camera has another name: its watches go on, through the same pipelines. */
  renameCamera(from: string, to: string): Promise<void> {
    return this.#queue.add(async () => {
      for (const entry of [...this.#entries.values()].filter(({ watch }) => camerasOf(watch).includes(from))) {
        entry.watch = withCameraNames(entry.watch, (name) => (name === from ? to : name));
        for (const assignment of entry.assignments) if (assignment.camera === from) assignment.camera = to;
        entry.memories.clear();
        if (entry.watch.enabled) this.#follow(entry);
      }
      await this.#save();
    });
  }

  /** Lists what was there before the restart. `restore` has to follow at once, unless there is a reason why nothing runs. */
  async load(reason?: string): Promise<void> {
    for (const stored of await this.#options.store.load()) {
      const assignments = this.#assignments.recall(stored);
      if (reason !== undefined) for (const assignment of assignments) assignment.reason = reason;
      this.#entries.set(stored.watch.id, toEntry(stored.watch, assignments));
    }
  }

  /** Starts again what was loaded, after what it is given; what cannot start is listed with its reason. */
  restore(started?: Promise<unknown>): Promise<void> {
    return this.#queue.add(async () => {
      await started;
      for (const entry of this.#entries.values()) {
        const { watch, assignments } = entry;
        if (watch.enabled) this.#follow(entry);
        for (const assignment of watch.enabled ? assignments : []) {
          await this.#assignments.attach(assignment).catch((error: unknown) => {
            assignment.reason = reasonOf(error);
            this.#options.onProblem(`A watch on ${assignment.camera} does not run: ${assignment.reason}`);
          });
        }
      }
      if (this.#entries.size > 0) await this.#save();
    });
  }

  /** Called when a condition has come true, or what was told is over. Must not throw. Returns the way to stop. */
  onFiring(listener: (firing: WatchFiring) => void): () => void {
    this.#firingListeners.add(listener);
    return () => void this.#firingListeners.delete(listener);
  }

  /** Stops listening; pipelines belong to their registry. May be called twice. */
  async close(): Promise<void> {
    for (const leave of this.#leave) leave();
    this.#expiry.close();
    await this.#queue.onIdle();
  }

  #judge(view: FollowedView): void {
    for (const entry of this.#entries.values()) {
      const looks = entry.assignments.some(
        ({ camera, pipelineId = "" }) => camera === view.camera && view.pipelines.has(pipelineId),
      );
      if (entry.watch.enabled && looks) this.#judgeFor(entry, view);
    }
  }

  #judgeFor(entry: Entry, view: FollowedView): void {
    const { watch, memories } = entry;
    for (const change of judgeWatch(watch, memories, view, this.#placeOf)) this.#tell(entry, view, change);
  }

  #tell(entry: Entry, view: FollowedView, change: ConditionChange): void {
    const { watch } = entry;
    for (const listener of this.#firingListeners) listener({ ...change, watch, view });
  }

  get #placeOf(): PlaceFinder {
    return this.#options.places?.placeOf ?? (() => undefined);
  }

  #tidy(request: WatchRequest): WatchRequest {
    return withoutRepeats(this.#assignments.withCameraNames(request));
  }

  #planned(asked: WatchRequest, before?: Watch): readonly CameraAssignment[] {
    const { clock, hasLocation = false, timeZone = "UTC" } = this.#options;
    const assignments = this.#assignments.plan(asked);
    checkRequest(asked, { placeOf: this.#placeOf, nowMs: clock.now(), hasLocation, timeZone }, before);
    return assignments;
  }

  #mustBeNew(asked: WatchRequest, itself: Entry | undefined): void {
    const same = [...this.#entries.values()].find((entry) => entry !== itself && isSameWish(entry.watch, asked));
    if (same === undefined) return;
    const { id, words, state } = this.#statusOf(same);
    const more = state.kind === "off" ? " It is off: resume it." : "";
    throw new WatchError(
      "taken",
      `The watch ${id} "${words}" tells of the same already.${more} Change that one instead.`,
    );
  }

  #followAgain(): void {
    for (const entry of this.#entries.values()) if (entry.watch.enabled) this.#follow(entry);
  }

  #removeExpired(): void {
    const nowMs = this.#options.clock.now();
    void this.#queue.add(async () => {
      for (const entry of [...this.#entries.values()].filter(({ watch }) => endOf(watch) <= nowMs)) {
        await this.#dismiss(entry);
        this.#options.onProblem(`The watch "${entry.watch.words}" was to last until now and is removed.`);
      }
      await this.#save();
    });
  }

  #follow(entry: Entry): void {
    this.#unfollow(entry);
    entry.unfollow = camerasOf(entry.watch).flatMap((camera) =>
      interestsOn(entry.watch, camera, this.#placeOf).map((interest) => this.#options.scene.follow(camera, interest)),
    );
  }

  #unfollow(entry: Entry): void {
    for (const leave of entry.unfollow) leave();
    entry.unfollow = [];
  }

  /** All or none. */
  async #attachAll(entry: Entry): Promise<void> {
    this.#follow(entry);
    try {
      for (const assignment of entry.assignments) await this.#assignments.attach(assignment);
    } catch (error) {
      await this.#detachAll(entry);
      throw error;
    }
  }

  async #detachAll(entry: Entry): Promise<void> {
    this.#unfollow(entry);
    entry.memories.clear();
    await this.#assignments.detach(entry.assignments);
  }

  async #dismiss(entry: Entry): Promise<void> {
    this.#entries.delete(entry.watch.id);
    await this.#detachAll(entry);
  }

  #mustFind(id: string): Entry {
    const found = this.#entries.get(id);
    if (found) return found;
    const ids = [...this.#entries.keys()].join(", ") || "none";
    throw new WatchError("not_found", `There is no watch ${id}. There are: ${ids}.`);
  }

  #statusOf(entry: Entry): WatchReport {
    const { pipelines, clock, timeZone, quiet, countsOf } = this.#options;
    const now = { nowMs: clock.now(), timeZone };
    const context = { ...now, pipelines: pipelines.list(), placeOf: this.#placeOf, quiet, countsOf };
    return reportWatch(entry, context);
  }

  async #save(): Promise<void> {
    this.#expiry.schedule([...this.#entries.values()].map(({ watch }) => endOf(watch)).filter(Number.isFinite));
    const stored = [...this.#entries.values()].map(({ watch, assignments }) => ({
      watch,
      pipeline_ids: Object.fromEntries(
        withKeys(assignments).flatMap(([key, { pipelineId }]) => (pipelineId === undefined ? [] : [[key, pipelineId]])),
      ),
    }));
    await this.#options.store.save(stored).catch((error: unknown) => {
      const lost = "The watches could not be saved, so a restart would not know of them";
      this.#options.onProblem(`${lost}: ${reasonOf(error)}`);
    });
  }
}

function withCameraNames<T extends WatchRequest>(watch: T, nameOf: (name: string) => string): T {
  const { condition } = watch;
  const cameras = [...new Set(watch.cameras.map(nameOf))];
  if (condition.kind !== "sequence") return { ...watch, cameras };
  const steps = condition.steps.map(({ camera, ...step }) => ({ ...step, ...(camera && { camera: nameOf(camera) }) }));
  return { ...watch, cameras, condition: { ...condition, steps } };
}

function toEntry(watch: Watch, assignments: readonly CameraAssignment[]): Entry {
  return { watch, assignments, memories: new Map(), unfollow: [] };
}

/** A mute holds for whatever takes the place of a watch. */
function muteOf(watch: Watch | undefined, nowMs: number): Pick<Watch, "muted_until"> {
  const { muted_until } = watch ?? {};
  return muted_until !== undefined && Date.parse(muted_until) > nowMs ? { muted_until } : {};
}

function endOf({ expires_at }: Watch): number {
  return expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
}
