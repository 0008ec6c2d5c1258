import { gzipSync } from "node:zlib";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { clientOf, hurriedClock, startLoopback } from "../testing/loopback.ts";
import { jpegOf } from "../wire/__fixtures__/pictures.ts";

const image = jpegOf(64, 48);
const outputs = { json: { outputs: [{ count: 1 }], profiler_trace: [] } };
const broken = { status: 500, json: { message: "Internal error." } };
const bodyAt = (server: { received: readonly { body: string }[] }, at = 0) => JSON.parse(server.received[at]!.body);

describe("run", () => {
  it("S000-2.2.3 sends pictures, parameters and what need not come back", async () => {
    const server = await startLoopback(outputs);
    const answer = await clientOf(server.url).workflows.run({
      specification: specOf("roboflow_core/roboflow_object_detection_model@v2", { model_id: "yolov8n-640" }),
      images: { image, others: [image, image] },
      parameters: { conf: 0.3 },
      excludedFields: ["viz"],
    });
    expect(answer.outputs).toEqual([{ count: 1 }]);
    expect(server.received[0]!.path).toBe("/workflows/run");
    const body = bodyAt(server);
    expect(body).toMatchObject({ excluded_fields: ["viz"], inputs: { conf: 0.3, image: { type: "base64" } } });
    expect(body.inputs.others).toHaveLength(2);
    expect(body.specification.steps[0].model_id).toBe("coco/3");
    expect(body).not.toHaveProperty("disable_sinks");
  });

  it("is repeated when nothing was sent out by it", async () => {
    const server = await startLoopback(broken, outputs);
    await clientOf(server.url, { clock: hurriedClock() }).workflows.run({
      specification: specOf("roboflow_core/detections_filter@v1"),
      images: { image },
    });
    expect(server.received).toHaveLength(2);
  });

  it.each([
    "roboflow_core/webhook_sink@v1",
    "roboflow_core/email_notification@v2",
    "RoboflowDatasetUpload",
    "roboflow_core/roboflow_custom_metadata@v1",
    "mqtt_writer_sink@v1",
    "somebody/own_block@v1",
  ])("is never repeated with %s, unless sinks are off", async (type) => {
    const server = await startLoopback(broken);
    const client = clientOf(server.url, { clock: hurriedClock() });
    const run = { specification: specOf(type), images: { image } };
    await expect(client.workflows.run(run)).rejects.toMatchObject({ kind: "server" });
    expect(server.received).toHaveLength(1);
    await expect(client.workflows.run({ ...run, disableSinks: true })).rejects.toMatchObject({ kind: "server" });
    expect(server.received).toHaveLength(3);
  });

  it("is never repeated with Python of one's own", async () => {
    const server = await startLoopback(broken);
    const specification = { ...specOf("mine"), dynamic_blocks_definitions: [{}] };
    const run = clientOf(server.url, { clock: hurriedClock() }).workflows.run({ specification, images: { image } });
    await expect(run).rejects.toMatchObject({ kind: "server" });
    expect(server.received).toHaveLength(1);
  });

  it("S000-2.2.2 F-11 finds a saved workflow whose names have spaces, and does not repeat what it does not know", async () => {
    const server = await startLoopback(outputs, broken);
    const client = clientOf(server.url, { clock: hurriedClock() });
    const saved = {
      workspace: "my space",
      workflowId: "count cars/2",
      versionId: "v1",
      useCache: false,
      images: { image },
    };
    await client.workflows.runSaved(saved);
    expect(server.received[0]!.path).toBe("/my%20space/workflows/count%20cars%2F2");
    expect(bodyAt(server)).toMatchObject({ use_cache: false, workflow_version_id: "v1" });
    expect(bodyAt(server)).not.toHaveProperty("specification");
    await expect(client.workflows.runSaved(saved)).rejects.toMatchObject({ kind: "server" });
    expect(server.received).toHaveLength(2);
  });
});

