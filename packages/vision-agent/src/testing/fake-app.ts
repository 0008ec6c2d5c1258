// an app in memory, for tests

import { readImageHeader, type ToolContext } from "@vision-agent/agent-core";
import { createEnvironment } from "@vision-agent/agent-core/environment";
import type { FrameResult, OutputValue, PipelineStatus, WorkflowSpec } from "@vision-agent/protocol";
import type { LiveFrame, Picture } from "@vision-agent/vision-engine";
import { BackendError } from "../backends/backend.ts";
import type { PipelineRegistry, StartRequest } from "../pipelines/pipeline-registry.ts";
import { type DestinationStore, openDestinationStore } from "../store/destination-store.ts";
import { type CameraStore, createPassingCameras } from "../workspace/camera-store.ts";

/** As much of a JPEG of 640x360 as says what it is. */
export const JPEG: Uint8Array = Uint8Array.of(
  0xff,
  0xd8,
  0xff,
  0xc0,
  0,
  17,
  8,
  1,
  0x68,
  2,
  0x80,
  3,
  1,
  0x22,
  0,
  0xff,
  0xd9,
);

export const SPEC: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [{ type: "roboflow_core/roboflow_object_detection_model@v2", name: "detection", model_id: "sim/truth" }],
  outputs: [],
};

export function fakeCameras(...names: readonly string[]): CameraStore {
  return createPassingCameras(names.map((name) => ({ name, address: `rtsp://owner:password@${name}.local/stream` })));
}

/** No watch looks through any pipeline. */
export const NO_WATCHES = { list: () => [] } as const;

/** Nothing was approved before, and nothing is kept. */
export const NO_DESTINATIONS = { isKnown: () => false, remember: async () => undefined } as const;

export function fakeDestinations(): Promise<DestinationStore> {
  let text: string | undefined;
  const files = {
    readText: async () => text,
    writeAtomic: async (_path: string, next: string) => {
      text = next;
    },
  };
  return openDestinationStore({ files, path: "/destinations.json", now: () => 0, onNotice: () => undefined });
}

export function fakeStatus(over: Partial<PipelineStatus> = {}): PipelineStatus {
  return {
    pipeline_id: "pl_1",
    name: "street-count",
    backend: "direct",
    video_reference: "street",
    workflow_description: "Counts person crossing a line.",
    started_at: "2026-01-01T10:00:00.000Z",
    status: "running",
    fps: 9.8,
    frames_processed: 120,
    frames_dropped: 3,
    models: ["sim/truth"],
    shapes: [],
    ...over,
  };
}

/** A frame of 1280x720 with one box for each class named, and plain values. */
export function fakeResult(classes: readonly string[], values: Readonly<Record<string, number>> = {}): FrameResult {
  const detections: OutputValue = {
    kind: "detections",
    detections: {
      image: { width: 1280, height: 720 },
      xyxy: classes.flatMap((_, row) => [row * 100, 10, row * 100 + 50, 210]),
      confidence: classes.map(() => 0.9),
      class_id: classes.map(() => 0),
      class_name: [...classes],
      tracker_id: classes.map((_, row) => row + 1),
    },
  };
  const figures = Object.entries(values).map(([name, value]): [string, OutputValue] => [
    name,
    { kind: "value", value },
  ]);
  return {
    frame: {
      source_id: "street",
      frame_number: 120,
      timestamp: "2026-01-01T10:00:12.000Z",
      width: 1280,
      height: 720,
      fps: 10,
    },
    outputs: { predictions: detections, ...Object.fromEntries(figures) },
    latency_ms: 4,
  };
}

export function fakePicture(result: FrameResult = fakeResult([])): Picture {
  return { jpeg: JPEG, width: 640, height: 360, frame: result.frame };
}

export interface FakePipelines extends PipelineRegistry {
  readonly started: readonly StartRequest[];
  /** Sends a frame to everyone who views. */
  show(frame: LiveFrame): void;
  /** How many view now. */
  viewers(): number;
  /** Tells the listeners of changes. */
  change(): void;
}

