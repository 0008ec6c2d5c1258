// what a WebRTC session takes and gives; no behaviour
import type { ClientClock } from "../client-clock.ts";
import { ClientError, clientError } from "../errors.ts";
import type { IceServer, WebRtcCalls } from "../http/pipeline-calls.ts";
import type { WorkflowSetup } from "../wire/workflow-request.ts";
import type { ParsedMessage } from "./framing.ts";

/** Where the pictures come from. The server reads `rtsp` and `mjpeg` itself; we send it `file` and `frames`. */
export type SessionSource =
  | { readonly kind: "rtsp"; readonly url: string }
  /** Since 1.8 a server refuses private and loopback addresses unless its operator allows them. */
  | { readonly kind: "mjpeg"; readonly url: string }
  | {
      readonly kind: "file";
      readonly path: string;
      /** Must not throw. */
      readonly onProgress?: (progress: UploadProgress) => void;
    }
  /** Frames that `push` gives, sent as a VP8 track. Needs ffmpeg. Width and height are even. */
  | { readonly kind: "frames"; readonly width: number; readonly height: number; readonly fps: number };

export interface UploadProgress {
  readonly sentBytes: number;
  readonly totalBytes: number;
}

/** One frame to push: a JPEG file, or pixels of exactly the source's size. */
export type SessionFrame = {
  /** When the picture was taken, milliseconds since 1970; comes back with its result. */
  readonly capturedAt: number;
} & ({ readonly kind: "jpeg"; readonly bytes: Uint8Array } | { readonly kind: "rgba"; readonly bytes: Uint8Array });

/** The result of one frame. */
export interface SessionMessage extends Omit<Extract<ParsedMessage, { kind: "result" }>, "kind"> {
  /** Counts the frames of this session as the server saw them, from 1; gaps are frames it dropped. */
  readonly frameId: number;
  /** Only with pushed frames: when the picture of this result was taken. */
  readonly capturedAt: number | undefined;
}

/** A picture of the video track that came back. */
export interface SessionPicture {
  readonly jpeg: Uint8Array;
  /** The frame it belongs to, where its result was seen. */
  readonly frameId: number | undefined;
}

/**
 * `starting` the server starts a worker (15 to 100 s) · `connecting` · `uploading` a file · `running` results may come ·
 * `ended` for good.
 */
export type SessionState = "starting" | "connecting" | "uploading" | "running" | "ended";

/** `completed` the source ended · `time_limit` the server's · `closed` by us · `failed` says why. Never thrown. */
export type SessionEnd =
  | { readonly kind: "completed" | "time_limit" | "closed" }
  | { readonly kind: "failed"; readonly error: ClientError };

/** What a frame's result brings. */
export interface SessionOutputs {
  /** `[]` no outputs, only errors and times · `["*"]` all but images · names, images included. Default as given at the start. */
  readonly data?: readonly string[];
  /** The image output to send back as video. Only where a video was asked for at the start. */
  readonly stream?: string;
}

/** Everything that does not depend on which server is spoken to. */
export interface SessionSettings extends WorkflowSetup {
  readonly source: SessionSource;
  /** As in `SessionOutputs.data`; default `["*"]`. */
  readonly dataOutput?: readonly string[];
  /** The image output to send back as video; none by default. Its pictures go to `onVideo`, which needs ffmpeg. */
  readonly streamOutput?: string;
  /** Drop late frames instead of using each; default true but for files. */
  readonly realtime?: boolean;
  /** The server ends the session after so many seconds, counted from before its models load. Default null: never. */
  readonly processingTimeoutS?: number | null;
  readonly iceServers?: readonly IceServer[];
  readonly clock: ClientClock;
  /** The program that encodes and decodes; "ffmpeg" by default. */
  readonly ffmpegPath?: string;
  /** So long may the connection take once the worker is started; default 30,000. */
  readonly connectWithinMs?: number;
  /** So long may the first result take once all is connected and sent; default 60,000. A dead camera gives none for ever. */
  readonly firstResultWithinMs?: number;
}

/** The part of a client that a session needs. */
export interface SessionClient {
  readonly webrtc: WebRtcCalls;
}

export interface SessionOptions extends SessionSettings {
  readonly client: SessionClient;
  /** Must not throw. When it returns a promise and the session is not realtime, the server waits for it. */
  readonly onMessage: (message: SessionMessage) => void | Promise<void>;
  /** Must not throw. */
  readonly onVideo?: (picture: SessionPicture) => void;
  /** Must not throw. */
  readonly onState?: (state: SessionState) => void;
  /** Gives up while the session starts, closes it afterwards. */
  readonly signal?: AbortSignal;
}

const NO_RESULT: Readonly<Record<SessionSource["kind"], string>> = {
  rtsp: "Most likely the server cannot read the camera: try its address from the machine the server runs on.",
  mjpeg: "Most likely the server cannot read the camera: try its address from the machine the server runs on.",
  file: "Most likely the server cannot read this kind of video file.",
  frames: "Pictures are sent but none is answered: the server may be overloaded, or its workflow fails to start.",
};

export function noResultFailure(source: SessionSource["kind"], ms: number, unreadable: number): ClientError {
  const lead = `The server is connected but gave no result for ${Math.round(ms / 100) / 10} s.`;
  if (unreadable === 0) return clientError("timeout", `${lead} ${NO_RESULT[source]}`);
  const message = `${lead} ${unreadable} messages came that could not be read: the server's version may be too new or too old.`;
  return clientError("protocol", message);
}

export function connectFailure(ms: number): ClientError {
  const message = `The server started the session but no WebRTC connection came up within ${Math.round(ms / 1000)} s. UDP between this machine and the server may be blocked; a TURN server can help.`;
  return clientError("timeout", message);
}

export function lostFailure(what: "connection" | "channel"): ClientError {
  const message =
    what === "channel"
      ? "The server closed the session."
      : "The WebRTC connection to the server is lost. The server or the network between may be down.";
  return clientError("network", message);
}

export function closedFailure(): ClientError {
  return clientError("cancelled", "The session was closed.");
}

const HINTS: Readonly<Partial<Record<SessionSource["kind"], string>>> = {
  rtsp: "Often it cannot reach the camera's address from where it runs.",
  mjpeg:
    "Often it cannot reach the camera's address from where it runs, or refuses addresses of private networks, as servers since 1.8 do by default.",
};

/** A server that fails to start a session hides why; with a camera the reason is mostly the camera. */
export function startFailure(error: unknown, source: SessionSource["kind"]): ClientError {
  if (!(error instanceof ClientError))
    return clientError("network", "The session could not be started.", { cause: error });
  const hint = HINTS[source];
  if (error.kind !== "server" || hint === undefined) return error;
  const message = `${error.message} ${hint}`;
  return clientError("server", message, { ...(error.status && { status: error.status }), cause: error });
}
