// what a person asked for → a pipeline on each camera → views judged → firings
import type { Clock, IdSource } from "@vision-agent/agent-core";
import type { Watch, WatchRequest } from "@vision-agent/protocol";
import PQueue from "p-queue";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { watchingWorkflow } from "../pipelines/watching-workflow.ts";
import type { SceneView } from "../scene/follow-scene.ts";
import type { Scene } from "../scene/open-scene.ts";
import { isWanted } from "../scene/scene-interest.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { evaluateCondition, type HeldCondition, interestOf } from "./evaluate-condition.ts";
import {
  type StoredWatch,
  WatchError,
  type WatchFiring,
  type WatchRegistry,
  type WatchStatus,
  type WatchStore,
} from "./watch-registry.ts";

export interface WatchRegistryOptions {
  readonly pipelines: Pick<PipelineRegistry, "start" | "stop" | "list">;
  readonly scene: Pick<Scene, "follow" | "onView">;
  readonly cameras: CameraRegistry;
  readonly store: WatchStore;
  /** The detector of a camera unless the watch names another. */
  readonly modelFor: (address: string) => string;
  /** Class names that a model can find; undefined when nobody knows. */
  readonly classesOf: (modelId: string) => readonly string[] | undefined;
  /** Takes secrets out of the words of a watch, which are told with every alert. Default: nothing is taken out. */
  readonly redact?: (text: string) => string;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Told what went wrong without stopping anything, in a sentence. Must not throw. */
  readonly onProblem: (message: string) => void;
}

export function createWatchRegistry(options: WatchRegistryOptions): WatchRegistry {
  return new Watches(options);
}

/** A watch on one of its cameras. */
interface CameraAssignment {
  readonly camera: string;
  readonly modelId: string;
  pipelineId?: string | undefined;
  /** Why it has no pipeline. */
  reason?: string;
  held?: HeldCondition;
  unfollow?: (() => void) | undefined;
}

interface Entry {
  watch: Watch;
  readonly assignments: readonly CameraAssignment[];
  fired: number;
  lastFiredAt?: string;
}

class Watches implements WatchRegistry {
  readonly #options: WatchRegistryOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #changeListeners = new Set<(watches: readonly WatchStatus[]) => void>();
  readonly #firingListeners = new Set<(firing: WatchFiring) => void>();
  readonly #leave: () => void;
  /** One change at a time: two watches on one camera must not start two pipelines. */
  readonly #queue = new PQueue({ concurrency: 1 });

  constructor(options: WatchRegistryOptions) {
    this.#options = options;
    this.#leave = options.scene.onView((view) => this.#judge(view));
  }

