// source → ffprobe → what its video is, without decoding it

import { spawn } from "node:child_process";
import { childEnvironment } from "../../config/child-environment.ts";
import type { PixelSize } from "../../frames/frame.ts";
import { type FfmpegInput, inputCall, type ProgramCall } from "./ffmpeg-arguments.ts";
import { missingProgram, stalledFailure, toSourceFailure } from "./ffmpeg-failure.ts";

/** Starts a program and gives what it wrote; kills it when aborted and throws the reason. Throws when it cannot be started. */
export type RunProgram = (
  program: string,
  call: ProgramCall,
  signal: AbortSignal,
) => Promise<{ readonly stdout: string; readonly stderr: string }>;

/** What a stream declares about itself. */
export interface DeclaredVideo extends PixelSize {
  /** 0 when unknown. */
  readonly fps: number;
  readonly codec: string;
  /** Counted by the container, else from its duration; absent for streams without an end. */
  readonly totalFrames?: number;
}

export interface FfprobeOptions {
  readonly ffprobePath: string;
  readonly run: RunProgram;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Throws `EngineError` kind `source`, or the reason of the signal. */
export async function probeVideo(input: FfmpegInput, options: FfprobeOptions): Promise<DeclaredVideo> {
  const { ffprobePath, run, timeoutMs, signal } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const { words, stdin } = inputCall(input, timeoutMs);
  const call = { words: ["-v", "warning", "-of", "json", "-show_streams", "-show_format", ...words], stdin };
  const { stdout, stderr } = await run(
    ffprobePath,
    call,
    signal ? AbortSignal.any([signal, deadline]) : deadline,
  ).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw deadline.aborted ? stalledFailure(input.kind, timeoutMs, false) : missingProgram("ffprobe", error);
  });
  return parseDeclaredVideo(stdout, stderr, input.kind);
}

interface FfprobeStream {
  readonly codec_type?: string;
  readonly codec_name?: string;
  readonly width?: number;
  readonly height?: number;
  readonly avg_frame_rate?: string;
  readonly r_frame_rate?: string;
  readonly nb_frames?: string;
  readonly duration?: string;
  readonly disposition?: { readonly attached_pic?: number };
}

interface FfprobeOutput {
  readonly streams?: readonly FfprobeStream[];
  readonly format?: { readonly format_name?: string; readonly duration?: string };
}

function parseDeclaredVideo(stdout: string, stderr: string, kind: FfmpegInput["kind"]): DeclaredVideo {
  const { streams, format } = parseOutput(stdout);
  if (streams === undefined || streams.length === 0) throw toSourceFailure(stderr, kind);
  const video = streams.find((stream) => stream.codec_type === "video" && stream.disposition?.attached_pic !== 1);
  if (video === undefined) throw toSourceFailure("does not contain any stream", kind);
  const { width = 0, height = 0, codec_name: codec = "unknown" } = video;
  if (width === 0 || height === 0 || codec === "unknown") throw toSourceFailure("unknown codec", kind);
  // MJPEG from the web declares no rate; ffmpeg makes one up.
  const isRateless = format?.format_name === "mpjpeg" || (kind === "http" && codec === "mjpeg");
  const fps = isRateless ? 0 : toRate(video.avg_frame_rate) || toRate(video.r_frame_rate);
  const seconds = Number(video.duration ?? format?.duration);
  const counted = Number(video.nb_frames) || Math.round(seconds * fps);
  return { width, height, fps, codec, ...(counted > 0 && { totalFrames: counted }) };
}

function parseOutput(stdout: string): FfprobeOutput {
  // Some versions write nothing at all when the source does not open.
  return stdout.trim() === "" ? {} : (JSON.parse(stdout) as FfprobeOutput);
}

/** `30000/1001` → 29.97; 0 when there is none. */
function toRate(fraction = "0/0"): number {
  const [over = 0, under = 1] = fraction.split("/").map(Number);
  return under === 0 || !Number.isFinite(over / under) ? 0 : over / under;
}

const MOST_OUTPUT = 4 * 1024 * 1024;

/** The real thing. */
export const runProgram: RunProgram = (program, { words, stdin }, signal) =>
  new Promise((resolve, reject) => {
    const output = { stdout: "", stderr: "" };
    const child = spawn(program, words, {
      stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      env: childEnvironment(),
      windowsHide: true,
      signal,
      killSignal: "SIGKILL",
    });
    // A program that ends before it has read all says why when it ends.
    child.stdin?.once("error", () => child.kill("SIGKILL")).end(stdin);
    for (const name of ["stdout", "stderr"] as const) {
      child[name]!.setEncoding("utf8").on("data", (text: string) => {
        if (output[name].length < MOST_OUTPUT) output[name] += text;
      });
    }
    child.once("error", reject);
    child.once("close", () => resolve(output));
  });
