import { describe, expect, it } from "vitest";
import { maskArea } from "../frames/mask.ts";
import { frameOf } from "../testing/index.ts";
import type { ModelDescription } from "./model-description.ts";
import { createClassificationModel, createDetectionModel } from "./onnx-model.ts";
import type { Tensor, TensorSession } from "./runtime/tensor-session.ts";

/** 64 × 48 frames fill an input of this size without borders. */
const DESCRIPTION: ModelDescription = {
  id: "mine/1",
  task: "object-detection",
  architecture: "yolov8",
  classNames: ["cat", "dog"],
  input: { width: 32, height: 24, resize: "stretch", padding: 0, colors: "rgb", scale: 255 },
};

describe("createDetectionModel", () => {
  it("reads YOLOv8 columns, the best first, in pixels of the frame", async () => {
    // Columns: a dog at the left, a cat above it that is weaker, a cat at the right.
    const rows = [
      [8, 8, 24],
      [12, 12, 12],
      [8, 8, 8],
      [8, 8, 8],
      [0.1, 0.5, 0.9],
      [0.8, 0.2, 0.1],
    ];
    const found = await detect(DESCRIPTION, { out: table(rows) });
    expect([...found.xyxy]).toEqual([40, 16, 56, 32, 8, 16, 24, 32, 8, 16, 24, 32]);
    expect(found.data.class_name).toEqual(["cat", "dog", "cat"]);
    const agnostic = await detect(DESCRIPTION, { out: table(rows) }, { classAgnostic: true });
    expect(agnostic.data.class_name).toEqual(["cat", "dog"]);
  });

  it("takes 0.4 where nobody says another confidence", async () => {
    const found = async (score: number) => detect(DESCRIPTION, { out: table([[8], [12], [8], [8], [score], [0]]) });
    expect([(await found(0.45)).length, (await found(0.35)).length]).toEqual([1, 0]);
  });

  it("tells of what scored too low, and finds the same as without", async () => {
    const scores = [0.9, 0.45, 0.39, 0.31, 0.2, 0.1];
    // Things beside each other, each with a weaker box on top of it.
    const places = scores.flatMap((_, at) => [4 + at * 5, 4 + at * 5]);
    const rows = [
      places,
      places.map(() => 12),
      places.map(() => 4),
      places.map(() => 8),
      scores.flatMap((score) => [score, score / 2]),
      places.map(() => 0),
    ];
    const plain = await detect(DESCRIPTION, { out: table(rows) });
    const weak: number[] = [];
    const told = await detect(
      DESCRIPTION,
      { out: table(rows) },
      { onWeak: ({ confidence }) => weak.push(...(confidence ?? [])) },
    );
    expect(told).toEqual(plain);
    expect(weak.map((score) => Math.round(score * 100))).toEqual([39, 31, 20]);
  });

  it("makes masks of prototypes within their boxes", async () => {
    const description: ModelDescription = { ...DESCRIPTION, task: "instance-segmentation" };
    // Prototype 0 is set everywhere: the mask is the box itself.
    const boxes = table([[16], [12], [16], [8], [0.9], [0], [9], ...Array.from({ length: 31 }, () => [0])]);
    const data = new Float32Array(32 * 8 * 6).fill(1, 0, 48);
    const prototypes: Tensor = { type: "float32", dims: [1, 32, 6, 8], data };
    for (const maskDecoding of ["accurate", "fast"] as const) {
      const { masks, xyxy } = await detect(description, { boxes, prototypes }, { maskDecoding });
      expect([...xyxy]).toEqual([16, 16, 48, 32]);
      expect(masks![0]).toMatchObject({ width: 64, height: 48 });
      expect(Math.abs(maskArea(masks![0]!) - 32 * 16)).toBeLessThan(0.2 * 32 * 16);
    }
  });

  it("gives only keypoints that were seen", async () => {
    const description: ModelDescription = {
      ...DESCRIPTION,
      task: "keypoint-detection",
      classNames: ["person"],
      keypoints: [{ classId: 0, names: ["nose", "eye"], edges: [] }],
    };
    const out = table([[16], [12], [16], [8], [0.9], [10], [6], [0.8], [20], [6], [0.3]]);
    const { data } = await detect(description, { out }, { keypointConfidence: 0.5 });
    expect(data.keypoints_xy).toEqual([[[20, 12]]]);
    expect(data.keypoints_class_name).toEqual([["nose"]]);
  });

  it("leaves out class columns of RF-DETR that mean nothing", async () => {
    const description = { ...DESCRIPTION, architecture: "rfdetr-nano", unusedClassIds: [0] };
    const dets: Tensor = {
      type: "float32",
      dims: [1, 2, 4],
      data: Float32Array.of(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 1),
    };
    const labels: Tensor = { type: "float32", dims: [1, 2, 3], data: Float32Array.of(9, -9, -9, -9, 2, -9) };
    const found = await detect(description, { dets, labels });
    expect(found.data.class_name).toEqual(["cat"]);
    expect([...found.xyxy]).toEqual([0, 0, 64, 48]);
  });

  it("keeps pictures apart that are looked at at the same time", async () => {
    const fed: number[] = [];
    const session = sessionOf({ out: table([[8], [12], [8], [8], [0.9], [0]]) });
    const slow: TensorSession = {
      ...session,
      async run(feeds) {
        await new Promise((done) => setTimeout(done, 5));
        fed.push(feeds.images!.data[0] as number);
        return session.run(feeds);
      },
    };
    const model = createDetectionModel(DESCRIPTION, slow);
    const frames = [0, 255].map((level) => ({ ...frameOf(), rgba: new Uint8ClampedArray(64 * 48 * 4).fill(level) }));
    await Promise.all(frames.map((frame) => model.detect(frame, {})));
    expect(fed).toEqual([0, 1]);
  });

  it("says in a sentence what does not fit", async () => {
    await expect(detect(DESCRIPTION, { out: table([[1], [1], [1], [1], [0.9]]) })).rejects.toMatchObject({
      kind: "model",
      message:
        'The model "mine/1" gives out float32 [1, 5, 1], and its description needs [1, 6, boxes]. Check architecture, task and class names in the description.',
    });
    const odd = { ...DESCRIPTION, architecture: "perceiver" };
    expect(() => createDetectionModel(odd, sessionOf({}))).toThrow(/"perceiver", which does not run here/);
    const bytes = sessionOf({}, [{ name: "images", type: "uint8", dims: [1, 24, 32, 3] }]);
    expect(() => createDetectionModel(DESCRIPTION, bytes)).toThrow(/takes uint8 \[1, 24, 32, 3\]/);
    const two = sessionOf({}, [...bytes.inputs, { name: "sizes", type: "int64", dims: [1, 2] }]);
    expect(() => createDetectionModel(DESCRIPTION, two)).toThrow(/it has: images, sizes/);
    const model = createDetectionModel(DESCRIPTION, sessionOf({ out: table([[1]]) }));
    const empty = { ...frameOf({ width: 0, height: 0 }), rgba: new Uint8ClampedArray(0) };
    await expect(model.detect(empty, {})).rejects.toMatchObject({ kind: "input" });
  });
});

