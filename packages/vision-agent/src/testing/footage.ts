// real footage beside the project, where it is
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import sharp from "sharp";
import { modelFolder, readEnvironment } from "../config/environment.ts";

const MEDIA = resolve(readEnvironment().VISION_AGENT_SHARED ?? "../shared", "media");
/** The two detectors that the default one is made of. */
const WEIGHTS = ["ssdlite-mobilenet-v2-300-1", "nanodet-m-416-1"];

export const PEOPLE_VIDEO = join(MEDIA, "vtest.avi");
export const CARS_VIDEO = join(MEDIA, "car-detection.mp4");
const STREET_PICTURES = join(MEDIA, "person-bicycle-car-detection.gif");

/** What is missing for scenarios on real footage, in a sentence; undefined when they can run. */
export function missingForFootage(): string | undefined {
  const media = [PEOPLE_VIDEO, CARS_VIDEO, STREET_PICTURES].find((path) => !existsSync(path));
  if (media !== undefined) return `there is no ${media}`;
  const models = modelFolder({});
  const weights = WEIGHTS.find((name) => !existsSync(join(models, name, "weights.onnx")));
  if (weights !== undefined) return `the weights of the default detector are not in ${models}`;
  return spawnSync("ffmpeg", ["-version"]).status === 0 ? undefined : "there is no ffmpeg";
}

/** One picture of a street with people and cars, as a JPEG. */
export function streetPicture(page: number): Promise<Buffer> {
  return sharp(STREET_PICTURES, { page }).jpeg().toBuffer();
}

/** The first seconds of a video as a file of its own. */
export function cutVideo(from: string, seconds: number, to: string): void {
  runFfmpeg("-i", from, "-t", String(seconds), "-c", "copy", to);
}

/** A video of three seconds in which one car drives from the right half of the picture to the left. */
export function makeCarVideo(to: string): void {
  runFfmpeg("-i", STREET_PICTURES, "-vf", "crop=192:270:0:0", "-c:v", "mpeg4", "-q:v", "2", to);
}

function runFfmpeg(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("ffmpeg", ["-v", "error", ...args]);
  if (status !== 0) throw new Error(`ffmpeg could not make ${args.at(-1)}: ${stderr}`);
}
