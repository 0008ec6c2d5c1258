// recorded answers of real servers → what our client makes of them
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Json, WorkflowSpec } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { ClientError } from "./errors.ts";
import type { InferenceClient } from "./http/inference-client.ts";
import { clientOf, hurriedClock, startLoopback } from "./testing/loopback.ts";
import { parseUploadChunk } from "./testing/server-framing.ts";
import { createReassembly, parseMessage, toMessageText } from "./webrtc/framing.ts";

type JsonMap = { [key: string]: Json };

interface Exchange {
  readonly request: { readonly method: string; readonly path: string; readonly body: JsonMap | null };
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly response: Json;
}

interface WireNote {
  readonly dir: string;
  readonly channel?: string;
  readonly headerHex?: string;
  readonly payloadBytes?: number;
  readonly header?: { readonly frame_id?: number; readonly chunk_index: number; readonly total_chunks: number };
}

const FOLDER = join(process.env.VISION_AGENT_SHARED ?? "../shared", "reference/inference-fixtures");
const READY = existsSync(FOLDER);
const NAMES = READY
  ? readdirSync(FOLDER).filter((name) => /^[a-z].*\.json$/.test(name) && name !== "blocks-index.json")
  : [];
const load = <T>(name: string): T => JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as T;
const SINGLE = NAMES.filter((name) => "request" in load<object>(name) && !name.startsWith("webrtc-"));
const SESSIONS = NAMES.filter((name) => "wire" in load<object>(name));

/** What our client makes of each recorded answer: the kind of the error, or a part of the value. */
const EXPECTED: Readonly<Record<string, string | object>> = {
  "describe-interface-no-key.json": "auth",
  "describe-interface.json": { inputs: { image: ["image"], conf: ["float_zero_to_one"] } },
  "describe-workload.json": { modelIds: ["coco/3"], complete: true, engineVersion: "1.17.0" },
  "ee-versions.json": ["1.17.0"],
  "error-400-image.json": "invalid",
  "error-400-numpy.json": "invalid",
  "error-400-url-offline.json": "invalid",
  "error-422.json": "invalid",
  "error-503-alias-not-ready.json": "busy",
  "error-503-unknown-model-offline.json": "server",
  "error-legacy-catch-all.json": "server",
  "infer-classification-multilabel.json": { kind: "multi_label_classification" },
  "infer-classification.json": { kind: "classification", top: "person" },
  "infer-instance-segmentation-rle.json": { kind: "instance_segmentation", predictions: [{ rle: { size: [48, 64] } }] },
  "infer-instance-segmentation.json": { kind: "instance_segmentation", predictions: [{ className: "person" }] },
  "infer-keypoints.json": { kind: "keypoints", predictions: [{ className: "person" }] },
  "infer-object-detection-batch.json": [{ kind: "object_detection" }, { image: { width: 72, height: 72 } }],
  "infer-object-detection-empty.json": { kind: "object_detection", predictions: [], image: { width: 72, height: 72 } },
  "infer-object-detection.json": { kind: "object_detection", image: { width: 86, height: 58 } },
  "info.json": { version: "1.8.3" },
  "model-registry.json": [{ modelId: "coco/3", taskType: "object-detection", input: { width: 416, height: 416 } }],
  "pipeline-consume-empty.json": { nothing: true },
  "pipeline-consume.json": { frames: [{ frameId: 1, sourceId: 0 }] },
  "pipeline-initialise-bad-reference.json": "invalid",
  "pipeline-initialise.json": { id: "d592288e-e412-44bf-901a-a51eabd46302" },
  "pipeline-pause-twice.json": { nothing: true },
  "pipeline-pause.json": { nothing: true },
  "pipeline-resume.json": { nothing: true },
  "pipeline-status-not-found.json": "not_found",
  "pipeline-status.json": { sources: [{ state: "RUNNING", completedFrames: 45, isFile: false }] },
  "pipeline-terminate-unknown.json": "not_found",
  "pipeline-terminate.json": { nothing: true },
  "pipelines-list-empty.json": [],
  "pipelines-list.json": ["d592288e-e412-44bf-901a-a51eabd46302"],
  "run-bad-image.json": "invalid",
  "run-file-image.json": "invalid",
  "run-missing-input.json": "invalid",
  "run-unknown-model-offline.json": "server",
  "validate-bad-output.json": [{ step: "$outputs" }],
  "validate-bad-reference.json": [{ step: "crop" }],
  "validate-custom-python-disabled.json": [{}],
  "validate-duplicate-name.json": [{}],
  "validate-kind-mismatch.json": [{}],
  "validate-missing-property.json": [{ step: "crop", property: "predictions" }],
  "validate-ok.json": [],
  "validate-unknown-block.json": [{ step: "det" }],
  "validate-version.json": [{}],
  "workflow-run-batch.json": { outputs: [{ count: 3 }, { count: 2 }] },
  "workflow-run-classification.json": { outputs: [{ p: { top: "person" } }] },
  "workflow-run-empty.json": { outputs: [{ count: 0 }] },
  "workflow-run-keypoints.json": { outputs: [{ p: { image: { width: 64 } } }] },
  "workflow-run-segmentation.json": { outputs: [{ p: { image: { width: 64 } } }] },
  "workflow-run-tracked.json": { outputs: [{ tracked: { image: { width: 86 } } }] },
  "workflow-run.json": { outputs: [{ count: 1 }] },
};