/** What is started runs at once, unless it has no steps; every pipeline gives the same results. */
export function fakePipelines(
  options: {
    readonly running?: readonly PipelineStatus[];
    readonly results?: readonly FrameResult[];
    /** Workflow by pipeline id, where it matters. */
    readonly specs?: Readonly<Record<string, WorkflowSpec>>;
  } = {},
): FakePipelines {
  let running = [...(options.running ?? [])];
  const started: StartRequest[] = [];
  const viewers = new Set<(frame: LiveFrame) => void>();
  const listeners = new Set<(pipelines: readonly PipelineStatus[]) => void>();
  const get = (idOrName: string): PipelineStatus => {
    const found = running.find(({ pipeline_id, name }) => pipeline_id === idOrName || name === idOrName);
    if (found !== undefined) return found;
    const names = running.map(({ name }) => name).join(", ") || "none";
    throw new BackendError({ kind: "not_found", message: `There is no pipeline ${idOrName}. Running: ${names}.` });
  };
  const change = (idOrName: string, status: PipelineStatus["status"]): PipelineStatus => {
    const changed = { ...get(idOrName), status };
    running = running.map((each) => (each.pipeline_id === changed.pipeline_id ? changed : each));
    return changed;
  };
  return {
    started,
    show: (frame) => {
      for (const viewer of viewers) viewer(frame);
    },
    viewers: () => viewers.size,
    change: () => {
      for (const listener of listeners) listener(running);
    },
    async start(request) {
      if (request.spec.steps.length === 0) {
        const problems = [{ step: null, property: "steps", message: "No steps." }];
        throw new BackendError({ kind: "invalid_workflow", message: "The workflow cannot run.", problems });
      }
      started.push(request);
      const status = fakeStatus({
        pipeline_id: `pl_${running.length + 1}`,
        name: request.name ?? request.videoReference,
        video_reference: request.videoReference,
        ...(request.backend !== undefined && { backend: request.backend }),
      });
      running.push(status);
      return status;
    },
    loaded: async () => undefined,
    changeSpec: async () => undefined,
    async stop(idOrName) {
      const stopped = change(idOrName, "stopped");
      running = running.filter(({ pipeline_id }) => pipeline_id !== stopped.pipeline_id);
      return stopped;
    },
    actives: () =>
      running.map(({ pipeline_id: id, name, video_reference, backend, started_at, status }) => {
        const spec = options.specs?.[id] ?? SPEC;
        return { id, name, video_reference, spec, backend, alert_on: [], paused: status === "paused", started_at };
      }),
    async putBack({ id: pipeline_id, name, video_reference, started_at, paused }) {
      const status = paused ? "paused" : "running";
      if (running.some((one) => one.pipeline_id === pipeline_id)) return change(pipeline_id, status);
      running.push(fakeStatus({ pipeline_id, name, video_reference, started_at, status }));
      return get(pipeline_id);
    },
    async renameCamera(from, to) {
      running = running.map((one) => (one.video_reference === from ? { ...one, video_reference: to } : one));
    },
    pause: async (idOrName) => change(idOrName, "paused"),
    resume: async (idOrName) => change(idOrName, "running"),
    list: () => running,
    get,
    definition: (idOrName) => ({ spec: options.specs?.[get(idOrName).pipeline_id] ?? SPEC, alertOn: [] }),
    async results(idOrName, last) {
      get(idOrName);
      return (options.results ?? []).slice(-last);
    },
    async picture(idOrName) {
      get(idOrName);
      return fakePicture();
    },
    async view(_videoReference, onFrame) {
      viewers.add(onFrame);
      return () => viewers.delete(onFrame);
    },
    reopen: async () => undefined,
    onCamera: (camera) => running.find(({ video_reference }) => video_reference === camera),
    pictureOn: async (camera) =>
      running.some(({ video_reference }) => video_reference === camera) ? fakePicture() : undefined,
    restore: async () => undefined,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onResult: () => () => undefined,
    close: async () => undefined,
  };
}

/** What a call is given, with the pictures that it stored; only JPEGs are taken. */
export interface FakeContext extends ToolContext {
  /** What each stored picture shows, oldest first. */
  readonly images: readonly string[];
}

/** `artifacts`: bytes by id that `getArtifact` finds. */
export function fakeContext(artifacts: Readonly<Record<string, Uint8Array>> = {}): FakeContext {
  const images: string[] = [];
  return {
    images,
    signal: new AbortController().signal,
    callId: "call_1",
    idempotencyKey: "key_1",
    runId: "run_1",
    sessionId: "session_1",
    principal: { userId: "owner" },
    deadline: Number.POSITIVE_INFINITY,
    untrusted: false,
    env: createEnvironment().state,
    progress: () => undefined,
    pause: () => {
      throw new Error("paused");
    },
    emitSignal: () => undefined,
    async putImage(bytes, { mimeType, alt }) {
      if (readImageHeader(bytes)?.mimeType !== mimeType) throw new Error("The bytes are not what they are said to be.");
      images.push(alt);
      return { type: "image", artifactId: `art_${images.length}`, mimeType, alt };
    },
    async getArtifact(id) {
      const bytes = artifacts[id];
      if (bytes === undefined) return undefined;
      const mimeType = readImageHeader(bytes)?.mimeType ?? "application/octet-stream";
      const createdAt = "2026-01-01T10:00:00.000Z";
      return { ref: { id, mimeType, bytes: bytes.length, sha256: "", namespace: "test", createdAt }, bytes };
    },
    pay: (client) => client,
  };
}

/** Text of an answer, whatever its form. */
export function textOf(output: unknown): string {
  if (typeof output === "string") return output;
  if (typeof output === "object" && output !== null && "text" in output) return String(output.text);
  if (typeof output !== "object" || output === null || !("content" in output)) throw new Error("no parts");
  const [first] = output.content as readonly { readonly type: string; readonly text?: string }[];
  return first?.text ?? "";
}
