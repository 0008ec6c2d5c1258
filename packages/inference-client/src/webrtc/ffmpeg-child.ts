// bytes → ffmpeg as a child process → bytes, until it ends or is closed
import { spawn } from "node:child_process";
import { childEnvironment } from "../config/child-environment.ts";
import { type ClientError, clientError } from "../errors.ts";

const COMPLAINT_CHARACTERS = 200;

/** It reads what we give it and nothing else; 8K has 33 million pixels. */
const LIMITS = ["-protocol_whitelist", "pipe", "-max_pixels", "36000000"];

export type FfmpegChild = ReturnType<typeof startFfmpeg>;

export interface FfmpegChildOptions {
  readonly path: string;
  readonly words: readonly string[];
  /** Must not throw. */
  readonly onOutput: (bytes: Buffer) => void;
  /** It ended though nobody closed it. Must not throw. */
  readonly onFailure: (error: ClientError) => void;
}

export function startFfmpeg(options: FfmpegChildOptions) {
  const words = ["-v", "error", "-nostdin", ...LIMITS, ...options.words];
  const child = spawn(options.path, words, {
    stdio: ["pipe", "pipe", "pipe"],
    env: childEnvironment(),
    windowsHide: true,
  });
  const gone = Promise.withResolvers<void>();
  let closed = false;
  let complaint = "";

  function end(error: ClientError): void {
    gone.resolve();
    if (closed) return;
    closed = true;
    options.onFailure(error);
  }

  child.stdout.on("data", (bytes: Buffer) => {
    if (!closed) options.onOutput(bytes);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-COMPLAINT_CHARACTERS);
  });
  // A broken pipe is followed by the exit, which says more.
  child.stdin.on("error", () => child.kill("SIGKILL"));
  child.once("error", (cause) => end(missingFfmpeg(cause)));
  child.once("close", () => end(endedFfmpeg(complaint)));

  return {
    write(bytes: Uint8Array): void {
      if (!closed && child.stdin.writable) child.stdin.write(bytes);
    },
    /** Kills it. Resolves when the process is gone; may be called twice. */
    close(): Promise<void> {
      closed = true;
      child.kill("SIGKILL");
      return gone.promise;
    },
  };
}

/** Throws `ClientError` kind `unsupported` when there is no ffmpeg under this name. */
export function requireFfmpeg(path: string): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(path, ["-version"], { stdio: "ignore", env: childEnvironment(), windowsHide: true });
    child.once("error", (cause) => fail(missingFfmpeg(cause)));
    child.once("close", () => done());
  });
}

function missingFfmpeg(cause: unknown): ClientError {
  return clientError(
    "unsupported",
    'ffmpeg is not installed, and sending or receiving video over WebRTC needs it. Install it with "apt install ffmpeg" (Debian, Ubuntu), "brew install ffmpeg" (macOS) or "winget install ffmpeg" (Windows).',
    { cause },
  );
}

function endedFfmpeg(complaint: string): ClientError {
  const line = complaint.trim().split("\n").at(-1) ?? "";
  const old = /Unrecognized option 'fps_mode'/.test(complaint);
  const reason = old ? "it is too old; install version 5.1 or newer." : line || "it gave no reason.";
  return clientError("unsupported", `ffmpeg ended while it coded video: ${reason}`);
}
