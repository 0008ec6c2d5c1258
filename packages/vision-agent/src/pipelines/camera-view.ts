// one camera → everybody who looks at it
import { type Clock, type IdSource, sleepUnless } from "@vision-agent/agent-core";
import type { WorkflowSpec } from "@vision-agent/protocol";
import type { LiveFrame } from "@vision-agent/vision-engine";
import PQueue from "p-queue";
import type { InferenceBackend, RunningPipeline } from "../backends/backend.ts";
import { IMAGE_INPUT } from "../backends/detection-workflow.ts";

const LINGER_MS = 5000;
const VIEWER_FPS = 15;
const NOTHING_TO_DO: WorkflowSpec = { version: "1.0", inputs: [IMAGE_INPUT], steps: [], outputs: [] };

export interface CameraViewOptions {
  readonly backend: InferenceBackend;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly sourceId: string;
  readonly address: string;
  /** A pipeline that gives pictures of this camera anyway. */
  readonly pipelineToShare: () => RunningPipeline | undefined;
}

interface Attachment {
  readonly pipeline: RunningPipeline;
  /** Started for the viewers alone. */
  readonly own: boolean;
  readonly leave: () => void;
}

/** Shares the pipeline that runs on the camera, and keeps one of its own only while somebody looks and none runs. */
export class CameraView {
  readonly #options: CameraViewOptions;
  readonly #viewers = new Set<(frame: LiveFrame) => void>();
  #attachment: Attachment | undefined;
  readonly #queue = new PQueue({ concurrency: 1 });
  #lingering: AbortController | undefined;
  #closed = false;

  constructor(options: CameraViewOptions) {
    this.#options = options;
  }

  /** Rejects with `BackendError` when the camera gives no picture. */
  async join(onFrame: (frame: LiveFrame) => void): Promise<() => void> {
    // Wrapped, so that one function may look twice.
    const viewer = (frame: LiveFrame): void => onFrame(frame);
    this.#viewers.add(viewer);
    this.#lingering?.abort();
    try {
      await this.#queue.add(() => this.#attach());
    } catch (error) {
      this.#viewers.delete(viewer);
      throw error;
    }
    return () => {
      if (this.#viewers.delete(viewer) && this.#viewers.size === 0) void this.#lingerThenDetach();
    };
  }

  /** To be called when pipelines came or went. */
  async refresh(): Promise<void> {
    if (this.#viewers.size > 0) await this.#queue.add(() => this.#attach());
  }

  /** Opens the camera anew, where it was opened for viewers alone. */
  async reopen(): Promise<void> {
    await this.#queue.add(async () => {
      if (this.#attachment?.own) await this.#detach();
      await this.#attach();
    });
  }

  /** May be called twice. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#viewers.clear();
    this.#lingering?.abort();
    await this.#queue.add(() => this.#detach());
  }

  async #attach(): Promise<void> {
    if (this.#closed || this.#viewers.size === 0) return;
    const shared = this.#options.pipelineToShare();
    const current = this.#attachment;
    if (shared === undefined ? current?.own : current?.pipeline === shared) return;
    await this.#detach();
    const pipeline = shared ?? (await this.#openOwn());
    const leave = pipeline.view((frame) => {
      for (const viewer of this.#viewers) viewer(frame);
    });
    this.#attachment = { pipeline, own: shared === undefined, leave };
  }

  async #detach(): Promise<void> {
    const attachment = this.#attachment;
    this.#attachment = undefined;
    attachment?.leave();
    if (attachment?.own) await attachment.pipeline.stop();
  }

  async #openOwn(): Promise<RunningPipeline> {
    const { backend, ids, sourceId, address } = this.#options;
    const pipeline = await backend.open({
      pipelineId: ids.next("view"),
      sourceId,
      address,
      spec: NOTHING_TO_DO,
      maxFps: VIEWER_FPS,
      onResult: () => undefined,
      onState: (state) => {
        // The next one to look starts it anew.
        if (state === "ended" || state === "failed") void this.#queue.add(() => this.#drop(pipeline));
      },
    });
    return pipeline;
  }

  async #drop(pipeline: RunningPipeline): Promise<void> {
    if (this.#attachment?.pipeline === pipeline) await this.#detach();
  }

  async #lingerThenDetach(): Promise<void> {
    if (this.#attachment?.own) {
      this.#lingering = new AbortController();
      const { signal } = this.#lingering;
      await sleepUnless(this.#options.clock, LINGER_MS, signal);
      if (signal.aborted) return;
    }
    await this.#queue.add(async () => {
      if (this.#viewers.size === 0) await this.#detach();
    });
  }
}