/** Our client has no call for these routes. */
const WITHOUT_CALL = ["error-501-embeddings.json"];

describe.runIf(READY)("our client and the recorded answers", () => {
  it.each(SINGLE.filter((name) => !WITHOUT_CALL.includes(name)))("understands %s", async (name) => {
    const recorded = load<Exchange>(name);
    const answer = { status: recorded.status, headers: pick(recorded.headers), json: recorded.response };
    const server = await startLoopback(
      answer,
      ...(name === "pipeline-pause-twice.json" ? [{ json: mutedStatus() }] : []),
    );
    const client = clientOf(server.url, { clock: hurriedClock(), timeouts: { infoMs: 15_000 } });
    const expected = EXPECTED[name];
    expect(expected, `nothing is expected of ${name} yet`).toBeDefined();
    const outcome = await callFor(client, recorded.request).catch((error: unknown) => error);
    if (typeof expected !== "string") {
      expect(outcome).toMatchObject(expected ?? {});
      return;
    }
    expect(outcome).toBeInstanceOf(ClientError);
    expect(outcome).toMatchObject({ kind: expected });
    expect((outcome as ClientError).message.length).toBeLessThan(1000);
    expect((outcome as ClientError).message).not.toMatch(/[A-Za-z0-9+/]{120}/);
  });
});

describe.runIf(READY)("our framing and the recorded WebRTC messages", () => {
  it.each(SESSIONS)("reads the headers of %s", (name) => {
    const notes = load<{ wire: readonly WireNote[] }>(name).wire.filter((note) => note.headerHex !== undefined);
    for (const note of notes) {
      const bytes = Buffer.concat([Buffer.from(note.headerHex ?? "", "hex"), Buffer.alloc(note.payloadBytes ?? 0)]);
      if (note.channel === "video_upload") {
        const { chunk_index: index, total_chunks: total } = note.header ?? { chunk_index: -1, total_chunks: -1 };
        expect(parseUploadChunk(bytes)).toMatchObject({ index, total });
        continue;
      }
      const isWhole = note.header?.total_chunks === 1;
      const assembled = createReassembly().add(bytes);
      expect(assembled).toMatchObject(
        isWhole ? { kind: "message", frameId: note.header?.frame_id } : { kind: "partial" },
      );
    }
  });

  it.each(SESSIONS)("understands the messages of %s", (name) => {
    const { first_messages: first, last_message: last } = load<{
      first_messages: readonly Json[];
      last_message: JsonMap;
    }>(name);
    for (const message of first) {
      expect(parseMessage(toMessageText(gzipSync(JSON.stringify(message))))).toMatchObject({
        kind: "result",
        errors: [],
      });
    }
    const isLast = last.processing_complete === true;
    expect(parseMessage(toMessageText(Buffer.from(JSON.stringify(last)))).kind).toBe(isLast ? "complete" : "result");
  });

  it("knows the message of a time limit", () => {
    const { message } = load<{ message: Json }>("webrtc-timeout-message.json");
    expect(parseMessage(JSON.stringify(message))).toEqual({ kind: "complete", timeLimit: true });
  });
});

