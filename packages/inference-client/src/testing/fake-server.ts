import type { Json } from "@vision-agent/protocol";
import type { FakeModel } from "./find-things.ts";
import type { WorkflowRunner } from "./workflow-runner.ts";

/** The versions whose differences the fake knows. */
export type FakeVersion = "1.8.3" | "1.5.0";

/** A video file on the server's disk. */
export interface FakeFile {
  readonly frames: number;
  readonly fps: number;
  /** Default 640. */
  readonly width?: number;
  /** Default 480. */
  readonly height?: number;
}

/** A camera the server can reach by its URL (`rtsp://…` or `http://…`). */
export interface FakeCamera {
  /** Default true. A camera that is not alive refuses connections. */
  readonly alive?: boolean;
  /** Default 10. */
  readonly fps?: number;
  readonly width?: number;
  readonly height?: number;
  /** Ends by itself after so many frames of one connection. Default: never. */
  readonly frames?: number;
}

export interface FakeServerOptions {
  /** Default "1.8.3". */
  readonly version?: FakeVersion;
  /** Default: `coco/3`, a detector of person and car. */
  readonly models?: Readonly<Record<string, FakeModel>>;
  /** Default: `yolov8n-640` → `coco/3`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** When given, the server is a whitelisted one: every route but the open ones answers 401 without this key. */
  readonly apiKey?: string;
  /** Default true: no Roboflow API, no image URLs, no ICE servers. */
  readonly offline?: boolean;
  /** Default true. Without it the paths of hosted pipelines do not exist. */
  readonly streamApi?: boolean;
  /** Default true. */
  readonly webrtc?: boolean;
  /** Default true: CLIP, OCR, SAM, LMM and the like are part of the build. */
  readonly foundation?: boolean;
  /** Default true, as in the start kit. A default 1.8 server refuses MJPEG from private addresses over WebRTC. */
  readonly privateMjpeg?: boolean;
  /** Runs the workflows it is sent. Without one every call that needs it fails and says so. */
  readonly workflows?: WorkflowRunner;
  /** Specifications by `workspace/id`. */
  readonly savedWorkflows?: Readonly<Record<string, Json>>;
  /** By the path on the server. */
  readonly files?: Readonly<Record<string, FakeFile>>;
  /** What an uploaded file turns out to be (WebRTC). Default 30 frames at 10 fps, 640 × 480. */
  readonly uploads?: FakeFile;
  /** By URL. */
  readonly cameras?: Readonly<Record<string, FakeCamera>>;
  /** Default 8. */
  readonly maxPipelines?: number;
  /** One second of the server lasts so many seconds here. Default 0.1. */
  readonly timeScale?: number;
  /** Time of one frame in the server's own milliseconds. Default 100. */
  readonly inferenceMs?: number;
  /** How long a WebRTC worker takes to answer, in the server's own milliseconds. Default 500 (a real one: 15,000 and more). */
  readonly workerStartMs?: number;
  /** How long a wedged stream manager keeps a call, in the server's own milliseconds. Default 20,000. */
  readonly managerTimeoutMs?: number;
  /** Pads every picture it sends with so many bytes that do not compress. Default 0. */
  readonly pictureBytes?: number;
  /** Port; 0 (default) takes a free one. */
  readonly port?: number;
}

/** One request as the server saw it. */
export interface RecordedCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Names of the query parameters, sorted. */
  readonly query: readonly string[];
  /** `authorization` is left out; see `keys`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where a key was found. Its value is never kept. */
  readonly keys: { readonly query: boolean; readonly header: boolean; readonly body: boolean };
  readonly bodyBytes: number;
  /** JSON with long texts cut and keys masked; `undefined` when there was none or it was not JSON. */
  readonly body: Json | undefined;
  /** Status answered; `undefined` while under way or when the connection was cut. */
  readonly status: number | undefined;
}

/** What goes wrong on demand. */
export type Fault = {
  /** Only requests whose path matches. Default: all. */
  readonly path?: RegExp;
  /** How often. Default: until `mend()`. */
  readonly times?: number;
} & (
  | { readonly kind: "hang" }
  | { readonly kind: "drip" /** Default 50. */; readonly everyMs?: number }
  | { readonly kind: "garbage" }
  | { readonly kind: "reset" }
  | { readonly kind: "status"; readonly status: number; readonly retryAfterS?: number; readonly body?: Json }
);

/** Control over one camera of the fake's world. */
export interface FakeCameraControl {
  readonly url: string;
  readonly alive: boolean;
  /** Cuts every reader; new connections are refused. */
  unplug(): void;
  plugIn(): void;
}

/** One hosted pipeline as the server knows it. */
export interface FakePipelineView {
  readonly id: string;
  readonly state: string;
  readonly sources: readonly string[];
  /** True for the id that a failed initialise left behind. */
  readonly phantom: boolean;
  /** The `initialise` body. */
  readonly request: Json;
}

/** One WebRTC session as the server knows it. */
export interface FakeSessionView {
  readonly source: "upload" | "rtsp" | "mjpeg" | "track";
  readonly connected: boolean;
  readonly closed: boolean;
  /** Highest `ack` seen; 0 before the first. */
  readonly lastAck: number;
  readonly framesSent: number;
  readonly uploadedBytes: number;
  /** RTP frames received on the pushed track. */
  readonly framesReceived: number;
  /** Messages that broke the framing and were thrown away. */
  readonly badMessages: number;
  readonly request: Json;
}

/** A strict stand-in for a Roboflow Inference server on loopback. */
export interface FakeServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly version: FakeVersion;
  readonly calls: readonly RecordedCall[];
  /** Pipelines that exist now. */
  readonly pipelines: readonly FakePipelineView[];
  /** Every WebRTC session since the start, closed ones too. */
  readonly sessions: readonly FakeSessionView[];
  /** Ids of the models in memory. */
  readonly loadedModels: readonly string[];
  /** Throws when the options name no such camera. */
  camera(url: string): FakeCameraControl;
  break(fault: Fault): void;
  /** Ends all faults; requests that hang are cut. */
  mend(): void;
  /** The stream manager stops answering, as on 1.5 after a race. */
  wedge(): void;
  /** Connections reset, port closed, pipelines and sessions gone. */
  kill(): Promise<void>;
  /** A new server on the same port that has forgotten everything but its options. */
  restart(change?: { readonly version?: FakeVersion }): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}
