// address → tried once → what a person should know

import { lookup } from "node:dns/promises";
import { access, constants } from "node:fs/promises";
import { connect, isIP } from "node:net";
import type { ProbeResult } from "@vision-agent/protocol";
import { EngineError, sourceError } from "../errors.ts";
import type { FfmpegInput } from "./ffmpeg/ffmpeg-arguments.ts";
import { probeVideo, type RunProgram, runProgram } from "./ffmpeg/ffprobe.ts";
import { type OpenSourceOptions, openSource, toFfmpegInput } from "./open-source.ts";
import { fileKind, parseSourceAddress, type SourceAddress } from "./source-address.ts";

/** How a camera is tried. */
export interface ProbeSourceOptions extends OpenSourceOptions {
  /** Ends the probe; its reason is thrown. */
  readonly signal?: AbortSignal;
  /** The whole probe takes no longer. Default 10 000. */
  readonly timeoutMs?: number;
  /** Default: the real network. */
  readonly network?: Network;
  /** How `ffprobe` is run. Default: as a child process. */
  readonly run?: RunProgram;
}

const TIMEOUT_MS = 10_000;

/** Tries a camera. Never throws for what is wrong with the camera, only when aborted. */
export async function probeSource(address: string, options: ProbeSourceOptions): Promise<ProbeResult> {
  const { signal } = options;
  signal?.throwIfAborted();
  try {
    return await probeAddress(address, parseSourceAddress(address), options);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof EngineError) return { ok: false, reason: error.reason ?? "other", message: error.message };
    return { ok: false, reason: "other", message: "The source could not be opened for a reason that is not known." };
  }
}

async function probeAddress(address: string, parsed: SourceAddress, options: ProbeSourceOptions): Promise<ProbeResult> {
  switch (parsed.kind) {
    case "sim":
      return takeOneFrame(address, "sim", options);
    case "path": {
      const kind = await fileKind(parsed.path, parsed.label);
      if (kind === "video") return askFfprobe({ kind: "video", path: parsed.path }, "video", options);
      return takeOneFrame(address, kind, { ...options, followFolder: false });
    }
    case "rtsp":
    case "http":
      return probeNetwork(parsed, options);
    case "webcam": {
      if (process.platform === "linux") await checkDevice(parsed.device);
      return askFfprobe(toFfmpegInput(parsed), "webcam", options);
    }
  }
}

async function probeNetwork(
  parsed: Extract<SourceAddress, { kind: "rtsp" | "http" }>,
  options: ProbeSourceOptions,
): Promise<ProbeResult> {
  const { timeoutMs = TIMEOUT_MS, network = systemNetwork, signal = new AbortController().signal } = options;
  const begun = performance.now();
  await reachHost(parsed, { network, signal, timeoutMs: Math.round(timeoutMs / 2) });
  const left = Math.max(1, Math.round(timeoutMs - (performance.now() - begun)));
  return askFfprobe(toFfmpegInput(parsed), parsed.kind, { ...options, timeoutMs: left });
}

async function askFfprobe(input: FfmpegInput, kind: string, options: ProbeSourceOptions): Promise<ProbeResult> {
  const { ffprobePath = "ffprobe", run = runProgram, timeoutMs = TIMEOUT_MS, signal } = options;
  const { width, height, fps, codec } = await probeVideo(input, { ffprobePath, run, timeoutMs, signal });
  return { ok: true, width, height, fps, kind, codec };
}

async function takeOneFrame(address: string, kind: string, options: ProbeSourceOptions): Promise<ProbeResult> {
  const source = await openSource(address, options);
  try {
    const frame = await source.next(options.signal ?? new AbortController().signal);
    if (frame === undefined)
      return { ok: false, reason: "no_video", message: "The source opened but sent no picture." };
    const { width, height } = frame.metadata;
    return { ok: true, width, height, fps: source.fps, kind };
  } finally {
    await source.close();
  }
}

async function checkDevice(device: string): Promise<void> {
  const fail = (reason: "not_found" | "not_readable", message: string) => (cause: unknown) => {
    throw sourceError(reason, message, cause);
  };
  await access(device).catch(fail("not_found", `There is no webcam ${device}. Is it plugged in?`));
  const message = `The webcam ${device} may not be used by this user. Add the user to the group "video".`;
  await access(device, constants.R_OK | constants.W_OK).catch(fail("not_readable", message));
}

/** The network as a probe sees it; tests hand in their own. */
export interface Network {
  /** Throws when no host has this name. */
  lookup(host: string): Promise<void>;
  /** Connects and hangs up. Throws an error with a `code`, or the reason of the signal. */
  connect(host: string, port: number, signal: AbortSignal): Promise<void>;
}

/** The real one. */
const systemNetwork: Network = {
  async lookup(host) {
    await lookup(host);
  },
  connect: (host, port, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const socket = connect({ host, port });
      const abort = (): void => {
        socket.destroy(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
      socket.once("connect", () => {
        socket.destroy();
        resolve();
      });
      socket.once("error", reject);
      socket.once("close", () => signal.removeEventListener("abort", abort));
    }),
};

/** Throws `EngineError` kind `source`, reason `name_not_found`, `refused` or `timeout`. */
async function reachHost(
  { host, port }: { readonly host: string; readonly port: number },
  {
    network,
    signal,
    timeoutMs,
  }: { readonly network: Network; readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<void> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, deadline]);
  try {
    if (isIP(host) === 0) await orAborted(network.lookup(host), either);
  } catch (cause) {
    either.throwIfAborted();
    throw sourceError(
      "name_not_found",
      `There is no host called ${host}. Check the spelling, or write the number of its address.`,
      cause,
    );
  }
  try {
    await network.connect(host, port, either);
  } catch (cause) {
    signal.throwIfAborted();
    if (deadline.aborted || codeOf(cause) === "ETIMEDOUT") {
      const message = `${host} does not answer on port ${port}. Is it switched on and in the same network?`;
      throw sourceError("timeout", message, cause);
    }
    if (codeOf(cause) === "ECONNREFUSED") {
      const message = `${host} is there but refused the connection on port ${port}. Is the port right, and is streaming switched on?`;
      throw sourceError("refused", message, cause);
    }
    throw sourceError(
      "refused",
      `${host} cannot be reached from this machine. Is it switched on and in the same network?`,
      cause,
    );
  }
}

/** A name server that is silent cannot be interrupted, only left alone. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
}

function codeOf(error: unknown): unknown {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error ? error.code : undefined;
}
