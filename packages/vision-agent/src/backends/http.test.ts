import type { LedgerEntry, PipelineLedger } from "@vision-agent/inference-client";
import type { FakeServerOptions } from "@vision-agent/inference-client/testing";
import type { FrameResult, PipelineState } from "@vision-agent/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { backendContract, rememberOpened } from "../testing/backend-contract.ts";
import { CAMERA, MODEL, SAVED, startFakeFleet } from "../testing/fake-fleet.ts";
import type { PipelineRequest } from "./backend.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { createHttpBackend } from "./http.ts";

for (const version of ["1.8.3", "1.5.0"] as const) {
  backendContract(`http on a fake server ${version}`, async () => {
    const { server, backend } = await create({ version });
    return { backend, server, address: CAMERA, modelId: MODEL, savedWorkflow: SAVED };
  });
}

describe("S000-9.13 the http backend", () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  const open = async () => {
    const made = await create();
    closing.push(async () => {
      made.server.mend();
      await made.stopAll();
      await made.server.close();
    });
    return made;
  };

  it("F-07 sends the confidence and the classes of a model job", async () => {
    const { backend, server } = await open();
    const job = { kind: "model", modelId: MODEL, confidence: 0.7, classes: ["person"] } as const;
    const { result, annotated } = await backend.run(job, { kind: "source", sourceId: "cam", address: CAMERA });
    const sent = server.calls.findLast(({ path }) => path === "/workflows/run")?.body;
    expect(sent).toMatchObject({ specification: { steps: [{ confidence: 0.7, class_filter: ["person"] }, {}] } });
    expect(result.outputs.predictions).toMatchObject({ kind: "detections", detections: { class_name: ["person"] } });
    expect(annotated?.jpeg.length).toBeGreaterThan(0);
  });

  it("refuses a camera with privacy masks, which the server would read without them", async () => {
    const { server, masked } = await open();
    await expect(masked.backend.open(collect().request)).rejects.toMatchObject({
      kind: "source",
      message: expect.stringContaining("cam has privacy masks"),
    });
    expect(server.pipelines).toEqual([]);
  });

  it("F-01 F-03 keeps our id of a pipeline and knows the server's own", async () => {
    const { backend, server, entries } = await open();
    const { request } = collect();
    const pipeline = await backend.open(request);
    expect(server.pipelines.map(({ id }) => id)).toEqual(entries().map(({ serverId }) => serverId));
    expect(pipeline.server()).toBe("cellar");
  });

  it("F-04 says that a pipeline could not be stopped, and stops it later", async () => {
    const { backend, server } = await open();
    const { request } = collect();
    const pipeline = await backend.open(request);
    server.break({ kind: "status", status: 500, path: /terminate|list/ });
    await expect(pipeline.stop()).rejects.toMatchObject({
      name: "BackendError",
      message: expect.stringContaining("may still run"),
    });
    server.mend();
    await pipeline.stop();
    expect(server.pipelines).toEqual([]);
  });

  it("asks for no picture while nobody looks, and for the frame alone while somebody does", async () => {
    const { backend, server } = await open();
    const { request, seen } = collect();
    const pipeline = await backend.open(request);
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(5), { timeout: 10_000 });
    const excluded = () => server.calls.findLast(({ path }) => path.endsWith("/consume"))?.body;
    expect(excluded()).toEqual({ excluded_fields: ["annotated", "__frame"] });
    const leave = pipeline.view(() => undefined);
    await vi.waitFor(() => expect(excluded()).toEqual({ excluded_fields: ["annotated"] }), { timeout: 10_000 });
    leave();
    await vi.waitFor(() => expect(excluded()).toEqual({ excluded_fields: ["annotated", "__frame"] }));
    expect(seen.every(({ outputs }) => outputs.annotated?.kind === "image")).toBe(true);
    expect(Object.keys(seen[0]?.outputs ?? {})).toEqual(["predictions", "annotated"]);
  });

  it("shows the drawn picture of a pipeline", async () => {
    const { backend } = await open();
    const { request, seen } = collect();
    const pipeline = await backend.open(request);
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(2), { timeout: 10_000 });
    const drawn = await pipeline.picture({ output: "annotated", frameNumber: seen.at(-1)!.frame.frame_number });
    expect(drawn?.frame.frame_number).toBeGreaterThanOrEqual(seen[2]!.frame.frame_number);
    expect(drawn?.jpeg.length).toBeGreaterThan(0);
  });

  it("F-11 runs a file with a space in its path to its last frame", async () => {
    const { backend } = await open();
    const { request, seen, states } = collect("/videos/my clip.avi");
    await backend.open(request);
    await vi.waitFor(() => expect(states).toContain("ended"), { timeout: 15_000 });
    expect(seen.map(({ frame }) => frame.frame_number)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
    expect(seen[0]?.frame.comes_from_video_file).toBe(true);
  });

  it("goes on with what its last life left running", async () => {
    const { backend, server, again } = await open();
    const { request, seen } = collect();
    await backend.open(request);
    const [before] = server.pipelines;
    const { backend: next } = again();
    const adopted = await next.open(request);
    expect(server.pipelines.map(({ id }) => id)).toEqual([before?.id]);
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(2), { timeout: 10_000 });
    await adopted.stop();
    expect(server.pipelines).toEqual([]);
  });

  it.each(["sim://street", "webcam:0", "clip.mp4"])("refuses %s before a server is asked", async (address) => {
    const { backend, server } = await open();
    await expect(backend.open(collect(address).request)).rejects.toMatchObject({ kind: "source" });
    expect(server.calls.filter(({ path }) => path.includes("initialise"))).toEqual([]);
  });

  it("says what a probe found before the server opens a dead camera", async () => {
    const { backend } = await open();
    const dead = collect("rtsp://dead.test/live");
    await expect(backend.open(dead.request)).rejects.toMatchObject({
      message: expect.stringContaining("Nobody"),
    });
  });

  it("says why a pipeline gives no result", async () => {
    const { backend } = await open();
    const { request } = collect();
    const pipeline = await backend.open({ ...request, spec: detectionWorkflow({ modelId: "nope/1" }) });
    await vi.waitFor(() => expect(pipeline.figures().reason).toMatch(/Roboflow API|model/i), { timeout: 10_000 });
    expect(pipeline.figures().state).not.toBe("running");
  });

  it("comes back by itself after the server was restarted, even as an older one", async () => {
    const { backend, server } = await open();
    const { request, seen } = collect();
    const pipeline = await backend.open(request);
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(2), { timeout: 10_000 });
    await server.kill();
    await vi.waitFor(() => expect(pipeline.figures().state).toBe("reconnecting"), { timeout: 15_000 });
    expect(pipeline.figures().reason).toBeDefined();
    await server.restart({ version: "1.5.0" });
    const before = seen.length;
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(before + 2), { timeout: 15_000 });
    const numbers = seen.map(({ frame }) => frame.frame_number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  }, 40_000);
});

async function create(options: FakeServerOptions = {}) {
  const parts = await startFakeFleet(options);
  let entries: readonly LedgerEntry[] = [];
  const ledger: PipelineLedger = {
    load: async () => entries,
    save: async (changed) => {
      entries = changed;
    },
  };
  const probe = async (address: string) =>
    address.includes("dead")
      ? ({ ok: false, reason: "refused", message: "Nobody listens there." } as const)
      : ({ ok: true, width: 640, height: 480, fps: 10 } as const);
  const again = () => rememberOpened(createHttpBackend({ ...parts, ledger, probe }));
  const masked = rememberOpened(createHttpBackend({ ...parts, ledger, probe, isMasked: () => true }));
  return { ...parts, ...again(), again, masked, entries: () => entries };
}

function collect(address = CAMERA) {
  const seen: FrameResult[] = [];
  const states: PipelineState[] = [];
  const request: PipelineRequest = {
    pipelineId: "p1",
    sourceId: "cam",
    address,
    spec: detectionWorkflow({ modelId: MODEL }),
    onResult: (result) => void seen.push(result),
    onState: (state) => void states.push(state),
  };
  return { request, seen, states };
}
