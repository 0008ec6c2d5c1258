import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Files that are compared on, where they are. */
export interface Material {
  readonly footage: string;
  readonly detector: string;
  readonly peers: string;
}

/** What the benchmark works on; a sentence when something is missing. */
export function findMaterial(): Material | string {
  const shared = process.env.VISION_AGENT_SHARED ?? "../shared";
  const material: Material = {
    footage: join(shared, "media/vtest.avi"),
    detector: join(shared, "models/yolox_nano.onnx"),
    peers: join(shared, "peers"),
  };
  const missing = Object.values(material).find((path) => !existsSync(path));
  if (missing !== undefined) return `${missing} is not there: the engine's figures need it.`;
  if (spawnSync("ffmpeg", ["-version"]).status !== 0) return "ffmpeg is not installed: the engine's figures need it.";
  return material;
}

/** CPU seconds of this process and of all children that have ended. */
export function cpuSeconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ");
  // utime, stime, cutime, cstime, in clock ticks of which Linux has 100 a second.
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / 100;
}

export function rssMegabytes(): number {
  return process.memoryUsage().rss / 1024 / 1024;
}

export function runFfmpeg(args: readonly string[]): void {
  execFileSync("ffmpeg", ["-v", "error", "-nostdin", "-y", ...args]);
}

/** The Python environment with the peers and the folder to run them in; absent when they are not installed. */
export function findPeers(): { readonly python: string; readonly folder: string } | undefined {
  const state = process.env.INFERENCE_STATE ?? join(homedir(), ".cache/inference-server");
  const python = join(state, "venv-1.8.3/bin/python");
  const folder = join(state, "work");
  return existsSync(python) && existsSync(join(folder, "coco/3/weights.onnx")) ? { python, folder } : undefined;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
