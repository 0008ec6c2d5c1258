// what tests need of ffmpeg
import { spawnSync } from "node:child_process";

/** Whether ffmpeg is there; says so in one line when it is not. */
export function hasFfmpeg(suite: string): boolean {
  const there = spawnSync("ffmpeg", ["-version"]).status === 0;
  if (!there) process.stdout.write(`${suite}: skipped, since ffmpeg is not installed.\n`);
  return there;
}

/** Runs ffmpeg to its end. */
export function ffmpeg(...words: string[]): void {
  const { status, stderr } = spawnSync("ffmpeg", ["-v", "error", "-nostdin", "-y", ...words]);
  if (status !== 0) throw new Error(`ffmpeg failed: ${stderr}`);
}

/** 96 × 64 pixels of moving colours. */
export const TEST_PICTURE: readonly string[] = ["-f", "lavfi", "-i", "testsrc=size=96x64:rate=10"];

/** The bytes of H.264 that cameras send: a key frame each half second, delimiters between pictures. */
export const CAMERA_H264: readonly string[] = [
  "-c:v",
  "libx264",
  "-preset",
  "ultrafast",
  "-tune",
  "zerolatency",
  "-g",
  "5",
  "-x264-params",
  "aud=1",
  "-pix_fmt",
  "yuv420p",
];
