// what a person asked for → a pipeline on each camera → results judged → firings
import type { Clock, IdSource } from "@vision-agent/agent-core";
import type { FrameResult, PipelineStatus, Watch, WatchRequest } from "@vision-agent/protocol";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { watchingWorkflow } from "../pipelines/watching-workflow.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { type ConditionMemory, evaluateCondition, NOTHING_SEEN } from "./evaluate-condition.ts";
import {
  type StoredWatch,
  WatchError,
  type WatchFiring,
  type WatchRegistry,
  type WatchStatus,
  type WatchStore,
} from "./watch-registry.ts";

export interface WatchRegistryOptions {
  readonly pipelines: Pick<PipelineRegistry, "start" | "stop" | "list" | "onResult">;
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

interface CameraAssignment {
  readonly camera: string;
  readonly modelId: string;
  pipelineId?: string;
  reason?: string;
  memory: ConditionMemory;
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
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: WatchRegistryOptions) {
    this.#options = options;
    this.#leave = options.pipelines.onResult((status, result) => this.#judge(status, result));
  }

  create(request: WatchRequest, { replaces }: { readonly replaces?: string } = {}): Promise<WatchStatus> {
    return this.#inTurn(async () => {
      const { clock, ids, redact = (text) => text } = this.#options;
      const predecessor = replaces === undefined ? undefined : this.#find(replaces);
      const assignments = this.#toAssignments(request);
      await this.#attachAll(assignments);
      const created_at = new Date(clock.now()).toISOString();
      const words = redact(request.words);
      const watch: Watch = { ...request, words, id: ids.next("watch"), enabled: true, created_at };
      this.#entries.set(watch.id, { watch, assignments, fired: 0 });
      if (predecessor) await this.#dismiss(predecessor);
      await this.#save();
      return this.get(watch.id);
    });
  }

  list(): readonly WatchStatus[] {
    return [...this.#entries.values()].map((entry) => this.#statusOf(entry));
  }

  get(id: string): WatchStatus {
    return this.#statusOf(this.#find(id));
  }

  setEnabled(id: string, enabled: boolean): Promise<WatchStatus> {
    return this.#inTurn(async () => {
      const entry = this.#find(id);
      entry.watch = { ...entry.watch, enabled };
      for (const assignment of entry.assignments) {
        assignment.memory = NOTHING_SEEN;
        if (enabled) await this.#attach(assignment, "throw");
        else await this.#detach(assignment);
      }
      await this.#save();
      return this.#statusOf(entry);
    });
  }

  remove(id: string): Promise<WatchStatus> {
    return this.#inTurn(async () => {
      const entry = this.#find(id);
      const last = this.#statusOf(entry);
      await this.#dismiss(entry);
      await this.#save();
      return last;
    });
  }

  restore(): Promise<void> {
    return this.#inTurn(async () => {
      for (const stored of await this.#options.store.load()) {
        const entry = this.#toEntry(stored);
        this.#entries.set(entry.watch.id, entry);
        if (!entry.watch.enabled) continue;
        for (const assignment of entry.assignments) await this.#attach(assignment, "note");
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
    await this.#queue;
  }

  #judge({ pipeline_id }: PipelineStatus, result: FrameResult): void {
    for (const entry of this.#entries.values()) {
      if (!entry.watch.enabled) continue;
      for (const assignment of entry.assignments) {
        if (assignment.pipelineId !== pipeline_id) continue;
        const { memory, firings } = evaluateCondition(assignment.memory, result, entry.watch);
        assignment.memory = memory;
        for (const { what, visitor } of firings) {
          entry.fired += 1;
          entry.lastFiredAt = result.frame.timestamp;
          this.#tell({
            watch: entry.watch,
            camera: assignment.camera,
            pipelineId: pipeline_id,
            result,
            text: `${what} on ${assignment.camera}.`,
            ...(visitor && { className: visitor.className, trackerId: visitor.trackerId, box: visitor.box }),
          });
        }
      }
    }
  }

  #tell(firing: WatchFiring): void {
    for (const listener of this.#firingListeners) listener(firing);
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
      return { camera: camera.name, modelId, memory: NOTHING_SEEN };
    });
  }

  #checkClasses(modelId: string, classes: readonly string[]): void {
    const known = this.#options.classesOf(modelId);
    if (known === undefined) return;
    const names = new Set(known.map((name) => name.toLowerCase()));
    const unknown = classes.filter((name) => !names.has(name.toLowerCase()));
    if (unknown.length === 0) return;
    const message = `The model ${modelId} cannot find ${unknown.join(", ")}. It finds: ${known.join(", ")}. Name a model that knows it (model_id).`;
    throw new WatchError({ kind: "invalid", message });
  }

  #toEntry({ watch, pipeline_ids }: StoredWatch): Entry {
    const assignments = watch.cameras.map((name) => {
      const camera = this.#options.cameras.find(name);
      const modelId = watch.model_id ?? this.#options.modelFor(camera?.address ?? "");
      const pipelineId = pipeline_ids[name];
      return { camera: camera?.name ?? name, modelId, ...(pipelineId && { pipelineId }), memory: NOTHING_SEEN };
    });
    return { watch, assignments, fired: 0 };
  }

  /** All or none. */
  async #attachAll(assignments: readonly CameraAssignment[]): Promise<void> {
    try {
      for (const assignment of assignments) await this.#attach(assignment, "throw");
    } catch (error) {
      for (const assignment of assignments) await this.#detach(assignment);
      throw error;
    }
  }

  /** Joins the pipeline that watches this camera with this model, or starts it. */
  async #attach(assignment: CameraAssignment, onFailure: "throw" | "note"): Promise<void> {
    const { pipelines, onProblem } = this.#options;
    const running = new Set(pipelines.list().map(({ pipeline_id }) => pipeline_id));
    if (assignment.pipelineId !== undefined && running.has(assignment.pipelineId)) return;
    const shared = this.#assignments().find(
      (other) =>
        other.camera === assignment.camera &&
        other.modelId === assignment.modelId &&
        other.pipelineId !== undefined &&
        running.has(other.pipelineId),
    );
    delete assignment.reason;
    if (shared?.pipelineId !== undefined) {
      assignment.pipelineId = shared.pipelineId;
      return;
    }
    delete assignment.pipelineId;
    try {
      const spec = watchingWorkflow({ modelId: assignment.modelId });
      const started = await pipelines.start({
        videoReference: assignment.camera,
        spec,
        name: `${assignment.camera}-watch`,
      });
      assignment.pipelineId = started.pipeline_id;
    } catch (error) {
      if (onFailure === "throw") throw error;
      assignment.reason = error instanceof Error ? error.message : String(error);
      onProblem(`A watch on ${assignment.camera} does not run: ${assignment.reason}`);
    }
  }

  async #dismiss({ watch, assignments }: Entry): Promise<void> {
    this.#entries.delete(watch.id);
    for (const assignment of assignments) await this.#detach(assignment);
  }

  /** The pipeline goes when no watch that is on needs it. */
  async #detach(assignment: CameraAssignment): Promise<void> {
    const { pipelineId } = assignment;
    if (pipelineId === undefined) return;
    delete assignment.pipelineId;
    const needed = this.#assignments().some((other) => other.pipelineId === pipelineId);
    const runs = this.#options.pipelines.list().some(({ pipeline_id }) => pipeline_id === pipelineId);
    if (!needed && runs) await this.#options.pipelines.stop(pipelineId);
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
    try {
      await this.#options.store.save(stored);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.onProblem(`The watches could not be saved, so a restart would not know of them: ${reason}`);
    }
    for (const listener of this.#changeListeners) listener(this.list());
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}
