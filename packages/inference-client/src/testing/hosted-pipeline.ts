// sources → workflow → ring buffer of results, until the sources end and the server forgets it all
import type { Json } from "@vision-agent/protocol";
import { FakeRefusal } from "./answer.ts";
import { withoutCredentials } from "./cameras.ts";
import { isObject, type JsonMap } from "./check-body.ts";
import { isBefore18 } from "./settings.ts";
import { type FakeSourceState, pythonTime, type SourceFrame, SourceRun } from "./source-run.ts";
import type { RunnerWorkflow } from "./workflow-runner.ts";
import { frameInput } from "./workflows.ts";
import type { World } from "./world.ts";

export interface FrameOutputs {
  readonly outputs: readonly (JsonMap | null)[];
  readonly frames: readonly (JsonMap | null)[];
}

export interface PipelineEvent {
  readonly timestamp: string;
  readonly severity: number;
  readonly event_type: string;
  readonly payload: JsonMap;
  readonly context: string;
}

/** The manager looks once a second for pipelines whose sources are over. */
const SWEEP_MS = 1000;
const MUTED_FILE_SWEEP_MS = 500;
const MODEL_LOAD_MS = 500;
const CONNECT_MS = 20;
const IDLE_MS = 20;
const MOST_EVENTS = 512;

export class SimulatedPipeline {
  readonly id: string;
  readonly request: Json;
  readonly sources: readonly SourceRun[];
  readonly events: PipelineEvent[] = [];
  /** Mean of the times between results, in the server's milliseconds. */
  throughput = 0;
  readonly #world: World;
  readonly #workflow: RunnerWorkflow;
  readonly #imageInput: string;
  readonly #parameters: JsonMap;
  readonly #results: FrameOutputs[] = [];
  readonly #resultsSize: number;
  readonly #frameMs: number;
  readonly #onGone: () => void;
  readonly #onStuck: () => void;
  readonly #consumptionMs: number;
  #lastConsume: number;
  #runBegan: number | undefined;
  #lateMs = 0;
  #gone = false;
  #doomed = false;

