import { setTimeout as wait } from "node:timers/promises";
import type { Json } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { exchange } from "./exchange.ts";
import type { FakeServer, FakeServerOptions } from "./fake-server.ts";
import { scriptedRunner } from "./scripted-runner.ts";
import { startFakeServer } from "./start-fake-server.ts";

const CAMERA = "rtsp://camera/1";
const DEAD = "rtsp://camera/dead";
const SPEC = {
  version: "1.0",
  inputs: [{ type: "InferenceImage", name: "image" }],
  steps: [
    {
      type: "roboflow_core/roboflow_object_detection_model@v2",
      name: "det",
      images: "$inputs.image",
      model_id: "coco/3",
    },
  ],
  outputs: [{ type: "JsonField", name: "found", selector: "$steps.det.predictions" }],
};
const WHOLE_FILE = { source_buffer_filling_strategy: "WAIT", source_buffer_consumption_strategy: "LAZY" };

interface Reply {
  readonly status: number;
  readonly json: { readonly [key: string]: Json } & {
    pipelines?: string[];
    frames_metadata?: { frame_id: number }[];
    report?: Report;
  };
}
interface Report {
  readonly sources_metadata: { readonly state: string }[];
  readonly video_source_status_updates: {
    readonly event_type: string;
    readonly payload: { readonly error_type?: string };
  }[];
}

let server: FakeServer;

afterEach(() => server.close());

describe("the fake stream manager", () => {
  it("refuses what has no type tag and, since 1.8, bare names", async () => {
    await open();
    expect((await post("/inference_pipelines/initialise", {})).status).toBe(422);
    const untagged = {
      video_configuration: { video_reference: "/a" },
      processing_configuration: { workflow_specification: SPEC },
    };
    expect((await post("/inference_pipelines/initialise", untagged)).status).toBe(422);
    expect((await start("video.mp4")).status).toBe(422);
    await server.restart({ version: "1.5.0" });
    expect((await start("video.mp4")).status).toBe(200);
  });

  it("loses the tail of a file unless the decoding buffer holds one frame", async () => {
    await open({ timeScale: 0.3 });
    expect(await readToEnd(await startId("/a.mp4", { ...WHOLE_FILE }, { decoding_buffer_size: 1 }))).toBe(30);
    expect(await readToEnd(await startId("/a.mp4", { ...WHOLE_FILE }))).toBeLessThan(25);
  });

  it("forgets a pipeline about a second after its camera is gone and does not reconnect", async () => {
    await open();
    const id = await startId(CAMERA);
    await until(async () => ((await get(`${id}/consume`)).json.frames_metadata?.length ?? 0) > 0);
    server.camera(CAMERA).unplug();
    server.camera(CAMERA).plugIn();
    await until(async () => (await get(`${id}/status`)).status === 404);
    expect((await get("list")).json.pipelines).toEqual([]);
  });

  it("answers a call that races the end with 404 after a while, and the manager lives on", async () => {
    await open();
    const id = await startId(CAMERA);
    await wait(100);
    server.camera(CAMERA).unplug();
    await until(() => Promise.resolve(server.pipelines.length === 0));
    expect((await get(`${id}/consume`)).json.message).toContain("is not running");
    expect((await get(`${id}/consume`)).json.message).toContain("Could not find");
  });

  it("wedges on 1.5 when a call races the end", async () => {
    await open({ version: "1.5.0", managerTimeoutMs: 500 });
    const id = await startId(CAMERA);
    await wait(100);
    server.camera(CAMERA).unplug();
    await until(() => Promise.resolve(server.pipelines.length === 0));
    expect((await get(`${id}/consume`)).json).toMatchObject({ error_type: "ConnectivityError" });
    expect((await get("list")).json).toMatchObject({ error_type: "ConnectivityError" });
  });

  it.each([
    ["running", "terminate"],
    ["muted", "terminate"],
    ["running", "consumption_timeout"],
  ])("wedges when a %s file that waits is ended by %s", async (state, how) => {
    await open({ managerTimeoutMs: 500 });
    const timeout = how === "consumption_timeout" ? { consumption_timeout: 1 } : {};
    const id = await startId("/long.mp4", WHOLE_FILE, { decoding_buffer_size: 1, ...timeout });
    await until(async () => (await get(`${id}/status`)).json.report?.sources_metadata[0]?.state === "RUNNING");
    if (state === "muted") await post(`/inference_pipelines/${id}/pause`);
    if (how === "terminate") await post(`/inference_pipelines/${id}/terminate`);
    await until(async () => (await get("list")).json.error_type === "ConnectivityError");
  });

  it("leaves an id behind when initialise fails, which can be terminated", async () => {
    await open();
    const steps = [{ ...SPEC.steps[0], images: "$inputs.zzz" }];
    expect((await start(CAMERA, {}, {}, { ...SPEC, steps })).status).toBe(500);
    const [phantom] = (await get("list")).json.pipelines ?? [];
    expect((await get(`${phantom}/status`)).json.report?.sources_metadata).toEqual([]);
    expect((await post(`/inference_pipelines/${phantom}/terminate`)).status).toBe(200);
    expect((await start(CAMERA, {}, {}, { ...SPEC, steps: [{ type: "nope", name: "a" }] })).status).toBe(400);
  });

  it("answers 400 to terminate and 404 to everything else of an unknown id", async () => {
    await open();
    expect((await post("/inference_pipelines/none/terminate")).status).toBe(400);
    expect((await get("none/status")).status).toBe(404);
    expect((await get("none/consume")).status).toBe(404);
    expect((await post("/inference_pipelines/none/pause")).status).toBe(404);
  });

  it("takes eight pipelines and no more", async () => {
    await open();
    for (let count = 0; count < 8; count++) expect((await start(CAMERA)).status).toBe(200);
    expect((await start(CAMERA)).json).toMatchObject({ error_type: "ProcessesManagerInternalError" });
  });

  it("pauses a camera once, and runs a paused file to its end", async () => {
    await open();
    const id = await startId(CAMERA);
    await until(async () => (await post(`/inference_pipelines/${id}/pause`)).status === 200);
    expect((await post(`/inference_pipelines/${id}/pause`)).json).toMatchObject({
      error_type: "ProcessesManagerOperationError",
    });
    expect((await post(`/inference_pipelines/${id}/resume`)).status).toBe(200);
    const file = await startId("/long.mp4", WHOLE_FILE, { decoding_buffer_size: 1 });
    await until(async () => (await post(`/inference_pipelines/${file}/pause`)).status === 200);
    await until(async () => (await get(`${file}/status`)).status === 404);
  });

  it("ends itself when nobody consumes for the time agreed", async () => {
    await open();
    const id = await startId(CAMERA, {}, { consumption_timeout: 1 });
    await until(async () => (await get(`${id}/status`)).status === 404);
  });

  it("shows a dead source and an unknown model in the status only", async () => {
    await open();
    const dead = await startId(DEAD);
    await until(async () => (await errorsOf(dead)).includes("SourceConnectionError"));
    const steps = [{ ...SPEC.steps[0], model_id: "nope/1" }];
    const reply = await start(CAMERA, {}, {}, { ...SPEC, steps });
    const id = (reply.json.context as { pipeline_id: string }).pipeline_id;
    await until(async () => (await errorsOf(id)).includes("StepExecutionError"));
    expect((await get(`${id}/consume`)).json).toMatchObject({ outputs: [], frames_metadata: [] });
    expect((await get(`${id}/status`)).json.report?.sources_metadata[0]?.state).toBe("RUNNING");
  });

  it("gives null for a source that has ended; 1.5 gives 500", async () => {
    await open({ version: "1.8.3" });
    const both = ["/a.mp4", CAMERA];
    const id = await startId(both);
    await until(async () => (await get(`${id}/consume`)).json.frames_metadata?.[0] === null);
    await server.restart({ version: "1.5.0" });
    const old = await startId(both);
    await until(async () => (await get(`${old}/consume`)).status === 500);
  });

  it("reads the options of consume from the body of a GET and refuses wrong ones", async () => {
    await open();
    const id = await startId(CAMERA);
    await until(async () => {
      const { json } = await get(`${id}/consume`, { excluded_fields: ["found"] });
      return JSON.stringify(json.outputs) === "[{}]";
    });
    expect((await get(`${id}/consume`, { excluded_fields: 5 })).status).toBe(422);
    expect((await get("list", { a: 1 })).status).toBe(400);
  });
});

