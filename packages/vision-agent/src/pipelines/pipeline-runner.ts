// one pipeline: started, paused, resumed, stopped, and started again when it fails

import { type Clock, sleepUnless } from "@vision-agent/agent-core";
import type { FrameResult, PipelineState, PipelineStatus, WorkflowSpec } from "@vision-agent/protocol";
import type { Picture, PictureRequest, PipelineFigures } from "@vision-agent/vision-engine";
import PQueue from "p-queue";
import { BackendError, type InferenceBackend, type RunningPipeline } from "../backends/backend.ts";
import { withoutCredentials } from "../workspace/camera-address.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import type { ActivePipeline } from "./active-state.ts";

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;
/** After so long without a failure the next retry is quick again. */
const HEALTHY_MS = 120_000;

/** Reads a workflow without running it: the engine's functions of the same names. */
export interface WorkflowReader {
  describeWorkflow(spec: WorkflowSpec): string;
  shapesOf(spec: WorkflowSpec): PipelineStatus["shapes"];
  modelsOf(spec: WorkflowSpec): readonly string[];
}

export interface PipelineRunnerOptions {
  readonly active: ActivePipeline;
  readonly backend: InferenceBackend;
  readonly clock: Clock;
  readonly workflows: WorkflowReader;
  /** Where the pictures come from now; throws `BackendError` when nobody knows. */
  readonly locate: () => { readonly sourceId: string; readonly address: string };
  /** Throws when the machine has no room for it. */
  readonly admit: () => void;
  /** Must not throw. */
  readonly onChange: () => void;
  /** Its camera was moved, which is to be remembered. Must not throw. */
  readonly onDoubt: () => void;
  /** Must not throw. */
  readonly onResult: (result: FrameResult) => void;
}

