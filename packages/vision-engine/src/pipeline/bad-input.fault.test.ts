import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkflowSpec } from "@vision-agent/protocol";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { EngineError } from "../errors.ts";
import { ImageValue } from "../frames/image-value.ts";
import { createModelRegistry } from "../models/model-registry.ts";
import { writeOnnx } from "../models/onnx/onnx-file.ts";
import type { OnnxGraph } from "../models/onnx/onnx-graph.ts";
import { ffmpeg, hasFfmpeg, TEST_PICTURE } from "../sources/__fixtures__/ffmpeg.ts";
import { openSource } from "../sources/open-source.ts";
import { COLOR_MODEL_DESCRIPTION, colorModel, writeModelFolder } from "../testing/color-model.ts";
import { compileWorkflow } from "../workflow/workflow.ts";
import { GOOD_SPECS, MISCOUNTED_SPECS, MUTATED_SPECS } from "./__fixtures__/fuzzed-specs.ts";
import { declaredPng, deepPicture, plainPicture } from "./__fixtures__/odd-pictures.ts";
import { createEngine } from "./engine.ts";

const SCENE = "sim://street?width=320&height=180&fps=10&start=43200";
const IMAGE = "$inputs.image";
const BOXES = "$steps.model.predictions";

const folder = mkdtempSync(join(tmpdir(), "bad-input-"));
writeModelFolder(folder, "mine/colors");
const engine = createEngine({ localModelFolder: folder, modelFolder: join(folder, "fetched"), inferenceThreads: 1 });
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

/** Finds a box and draws all over the picture. */
const DRAWING: WorkflowSpec = specOf(
  [
    ...lookingWith("mine/colors").steps,
    { type: "roboflow_core/bounding_box_visualization@v1", name: "boxes", image: IMAGE, predictions: BOXES },
    { type: "roboflow_core/label_visualization@v1", name: "labels", image: "$steps.boxes.image", predictions: BOXES },
    { type: "roboflow_core/blur_visualization@v1", name: "blur", image: "$steps.labels.image", predictions: BOXES },
    { type: "roboflow_core/convert_grayscale@v1", name: "grey", image: "$steps.blur.image" },
  ],
  { picture: "$steps.blur.image", grey: "$steps.grey.image" },
);

describe("a picture that is none", () => {
  it.each([
    ["empty.jpg", async () => new Uint8Array(0), /is empty/],
    ["text.png", async () => Buffer.from("This is no picture."), /damaged, or no picture/],
    ["huge.png", async () => declaredPng(60_000, 60_000), /too large: at most 100 megapixels/],
    ["hollow.png", async () => declaredPng(64, 64), /damaged/],
    ["cut.jpg", async () => half(await plainPicture(640, 480).jpeg().toBuffer()), /damaged/],
    ["cut.png", async () => half(await plainPicture(64, 48).png({ compressionLevel: 0 }).toBuffer()), /damaged/],
  ])("%s is told from one, in a sentence", async (name, bytes, sentence) => {
    const source = join(folder, name);
    writeFileSync(source, await bytes());
    const error = await refused(engine.runOnce({ sourceId: "gate", source, workflow: DRAWING }));
    expect(error).toMatchObject({ kind: "source", reason: "no_video" });
    expect(error.message).toMatch(sentence);
  });
});

it("a folder without a picture is told at once where one look is wanted", async () => {
  const source = join(folder, "nothing-here");
  mkdirSync(source);
  const error = await refused(engine.runOnce({ sourceId: "gate", source, workflow: DRAWING }));
  expect(error).toMatchObject({ kind: "source" });
});

