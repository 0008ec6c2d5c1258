import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createModelStore, type ModelStoreOptions } from "./model-store.ts";
import { NANODET, SSDLITE } from "./weights-packages.data.ts";

const root = await mkdtemp(join(tmpdir(), "store-"));
afterAll(() => rm(root, { recursive: true }));

let folder: string;
let local: string;
beforeEach(async () => {
  const place = await mkdtemp(join(root, "case-"));
  folder = join(place, "models");
  local = join(place, "local");
});

describe("createModelStore", () => {
  it("opens the embedded default by id and alias once its weights are here", async () => {
    await haveWeights();
    const folders = [join(folder, SSDLITE.folder), join(folder, NANODET.folder)];
    for (const name of ["vision-agent/default", "default"]) {
      expect(await store().prepareModel(name)).toEqual({
        kind: "built-in",
        builtIn: "default-detector",
        id: "vision-agent/default",
        folders,
      });
    }
    expect(await store().prepareModel("default-lite")).toMatchObject({ folders: folders.slice(0, 1) });
  });

  it("lets the embedded default stand in for COCO detectors, and says for which", async () => {
    await haveWeights();
    for (const name of ["coco/9", "yolov8n-640", "yolo11x-1280", "rfdetr-nano", "yolov10b-640"]) {
      expect(await store().prepareModel(name)).toMatchObject({ id: "vision-agent/default", substitutedFor: name });
    }
  });

  it("does not let it stand in for masks, keypoints or other people's models", async () => {
    await haveWeights();
    for (const name of ["yolov8n-seg-640", "yolov8n-pose-640", "acme/5", "coco/999"]) {
      const failure = await store()
        .prepareModel(name)
        .catch((error: Error) => error);
      expect(failure).toMatchObject({ kind: "model", message: expect.stringContaining("Give a Roboflow API key") });
    }
  });

  it("suggests the name that was meant and never leaves its folder", async () => {
    await expect(store().prepareModel("vision-agent/defualt")).rejects.toThrow('Did you mean "vision-agent/default"?');
    for (const name of ["../secrets", "a/../../b", "a//b", "", "a/b/c/d"]) {
      await expect(store().prepareModel(name)).rejects.toThrow(/is no model id/);
    }
  });

  it("prefers a model of the user's own, also for an alias", async () => {
    await haveLocal("coco/3", { "model.json": JSON.stringify(DESCRIPTION) });
    for (const name of ["coco/3", "yolov8n-640"]) {
      const prepared = await store().prepareModel(name);
      expect(prepared).toMatchObject({
        kind: "described",
        model: {
          description: { id: "coco/3", architecture: "yolov8" },
          weights: join(local, "coco/3", "weights.onnx"),
        },
      });
    }
    expect(await store().prepareModel(join(local, "coco/3"))).toMatchObject({ kind: "described" });
  });

  it("says what is wrong with a folder", async () => {
    await haveLocal("a/1", { "model.json": "{" });
    await expect(store().prepareModel("a/1")).rejects.toThrow(/model\.json is not JSON/);
    await haveLocal("a/2", { "model.json": JSON.stringify({ ...DESCRIPTION, task: "dancing" }) });
    await expect(store().prepareModel("a/2")).rejects.toThrow(/"task" must be one of/);
    await haveLocal("a/3", { "inference_config.json": "{}" });
    await rm(join(local, "a/3/weights.onnx"));
    await expect(store().prepareModel("a/3")).rejects.toThrow(/has no weights\.onnx/);
    await expect(store().prepareModel(join(local, "nowhere"))).rejects.toThrow(/is no model/);
  });
});

