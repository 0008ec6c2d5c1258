import { describe, expect, it } from "vitest";
import { clientOf, hurriedClock, startLoopback } from "../testing/loopback.ts";

const context = { request_id: "r", pipeline_id: "uuid-1" };
const success = { json: { status: "success", context } };
const specification = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [{ type: "detect", name: "det", model_id: "yolov8n-640" }],
  outputs: [{ type: "JsonField", name: "found", selector: "$steps.det.predictions" }],
};
const operationError = {
  status: 500,
  json: {
    message: "Cannot get pipeline status.",
    error_type: "ProcessesManagerOperationError",
    inner_error_type: null,
  },
};
const statusOf = (state: string) => ({
  json: {
    report: {
      video_source_status_updates: [],
      latency_reports: [],
      inference_throughput: 0,
      sources_metadata: [{ source_id: 0, state, source_properties: null }],
    },
  },
});

describe("initialise", () => {
  it("S000-2.2.4 F-01 reads the pipeline id from the context", async () => {
    const server = await startLoopback({ json: { status: "success", pipeline_id: "wrong", context } });
    const started = clientOf(server.url).pipelines.initialise({ source: "rtsp://cam/1", workflow: { specification } });
    expect(await started).toBe("uuid-1");
  });

  it("F-11 sends every part of the start with its tag, paths with spaces as they are", async () => {
    const server = await startLoopback(success);
    await clientOf(server.url, { apiKey: "k1" }).pipelines.initialise({
      source: "/data/my films/a b.mp4",
      workflow: { specification },
      parameters: { conf: 0.3 },
      maxFps: 5,
      filling: "WAIT",
      consumption: "LAZY",
      decodingBufferSize: 1,
      resultsBufferSize: 32,
      consumptionTimeoutS: 30,
      disableSinks: true,
    });
    expect(JSON.parse(server.received[0]!.body)).toEqual({
      api_key: "k1",
      video_configuration: {
        type: "VideoConfiguration",
        video_reference: "/data/my films/a b.mp4",
        max_fps: 5,
        source_buffer_filling_strategy: "WAIT",
        source_buffer_consumption_strategy: "LAZY",
      },
      processing_configuration: {
        type: "WorkflowConfiguration",
        workflow_specification: { ...specification, steps: [{ ...specification.steps[0], model_id: "coco/3" }] },
        image_input_name: "image",
        workflows_parameters: { conf: 0.3 },
        disable_sinks: true,
      },
      sink_configuration: { type: "MemorySinkConfiguration", results_buffer_size: 32 },
      consumption_timeout: 30,
      decoding_buffer_size: 1,
    });
  });

  it("names a saved workflow", async () => {
    const server = await startLoopback(success);
    await clientOf(server.url).pipelines.initialise({
      source: 0,
      workflow: { workspace: "w", workflowId: "x", versionId: "2" },
    });
    expect(JSON.parse(server.received[0]!.body).processing_configuration).toEqual({
      type: "WorkflowConfiguration",
      workspace_name: "w",
      workflow_id: "x",
      workflow_version_id: "2",
      image_input_name: "image",
    });
  });

  it("is never repeated: a failed one may have left a process", async () => {
    const server = await startLoopback({ status: 500, json: { message: "internal_error" } });
    const failed = clientOf(server.url, { clock: hurriedClock() }).pipelines.initialise({
      source: 0,
      workflow: { specification },
    });
    await expect(failed).rejects.toMatchObject({ kind: "server" });
    expect(server.received.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

describe("list", () => {
  it("F-02 gives the list of pipelines as a list", async () => {
    const server = await startLoopback({ json: { status: "success", context, pipelines: ["a", "b"] } });
    expect(await clientOf(server.url).pipelines.list()).toEqual(["a", "b"]);
  });
});

describe("status", () => {
  it("tells state, progress and errors, without the numbers that streams make up", async () => {
    const server = await startLoopback({
      json: {
        report: {
          video_source_status_updates: [
            {
              timestamp: "2026-11-15T04:58:07.309748",
              severity: 20,
              event_type: "INFERENCE_THREAD_STARTED",
              payload: {},
              context: "x",
            },
            {
              timestamp: "2026-11-15T04:58:08+01:00",
              severity: 40,
              event_type: "INFERENCE_ERROR",
              payload: { error_type: "SourceConnectionError", error_message: "Cannot connect to rtsp://u:p@cam/1" },
              context: "x",
            },
          ],
          latency_reports: [{ source_id: 0, frame_decoding_latency: null, inference_latency: 0.1, e2e_latency: 0.25 }],
          inference_throughput: 9.2,
          sources_metadata: [
            {
              source_properties: {
                width: 384,
                height: 288,
                total_frames: -(2 ** 63),
                is_file: false,
                fps: 25,
              },
              source_reference: "rtsp://u:p@cam/1",
              state: "RUNNING",
              source_id: 0,
            },
            { source_properties: null, state: "DREAMING", source_id: 1 },
          ],
          completion_statistics: { sources: [{ source_id: 0, completed_frames: 45, last_frame_id: 48 }] },
        },
      },
    });
    const report = await clientOf(server.url).pipelines.status("uuid-1");
    expect(report).toEqual({
      updates: [
        { severity: "info", type: "INFERENCE_THREAD_STARTED" },
        {
          severity: "error",
          type: "INFERENCE_ERROR",
          error: "SourceConnectionError: Cannot connect to rtsp://***@cam/1",
        },
      ],
      sources: [
        {
          sourceId: 0,
          state: "RUNNING",
          size: { width: 384, height: 288 },
          fps: 25,
          isFile: false,
          totalFrames: undefined,
          completedFrames: 45,
          lastFrameId: 48,
          latencyMs: 250,
        },
        expect.objectContaining({ sourceId: 1, state: undefined, size: undefined, completedFrames: undefined }),
      ],
    });
  });

  it("says not_found for an id that the server does not know", async () => {
    const server = await startLoopback({
      status: 404,
      json: { message: "Could not find InferencePipeline with id=a b.", error_type: "ProcessesManagerNotFoundError" },
    });
    await expect(clientOf(server.url).pipelines.status("a b")).rejects.toMatchObject({
      kind: "not_found",
      status: 404,
    });
    expect(server.received[0]!.path).toBe("/inference_pipelines/a%20b/status");
  });
});

describe("pause, resume, terminate", () => {
  it("S000-2.2.6 takes pausing the paused and resuming the running for done", async () => {
    const paused = await startLoopback(operationError, statusOf("MUTED"));
    await clientOf(paused.url).pipelines.pause("uuid-1");
    expect(paused.received.map(({ path }) => path.split("/").at(-1))).toEqual(["pause", "status"]);
    const running = await startLoopback(operationError, statusOf("RUNNING"));
    await clientOf(running.url).pipelines.resume("uuid-1");
  });

  it("still says so when the state is another", async () => {
    const server = await startLoopback(operationError, statusOf("INITIALISING"));
    await expect(clientOf(server.url).pipelines.pause("uuid-1")).rejects.toMatchObject({ kind: "server" });
  });

  it("says not_found for terminating an unknown id, though the server says 400", async () => {
    const server = await startLoopback({
      status: 400,
      json: { message: "Error type: invalid_payload. Details: N/A", error_type: "ProcessesManagerInvalidPayload" },
    });
    await expect(clientOf(server.url).pipelines.terminate("uuid-1")).rejects.toMatchObject({ kind: "not_found" });
  });

  it("S000-2.2.6 sends no body", async () => {
    const server = await startLoopback(success);
    await clientOf(server.url, { apiKey: "k1" }).pipelines.terminate("uuid-1");
    expect(server.received[0]).toMatchObject({
      method: "POST",
      body: "",
      path: "/inference_pipelines/uuid-1/terminate",
    });
  });
});

describe("consume", () => {
  it("S000-2.2.5 takes one result, with its options in the body of a GET", async () => {
    const server = await startLoopback({
      json: {
        outputs: [{ count: 2 }, null],
        frames_metadata: [{ frame_timestamp: "2026-11-15T04:29:45.391664", frame_id: 14, source_id: 0 }, null],
      },
    });
    const result = await clientOf(server.url).pipelines.consume("uuid-1", { excludedFields: ["viz"] });
    expect(server.received[0]).toMatchObject({ method: "GET", body: '{"excluded_fields":["viz"]}' });
    expect(result).toEqual({
      frames: [{ sourceId: 0, frameId: 14, timestamp: "2026-11-15T04:29:45.391Z", outputs: { count: 2 } }, undefined],
    });
  });

  it("gives nothing when nothing is ready", async () => {
    const server = await startLoopback({ json: { status: "success", context, outputs: [], frames_metadata: [] } });
    expect(await clientOf(server.url).pipelines.consume("uuid-1")).toBeUndefined();
    expect(server.received[0]!.body).toBe("");
  });

  it("is never repeated: the lost answer may have held a result", async () => {
    const server = await startLoopback((response) => response.destroy());
    await expect(clientOf(server.url, { clock: hurriedClock() }).pipelines.consume("uuid-1")).rejects.toMatchObject({
      kind: "network",
    });
    expect(server.received).toHaveLength(1);
  });
});
