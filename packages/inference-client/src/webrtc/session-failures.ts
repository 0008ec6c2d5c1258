// what goes wrong with a session → a sentence
import { ClientError } from "../errors.ts";
import type { SessionSource } from "./session.ts";

const NO_RESULT: Readonly<Record<SessionSource["kind"], string>> = {
  rtsp: "Most likely the server cannot read the camera: try its address from the machine the server runs on.",
  mjpeg: "Most likely the server cannot read the camera: try its address from the machine the server runs on.",
  file: "Most likely the server cannot read this kind of video file.",
  frames: "Pictures are sent but none is answered: the server may be overloaded, or its workflow fails to start.",
};

export function noResultFailure(source: SessionSource["kind"], ms: number, unreadable: number): ClientError {
  const lead = `The server is connected but gave no result for ${Math.round(ms / 100) / 10} s.`;
  if (unreadable === 0) return new ClientError({ kind: "timeout", message: `${lead} ${NO_RESULT[source]}` });
  const message = `${lead} ${unreadable} messages came that could not be read: the server's version may be too new or too old.`;
  return new ClientError({ kind: "protocol", message });
}

export function connectFailure(ms: number): ClientError {
  const message = `The server started the session but no WebRTC connection came up within ${Math.round(ms / 1000)} s. UDP between this machine and the server may be blocked; a TURN server can help.`;
  return new ClientError({ kind: "timeout", message });
}

export function lostFailure(what: "connection" | "channel"): ClientError {
  const message =
    what === "channel"
      ? "The server closed the session."
      : "The WebRTC connection to the server is lost. The server or the network between may be down.";
  return new ClientError({ kind: "network", message });
}

export function closedFailure(): ClientError {
  return new ClientError({ kind: "cancelled", message: "The session was closed." });
}

const HINTS: Readonly<Partial<Record<SessionSource["kind"], string>>> = {
  rtsp: "Often it cannot reach the camera's address from where it runs.",
  mjpeg:
    "Often it cannot reach the camera's address from where it runs, or refuses addresses of private networks, as servers since 1.8 do by default.",
};

/** A server that fails to start a session hides why; with a camera the reason is mostly the camera. */
export function startFailure(error: unknown, source: SessionSource["kind"]): ClientError {
  if (!(error instanceof ClientError))
    return new ClientError({ kind: "network", message: "The session could not be started.", cause: error });
  const hint = HINTS[source];
  if (error.kind !== "server" || hint === undefined) return error;
  const message = `${error.message} ${hint}`;
  return new ClientError({ kind: "server", message, ...(error.status && { status: error.status }), cause: error });
}
