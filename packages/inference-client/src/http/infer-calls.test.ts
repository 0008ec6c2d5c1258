import { describe, expect, it } from "vitest";
import { clientOf, startLoopback } from "../testing/loopback.ts";
import { jpegOf, pngOf } from "../wire/__fixtures__/pictures.ts";
import { createInferCalls } from "./infer-calls.ts";
import { createWarmModels } from "./model-calls.ts";
import type { Transport, WireCall } from "./transport.ts";

const image = jpegOf(64, 48);
const box = { x: 16, y: 8, width: 8, height: 6, confidence: 0.77, class: "car", class_id: 1 };
const answer = (predictions: readonly object[], size = { width: 64, height: 48 }) => ({ image: size, predictions });
const bodyAt = (server: { received: readonly { body: string }[] }, at = 0) => JSON.parse(server.received[at]!.body);

describe("infer", () => {
  it("S000-2.2.1 F-07 sends the confidence beside a model id", async () => {
    const server = await startLoopback({ json: answer([box]) });
    await clientOf(server.url).infer({
      modelId: "coco/3",
      image,
      confidence: 0.65,
      iouThreshold: 0.5,
      classFilter: ["car"],
    });
    expect(server.received[0]!.path).toBe("/infer/object_detection");
    expect(bodyAt(server)).toMatchObject({
      model_id: "coco/3",
      confidence: 0.65,
      iou_threshold: 0.5,
      class_filter: ["car"],
      image: { type: "base64" },
    });
  });

  it.each([-0.1, 1.5, 40, Number.NaN])("refuses a confidence of %s before anything is sent", async (confidence) => {
    const server = await startLoopback({ json: answer([]) });
    await expect(clientOf(server.url).infer({ modelId: "coco/3", image, confidence })).rejects.toMatchObject({
      kind: "invalid",
    });
    expect(server.received).toHaveLength(0);
  });

  it("lets the words best and default through, but not best for keypoints", async () => {
    const server = await startLoopback({ json: answer([box]) });
    const client = clientOf(server.url);
    await client.infer({ modelId: "coco/3", image, confidence: "best" });
    await client.infer({ modelId: "coco/3", image, confidence: "default" });
    expect([bodyAt(server).confidence, bodyAt(server, 1).confidence]).toEqual(["best", "default"]);
    const posed = client.infer({ modelId: "pose/1", image, confidence: "best", task: "keypoint-detection" });
    await expect(posed).rejects.toMatchObject({ kind: "invalid" });
  });

  it("never sends an alias", async () => {
    const server = await startLoopback({ json: answer([box]) });
    await clientOf(server.url).infer({ modelId: "yolov8n-640", image });
    expect(bodyAt(server).model_id).toBe("coco/3");
  });

  it("learns the task from the first answer, asks on its path then, and so understands an empty one", async () => {
    const found = { ...box, points: [{ x: 1, y: 2 }] };
    const server = await startLoopback({ json: answer([found]) }, { json: answer([]) });
    const client = clientOf(server.url);
    expect((await client.infer({ modelId: "seg/1", image })).kind).toBe("instance_segmentation");
    expect((await client.infer({ modelId: "seg/1", image })).kind).toBe("instance_segmentation");
    expect(server.received.map(({ path }) => path)).toEqual([
      "/infer/object_detection",
      "/infer/instance_segmentation",
    ]);
  });

  it("asks the registry when the first answer is empty, and does without it when that fails", async () => {
    const models = [{ model_id: "pose/1", task_type: "keypoint-detection", batch_size: null }];
    const server = await startLoopback({ json: answer([]) }, { json: { models } }, { json: answer([]) });
    const client = clientOf(server.url);
    expect((await client.infer({ modelId: "pose/1", image })).kind).toBe("keypoints");
    expect((await client.infer({ modelId: "pose/1", image })).kind).toBe("keypoints");
    expect(server.received.map(({ path }) => path)).toEqual([
      "/infer/object_detection",
      "/model/registry",
      "/infer/keypoints_detection",
    ]);
    const silent = await startLoopback({ json: answer([]) }, { status: 401, json: { message: "no" } });
    expect((await clientOf(silent.url).infer({ modelId: "a/1", image })).kind).toBe("object_detection");
  });

  it("leaves out weak keypoints, which some servers do not", async () => {
    const keypoints = [0.8, 0.1].map((confidence, n) => ({ x: n, y: n, confidence, class: `p${n}`, class_id: n }));
    const server = await startLoopback({ json: answer([{ ...box, keypoints }]) });
    const found = await clientOf(server.url).infer({ modelId: "pose/1", image, keypointConfidence: 0.5 });
    expect(server.received[0]!.path).toBe("/infer/keypoints_detection");
    expect(found).toMatchObject({ kind: "keypoints", predictions: [{ keypoints: [{ className: "p0" }] }] });
    expect(found.kind === "keypoints" && found.predictions[0]!.keypoints).toHaveLength(1);
  });

  it("knows the size of the picture where an older server does not say it", async () => {
    const server = await startLoopback({ json: { image: { width: null, height: null }, predictions: [box] } });
    expect((await clientOf(server.url).infer({ modelId: "coco/3", image })).image).toEqual({ width: 64, height: 48 });
  });
});

describe("inferBatch", () => {
  it("sends a list and gives the answers in order", async () => {
    const server = await startLoopback({ json: [answer([box]), answer([{ ...box, class: "bus" }])] });
    const found = await clientOf(server.url).inferBatch({ modelId: "coco/3", images: [image, pngOf(64, 48)] });
    expect(bodyAt(server).image).toHaveLength(2);
    expect(found.map((one) => one.kind === "object_detection" && one.predictions[0]?.className)).toEqual([
      "car",
      "bus",
    ]);
  });

  it("splits many pictures into several requests and sends nothing for none", async () => {
    const server = await startLoopback((response) => response.end(JSON.stringify(Array(8).fill(answer([box])))));
    const client = clientOf(server.url);
    expect(await client.inferBatch({ modelId: "coco/3", images: Array(16).fill(image) })).toHaveLength(16);
    expect(server.received).toHaveLength(2);
    expect(await client.inferBatch({ modelId: "coco/3", images: [] })).toEqual([]);
  });

  it("calls an answer for another number of pictures a protocol error", async () => {
    const server = await startLoopback({ json: [answer([box])] });
    const failed = clientOf(server.url).inferBatch({ modelId: "coco/3", images: [image, image] });
    await expect(failed).rejects.toMatchObject({ kind: "protocol" });
  });
});

describe("hosted servers", () => {
  it("take the model by path, one picture per call, F-11 also with spaces in its name", async () => {
    const sent: WireCall[] = [];
    const transport: Transport = {
      async send(call) {
        sent.push(call);
        return call.answer.parse(answer([box])) as never;
      },
      deadlineOf: () => 0,
      close: () => undefined,
    };
    const registry = { list: async () => [] };
    const warm = createWarmModels();
    const calls = createInferCalls({ transport, warm, registry, isHosted: true });
    const asked = {
      modelId: "my space/my model",
      confidence: 1,
      iouThreshold: 0.4,
      classFilter: ["a", "b"],
      visualize: true,
    };
    expect(await calls.inferBatch({ ...asked, images: [image, image] })).toHaveLength(2);
    expect(sent).toHaveLength(2);
    expect(sent[0]).toMatchObject({
      path: "/my%20space/my%20model",
      key: "query",
      // There 1 would mean one percent.
      query: { confidence: "0.9999", overlap: "0.4", class_filter: "a,b", format: "image_and_json" },
      body: Buffer.from(image).toString("base64"),
    });
  });
});
