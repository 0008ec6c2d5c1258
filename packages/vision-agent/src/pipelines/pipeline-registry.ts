// start requests → pipelines on a backend → results, pictures and figures for everyone

import { type Clock, type IdSource, sleepUnless } from "@vision-agent/agent-core";
import type { BackendName, FrameResult, PipelineStatus, SceneEventKind, WorkflowSpec } from "@vision-agent/protocol";
import type { LiveFrame, Picture, PictureRequest } from "@vision-agent/vision-engine";
import type { Admission, RunningFigures } from "../access/admission.ts";
import { BackendError } from "../backends/backend.ts";
import type { Backends } from "../backends/select-backend.ts";
import { isAddress, withoutCredentials } from "../workspace/camera-address.ts";
import type { CameraRegistry, RegisteredCamera } from "../workspace/camera-registry.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import type { ActivePipeline, ActiveState } from "./active-state.ts";
import { CameraView } from "./camera-view.ts";
import { PipelineRunner, type WorkflowReader } from "./pipeline-runner.ts";

const TICK_MS = 1000;

export interface PipelineRegistryOptions {
  readonly backends: Backends;
  readonly cameras: CameraRegistry;
  readonly state: ActiveState;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly workflows: WorkflowReader;
  /** Asked before each start; throws when the machine has no room for one more. */
  readonly admit: Admission["pipeline"];
  /** Told what went wrong without stopping anything, in a sentence. Must not throw. */
  readonly onProblem: (message: string) => void;
}

export interface StartRequest {
  /** Camera name or source address. */
  readonly videoReference: string;
  readonly spec: WorkflowSpec;
  /** Absent: made from the camera's name. Made unique with a number when taken. */
  readonly name?: string;
  readonly maxFps?: number;
  /** Where it is to run; absent lets the app choose, and the status says why. */
  readonly backend?: BackendName;
  /** Scene events of this pipeline that a person is told of. */
  readonly alertOn?: readonly SceneEventKind[];
  readonly counted?: ActivePipeline["counted"];
}

/** The part of a start request that decides what becomes of the results. */
export interface PipelineDefinition {
  readonly spec: WorkflowSpec;
  readonly alertOn: readonly SceneEventKind[];
}

export type PipelineRegistry = Pick<Pipelines, keyof Pipelines>;

export function createPipelineRegistry(options: PipelineRegistryOptions): PipelineRegistry {
  return new Pipelines(options);
}

/**
 * Every pipeline of the app, each on the backend that was chosen for it. What runs is in `active_state.json`
 * and runs again, under the same id, after a restart.
 * Methods that take `idOrName` throw `BackendError` kind `not_found`, with the names that exist.
 */