/** One pipeline of the app, whether its backend runs it just now or not. Operations come one after the other. */
export class PipelineRunner {
  readonly #options: PipelineRunnerOptions;
  #about: Pick<PipelineStatus, "workflow_description" | "models" | "shapes">;
  #spec: WorkflowSpec;
  readonly #life = new AbortController();
  #videoReference: string;
  #paused: boolean;
  #state: PipelineState;
  #reason: string | undefined;
  /** As its backend runs it now; what an earlier one still reports is not listened to. */
  #pipeline: RunningPipeline | undefined;
  /** Being stopped, or to be stopped once more. */
  #ending: RunningPipeline | undefined;
  #lastFigures: PipelineFigures | undefined;
  #isRecording = false;
  #zonesDoubtfulSince: string | undefined;
  readonly #queue = new PQueue({ concurrency: 1 });
  #retrying: Promise<void> = Promise.resolve();
  #failures = 0;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: PipelineRunnerOptions) {
    const { active } = options;
    this.#options = options;
    this.#spec = active.spec;
    this.#about = this.#describe();
    this.#videoReference = active.video_reference;
    this.#paused = active.paused;
    this.#state = active.paused ? "paused" : "starting";
    this.#zonesDoubtfulSince = active.zones_doubtful_since;
  }

  /** As it is to be written down. */
  get active(): ActivePipeline {
    const doubt = this.#zonesDoubtfulSince;
    return {
      ...this.#options.active,
      video_reference: this.#videoReference,
      spec: this.#spec,
      paused: this.#paused,
      ...(doubt !== undefined && { zones_doubtful_since: doubt }),
    };
  }

  /** For those who look at its pictures. */
  get running(): RunningPipeline | undefined {
    return this.#pipeline;
  }

  /** Whether pictures come from it, now or as soon as its source is back. */
  get isWatching(): boolean {
    return this.#pipeline !== undefined && ["starting", "running", "reconnecting"].includes(this.#state);
  }

  /** A recording stays where it is while it is paused, and at its end. */
  get isRecording(): boolean {
    return this.#pipeline !== undefined && this.#isRecording;
  }

  get isOver(): boolean {
    return this.#state === "ended" || this.#state === "stopped";
  }

  /** What people and tools see; an address shows no password. */
  status(): PipelineStatus {
    const { active, backend } = this.#options;
    if (this.#pipeline) this.#lastFigures = this.#pipeline.figures();
    return {
      pipeline_id: active.id,
      name: active.name,
      backend: backend.name,
      backend_reason: active.backend_reason,
      video_reference: withoutCredentials(this.#videoReference),
      started_at: active.started_at,
      status: this.#state,
      fps: (this.#pipeline && this.#lastFigures?.fps) ?? 0,
      frames_processed: this.#lastFigures?.framesProcessed ?? 0,
      frames_dropped: this.#lastFigures?.framesDropped ?? 0,
      reason: this.#reason,
      health: this.#health(),
      zones_doubtful_since: this.#zonesDoubtfulSince,
      ...this.#about,
    };
  }

  /** Its camera has another name from now on: it is opened anew, so that everything that comes is told under it. */
  async renameSource(name: string): Promise<void> {
    this.#videoReference = name;
    await this.reopen();
  }

  /** Another workflow from now on. */
  async changeSpec(spec: WorkflowSpec): Promise<void> {
    this.#spec = spec;
    this.#about = this.#describe();
    this.#zonesDoubtfulSince = undefined;
    await this.reopen();
  }

  results(last: number): readonly FrameResult[] {
    return this.#pipeline?.results(last) ?? [];
  }

  async picture(request?: PictureRequest): Promise<Picture | undefined> {
    return this.#pipeline?.picture(request);
  }

  /** Rejects with `BackendError` when it cannot start. */
  start(): Promise<void> {
    return this.#queue.add(() => this.#launch());
  }

  /** Never rejects: what cannot start is `failed` with its reason and tried again later. */
  startOrRetry(): Promise<void> {
    return this.#queue.add(() => this.#launchOrRetry());
  }

  /** Opens the camera anew, as it is now. Never rejects, as `startOrRetry`. */
  reopen(): Promise<void> {
    return this.#queue.add(async () => {
      if (this.isOver) return;
      if (this.#paused) await this.#withdraw();
      else await this.#launchOrRetry();
    });
  }

  pause(): Promise<void> {
    return this.#queue.add(async () => {
      if (this.isOver) return;
      this.#paused = true;
      if (this.isWatching) await this.#pipeline?.pause();
      this.#become("paused");
    });
  }

  resume(): Promise<void> {
    return this.#queue.add(async () => {
      if (!this.#paused || this.isOver) return;
      this.#paused = false;
      if (this.#pipeline?.figures().state === "paused") {
        await this.#pipeline.resume();
        const { state, reason } = this.#pipeline.figures();
        this.#become(state, reason);
      } else await this.#launchOrRetry();
    });
  }

  /** For good. May be called twice. Rejects when it may still run; calling again tries again. */
  async stop(): Promise<void> {
    this.#life.abort();
    await this.#queue.add(async () => {
      try {
        await this.#withdraw();
      } catch (error) {
        this.#become(this.#state, `It may still run: ${reasonOf(error)}`);
        throw error;
      }
      if (this.#state !== "stopped") this.#become("stopped");
    });
    await this.#retrying;
  }

  #describe(): Pick<PipelineStatus, "workflow_description" | "models" | "shapes"> {
    const { workflows } = this.#options;
    return {
      workflow_description: workflows.describeWorkflow(this.#spec),
      models: [...workflows.modelsOf(this.#spec)],
      shapes: workflows.shapesOf(this.#spec),
    };
  }

  /** Recordings may well stand still or be dark: only cameras are judged. */
  #health(): PipelineStatus["health"] {
    if (!this.#pipeline || this.#isRecording) return undefined;
    const [found] = Object.values(this.#lastFigures?.health ?? {});
    if (found?.state === "moved") this.#doubtZones();
    return found && found.state !== "ok" ? { state: found.state, message: found.message } : undefined;
  }

  #doubtZones(): void {
    if (this.#zonesDoubtfulSince !== undefined) return;
    this.#zonesDoubtfulSince = new Date(this.#options.clock.now()).toISOString();
    this.#options.onDoubt();
  }

  #become(state: PipelineState, reason?: string): void {
    this.#state = state;
    this.#reason = reason;
    this.#options.onChange();
  }

  async #launch(): Promise<void> {
    const { active, backend, locate, admit, onResult } = this.#options;
    await this.#withdraw();
    if (this.#life.signal.aborted) return;
    admit();
    this.#become("starting");
    let opened: RunningPipeline | undefined;
    const isCurrent = (): boolean => opened !== undefined && this.#pipeline === opened;
    opened = await backend.open({
      ...locate(),
      pipelineId: active.id,
      spec: this.#spec,
      maxFps: active.max_fps,
      onResult: (result) => {
        this.#isRecording = result.frame.comes_from_video_file === true;
        if (isCurrent()) onResult(result);
      },
      onState: (state, reason) => {
        if (isCurrent()) this.#follow(state, reason);
      },
    });
    this.#pipeline = opened;
    const { state, reason } = opened.figures();
    this.#follow(state, reason);
  }

  async #launchOrRetry(): Promise<void> {
    try {
      await this.#launch();
    } catch (error) {
      this.#become("failed", reasonOf(error));
      // The same wrong workflow stays wrong.
      if (!(error instanceof BackendError && error.kind === "invalid_workflow")) this.#retryLater();
    }
  }

  /** What the backend says about the present run. */
  #follow(state: PipelineState, reason: string | undefined): void {
    // While a person keeps it paused nothing else counts; resuming looks again.
    if (this.#paused && state !== "ended") return;
    if (state === this.#state && reason === this.#reason) return;
    this.#become(state, reason);
    if (state === "failed") this.#retryLater();
  }

  async #withdraw(): Promise<void> {
    if (this.#pipeline) {
      this.#lastFigures = this.#pipeline.figures();
      this.#ending = this.#pipeline;
      this.#pipeline = undefined;
    }
    await this.#ending?.stop();
    this.#ending = undefined;
  }

  #retryLater(): void {
    const { clock } = this.#options;
    if (clock.monotonic() - this.#failedAtMs > HEALTHY_MS) this.#failures = 0;
    this.#failedAtMs = clock.monotonic();
    const delayMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#retrying = this.#retryAfter(delayMs);
  }

  async #retryAfter(delayMs: number): Promise<void> {
    const { signal } = this.#life;
    await sleepUnless(this.#options.clock, delayMs, signal);
    if (signal.aborted) return;
    await this.#queue.add(async () => {
      if (this.#state === "failed" && !signal.aborted) await this.#launchOrRetry();
    });
  }
}