describe("createClassificationModel", () => {
  it("makes shares of logits, or lets each class stand for itself", async () => {
    const output: Tensor = { type: "float32", dims: [1, 2], data: Float32Array.of(0, Math.log(3)) };
    const scores = async (task: ModelDescription["task"]) => {
      const model = createClassificationModel({ ...DESCRIPTION, task }, sessionOf({ output }));
      return [...(await model.classify(frameOf()))].map((score) => Number(score.toFixed(4)));
    };
    expect(await scores("classification")).toEqual([0.25, 0.75]);
    expect(await scores("multi-label-classification")).toEqual([0.5, 0.75]);
  });

  it("refuses as many scores as there are no names for", async () => {
    const output: Tensor = { type: "float32", dims: [1, 3], data: new Float32Array(3) };
    const model = createClassificationModel({ ...DESCRIPTION, task: "classification" }, sessionOf({ output }));
    await expect(model.classify(frameOf())).rejects.toThrow(/needs 2 scores/);
  });
});

function detect(
  description: ModelDescription,
  outputs: Readonly<Record<string, Tensor>>,
  options: Parameters<ReturnType<typeof createDetectionModel>["detect"]>[1] = {},
) {
  return createDetectionModel(description, sessionOf(outputs)).detect(frameOf(), options);
}

function table(rows: readonly (readonly number[])[]): Tensor {
  return { type: "float32", dims: [1, rows.length, rows[0]!.length], data: Float32Array.from(rows.flat()) };
}

function sessionOf(
  outputs: Readonly<Record<string, Tensor>>,
  inputs: TensorSession["inputs"] = [{ name: "images", type: "float32", dims: [1, 3, 24, 32] }],
): TensorSession {
  return { inputs, outputs: [], run: async () => outputs, close: async () => undefined };
}
