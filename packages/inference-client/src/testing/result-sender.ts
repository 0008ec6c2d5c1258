// frames → workflow → gzip JSON in chunks on the channel `inference`
import { gzipSync } from "node:zlib";
import type { Json } from "@vision-agent/protocol";
import type { RTCDataChannel } from "werift";
import type { OpenVideo } from "./cameras.ts";
import { isObject, type JsonMap } from "./check-body.ts";
import { messageOf } from "./hosted-pipeline.ts";
import { toResultChunks } from "./server-framing.ts";
import { pythonTime } from "./source-run.ts";
import type { RunnerWorkflow } from "./workflow-runner.ts";
import { frameInput } from "./workflows.ts";

export interface SentFrame {
  readonly frame: number;
  readonly pts: number;
  readonly timeBase: number;
  readonly video: OpenVideo;
}

export class ResultSender {
  readonly #workflow: RunnerWorkflow;
  readonly #request: JsonMap;
  #channel: RTCDataChannel | undefined;
  #wanted: readonly Json[];
  #lastFrame = 0;
  #sent = 0;
  #over = false;
  /** Frames go out in the order they came. */
  #line: Promise<void> = Promise.resolve();

  constructor(parts: { workflow: RunnerWorkflow; request: JsonMap }) {
    this.#workflow = parts.workflow;
    this.#request = parts.request;
    this.#wanted = Array.isArray(parts.request.data_output) ? parts.request.data_output : [];
  }

  get sent(): number {
    return this.#sent;
  }

  get isComplete(): boolean {
    return this.#over;
  }

  attach(channel: RTCDataChannel): void {
    this.#channel = channel;
  }

  /** Names are not checked again, as on the real one. */
  choose(outputs: readonly Json[]): void {
    this.#wanted = outputs;
  }

  /** Runs the workflow; what is done before the channel is open is lost. */
  send(frame: SentFrame): Promise<void> {
    this.#line = this.#line.then(() => this.#send(frame));
    return this.#line;
  }

  async #send(frame: SentFrame): Promise<void> {
    if (this.#over) return;
    this.#lastFrame = frame.frame;
    const { data, errors } = await this.#run(frame);
    if (this.#over) return;
    if (this.#channel?.readyState !== "open") return;
    this.#sent += 1;
    const { declared_fps: declared } = this.#request;
    const metadata = {
      frame_id: frame.frame,
      received_at: pythonTime(Date.now()),
      pts: frame.pts,
      time_base: frame.timeBase,
      declared_fps: declared ?? (frame.video.isFile ? frame.video.fps : null),
      measured_fps: null,
      width: frame.video.width,
      height: frame.video.height,
    };
    const message = toMessage({ data, errors, metadata, reason: undefined });
    this.#write(frame.frame, this.#wanted.length > 0 ? gzipSync(message) : message);
  }

  /** The last message, always plain. At the time limit the channel is closed at once. */
  complete(reason: "timeout_reached" | null): void {
    this.#line = this.#line.then(() => this.#complete(reason));
  }

  #complete(reason: "timeout_reached" | null): void {
    if (this.#over) return;
    this.#over = true;
    const nothing = { pts: null, time_base: null, declared_fps: null, measured_fps: null, width: null, height: null };
    const metadata = { frame_id: this.#lastFrame, received_at: pythonTime(Date.now()), ...nothing };
    if (this.#channel?.readyState === "open") {
      this.#write(this.#lastFrame + 1, toMessage({ data: null, errors: [], metadata, reason }));
    }
    if (reason !== null) this.#channel?.close();
  }

  stop(): void {
    this.#over = true;
  }

  async #run(frame: SentFrame): Promise<{ data: Json; errors: string[] }> {
    const configuration = this.#request.workflow_configuration as JsonMap;
    const name = String(configuration.image_input_name ?? "image");
    const parameters = isObject(configuration.workflows_parameters) ? configuration.workflows_parameters : {};
    const { video } = frame;
    const picture = frameInput(video, `${name}.[0]`, {
      video_identifier: "default_source",
      frame_number: frame.frame,
      frame_timestamp: pythonTime(Date.now()),
      fps: video.fps,
      measured_fps: video.fps,
      comes_from_video_file: video.isFile,
      ...(video.isFile ? { total_frames: video.frames } : {}),
    });
    try {
      const [outputs = {}] = await this.#workflow.run({ ...parameters, [name]: picture });
      return { data: this.#wanted.length === 0 ? null : this.#select(outputs), errors: [] };
    } catch (error) {
      return { data: null, errors: [messageOf(error)] };
    }
  }

  #select(outputs: JsonMap): Json {
    const isAll = this.#wanted.includes("*");
    const chosen = Object.entries(outputs).filter(([name, value]) =>
      isAll ? !isPicture(value) : this.#wanted.includes(name),
    );
    return Object.fromEntries(chosen);
  }

  #write(frameId: number, payload: Buffer): void {
    for (const chunk of toResultChunks(frameId, payload)) this.#channel?.send(chunk);
  }
}

function toMessage(parts: {
  data: Json;
  errors: string[];
  metadata: JsonMap;
  reason: string | null | undefined;
}): Buffer {
  const message = {
    serialized_output_data: parts.data,
    video_metadata: parts.metadata,
    errors: parts.errors,
    processing_complete: parts.reason !== undefined,
    termination_reason: parts.reason ?? null,
  };
  return Buffer.from(JSON.stringify(message));
}

function isPicture(value: Json): boolean {
  const first = Array.isArray(value) ? value[0] : value;
  return isObject(first) && first.type === "base64" && first.video_metadata !== undefined;
}