  create(request: WatchRequest, { replaces }: { readonly replaces?: string } = {}): Promise<WatchStatus> {
    return this.#queue.add(async () => {
      const { clock, ids, redact = (text) => text } = this.#options;
      const predecessor = replaces === undefined ? undefined : this.#find(replaces);
      const assignments = this.#toAssignments(request);
      const created_at = new Date(clock.now()).toISOString();
      const words = redact(request.words);
      const watch: Watch = { ...request, words, id: ids.next("watch"), enabled: true, created_at };
      const entry: Entry = { watch, assignments, fired: 0 };
      await this.#attachAll(entry);
      this.#entries.set(watch.id, entry);
      if (predecessor) await this.#dismiss(predecessor);
      await this.#save();
      return this.#statusOf(entry);
    });
  }

  list(): readonly WatchStatus[] {
    return [...this.#entries.values()].map((entry) => this.#statusOf(entry));
  }

  get(id: string): WatchStatus {
    return this.#statusOf(this.#find(id));
  }

  setEnabled(id: string, enabled: boolean): Promise<WatchStatus> {
    return this.#queue.add(async () => {
      const entry = this.#find(id);
      if (enabled) await this.#attachAll(entry);
      else await this.#detach(entry);
      entry.watch = { ...entry.watch, enabled };
      await this.#save();
      return this.#statusOf(entry);
    });
  }

  remove(id: string): Promise<WatchStatus> {
    return this.#queue.add(async () => {
      const entry = this.#find(id);
      const last = this.#statusOf(entry);
      await this.#dismiss(entry);
      await this.#save();
      return last;
    });
  }

  restore(): Promise<void> {
    return this.#queue.add(async () => {
      for (const stored of await this.#options.store.load()) {
        const entry = this.#toEntry(stored);
        this.#entries.set(entry.watch.id, entry);
        for (const assignment of entry.watch.enabled ? entry.assignments : []) {
          await this.#attach(entry.watch, assignment).catch((error: unknown) => {
            assignment.reason = reasonOf(error);
            this.#options.onProblem(`A watch on ${assignment.camera} does not run: ${assignment.reason}`);
          });
        }
      }
      if (this.#entries.size > 0) await this.#save();
    });
  }

  onChange(listener: (watches: readonly WatchStatus[]) => void): () => void {
    this.#changeListeners.add(listener);
    return () => void this.#changeListeners.delete(listener);
  }

  onFiring(listener: (firing: WatchFiring) => void): () => void {
    this.#firingListeners.add(listener);
    return () => void this.#firingListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#leave();
    await this.#queue.onIdle();
  }

  #judge(view: SceneView): void {
    for (const entry of this.#entries.values()) {
      for (const assignment of entry.assignments) {
        if (assignment.camera === view.camera && view.pipelines.has(assignment.pipelineId ?? "")) {
          this.#judgeOn(entry, assignment, view);
        }
      }
    }
  }

  #judgeOn(entry: Entry, assignment: CameraAssignment, view: SceneView): void {
    const { watch } = entry;
    const { held, changes } = evaluateCondition(assignment.held, view, watch);
    assignment.held = held;
    for (const change of changes) {
      if (change.holds) {
        entry.fired += 1;
        entry.lastFiredAt = view.result.frame.timestamp;
      }
      for (const listener of this.#firingListeners) listener({ ...change, watch, view });
    }
  }

  #toAssignments({ cameras, classes, model_id }: WatchRequest): readonly CameraAssignment[] {
    return [...new Set(cameras)].map((name) => {
      const camera = this.#options.cameras.find(name);
      if (camera === undefined) {
        const names = this.#options.cameras.list().map((each) => each.name);
        const there = names.length > 0 ? `Cameras are: ${names.join(", ")}.` : "No camera is set up.";
        throw new WatchError({ kind: "invalid", message: `There is no camera ${name}. ${there}` });
      }
      const modelId = model_id ?? this.#options.modelFor(camera.address);
      this.#checkClasses(modelId, classes);
      return { camera: camera.name, modelId };
    });
  }

  #checkClasses(modelId: string, classes: readonly string[]): void {
    const known = this.#options.classesOf(modelId);
    if (known === undefined) return;
    const unknown = classes.filter((name) => !isWanted(known, name));
    if (unknown.length === 0) return;
    const message = `The model ${modelId} cannot find ${unknown.join(", ")}. It finds: ${known.join(", ")}. Name a model that knows it (model_id).`;
    throw new WatchError({ kind: "invalid", message });
  }

  #toEntry({ watch, pipeline_ids }: StoredWatch): Entry {
    const assignments = watch.cameras.map((name) => {
      const camera = this.#options.cameras.find(name);
      const modelId = watch.model_id ?? this.#options.modelFor(camera?.address ?? "");
      const pipelineId = pipeline_ids[name];
      return { camera: camera?.name ?? name, modelId, ...(pipelineId && { pipelineId }) };
    });
    return { watch, assignments, fired: 0 };
  }

  /** All or none. */
  async #attachAll(entry: Entry): Promise<void> {
    try {
      for (const assignment of entry.assignments) await this.#attach(entry.watch, assignment);
    } catch (error) {
      await this.#detach(entry);
      throw error;
    }
  }

  /** Looks at a camera through its own pipeline when that still runs, another watch's, or a new one. */
  async #attach(watch: Watch, assignment: CameraAssignment): Promise<void> {
    const { pipelines, scene } = this.#options;
    const { camera, modelId } = assignment;
    const interest = interestOf(watch);
    assignment.unfollow ??= interest && scene.follow(camera, interest);
    const running = new Set(pipelines.list().map(({ pipeline_id }) => pipeline_id));
    const shared = [assignment, ...this.#assignments()].find(
      (other) => other.camera === camera && other.modelId === modelId && running.has(other.pipelineId ?? ""),
    );
    // Until it has started there is none.
    assignment.pipelineId = shared?.pipelineId;
    delete assignment.reason;
    if (shared) return;
    const request = { videoReference: camera, spec: watchingWorkflow({ modelId }), name: `${camera}-watch` };
    assignment.pipelineId = (await pipelines.start(request)).pipeline_id;
  }

  async #dismiss(entry: Entry): Promise<void> {
    this.#entries.delete(entry.watch.id);
    await this.#detach(entry);
  }

  /** A pipeline goes when no watch that is on needs it. */
  async #detach({ assignments }: Entry): Promise<void> {
    const { pipelines } = this.#options;
    for (const assignment of assignments) {
      const { pipelineId } = assignment;
      assignment.unfollow?.();
      delete assignment.unfollow;
      delete assignment.held;
      delete assignment.pipelineId;
      const isNeeded = this.#assignments().some((other) => other.pipelineId === pipelineId);
      const runs = pipelines.list().some(({ pipeline_id }) => pipeline_id === pipelineId);
      if (runs && !isNeeded && pipelineId !== undefined) await pipelines.stop(pipelineId);
    }
  }

  #assignments(): readonly CameraAssignment[] {
    return [...this.#entries.values()].flatMap(({ assignments }) => assignments);
  }

  #find(id: string): Entry {
    const found = this.#entries.get(id);
    if (found) return found;
    const ids = [...this.#entries.keys()].join(", ") || "none";
    throw new WatchError({ kind: "not_found", message: `There is no watch ${id}. There are: ${ids}.` });
  }

  #statusOf({ watch, assignments, fired, lastFiredAt }: Entry): WatchStatus {
    const statuses = new Map(this.#options.pipelines.list().map((status) => [status.pipeline_id, status]));
    return {
      ...watch,
      pipelines: assignments.map(({ camera, pipelineId, reason }) => {
        const pipeline = pipelineId === undefined ? undefined : statuses.get(pipelineId);
        const why =
          reason ?? pipeline?.reason ?? (pipeline || !watch.enabled ? undefined : "Its pipeline was stopped.");
        return {
          camera,
          ...(pipeline && { pipeline_id: pipeline.pipeline_id, status: pipeline.status }),
          reason: why,
        };
      }),
      fired,
      ...(lastFiredAt !== undefined && { last_fired_at: lastFiredAt }),
    };
  }

  async #save(): Promise<void> {
    const stored = [...this.#entries.values()].map(({ watch, assignments }) => ({
      watch,
      pipeline_ids: Object.fromEntries(
        assignments.flatMap(({ camera, pipelineId }) => (pipelineId === undefined ? [] : [[camera, pipelineId]])),
      ),
    }));
    await this.#options.store.save(stored).catch((error: unknown) => {
      const lost = "The watches could not be saved, so a restart would not know of them";
      this.#options.onProblem(`${lost}: ${reasonOf(error)}`);
    });
    for (const listener of this.#changeListeners) listener(this.list());
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
