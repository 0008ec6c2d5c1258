import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import type { Polygon } from "../geometry/polygons.ts";
import { ffmpeg, hasFfmpeg } from "../sources/__fixtures__/ffmpeg.ts";
import { systemClock } from "../sources/frame-source.ts";
import { openSource } from "../sources/open-source.ts";
import { createEngine } from "./engine.ts";
import type { Picture } from "./pipeline.ts";

const folder = mkdtempSync(join(tmpdir(), "masks-"));
const engine = createEngine({ inferenceThreads: 1 });
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const never = new AbortController().signal;
const SIZE = { width: 160, height: 96 };
/** A triangle and a strip at the edge: 32 to 128 pixels across. */
const MASKS: readonly Polygon[] = [
  [
    [0.2, 0.25],
    [0.8, 0.25],
    [0.5, 0.9],
  ],
  [
    [0, 0],
    [1, 0],
    [1, 0.1],
    [0, 0.1],
  ],
];
const EMPTY = { version: "1.0", inputs: [{ type: "WorkflowImage", name: "image" }], steps: [], outputs: [] };
const DETECTING = {
  ...EMPTY,
  steps: [{ type: "ObjectDetectionModel", name: "model", images: "$inputs.image", model_id: "sim/truth" }],
  outputs: [{ type: "JsonField", name: "found", selector: "$steps.model.predictions" }],
};

describe("masks", () => {
  it("cover a picture file: red stays outside, black is inside, and nothing in between", async () => {
    const path = await redPicture("still.png");
    const source = await openSource(path, { sourceId: "door", clock: systemClock, masks: MASKS, imageFps: 50 });
    for (let frame = 0; frame < 3; frame++) expectMasked((await source.next(never))!.rgba);
    await source.close();
  });

  it.skipIf(!hasFfmpeg("masks of videos"))("cover every frame of a video, made smaller or not", async () => {
    const path = join(folder, "red.mp4");
    const red = `color=c=red:size=${SIZE.width}x${SIZE.height}:rate=10`;
    ffmpeg("-f", "lavfi", "-i", red, "-frames:v", "8", "-pix_fmt", "yuv420p", path);
    for (const maxEdge of [undefined, 80]) {
      const source = await openSource(path, { sourceId: "door", clock: systemClock, masks: MASKS, maxEdge });
      let frames = 0;
      for (let frame = await source.next(never); frame !== undefined; frame = await source.next(never)) {
        expectMasked(frame.rgba, { width: source.width, height: source.height });
        frames += 1;
      }
      expect(frames).toBe(8);
      await source.close();
    }
  });

  it("cover all that a pipeline gives: pictures, live views, workflow outputs and single looks", async () => {
    const source = await redPicture("looked-at.png");
    const wanted = { sourceId: "door", source, masks: MASKS };
    const { picture } = await engine.runOnce({ ...wanted, workflow: EMPTY });
    await expectJpegMasked(picture);
    const blurring = {
      ...EMPTY,
      steps: [{ type: "roboflow_core/image_blur@v1", name: "blur", image: "$inputs.image", kernel_size: 3 }],
      outputs: [{ type: "JsonField", name: "blurred", selector: "$steps.blur.image" }],
    };
    const drawn = await engine.runOnce({ ...wanted, workflow: blurring });
    await expectJpegMasked(drawn.annotated!);
    const pipeline = await engine.startPipeline({ ...wanted, source: PUSHED, workflow: EMPTY });
    try {
      const live = new Promise<Picture>((resolve) => pipeline.view((frame) => resolve(frame.picture)));
      const pushing = setInterval(() => pipeline.push({ ...SIZE, rgba: redPixels() }), 20);
      await expectJpegMasked(await live);
      await expectJpegMasked((await pipeline.picture())!);
      clearInterval(pushing);
    } finally {
      await pipeline.stop();
    }
  });

  it("hide the things behind them from the simulated detector, too", async () => {
    const scene = { sourceId: "door", source: "sim://street?width=160&height=90&fps=5&start=60", maxFrames: 40 };
    const count = async (masks: readonly Polygon[]): Promise<number> => {
      let found = 0;
      await engine.replay({
        ...scene,
        masks,
        workflow: DETECTING,
        onResult: ({ outputs }) => {
          found += outputs.found?.kind === "detections" ? outputs.found.detections.xyxy.length : 0;
        },
      });
      return found;
    };
    expect(await count([])).toBeGreaterThan(0);
    expect(await count([WHOLE])).toBe(0);
  });
});

const PUSHED = `push://?width=${SIZE.width}&height=${SIZE.height}&fps=20`;
const WHOLE: Polygon = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];

function redPixels(): Uint8Array {
  return Uint8Array.from({ length: 4 * SIZE.width * SIZE.height }, (_, at) => [255, 0, 0, 255][at % 4]!);
}

async function redPicture(name: string): Promise<string> {
  const path = join(folder, name);
  await sharp(redPixels(), { raw: { ...SIZE, channels: 4 } })
    .png()
    .toFile(path);
  return path;
}

/** Strictly inside, in fractions; worked out here by another rule than the one that paints. */
function isInside(x: number, y: number): boolean {
  const [along, aside] = [(y - 0.25) / 0.65, Math.abs(x - 0.5)];
  return y <= 0.1 || (along >= 0 && along <= 1 && aside <= 0.3 * (1 - along));
}

function expectMasked(
  rgba: ArrayLike<number>,
  { width, height } = SIZE,
  isBlack = (red: number): boolean => red === 0,
): void {
  let [hidden, shown, leaked] = [0, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const red = rgba[4 * (y * width + x)]!;
      if (isInside((x + 0.5) / width, (y + 0.5) / height)) {
        hidden += 1;
        if (!isBlack(red)) leaked += 1;
      } else if (red > 200) shown += 1;
    }
  }
  expect(leaked).toBe(0);
  expect(hidden).toBeGreaterThan((width * height) / 5);
  expect(shown).toBeGreaterThan((width * height) / 2);
}

/** A JPEG may blur the border of a mask by what lies outside of it, never by what was inside. */
async function expectJpegMasked({ jpeg }: Picture): Promise<void> {
  const { data } = await sharp(jpeg).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  let brightest = 0;
  for (let y = 0; y < SIZE.height; y++) {
    for (let x = 0; x < SIZE.width; x++) {
      const isDeep = [-8, 0, 8].every((by) => isInside((x + by) / SIZE.width, (y + by) / SIZE.height));
      if (isDeep) brightest = Math.max(brightest, data[4 * (y * SIZE.width + x)]!);
    }
  }
  expect(brightest).toBeLessThan(60);
  expectMasked(data, SIZE, () => true);
}
