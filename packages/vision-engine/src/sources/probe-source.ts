// address → tried once → what a person should know
import { access, constants } from "node:fs/promises";
import type { ProbeResult } from "@vision-agent/protocol";
import { EngineError } from "../errors.ts";
import type { FfmpegInput } from "./ffmpeg/ffmpeg-arguments.ts";
import { probeVideo, type RunProgram, runProgram } from "./ffmpeg/ffprobe.ts";
import { fileKind } from "./file-kind.ts";
import { type OpenSourceOptions, openSource, toFfmpegInput } from "./open-source.ts";
import { type Network, reachHost, systemNetwork } from "./reach-host.ts";
import { parseSourceAddress, type SourceAddress } from "./source-address.ts";

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
  const { width, height, fps, codec } = await probeVideo(input, {
    ffprobePath,
    run,
    timeoutMs,
    ...(signal && { signal }),
  });
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
    throw new EngineError({ kind: "source", reason, message, cause });
  };
  await access(device).catch(fail("not_found", `There is no webcam ${device}. Is it plugged in?`));
  const message = `The webcam ${device} may not be used by this user. Add the user to the group "video".`;
  await access(device, constants.R_OK | constants.W_OK).catch(fail("not_readable", message));
}