  constructor(parts: {
    id: string;
    world: World;
    workflow: RunnerWorkflow;
    request: JsonMap;
    onGone: () => void;
    /** It was to end and never will. */
    onStuck: () => void;
  }) {
    const { world, request } = parts;
    this.id = parts.id;
    this.request = request;
    this.#world = world;
    this.#workflow = parts.workflow;
    this.#onGone = parts.onGone;
    this.#onStuck = parts.onStuck;
    const video = request.video_configuration as JsonMap;
    const processing = request.processing_configuration as JsonMap;
    this.#imageInput = String(processing.image_input_name ?? "image");
    this.#parameters = isObject(processing.workflows_parameters) ? processing.workflows_parameters : {};
    const sink = isObject(request.sink_configuration) ? request.sink_configuration : {};
    this.#resultsSize = Number(sink.results_buffer_size ?? 64);
    this.#frameMs = Math.max(world.settings.inferenceMs, video.max_fps ? 1000 / Number(video.max_fps) : 0);
    this.#consumptionMs = Number(request.consumption_timeout ?? 0) * 1000;
    this.#lastConsume = world.time.now();
    this.sources = this.#createSources(video, Number(request.decoding_buffer_size ?? 64));
    this.#note("INFERENCE_THREAD_STARTED", {}, "inference_pipeline");
    world.time.after(CONNECT_MS, () => this.#connect());
    if (this.#consumptionMs > 0) this.#watchConsumption();
  }

  get state(): string {
    return this.sources[0]?.state ?? "NOT_STARTED";
  }

  /** The oldest result, taken out; `undefined` when none is ready. */
  consume(): FrameOutputs | undefined {
    const result = this.#results.shift();
    if (result !== undefined) this.#lastConsume = this.#world.time.now();
    return result;
  }

  /** False when no source is in the state that allows it. */
  mute(): boolean {
    return this.sources.map((source) => source.mute()).some(Boolean);
  }

  unmute(): boolean {
    return this.sources.map((source) => source.unmute()).some(Boolean);
  }

  /** As a caller or the consumption timeout ends it. */
  terminate(): void {
    if (this.sources.some((source) => source.cannotEnd)) this.#onStuck();
    else this.end();
  }

  /** Ends it at once; nothing it held can be read any more. */
  end(): void {
    if (this.#gone) return;
    this.#gone = true;
    for (const source of this.sources) source.close();
    void this.#workflow.close();
    this.#onGone();
  }

  #createSources(video: JsonMap, bufferSize: number): readonly SourceRun[] {
    const reference = video.video_reference ?? null;
    const references = Array.isArray(reference) ? reference : [reference];
    const filling = String(video.source_buffer_filling_strategy ?? "DROP_OLDEST");
    const consumption = String(video.source_buffer_consumption_strategy ?? "EAGER");
    return references.map((item, id) => {
      const given = String(item);
      const shown = isBefore18(this.#world.settings) ? given : withoutCredentials(given);
      const onState = (source: SourceRun, previous: FakeSourceState, next: FakeSourceState) =>
        this.#sourceChanged(source, previous, next);
      return new SourceRun({ id, reference: shown, reading: { bufferSize, filling, consumption }, onState });
    });
  }

  #connect(): void {
    if (this.#gone) return;
    const { cameras, time } = this.#world;
    for (const source of this.sources) {
      if (source.open(cameras.open(source.reference), time.now())) continue;
      const message = `Cannot connect to video source under reference: ${source.reference}`;
      this.#fail("SourceConnectionError", message);
      this.#note("INFERENCE_THREAD_FINISHED", {}, "inference_pipeline");
      this.#doom(SWEEP_MS);
      return;
    }
    time.after(MODEL_LOAD_MS, () => this.#next());
  }

  /** One turn of the inference thread. */
  #next(): void {
    if (this.#gone) return;
    const { time } = this.#world;
    const batch = this.sources.map((source) => source.take(time.now()));
    if (batch.some((frame) => frame !== undefined)) {
      void Promise.all([this.#finish(batch), time.sleep(this.#frameMs)]).then(() => this.#next());
      return;
    }
    if (this.sources.every((source) => source.isOver))
      this.#note("INFERENCE_THREAD_FINISHED", {}, "inference_pipeline");
    else time.after(IDLE_MS, () => this.#next());
  }

  async #finish(batch: readonly (SourceFrame | undefined)[]): Promise<void> {
    this.#runBegan = this.#world.time.now();
    try {
      const work = batch.map(async (frame, index) => frame && this.#run(this.sources[index]!, frame));
      const outputs = await Promise.all(work);
      if (this.#gone) return;
      const frames = batch.map((frame, index) => frame && this.#frameMetadata(this.sources[index]!, frame));
      const result = { outputs: outputs.map((item) => item ?? null), frames: frames.map((frame) => frame ?? null) };
      this.#results.push(result);
      if (this.#results.length > this.#resultsSize) this.#results.shift();
      this.throughput = 1000 / this.#frameMs;
    } catch (error) {
      if (!this.#gone) this.#fail("StepExecutionError", messageOf(error));
    } finally {
      this.#lateMs = this.#late();
      this.#runBegan = undefined;
    }
  }

  /** What runs took longer than a frame may: time of the runner, not of the server. */
  #late(): number {
    if (this.#runBegan === undefined) return this.#lateMs;
    return this.#lateMs + Math.max(0, this.#world.time.now() - this.#runBegan - this.#frameMs);
  }

  async #run(source: SourceRun, frame: SourceFrame): Promise<JsonMap | undefined> {
    const video = source.video!;
    const picture = frameInput(video, `${this.#imageInput}.[${source.id}]`, {
      video_identifier: String(source.id),
      frame_number: frame.frame,
      frame_timestamp: frame.timestamp,
      fps: video.fps,
      comes_from_video_file: video.isFile,
    });
    const [outputs] = await this.#workflow.run({ ...this.#parameters, [this.#imageInput]: picture });
    return outputs;
  }

  #frameMetadata(source: SourceRun, frame: SourceFrame): JsonMap {
    source.completed += 1;
    source.lastFrame = frame.frame;
    return { frame_timestamp: frame.timestamp, frame_id: frame.frame, source_id: source.id };
  }

  #sourceChanged(source: SourceRun, previous: FakeSourceState, next: FakeSourceState): void {
    const id = { source_id: source.id };
    if (next === "RUNNING" && previous === "INITIALISING") this.#note("VIDEO_CONSUMPTION_STARTED", id, "video_source");
    this.#note("SOURCE_STATE_UPDATE", { previous_state: previous, new_state: next, ...id }, "video_source");
    if (next === "ENDED") this.#note("VIDEO_CONSUMPTION_FINISHED", id, "video_source");
    if (next === "ENDED" && this.sources.every((item) => item.isOver)) {
      this.#doom(previous === "MUTED" ? MUTED_FILE_SWEEP_MS : SWEEP_MS);
    }
  }

  #doom(ms: number): void {
    if (this.#doomed) return;
    this.#doomed = true;
    this.#endIn(ms, this.#late());
  }

  #endIn(ms: number, lateBefore: number): void {
    this.#world.time.after(ms, () => {
      const late = this.#late();
      if (late > lateBefore) this.#endIn(late - lateBefore, late);
      else this.end();
    });
  }

  #watchConsumption(): void {
    const left = this.#lastConsume + this.#consumptionMs - this.#world.time.now();
    if (left > 0) this.#world.time.after(left, () => this.#watchConsumption());
    else this.#world.time.after(SWEEP_MS, () => this.terminate());
  }

  #fail(type: string, message: string): void {
    const payload = { error_type: type, error_message: message, error_context: "inference_thread" };
    this.#note("INFERENCE_ERROR", payload, "inference_pipeline", 40);
  }

  #note(type: string, payload: JsonMap, context: string, severity = 20): void {
    this.events.push({ timestamp: pythonTime(Date.now()), severity, event_type: type, payload, context });
    if (this.events.length > MOST_EVENTS) this.events.shift();
  }
}

/** What the server says of a frame that failed. */
export function messageOf(error: unknown): string {
  const body = error instanceof FakeRefusal ? error.answer.body : undefined;
  if (body === undefined || body instanceof Uint8Array || !isObject(body)) return String(error);
  return String(body.message);
}