class Pipelines {
  readonly #options: PipelineRegistryOptions;
  readonly #runners = new Map<string, PipelineRunner>();
  /** By address. */
  readonly #views = new Map<string, CameraView>();
  readonly #changeListeners = new Set<(pipelines: readonly PipelineStatus[]) => void>();
  readonly #resultListeners = new Set<(status: PipelineStatus, result: FrameResult) => void>();
  readonly #life = new AbortController();
  /** What ran before a restart is known; until then nothing is saved over it. */
  #loaded: Promise<void> = Promise.resolve();
  #ticking: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: PipelineRegistryOptions) {
    this.#options = options;
  }

  async start(request: StartRequest): Promise<PipelineStatus> {
    const { backends, clock, ids } = this.#options;
    const { address } = this.#locate(request.videoReference);
    const { spec, backend: wanted } = request;
    const needs = { task: "pipeline", address, spec, wanted } as const;
    const { backend, reason, hint } = backends.choose(needs);
    const problems = await backend.validate(spec);
    if (problems.length > 0) throw invalidWorkflow(problems, hint);
    const camera = this.#cameraOf(request.videoReference)?.name;
    const runner = this.#add({
      id: ids.next("pipe"),
      name: this.#freeName(request.name ?? camera ?? "pipeline"),
      video_reference: camera ?? request.videoReference,
      spec,
      backend: backend.name,
      backend_reason: reason,
      max_fps: request.maxFps,
      alert_on: [...(request.alertOn ?? [])],
      ...(request.counted && { counted: request.counted }),
      paused: false,
      started_at: new Date(clock.now()).toISOString(),
    });
    return this.#launch(runner);
  }

  async #launch(runner: PipelineRunner): Promise<PipelineStatus> {
    try {
      if (!runner.active.paused) await runner.start();
    } catch (error) {
      this.#runners.delete(runner.active.id);
      this.#changed();
      throw error;
    }
    await this.#save();
    return runner.status();
  }

  /** As they are written down, so that `putBack` can start them again. */
  actives(): readonly ActivePipeline[] {
    return [...this.#runners.values()].map(({ active }) => active);
  }

  /** Exactly this pipeline, under its own id: started anew where it is gone, paused or resumed where it is not. */
  async putBack(active: ActivePipeline): Promise<PipelineStatus> {
    const known = this.#runners.get(active.id);
    if (known)
      return known.active.paused === active.paused
        ? known.status()
        : this[active.paused ? "pause" : "resume"](active.id);
    this.#locate(active.video_reference);
    const problems = await this.#options.backends.named(active.backend).validate(active.spec);
    if (problems.length > 0) throw invalidWorkflow(problems, undefined);
    return this.#launch(this.#add({ ...active, name: this.#freeName(active.name) }));
  }

  async stop(idOrName: string): Promise<PipelineStatus> {
    const runner = this.#find(idOrName);
    // What may still run stays listed, and can be stopped again.
    await runner.stop();
    this.#runners.delete(runner.active.id);
    this.#changed();
    await this.#save();
    return runner.status();
  }

  pause(idOrName: string): Promise<PipelineStatus> {
    return this.#tell(idOrName, (runner) => runner.pause());
  }

  resume(idOrName: string): Promise<PipelineStatus> {
    return this.#tell(idOrName, (runner) => runner.resume());
  }

  /** Everything that was started and not stopped. */
  list(): readonly PipelineStatus[] {
    return [...this.#runners.values()].map((runner) => runner.status());
  }

  get(idOrName: string): PipelineStatus {
    return this.#find(idOrName).status();
  }

  /** What it was started with. */
  definition(idOrName: string): PipelineDefinition {
    const { spec, alert_on } = this.#find(idOrName).active;
    return { spec, alertOn: alert_on };
  }

  async results(idOrName: string, last: number): Promise<readonly FrameResult[]> {
    return this.#find(idOrName).results(last);
  }

  async picture(idOrName: string, request?: PictureRequest): Promise<Picture | undefined> {
    return this.#find(idOrName).picture(request);
  }

  /**
   * Live pictures of a camera (name or address): from the newest pipeline that runs on it, else from a viewer's own
   * that lives while somebody looks. Returns the way to leave, which may be called twice.
   */
  async view(videoReference: string, onFrame: (frame: LiveFrame) => void): Promise<() => void> {
    const { sourceId, address } = this.#locate(videoReference);
    const { backends, clock, ids } = this.#options;
    const pipelineToShare = () => this.#watching(videoReference)?.running;
    const { backend } = backends.choose({ task: "realtime_view", address });
    const view =
      this.#views.get(address) ?? new CameraView({ backend, clock, ids, sourceId, address, pipelineToShare });
    this.#views.set(address, view);
    return view.join(onFrame);
  }

  /** Opens a camera anew in everything that runs on it. Never rejects: what does not open says why and is tried again. */
  async reopen(camera: string): Promise<void> {
    const { sourceId, address } = this.#locate(camera);
    const references = [sourceId, withoutCredentials(address)];
    const runners = [...this.#runners.values()].filter(({ active }) =>
      references.includes(withoutCredentials(active.video_reference)),
    );
    await Promise.all(runners.map((runner) => runner.reopen()));
    const views = [...this.#views].filter(([viewed]) => withoutCredentials(viewed) === references[1]);
    const opened = await Promise.allSettled(views.map(([, view]) => view.reopen()));
    for (const one of opened) {
      if (one.status === "rejected") this.#options.onProblem(`${camera} is not shown: ${reasonOf(one.reason)}`);
    }
  }

  /** Goes on under its id with another workflow. What does not open says why and is tried again. */
  async changeSpec(id: string, spec: WorkflowSpec): Promise<void> {
    await this.#find(id).changeSpec(spec);
    this.#changed();
    await this.#save();
  }

  /** A camera has another name: everything on it goes on under the same ids. */
  async renameCamera(from: string, to: string): Promise<void> {
    const isOld = ({ active }: PipelineRunner): boolean => active.video_reference.toLowerCase() === from.toLowerCase();
    await Promise.all([...this.#runners.values()].filter(isOld).map((runner) => runner.renameSource(to)));
    this.#changed();
    await this.#save();
  }

  /**
   * The newest picture of a camera that a pipeline has: one that watches it, or one that is at some place of a
   * recording, also when it is paused or has come to its end. Absent when there is none.
   */
  async pictureOn(camera: string, request?: PictureRequest): Promise<Picture | undefined> {
    const runner = this.#watching(camera) ?? this.#newestOn(camera, ({ isRecording }) => isRecording);
    return runner?.picture(request);
  }

  /** A pipeline running on this camera, the newest when there are several. */
  onCamera(camera: string): PipelineStatus | undefined {
    return this.#watching(camera)?.status();
  }

  /** Starts again what was running; a pipeline that cannot start is listed as failed with its reason. */
  async restore(): Promise<void> {
    const loading = this.#load();
    this.#loaded = loading.then(() => undefined);
    const { runners, problem } = await loading;
    await Promise.all(runners.map((runner) => (runner.active.paused ? undefined : runner.startOrRetry())));
    if (problem) await this.#save();
    this.#changed();
  }

  async #load(): Promise<{ readonly runners: readonly PipelineRunner[]; readonly problem: string | undefined }> {
    const { state, onProblem } = this.#options;
    const { pipelines, problem } = await state.load();
    if (problem) onProblem(problem);
    return { runners: pipelines.map((active) => this.#add(active)), problem };
  }

  /** Resolves when what `restore` starts again is known. */
  loaded(): Promise<void> {
    return this.#loaded;
  }

  /** Called after each change and about once a second while something runs. Returns the way to stop. */
  onChange(listener: (pipelines: readonly PipelineStatus[]) => void): () => void {
    this.#changeListeners.add(listener);
    this.#keepTicking();
    return () => void this.#changeListeners.delete(listener);
  }

  /** Called for each result of each pipeline. Must not throw. Returns the way to stop. */
  onResult(listener: (status: PipelineStatus, result: FrameResult) => void): () => void {
    this.#resultListeners.add(listener);
    return () => void this.#resultListeners.delete(listener);
  }

  /** Stops all without forgetting them. May be called twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#life.abort();
    this.#changeListeners.clear();
    await Promise.all([...this.#views.values()].map((view) => view.close()));
    const stopped = await Promise.allSettled([...this.#runners.values()].map((runner) => runner.stop()));
    for (const end of stopped) {
      if (end.status === "rejected") this.#options.onProblem(`A pipeline may still run: ${reasonOf(end.reason)}`);
    }
    await this.#ticking;
  }

  async #tell(idOrName: string, work: (runner: PipelineRunner) => Promise<void>): Promise<PipelineStatus> {
    const runner = this.#find(idOrName);
    await work(runner);
    await this.#save();
    return runner.status();
  }

  #add(active: ActivePipeline): PipelineRunner {
    const { backends, clock, workflows, admit } = this.#options;
    const runner: PipelineRunner = new PipelineRunner({
      active,
      backend: backends.named(active.backend),
      clock,
      workflows,
      locate: () => this.#locate(runner.active.video_reference),
      admit: () => admit(this.#figuresBeside(active.id)),
      onChange: () => this.#changed(),
      onDoubt: () => void this.#save(),
      onResult: (result) => {
        if (this.#runners.get(active.id) !== runner) return;
        const status = runner.status();
        for (const listener of this.#resultListeners) listener(status, result);
      },
    });
    this.#runners.set(active.id, runner);
    this.#keepTicking();
    return runner;
  }

  #figuresBeside(id: string): RunningFigures {
    const others = [...this.#runners.values()].filter((runner) => runner.isWatching && runner.active.id !== id);
    const fps = others.reduce((sum, runner) => sum + runner.status().fps, 0);
    return { pipelines: others.length, fps };
  }

  #find(idOrName: string): PipelineRunner {
    const wanted = idOrName.trim().toLowerCase();
    const found =
      this.#runners.get(idOrName) ??
      [...this.#runners.values()].find(({ active }) => active.name.toLowerCase() === wanted);
    if (found) return found;
    const names = [...this.#runners.values()].map(({ active }) => active.name);
    const there = names.length > 0 ? `There are: ${names.join(", ")}.` : "No pipeline is there.";
    throw new BackendError({ kind: "not_found", message: `There is no pipeline ${idOrName}. ${there}` });
  }

  #watching(videoReference: string): PipelineRunner | undefined {
    return this.#newestOn(videoReference, ({ isWatching }) => isWatching);
  }

  #newestOn(videoReference: string, fits: (runner: PipelineRunner) => boolean): PipelineRunner | undefined {
    const reference = this.#cameraOf(videoReference)?.name ?? videoReference;
    return [...this.#runners.values()].findLast(
      (runner) => runner.active.video_reference === reference && fits(runner),
    );
  }

  /** A camera by its name or its address: both are one camera. */
  #cameraOf(videoReference: string): RegisteredCamera | undefined {
    const { cameras } = this.#options;
    return cameras.find(videoReference) ?? cameras.list().find(({ address }) => address === videoReference);
  }

  #locate(videoReference: string): { readonly sourceId: string; readonly address: string } {
    const camera = this.#cameraOf(videoReference);
    if (camera) return { sourceId: camera.name, address: camera.address };
    if (isAddress(videoReference)) {
      return { sourceId: withoutCredentials(videoReference), address: videoReference };
    }
    const names = this.#options.cameras.list().map(({ name }) => name);
    const there = names.length > 0 ? `Cameras are: ${names.join(", ")}.` : "CAMERAS.md has none.";
    throw new BackendError({ kind: "not_found", message: `There is no camera ${videoReference}. ${there}` });
  }

  #freeName(wanted: string): string {
    const taken = new Set([...this.#runners.values()].map(({ active }) => active.name.toLowerCase()));
    let name = wanted;
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${wanted}-${number}`;
    return name;
  }

  async #save(): Promise<void> {
    await this.#loaded;
    // What came to its own end is done and does not begin anew.
    const running = [...this.#runners.values()].filter((runner) => !runner.isOver).map(({ active }) => active);
    try {
      await this.#options.state.save(running);
    } catch (error) {
      this.#options.onProblem(`What runs could not be saved, so a restart would not know of it: ${reasonOf(error)}`);
    }
  }

  #changed(): void {
    if (this.#life.signal.aborted) return;
    for (const listener of this.#changeListeners) listener(this.list());
    for (const view of this.#views.values()) {
      view.refresh().catch((error: unknown) => {
        this.#options.onProblem(`A live view was lost: ${reasonOf(error)}`);
      });
    }
  }

  #keepTicking(): void {
    if (this.#ticking || !this.#hasAudience()) return;
    this.#ticking = this.#tick();
  }

  #hasAudience(): boolean {
    return this.#runners.size > 0 && this.#changeListeners.size > 0;
  }

  async #tick(): Promise<void> {
    const { signal } = this.#life;
    do {
      await sleepUnless(this.#options.clock, TICK_MS, signal);
      if (signal.aborted) return;
      for (const listener of this.#changeListeners) listener(this.list());
    } while (this.#hasAudience());
    this.#ticking = undefined;
  }
}

function invalidWorkflow(problems: BackendError["problems"], hint: string | undefined): BackendError {
  const sentences = [...problems.map((problem) => problem.message), ...(hint === undefined ? [] : [hint])];
  const message = `The workflow cannot run: ${sentences.join(" ")}`;
  return new BackendError({ kind: "invalid_workflow", message, problems });
}
