import type { Json } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import type { FakeServer, FakeServerOptions } from "./fake-server.ts";
import { greyJpeg, readPictureSize } from "./picture-bytes.ts";
import { startFakeServer } from "./start-fake-server.ts";

const IMAGE = { type: "base64", value: Buffer.from(greyJpeg({ width: 86, height: 58 })).toString("base64") };
let server: FakeServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("what the fake server refuses of an inference", () => {
  it.each([
    ["no image", { model_id: "coco/3" }, ["missing"]],
    ["no model", { image: IMAGE }, ["missing"]],
    ["a text as image", { model_id: "coco/3", image: "abc" }, ["list_type", "model_type"]],
    [
      "words as confidence",
      { model_id: "coco/3", image: IMAGE, confidence: "abc" },
      ["float_parsing", "literal_error"],
    ],
    ["a text as class filter", { model_id: "coco/3", image: IMAGE, class_filter: "car" }, ["list_type"]],
    ["half a detection", { model_id: "coco/3", image: IMAGE, max_detections: 1.5 }, ["int_from_float"]],
  ])("answers 422 to %s and echoes the input", async (_, body, types) => {
    const answer = await post("/infer/object_detection", body);
    expect(answer.status).toBe(422);
    expect((answer.json as { detail: { type: string }[] }).detail.map((item) => item.type)).toEqual(types);
  });

  it.each([
    ["garbage", { type: "base64", value: "!!!!" }, "Empty image payload."],
    ["no image file", { type: "base64", value: "aGVsbG8gd29ybGQgaGVsbG8=" }, "Malformed base64 input image."],
    ["numpy", { type: "numpy", value: "gASV" }, "NumPy image type is not supported"],
    ["a URL", { type: "url", value: "https://example.com/a.jpg" }, "OFFLINE_MODE"],
    ["another type", { type: "weird", value: "x" }, "not recognised image type"],
  ])("answers 400 to an image that is %s", async (_, image, text) => {
    const answer = await post("/infer/object_detection", { model_id: "coco/3", image });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ message: expect.stringContaining(text) });
  });

  it("refuses 'best' for keypoints only", async () => {
    const body = { model_id: "coco/3", image: IMAGE, confidence: "best" };
    expect((await post("/infer/keypoints_detection", body)).status).toBe(422);
    expect((await post("/infer/object_detection", body)).status).toBe(200);
  });

  it("refuses an alias for ever once its model is loaded under the real id", async () => {
    await post("/infer/object_detection", { model_id: "coco/3", image: IMAGE });
    for (let call = 0; call < 3; call++) {
      const answer = await post("/infer/object_detection", { model_id: "yolov8n-640", image: IMAGE });
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    }
  });

  it("does not say when to come back for a model it does not have, and takes any two segments for one", async () => {
    const unknown = await post("/infer/object_detection", { model_id: "nope/9", image: IMAGE });
    expect([unknown.status, unknown.headers.get("retry-after")]).toEqual([503, null]);
    expect((await post("/infer/objectdetection", { model_id: "coco/3", image: IMAGE })).status).toBe(503);
    expect((await post("/nope", {})).status).toBe(405);
    expect((await post("/a/b/c", {})).status).toBe(405);
  });

  it("wants base64 on the legacy path, not the bytes", async () => {
    const url = `${(await open()).url}/coco/3`;
    const headers = { "content-type": "image/jpeg" };
    const bytes = await fetch(url, { method: "POST", headers, body: Buffer.from(IMAGE.value, "base64") });
    expect([bytes.status, await bytes.text()]).toEqual([400, expect.stringContaining("raw bytes instead of a base64")]);
    expect((await fetch(url, { method: "POST", headers, body: IMAGE.value })).status).toBe(200);
  });

  it("answers 401 without the key of a whitelisted server and never records it", async () => {
    const { url, calls } = await open({ apiKey: "secret-key" });
    expect((await fetch(`${url}/model/registry`)).status).toBe(401);
    expect((await fetch(`${url}/info`)).status).toBe(200);
    expect((await fetch(`${url}/model/registry?api_key=secret-key`)).status).toBe(200);
    expect((await fetch(`${url}/model/registry`, { headers: { authorization: "Bearer secret-key" } })).status).toBe(
      200,
    );
    expect(calls.map((call) => call.keys)).toEqual([
      { query: false, header: false, body: false },
      { query: false, header: false, body: false },
      { query: true, header: false, body: false },
      { query: false, header: true, body: false },
    ]);
    expect(JSON.stringify(calls)).not.toContain("secret-key");
  });
});

describe("what the fake server finds", () => {
  it("gives boxes in pixels of the picture and hides those below the threshold", async () => {
    const answer = await post("/infer/object_detection", {
      model_id: "coco/3",
      image: [IMAGE, IMAGE],
      confidence: 0.7,
    });
    const [first] = answer.json as { image: Json; predictions: { class: string; x: number }[] }[];
    expect(first).toMatchObject({ image: { width: 86, height: 58 }, predictions: [{ class: "person", x: 21.5 }] });
    expect(answer.json).toHaveLength(2);
  });

  it("knows sizes of models since 1.8 only, and lacks the newer routes before", async () => {
    const { url } = await open({ version: "1.5.0" });
    await post("/infer/object_detection", { model_id: "coco/3", image: IMAGE });
    const registry = (await (await fetch(`${url}/model/registry`)).json()) as { models: { input_width: Json }[] };
    expect(registry.models[0]?.input_width).toBeNull();
    expect((await post("/infer/embeddings", { model_id: "coco/3", image: IMAGE })).status).toBe(503);
  });

  it("draws JPEGs that say their size", () => {
    expect(readPictureSize(greyJpeg({ width: 321, height: 45 }, 100_000))).toEqual({ width: 321, height: 45 });
  });
});

async function open(options: FakeServerOptions = {}): Promise<FakeServer> {
  server ??= await startFakeServer(options);
  return server;
}

async function post(path: string, body: unknown): Promise<{ status: number; headers: Headers; json: unknown }> {
  const { url } = await open();
  const headers = { "content-type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, headers: response.headers, json: await response.json() };
}
