// INFERENCE_URL and what lies on this machine → what the live tests run against
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";
import {
  type GstreamerCamera,
  missingForRtsp,
  startCamera,
} from "../../packages/vision-engine/rtsp/gstreamer-camera.ts";

/** Absent is what this machine does not have; why, was printed once. */
export interface LiveEnvironment {
  readonly server?: {
    readonly url: string;
    /** It reads the files and cameras of this machine. */
    readonly isLocal: boolean;
  };
  readonly footage?: {
    /** A short video. */
    readonly clip: string;
    readonly frames: number;
    /** Its first picture, a JPEG file. */
    readonly picture: string;
    /** There are people in it. */
    readonly isReal: boolean;
  };
  /** Address of an RTSP camera. */
  readonly camera?: string;
  /** Folder with the server's own models, `<project>/<version>` each. */
  readonly models?: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    readonly live: LiveEnvironment;
  }
}

const STANDARD_SERVER = "http://127.0.0.1:9001";
const ANSWER_WITHIN_MS = 5000;
const FRAMES = 40;
const SIZE = ["-vf", "scale=640:480"];

/** Runs once before all live tests; what it returns ends what it began. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env.INFERENCE_URL || STANDARD_SERVER;
  const silence = await whySilent(url);
  if (silence !== undefined) {
    const shown = url.replace(/\/\/[^/]*@/, "//");
    say(`skipped: no Inference server answers at ${shown} (${silence}). INFERENCE_URL names another.`);
    project.provide("live", {});
    return async () => undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "vision agent live "));
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
  const camera = await openCamera(isLocal);
  const footage = takeFootage(folder);
  const models = findModels();
  project.provide("live", {
    server: { url, isLocal },
    ...(footage && { footage }),
    ...(camera && { camera: `rtsp://127.0.0.1:${camera.port}/cam` }),
    ...(models && { models }),
  });
  return async () => {
    await camera?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function whySilent(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(new URL("/info", url), { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return answer.ok ? undefined : `/info answers ${answer.status}`;
  } catch (error) {
    const { cause = error } = error as Error;
    return cause instanceof Error ? cause.message : String(cause);
  }
}

async function openCamera(isLocal: boolean): Promise<GstreamerCamera | undefined> {
  const missing = isLocal ? missingForRtsp() : "the server is on another machine";
  if (missing === undefined) return startCamera({ codec: "h264" });
  say(`RTSP is skipped: ${missing}.`);
  return undefined;
}

/** People from a recording where there is one, else a test pattern. */
function takeFootage(folder: string): LiveEnvironment["footage"] {
  const recording = join(process.env.VISION_AGENT_SHARED ?? "../shared", "media/vtest.avi");
  const isReal = existsSync(recording);
  const input = isReal ? ["-i", recording] : ["-f", "lavfi", "-i", "testsrc2=rate=10"];
  const [clip, picture] = [join(folder, "clip.mp4"), join(folder, "picture.jpg")];
  const made = [
    [...input, ...SIZE, "-frames:v", `${FRAMES}`, "-r", "10", "-c:v", "mpeg4", "-q:v", "2", clip],
    ["-i", clip, "-frames:v", "1", "-q:v", "2", picture],
  ].every((args) => spawnSync("ffmpeg", ["-y", "-v", "error", ...args]).status === 0);
  if (!made) say("videos and pictures are skipped: ffmpeg, which makes them, is not installed or failed.");
  if (!isReal) say(`what needs people in the picture is skipped: there is no ${resolve(recording)}.`);
  return made ? { clip, frames: FRAMES, picture, isReal } : undefined;
}

function findModels(): string | undefined {
  const folder = process.env.INFERENCE_MODELS;
  if (folder && existsSync(join(folder, "coco/3"))) return resolve(folder);
  say("parity is skipped: set INFERENCE_MODELS to the folder in which the server keeps coco/3.");
  return undefined;
}

function say(line: string): void {
  console.log(`live: ${line}`);
}