describe.skipIf(READY)("recorded answers", () => {
  it("are left out", () => {
    process.stdout.write(`No recorded answers at ${FOLDER}: left out.\n`);
  });
});

/** What the client reads next when a pause is refused: it is paused already. */
function mutedStatus(): Json {
  const text = JSON.stringify(load<Exchange>("pipeline-status.json").response);
  return JSON.parse(text.replace('"state":"RUNNING"', '"state":"MUTED"')) as Json;
}

/** Only these headers change what a client does. */
function pick(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name === "retry-after"));
}

/** The call of our client that sends the recorded request; what has no result gives `{nothing: true}`. */
async function callFor(client: InferenceClient, { path, body }: Exchange["request"]): Promise<unknown> {
  const [, id = "", verb] = /^\/inference_pipelines\/([^/]+)\/(\w+)$/.exec(path) ?? [];
  if (verb !== undefined) return (await pipelineCall(client, id, verb)) ?? { nothing: true };
  if (path === "/info") return client.info();
  if (path === "/model/registry") return client.models.list();
  if (path === "/inference_pipelines/list") return client.pipelines.list();
  if (path === "/inference_pipelines/initialise") return { id: await client.pipelines.initialise(startOf(body ?? {})) };
  if (path === "/workflows/execution_engine/versions") return client.workflows.versions();
  const spec = (path === "/workflows/validate" ? body : body?.specification) as WorkflowSpec;
  if (path === "/workflows/validate") return client.workflows.validate(spec);
  if (path === "/workflows/describe_interface") return client.workflows.describeInterface({ specification: spec });
  if (path === "/workflows/describe_workload") return client.workflows.describeWorkload({ specification: spec });
  if (path === "/workflows/run")
    return client.workflows.run({ specification: spec, images: { image: TINY }, disableSinks: true });
  const modelId = String(body?.model_id);
  if (Array.isArray(body?.image)) return client.inferBatch({ modelId, images: body.image.map(() => TINY) });
  return client.infer({ modelId, image: TINY, task: taskOf(path) });
}

function pipelineCall(client: InferenceClient, id: string, verb: string): Promise<unknown> {
  const { pipelines } = client;
  if (verb === "status") return pipelines.status(id);
  if (verb === "consume") return pipelines.consume(id);
  if (verb === "pause") return pipelines.pause(id);
  return verb === "resume" ? pipelines.resume(id) : pipelines.terminate(id);
}

function startOf(body: JsonMap): Parameters<InferenceClient["pipelines"]["initialise"]>[0] {
  const video = body.video_configuration as { video_reference: string };
  const processing = body.processing_configuration as { workflow_specification: Json };
  return {
    source: video.video_reference,
    workflow: { specification: processing.workflow_specification as unknown as WorkflowSpec },
  };
}

function taskOf(path: string): "classification" | "instance-segmentation" | "keypoint-detection" | "object-detection" {
  if (path.endsWith("classification")) return "classification";
  if (path.endsWith("instance_segmentation")) return "instance-segmentation";
  return path.endsWith("keypoints_detection") ? "keypoint-detection" : "object-detection";
}

const TINY = Buffer.from("Qk1GAAAAAAAAADYAAAAoAAAAAgAAAAIAAAABABgAAAAAABAAAAATCwAAEwsAAAAAAAAAAAAA", "base64");