describe("a picture that is odd", () => {
  it.each([
    ["one.png", 1, 1, () => plainPicture(1, 1).png().toBuffer()],
    ["tiny.png", 3, 5, () => plainPicture(3, 5).png().toBuffer()],
    ["odd.jpg", 641, 359, () => plainPicture(641, 359).jpeg().toBuffer()],
    ["thin.png", 2000, 1, () => plainPicture(2000, 1).png().toBuffer()],
    ["grey.jpg", 33, 17, () => plainPicture(33, 17).toColourspace("b-w").jpeg().toBuffer()],
    ["print.jpg", 33, 17, () => plainPicture(33, 17).toColourspace("cmyk").jpeg().toBuffer()],
    ["deep-grey.png", 33, 17, () => deepPicture(33, 17, 1)],
    ["deep.png", 33, 17, () => deepPicture(33, 17, 3)],
    ["deep-clear.png", 33, 17, () => deepPicture(33, 17, 4)],
  ])("%s goes through a workflow that draws", async (name, width, height, bytes) => {
    const source = join(folder, name);
    writeFileSync(source, await bytes());
    const { result, picture, annotated } = await engine.runOnce({ sourceId: "gate", source, workflow: DRAWING });
    expect(result.outputs.picture).toMatchObject({ kind: "image", width, height });
    expect(result.outputs.grey).toMatchObject({ kind: "image", width, height });
    for (const encoded of [picture, annotated!]) {
      expect(encoded).toMatchObject({ width, height });
      expect([...encoded.jpeg.subarray(0, 2)]).toEqual([0xff, 0xd8]);
    }
  });
});

describe.skipIf(!hasFfmpeg("bad videos"))("a video that is damaged", () => {
  const video = (name: string): string => join(folder, name);

  it.each([
    ["empty.mp4", () => new Uint8Array(0), /is empty/],
    ["text.mp4", () => Buffer.from("This is no video.\n".repeat(100)), /video/],
    ["noise.mkv", () => Uint8Array.from({ length: 5000 }, (_, at) => (at * 7919) % 251), /video/],
    ["cut.mp4", () => readFileSync(goodVideo("whole.mp4")).subarray(0, 3000), /video/],
  ])("%s is refused in a sentence", async (name, bytes, sentence) => {
    writeFileSync(video(name), bytes());
    const starting = engine.startPipeline({ sourceId: "gate", source: video(name), workflow: specOf([], {}) });
    const error = await refused(starting);
    expect(error.kind).toBe("source");
    expect(error.message).toMatch(sentence);
  });

  it("gives what can be read of a file that was cut off or overwritten in the middle, and ends", async () => {
    const whole = readFileSync(goodVideo("whole.ts"));
    const overwritten = Uint8Array.from(whole);
    overwritten.fill(0x55, whole.length / 3, whole.length / 2);
    writeFileSync(video("cut.ts"), half(whole));
    writeFileSync(video("overwritten.ts"), overwritten);
    for (const name of ["cut.ts", "overwritten.ts"]) {
      const options = { sourceId: "gate", source: video(name), workflow: specOf([], {}) };
      const { state, framesProcessed } = await engine.replay({ ...options, onResult: () => undefined });
      expect(state).toBe("ended");
      expect(framesProcessed).toBeGreaterThan(5);
      expect(framesProcessed).toBeLessThan(30);
    }
  });

  it("with sound alone is told from one with pictures", async () => {
    ffmpeg("-f", "lavfi", "-i", "sine=duration=1", video("sound.mp4"));
    const source = video("sound.mp4");
    const error = await refused(engine.runOnce({ sourceId: "gate", source, workflow: specOf([], {}) }));
    expect(error).toMatchObject({ kind: "source", reason: "no_video" });
  });

  function goodVideo(name: string): string {
    ffmpeg(...TEST_PICTURE, "-t", "3", "-g", "5", "-pix_fmt", "yuv420p", video(name));
    return video(name);
  }
});