describe("validate", () => {
  it("sends the workflow itself and finds nothing wrong", async () => {
    const server = await startLoopback({ json: { status: "ok" } });
    const spec = specOf("a");
    expect(await clientOf(server.url).workflows.validate(spec)).toEqual([]);
    expect(bodyAt(server)).toEqual(spec);
  });

  it("tells step, property and reason", async () => {
    const block = {
      block_id: "crop",
      block_type: "c",
      property_name: "predictions",
      property_details: "Field required",
    };
    const server = await startLoopback({
      status: 400,
      json: { message: "Could not parse.", error_type: "WorkflowSyntaxError", blocks_errors: [block] },
    });
    expect(await clientOf(server.url).workflows.validate(specOf("a"))).toEqual([
      { step: "crop", property: "predictions", message: "Field required" },
    ]);
  });

  it("reads step and property out of a sentence where the server gives only that", async () => {
    const message =
      "Failed to validate reference provided for step: $steps.crop regarding property: predictions with value: x.";
    const server = await startLoopback({
      status: 400,
      json: { message, error_type: "ReferenceTypeError", inner_error_message: "None" },
    });
    expect(await clientOf(server.url).workflows.validate(specOf("a"))).toEqual([
      { step: "crop", property: "predictions", message },
    ]);
  });

  it("counts Python that the server forbids as a problem of the workflow, though it says 500", async () => {
    const error_type = "WorkflowEnvironmentConfigurationError";
    const server = await startLoopback({ status: 500, json: { message: "Cannot use dynamic blocks.", error_type } });
    expect(await clientOf(server.url, { clock: hurriedClock() }).workflows.validate(specOf("a"))).toEqual([
      { step: null, property: null, message: "Cannot use dynamic blocks." },
    ]);
  });

  it("throws what is no problem of the workflow", async () => {
    const server = await startLoopback({ status: 401, json: { message: "Unauthorized api_key" } });
    await expect(clientOf(server.url).workflows.validate(specOf("a"))).rejects.toMatchObject({ kind: "auth" });
  });
});

describe("descriptions", () => {
  it("S000-2.2.9 reads all blocks from a packed answer without a content type", async () => {
    const blocks = [
      {
        block_schema: { type: "object" },
        outputs_manifest: [{ name: "crops", kind: [{ name: "image", docs: "…" }] }],
        human_friendly_block_name: "Dynamic Crop",
        manifest_type_identifier: "roboflow_core/dynamic_crop@v1",
        manifest_type_identifier_aliases: ["Crop"],
        execution_engine_compatibility: ">=1.3.0,<2.0.0",
      },
    ];
    const server = await startLoopback((response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(JSON.stringify({ blocks, declared_kinds: [] })));
    });
    expect(await clientOf(server.url).workflows.describeBlocks()).toEqual([
      {
        type: "roboflow_core/dynamic_crop@v1",
        aliases: ["Crop"],
        name: "Dynamic Crop",
        schema: { type: "object" },
        outputs: [{ name: "crops", kinds: ["image"] }],
        engine: ">=1.3.0,<2.0.0",
      },
    ]);
    expect(server.received[0]!.headers["accept-encoding"]).toBe("gzip");
  });

  it("sends some key with a description, because servers demand one, and the real one where there is one", async () => {
    const described = { json: { inputs: { image: ["image"] }, outputs: { all: { count: ["integer"] }, one: ["*"] } } };
    const server = await startLoopback(described);
    const target = { specification: specOf("a") };
    expect(await clientOf(server.url).workflows.describeInterface(target)).toEqual(described.json);
    await clientOf(server.url, { apiKey: "k1" }).workflows.describeInterface({ workspace: "w s", workflowId: "x" });
    expect(bodyAt(server)).toMatchObject({ api_key: "none", specification: { version: "1.0" } });
    expect(bodyAt(server, 1)).toEqual({ api_key: "k1" });
    expect(server.received[1]!.path).toBe("/w%20s/workflows/x/describe_interface");
  });

  it("names the models that a workflow needs, and the versions of the engine", async () => {
    const models = { items: [{ model_id: "coco/3" }, { model_id: null }], complete: false };
    const server = await startLoopback(
      { json: { execution_engine_version: "1.17.0", summary: { models } } },
      { json: { versions: ["1.17.0"] } },
    );
    const { workflows } = clientOf(server.url);
    expect(await workflows.describeWorkload({ specification: specOf("a") })).toEqual({
      engineVersion: "1.17.0",
      modelIds: ["coco/3"],
      complete: false,
    });
    expect(await workflows.versions()).toEqual(["1.17.0"]);
  });
});

function specOf(type: string, properties: object = {}): WorkflowSpec {
  return {
    version: "1.0",
    inputs: [{ type: "WorkflowImage", name: "image" }],
    steps: [{ type, name: "one", ...properties }],
    outputs: [{ type: "JsonField", name: "count", selector: "$steps.one.output" }],
  };
}
