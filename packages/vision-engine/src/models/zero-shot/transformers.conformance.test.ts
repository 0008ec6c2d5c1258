import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Frame } from "../../frames/frame.ts";
import { frameOf } from "../../testing/index.ts";
import { cosineSimilarity } from "../cosine-similarity.ts";
import { noteHosts } from "./__fixtures__/note-hosts.ts";
import { openTinyHub, type TinyHub } from "./__fixtures__/tiny-hub.ts";
import { tinyClip, tinyFlorence, tinyOwl } from "./__fixtures__/tiny-repositories.ts";
import { importTransformers, type Transformers } from "./transformers.ts";
import { createTransformersModels } from "./transformers-models.ts";

/** A folder whose node_modules holds the package, where the project has it not. */
const FOLDER = process.env.VISION_AGENT_TRANSFORMERS;

const RED = [255, 0, 0];
const BLUE = [0, 0, 255];

/** The settings of the package that keep it on loopback. */
interface Settings {
  remoteHost: string;
  cacheDir: string;
  allowLocalModels: boolean;
}

const application = await mkdtemp(join(tmpdir(), "transformers-"));
const entry = join(application, "transformers.mjs");
if (FOLDER !== undefined) {
  await symlink(join(FOLDER, "node_modules"), join(application, "node_modules"));
  await writeFile(entry, 'export * from "@huggingface/transformers";\n');
}
const load =
  FOLDER === undefined ? importTransformers : () => import(pathToFileURL(entry).href) as Promise<Transformers>;
// A folder that was named must have it.
const found = FOLDER === undefined ? await load().catch(() => undefined) : await load();
if (found === undefined) {
  await rm(application, { recursive: true });
  process.stdout.write(
    'Models through @huggingface/transformers are not tested: run "npm install --prefix DIR @huggingface/transformers@4.3.1" with a folder outside of the project and set VISION_AGENT_TRANSFORMERS=DIR.\n',
  );
}
afterAll(() => rm(application, { recursive: true, force: true }));

describe.skipIf(found === undefined)("@huggingface/transformers with a hub on loopback", () => {
  const models = createTransformersModels(load);
  const hosts = new Set<string>();
  let hub: TinyHub;

  beforeAll(() => noteHosts(hosts));
  beforeEach(async () => {
    hub = await openTinyHub({ "tiny/clip": tinyClip(), "tiny/owl": tinyOwl(), "tiny/florence": tinyFlorence() });
    const { env } = found as Transformers & { readonly env: Settings };
    const cacheDir = await mkdtemp(join(application, "cache-"));
    Object.assign(env, { remoteHost: hub.url, cacheDir, allowLocalModels: false } satisfies Settings);
  });
  afterEach(async () => {
    await hub.close();
    expect([...hosts]).toEqual(["127.0.0.1"]);
  });

  it("gives vectors of length 1 that compare pictures with texts", async () => {
    const model = await models.open("huggingface/tiny/clip", "embedding")!;
    const red = await model.embedImage(pictureOf(12, 8, () => RED));
    const [word, others] = await model.embedTexts!(["red", "a blue green car"]);
    for (const vector of [red, word!, others!]) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    expect(cosineSimilarity(red, word!)).toBeCloseTo(1, 5);
    expect(cosineSimilarity(red, others!)).toBeCloseTo(0, 5);
    const half = await model.embedImage(pictureOf(8, 8, (x) => (x < 4 ? RED : BLUE)));
    expect([...half].map((value) => value.toFixed(3))).toEqual(["0.707", "0.000", "0.000", "0.707"]);
    await model.close();
    await model.close();
  });

  it("finds boxes in pixels of a wide picture, one for each word", async () => {
    const model = await models.open("huggingface/tiny/owl", "zero-shot-detection")!;
    const detector = model.withClasses(["green", "a blue car", "red"]);
    const picture = pictureOf(64, 32, (x) => (x < 32 ? RED : BLUE));
    const detections = await detector.detect(picture, { confidence: 0.3 });
    expect(detections.data.class_name).toEqual(["red", "a blue car"]);
    expect([...detections.classId!]).toEqual([2, 1]);
    expect([...detections.xyxy]).toEqual([0, 0, 32, 32, 32, 0, 64, 32]);
    for (const confidence of detections.confidence!) expect(confidence).toBeCloseTo(0.982, 2);
    expect((await detector.detect(frameOf(), { confidence: 0.3 })).length).toBe(0);
    await model.close();
    await model.close();
  });

  it("says what is on a picture, and more when it is asked to", async () => {
    const model = await models.open("huggingface/tiny/florence", "captioning")!;
    expect(
      await model.caption(
        pictureOf(16, 9, () => RED),
        "short",
      ),
    ).toBe("a red car");
    expect(
      await model.caption(
        pictureOf(16, 9, () => BLUE),
        "detailed",
      ),
    ).toBe("a blue car outside");
    await model.close();
    await model.close();
  });

  it("opens what was fetched before without the hub", async () => {
    const openAll = async (): Promise<void> => {
      await (await models.open("huggingface/tiny/clip", "embedding")!).close();
      await (await models.open("huggingface/tiny/owl", "zero-shot-detection")!).close();
      await (await models.open("huggingface/tiny/florence", "captioning")!).close();
    };
    await openAll();
    expect(hub.asked).toContain("/tiny/owl/resolve/main/onnx/model.onnx");
    expect(new Set(hub.asked).size).toBe(hub.asked.length);
    await hub.close();
    await openAll();
  });

  it("says when the hub does not answer", async () => {
    await hub.close();
    for (const task of ["embedding", "zero-shot-detection", "captioning"] as const) {
      await expect(models.open("huggingface/tiny/clip", task)).rejects.toMatchObject({
        kind: "model",
        message: expect.stringMatching(/^The model "tiny\/clip" cannot be opened: huggingface\.co is not reached\./),
      });
    }
  });

  it("says when there is no such repository", async () => {
    for (const task of ["embedding", "zero-shot-detection", "captioning"] as const) {
      await expect(models.open("huggingface/tiny/nothing", task)).rejects.toMatchObject({
        kind: "model",
        message: expect.stringMatching(/^The model "tiny\/nothing" cannot be opened: .* Check the name/),
      });
    }
  });

  it("works in a thread", async () => {
    const data = { entry: FOLDER === undefined ? undefined : pathToFileURL(entry).href, hub: hub.url, application };
    const worker = new Worker(new URL("./__fixtures__/caption.worker.ts", import.meta.url), { workerData: data });
    const answer = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    expect(answer).toEqual({ caption: "a red car", hosts: ["127.0.0.1"] });
    expect(await new Promise((resolve) => worker.once("exit", resolve))).toBe(0);
  });
});

function pictureOf(width: number, height: number, colorAt: (x: number) => readonly number[]): Frame {
  const rgba = Uint8ClampedArray.from(
    { length: 4 * width * height },
    (_, at) => colorAt((at >> 2) % width)[at % 4] ?? 255,
  );
  return { ...frameOf({ width, height }), rgba };
}
