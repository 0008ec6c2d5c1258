import { describe, expect, it } from "vitest";
import { clientOf, startLoopback } from "../testing/loopback.ts";

const detector = {
  model_id: "coco/3",
  task_type: "object-detection",
  batch_size: "N",
  input_width: 640,
  input_height: 480,
};

describe("the models of a server", () => {
  it("S000-2.2.10 are listed, loaded and let go, each call answered with those that are left", async () => {
    const holding = { json: { models: [detector] } };
    const server = await startLoopback(holding, holding, { json: { models: [] } });
    const { models } = clientOf(server.url, { apiKey: "k1" });
    const listed = [{ modelId: "coco/3", taskType: "object-detection", input: { width: 640, height: 480 } }];
    expect(await models.list()).toEqual(listed);
    expect(await models.add("coco/3")).toEqual(listed);
    expect(await models.remove("coco/3")).toEqual([]);
    expect(await models.clear()).toEqual([]);
    expect(server.received.map(({ method, path }) => `${method} ${path.split("?")[0]}`)).toEqual([
      "GET /model/registry",
      "POST /model/add",
      "POST /model/remove",
      "POST /model/clear",
    ]);
    expect(server.received.slice(1, 3).map(({ body }) => JSON.parse(body).model_id)).toEqual(["coco/3", "coco/3"]);
  });
});