describe("createModelStore with a Roboflow key", () => {
  let server: Server;
  let url: string;
  let requests: string[];
  const weights = Buffer.from("onnx bytes");
  const files: Record<string, Buffer> = {
    "weights.onnx": weights,
    "inference_config.json": Buffer.from(JSON.stringify(CONFIG)),
    "class_names.txt": Buffer.from("helmet\nvest\n"),
  };
  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      const address = new URL(request.url!, "http://x");
      requests.push(`${request.headers.authorization ?? "-"} ${address.pathname}`);
      const file = files[address.pathname.slice("/files/".length)];
      const answer = ANSWERS[address.pathname]?.(address.searchParams, `${url}/files`);
      if (file !== undefined) response.end(file);
      else if (answer === undefined) response.writeHead(404).end("{}");
      else response.writeHead(request.headers.authorization === "Bearer wrong" ? 401 : 200).end(JSON.stringify(answer));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  it("fetches the ONNX package of a model once", async () => {
    const prepared = await store({ roboflow: { key: "k", url } }).prepareModel("acme/5");
    expect(prepared).toMatchObject({
      kind: "described",
      model: { description: { id: "acme/5", architecture: "yolov8", classNames: ["helmet", "vest"] } },
    });
    expect(await readFile(join(folder, "roboflow/acme/5/weights.onnx"))).toEqual(weights);
    expect((await readdir(join(folder, "roboflow/acme"))).sort()).toEqual(["5"]);
    expect(requests).toContain("Bearer k /models/v1/external/weights");
    // The key is for Roboflow, not for where it keeps its files.
    expect(requests).toContain("- /files/weights.onnx");
    requests.length = 0;
    expect(await store().prepareModel("acme/5")).toEqual(prepared);
    expect(requests).toEqual([]);
  });

  it("passes on what Roboflow refuses, without the key", async () => {
    const asked = (key: string, id: string) => store({ roboflow: { key, url } }).prepareModel(id);
    await expect(asked("wrong", "acme/5")).rejects.toThrow(
      'The model "acme/5" cannot be fetched: the server answered 401. Check the API key.',
    );
    await expect(asked("secret", "acme/torch")).rejects.toThrow(/has no ONNX weights/);
    await new Promise((done) => server.close(done));
    const failure = await asked("secret", "acme/6").catch((error: Error) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining("Roboflow is not reached") });
    expect(JSON.stringify(failure)).not.toContain("secret");
  });

  it("fetches saved workflows and remembers them for when Roboflow is not reached", async () => {
    const models = store({ roboflow: { key: "k", url } });
    expect(await models.savedWorkflow("acme", "count")).toEqual({ version: "1.0", steps: [] });
    await expect(models.savedWorkflow("acme", "gone")).rejects.toThrow(/the server answered 404/);
    await new Promise((done) => server.close(done));
    expect(await models.savedWorkflow("acme", "count")).toEqual({ version: "1.0", steps: [] });
    expect(await store().savedWorkflow("acme", "count")).toEqual({ version: "1.0", steps: [] });
    await expect(models.savedWorkflow("acme", "other")).rejects.toThrow(/Roboflow is not reached/);
    await expect(store().savedWorkflow("acme", "other")).rejects.toThrow(/give an API key/);
    await expect(models.savedWorkflow("..", "x")).rejects.toThrow(/does not name a workspace/);
  });

  const ANSWERS: Record<string, (query: URLSearchParams, address: string) => unknown> = {
    "/models/v1/external/weights": (query, address) => {
      const onnx = (quantization: string, names: readonly string[]) => ({
        packageManifest: { type: "onnx-model-package-v1", quantization },
        packageFiles: names.map((name) => ({
          fileHandle: name,
          downloadUrl: `${address}/${name}`,
          md5Hash: createHash("md5")
            .update(files[name] ?? "")
            .digest("hex"),
        })),
      });
      const pages = [[onnx("fp16", ["nowhere.onnx"])], [onnx("fp32", Object.keys(files))]];
      const page = Number(query.get("startAfter") ?? 0);
      const modelPackages =
        query.get("modelId") === "acme/5" ? pages[page] : [{ packageManifest: { type: "torch-model-package-v1" } }];
      const nextPage = query.get("modelId") === "acme/5" && page === 0 ? "1" : null;
      return { modelMetadata: { modelArchitecture: "yolov8", taskType: "object-detection", modelPackages, nextPage } };
    },
    "/acme/workflows/count": () => ({
      workflow: { id: "w", config: JSON.stringify({ specification: { version: "1.0", steps: [] } }) },
    }),
  };
});

const DESCRIPTION = {
  task: "object-detection",
  architecture: "yolov8",
  classNames: ["person"],
  input: { width: 64, height: 64 },
};

const CONFIG = {
  network_input: {
    training_input_size: { width: 64, height: 64 },
    color_mode: "rgb",
    resize_mode: "letterbox",
    padding_value: 114,
    input_channels: 3,
    scaling_factor: 255,
  },
  post_processing: { type: "nms", fused: false },
};

function store(options: Partial<ModelStoreOptions> = {}) {
  return createModelStore({
    folder,
    local,
    fetchTarball: () => Promise.reject(new Error("no network in this test")),
    ...options,
  });
}

async function haveWeights(): Promise<void> {
  for (const { folder: name } of [SSDLITE, NANODET]) await mkdir(join(folder, name), { recursive: true });
}

async function haveLocal(id: string, texts: Record<string, string>): Promise<void> {
  await mkdir(join(local, id), { recursive: true });
  for (const [name, text] of Object.entries({ ...texts, "weights.onnx": "onnx" }))
    await writeFile(join(local, id, name), text);
}