describe("a model that does not fit", () => {
  const good = writeOnnx(colorModel());
  const { architecture: _, ...incomplete } = COLOR_MODEL_DESCRIPTION;
  const NO_WEIGHTS = new Uint8Array(0);

  it.each<[string, Uint8Array | string, unknown, RegExp]>([
    ["nothing", NO_WEIGHTS, COLOR_MODEL_DESCRIPTION, /is empty/],
    ["garbage", "<html>404</html>", COLOR_MODEL_DESCRIPTION, /not an ONNX model that can run here/],
    ["truncated", good.subarray(0, good.length - 20), COLOR_MODEL_DESCRIPTION, /not an ONNX model that can run here/],
    ["not-json", good, "{ task: ", /model\.json is not JSON/],
    ["a-list", good, [1, 2], /model\.json is wrong/],
    ["incomplete", good, incomplete, /"architecture" must be a text, and it is missing/],
    ["misspelt", good, { ...COLOR_MODEL_DESCRIPTION, architecture: "yellow" }, /yellow/],
    ["other-task", good, { ...COLOR_MODEL_DESCRIPTION, task: "classification" }, /made for classification/],
    ["no-size", good, { ...COLOR_MODEL_DESCRIPTION, input: { width: "32", height: -1 } }, /"input\.width" must be/],
    ["two-inputs", writeOnnx(withTwoInputs()), COLOR_MODEL_DESCRIPTION, /must have one input/],
  ])("%s is refused at the start", async (name, weights, description, sentence) => {
    writeModelFolder(folder, `bad/${name}`, weights, description);
    const workflow = lookingWith(`bad/${name}`);
    const error = await refused(engine.startPipeline({ sourceId: "gate", source: SCENE, workflow }));
    expect(error.kind).toBe("model");
    expect(error.message).toMatch(sentence);
  });

  it.each<[string, OnnxGraph, object, RegExp]>([
    ["shapes", constantModel(Float32Array.of(1, 2, 3), [3]), {}, /gives .* \[3\], and its description needs/],
    ["classes", colorModel(), { classNames: ["red", "green"] }, /and its description needs/],
  ])(
    "with other %s than described fails the pipeline with the step's name",
    async (name, graph, description, sentence) => {
      writeModelFolder(folder, `odd/${name}`, writeOnnx(graph), { ...COLOR_MODEL_DESCRIPTION, ...description });
      const pipeline = await engine.startPipeline({
        ...{ sourceId: "gate", source: SCENE, workflow: lookingWith(`odd/${name}`) },
      });
      const { state, reason } = await pipeline.ended;
      expect(state).toBe("failed");
      expect(reason).toMatch(/^Step "model": /);
      expect(reason).toMatch(sentence);
    },
  );

  it("and gives numbers that are none draws nothing or fails, and ends nothing else", async () => {
    const numbers = Float32Array.of(Number.NaN, 16, 1e30, Number.POSITIVE_INFINITY, 0.9, Number.NaN, 0.1);
    writeModelFolder(folder, "odd/numbers", writeOnnx(constantModel(numbers, [1, 7, 1])));
    const workflow = specOf([...lookingWith("odd/numbers").steps, ...DRAWING.steps.slice(1)], {
      picture: "$steps.blur.image",
    });
    const looking = engine.runOnce({ sourceId: "gate", source: SCENE, workflow });
    const outcome = await looking.then(
      ({ annotated }) => annotated,
      (error: unknown) => error,
    );
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(EngineError);
    else expect(outcome).toMatchObject({ width: 320, height: 180 });
  });
});

