// one pipeline: started, paused, resumed, stopped, and started again when it fails
import type { Clock } from "@vision-agent/agent-core";
import type { FrameResult, PipelineState, PipelineStatus, WorkflowSpec } from "@vision-agent/protocol";
import type { Picture, PictureRequest, PipelineFigures } from "@vision-agent/vision-engine";
import { BackendError, type InferenceBackend } from "../backends/backend.ts";
import { withoutCredentials } from "../workspace/camera-address.ts";
import type { ActivePipeline } from "./active-state.ts";
import type { SharedPipeline } from "./camera-view.ts";

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
  /** Must not throw. */
  readonly onChange: () => void;
  /** Must not throw. */
  readonly onResult: (result: FrameResult) => void;
}

/** One pipeline of the app, whether its backend runs it just now or not. Operations come one after the other. */
export class PipelineRunner {
  readonly #options: PipelineRunnerOptions;
  readonly #about: Pick<PipelineStatus, "workflow_description" | "models" | "shapes">;
  readonly #life = new AbortController();
  #paused: boolean;
  #state: PipelineState;
  #reason: string | undefined;
  /** The present run in the backend; what an earlier run still reports is not listened to. */
  #run: symbol | undefined;
  #lastFigures: PipelineFigures | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #retrying: Promise<void> = Promise.resolve();
  #failures = 0;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: PipelineRunnerOptions) {
    const { active, workflows } = options;
    this.#options = options;
    this.#about = {
      workflow_description: workflows.describeWorkflow(active.spec),
      models: [...workflows.modelsOf(active.spec)],
      shapes: workflows.shapesOf(active.spec),
    };
    this.#paused = active.paused;
    this.#state = active.paused ? "paused" : "starting";
  }

  /** As it is to be written down. */
  get active(): ActivePipeline {
    return { ...this.#options.active, paused: this.#paused };
  }

  /** What somebody needs who wants to look through it. */
  get shared(): SharedPipeline {
    const { active, backend } = this.#options;
    return { pipelineId: active.id, backend };
  }

  /** Whether pictures come from it, now or as soon as its source is back. */
  get isWatching(): boolean {
    return this.#run !== undefined && ["starting", "running", "reconnecting"].includes(this.#state);
  }

  get isOver(): boolean {
    return this.#state === "ended" || this.#state === "stopped";
  }

  /** What people and tools see; an address shows no password. */
  status(): PipelineStatus {
    const { active, backend } = this.#options;
    if (this.#run) this.#lastFigures = backend.figures(active.id);
    return {
      pipeline_id: active.id,
      name: active.name,
      backend: backend.name,
      backend_reason: active.backend_reason,
      video_reference: withoutCredentials(active.video_reference),
      started_at: active.started_at,
      status: this.#state,
      fps: (this.#run && this.#lastFigures?.fps) ?? 0,
      frames_processed: this.#lastFigures?.framesProcessed ?? 0,
      frames_dropped: this.#lastFigures?.framesDropped ?? 0,
      reason: this.#reason,
      ...this.#about,
    };
  }

  async results(last: number): Promise<readonly FrameResult[]> {
    const { backend, active } = this.#options;
    return this.#run ? backend.consumeResults(active.id, last) : [];
  }

  async picture(request?: PictureRequest): Promise<Picture | undefined> {
    const { backend, active } = this.#options;
    return this.#run ? backend.picture(active.id, request) : undefined;
  }

  /** Rejects with `BackendError` when it cannot start. */
  start(): Promise<void> {
    return this.#serially(() => this.#launch());
  }

  /** Never rejects: what cannot start is `failed` with its reason and tried again later. */
  startOrRetry(): Promise<void> {
    return this.#serially(() => this.#launchOrRetry());
  }

  pause(): Promise<void> {
    return this.#serially(async () => {
      if (this.isOver) return;
      const { backend, active } = this.#options;
      this.#paused = true;
      if (this.isWatching) await backend.pausePipeline(active.id);
      this.#become("paused");
    });
  }

  resume(): Promise<void> {
    return this.#serially(async () => {
      if (!this.#paused || this.isOver) return;
      const { backend, active } = this.#options;
      this.#paused = false;
      if (this.#run && backend.figures(active.id).state === "paused") {
        await backend.resumePipeline(active.id);
        const { state, reason } = backend.figures(active.id);
        this.#become(state, reason);
      } else await this.#launchOrRetry();
    });
  }

  /** For good; the backend forgets it. May be called twice. Rejects when it may still run; calling again tries again. */
  async stop(): Promise<void> {
    this.#life.abort();
    await this.#serially(async () => {
      try {
        await this.#withdraw();
      } catch (error) {
        this.#become(this.#state, `It may still run: ${error instanceof Error ? error.message : String(error)}`);
        throw error;
      }
      if (this.#state !== "stopped") this.#become("stopped");
    });
    await this.#retrying;
  }

  #serially(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  #become(state: PipelineState, reason?: string): void {
    this.#state = state;
    this.#reason = reason;
    this.#options.onChange();
  }

  async #launch(): Promise<void> {
    const { active, backend, locate, onResult } = this.#options;
    await this.#withdraw();
    if (this.#life.signal.aborted) return;
    const run = Symbol(active.id);
    this.#become("starting");
    await backend.startPipeline({
      ...locate(),
      pipelineId: active.id,
      spec: active.spec,
      ...(active.max_fps === undefined ? {} : { maxFps: active.max_fps }),
      onResult: (result) => {
        if (this.#run === run) onResult(result);
      },
      onState: (state, reason) => {
        if (this.#run === run) this.#follow(state, reason);
      },
    });
    this.#run = run;
    const { state, reason } = backend.figures(active.id);
    this.#follow(state, reason);
  }

  async #launchOrRetry(): Promise<void> {
    try {
      await this.#launch();
    } catch (error) {
      this.#become("failed", error instanceof Error ? error.message : String(error));
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
    const { active, backend } = this.#options;
    if (this.#run) this.#lastFigures = backend.figures(active.id);
    this.#run = undefined;
    await backend.stopPipeline(active.id);
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
    await this.#options.clock.sleep(delayMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    await this.#serially(async () => {
      if (this.#state === "failed" && !signal.aborted) await this.#launchOrRetry();
    });
  }
}