async function open(options: FakeServerOptions = {}): Promise<void> {
  const files = { "/a.mp4": { frames: 30, fps: 10 }, "/long.mp4": { frames: 400, fps: 10 } };
  const cameras = { [CAMERA]: { fps: 10 }, [DEAD]: { alive: false } };
  server = await startFakeServer({ files, cameras, timeScale: 0.1, workflows: scriptedRunner(), ...options });
}

function start(reference: Json, video: object = {}, more: object = {}, spec: unknown = SPEC): Promise<Reply> {
  return post("/inference_pipelines/initialise", {
    video_configuration: { type: "VideoConfiguration", video_reference: reference, ...video },
    processing_configuration: { type: "WorkflowConfiguration", workflow_specification: spec },
    sink_configuration: { type: "MemorySinkConfiguration", results_buffer_size: 64 },
    ...more,
  });
}

async function startId(reference: Json, video: object = {}, more: object = {}): Promise<string> {
  const { json } = await start(reference, video, more);
  return (json.context as { pipeline_id: string }).pipeline_id;
}

async function readToEnd(id: string): Promise<number> {
  for (let results = 0; ; ) {
    const { status, json } = await get(`${id}/consume`);
    if (status !== 200) return results;
    results += json.frames_metadata?.length ?? 0;
    await wait(2);
  }
}

async function errorsOf(id: string): Promise<readonly (string | undefined)[]> {
  const { json } = await get(`${id}/status`);
  return json.report?.video_source_status_updates.map((event) => event.payload.error_type) ?? [];
}

async function until(check: () => Promise<boolean>): Promise<void> {
  for (let left = 800; left > 0; left--) {
    if (await check()) return;
    await wait(5);
  }
  throw new Error("It never came about.");
}

function get(path: string, body?: unknown): Promise<Reply> {
  return ask("GET", `/inference_pipelines/${path}`, body);
}

function post(path: string, body?: unknown): Promise<Reply> {
  return ask("POST", path, body);
}

function ask(method: string, path: string, body?: unknown): Promise<Reply> {
  return exchange(server.url + path, method, body) as Promise<Reply>;
}