describe("a workflow that goes wrong", () => {
  it("on its third frame fails with the name of the step, after two results", async () => {
    const workflow = specOf(
      [
        { type: "roboflow_core/buffer@v1", name: "last", data: IMAGE, length: 9 },
        {
          type: "PropertyDefinition",
          name: "third",
          data: "$steps.last.output",
          operations: [
            { type: "SequenceLength" },
            { type: "ToString" },
            { type: "LookupTable", lookup_table: { "1": "one", "2": "two" } },
          ],
        },
      ],
      { number: "$steps.third.output" },
    );
    const pipeline = await engine.startPipeline({ sourceId: "gate", source: SCENE, workflow });
    const figures = await pipeline.ended;
    expect(figures).toMatchObject({ state: "failed", framesProcessed: 2 });
    expect(figures.reason).toMatch(/^Step "third"/);
    const replaying = engine.replay({ sourceId: "gate", source: SCENE, workflow, onResult: () => undefined });
    expect((await refused(replaying)).message).toMatch(/^Step "third"/);
  });

  it("and is at work for hours can still be stopped", async () => {
    const steps = [{ type: "roboflow_core/image_blur@v1", name: "blur", image: IMAGE, kernel_size: 1e6 }];
    const workflow = specOf([...steps], { picture: "$steps.blur.image" });
    const pipeline = await engine.startPipeline({ sourceId: "gate", source: SCENE, workflow });
    await sleep(500);
    expect(pipeline.figures()).toMatchObject({ state: "starting", framesProcessed: 0 });
    await pipeline.stop();
    expect(pipeline.figures().state).toBe("stopped");
  });

  it("is refused or fails with an EngineError, whatever was changed in a good one", async () => {
    const models = createModelRegistry();
    const frames = await framesOf(SCENE, 3);
    const specs = fc.oneof(MUTATED_SPECS, MISCOUNTED_SPECS);
    await fc.assert(
      fc.asyncProperty(specs, async (spec) => {
        const outcome = await runAll(spec, frames, models).catch((error: unknown) => error);
        if (outcome !== undefined) expect(outcome).toBeInstanceOf(EngineError);
      }),
      { numRuns: 200, seed: 7, examples: GOOD_SPECS.map((spec) => [spec] as [WorkflowSpec]) },
    );
  });

  it("does not end the process from inside a thread either", async () => {
    for (const workflow of fc.sample(fc.oneof(MUTATED_SPECS, MISCOUNTED_SPECS), { numRuns: 10, seed: 11 })) {
      const looking = engine.runOnce({ sourceId: "gate", source: SCENE, workflow });
      const outcome = await looking.catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(EngineError);
    }
  });
});

describe("after all of that", () => {
  it("the same engine runs a good pipeline", async () => {
    const pipeline = await engine.startPipeline({
      ...{ sourceId: "gate", source: SCENE, workflow: DRAWING, maxFrames: 3 },
    });
    expect(await pipeline.ended).toMatchObject({ state: "ended", framesProcessed: 3 });
  });
});

function specOf(steps: WorkflowSpec["steps"], selectors: Readonly<Record<string, string>>): WorkflowSpec {
  const outputs = Object.entries(selectors).map(([name, selector]) => ({ type: "JsonField", name, selector }));
  return { version: "1.0", inputs: [{ type: "WorkflowImage", name: "image" }], steps, outputs };
}

function lookingWith(modelId: string): WorkflowSpec {
  const step = { type: "ObjectDetectionModel", name: "model", images: IMAGE, model_id: modelId, confidence: 0.05 };
  return specOf([step], { found: BOXES });
}

/** Gives these numbers, whatever the picture. */
function constantModel(numbers: Float32Array, dims: readonly number[]): OnnxGraph {
  const bytes = new Uint8Array(numbers.buffer);
  return {
    ...colorModel(),
    nodes: [{ op: "Identity", inputs: ["numbers"], outputs: ["found"] }],
    tensors: [{ name: "numbers", type: "float32", dims, bytes }],
    outputs: [{ name: "found", type: "float32", dims }],
  };
}

function withTwoInputs(): OnnxGraph {
  const graph = colorModel();
  return { ...graph, inputs: [...graph.inputs, { name: "more", type: "float32", dims: [1] }] };
}

function half(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}

async function refused(work: Promise<unknown>): Promise<EngineError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(EngineError);
  return error as EngineError;
}

async function framesOf(address: string, count: number): Promise<readonly ImageValue[]> {
  const clock = { now: () => 0, sleep: async () => undefined };
  const source = await openSource(address, { sourceId: "gate", clock, pace: "as_fast_as_possible" });
  const frames: ImageValue[] = [];
  while (frames.length < count) {
    frames.push(ImageValue.ofFrame((await source.next(new AbortController().signal))!).kept());
  }
  await source.close();
  return frames;
}

/** Opens a workflow, runs it on the frames and draws its pictures. */
async function runAll(
  spec: WorkflowSpec,
  frames: readonly ImageValue[],
  models: ReturnType<typeof createModelRegistry>,
): Promise<void> {
  const workflow = await compileWorkflow(spec, { models });
  try {
    for (const frame of frames) {
      const [run] = await workflow.runImages([frame]);
      for (const { rgba, width, height } of run!.images.values()) expect(rgba.length).toBe(4 * width * height);
    }
  } finally {
    await workflow.close();
  }
}
