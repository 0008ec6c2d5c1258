import { readFile } from "node:fs/promises";
import { systemClock } from "@vision-agent/agent-core";
import type { FrameResult, PipelineState } from "@vision-agent/protocol";
import { ENGINE_VERSION, listKnownBlocks, probeSource } from "@vision-agent/vision-engine";
import { afterAll, afterEach, describe, expect, inject, it, vi } from "vitest";
import { rememberOpened } from "../testing/backend-contract.ts";
import { openLiveFleet } from "../testing/live-fleet.ts";
import { createMemoryFiles } from "../testing/memory-files.ts";
import type { PipelineRequest } from "./backend.ts";
import { createBlockCatalog } from "./block-catalog.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { createHttpBackend } from "./http.ts";

const { server, footage, camera } = inject("live");
const parts = openLiveFleet(server?.url ?? "http://127.0.0.1");
const { backend, stopAll } = rememberOpened(
  createHttpBackend({
    ...parts,
    probe: (address, signal) => probeSource(address, { sourceId: "probe", clock: systemClock, signal }),
  }),
);
const SPEC = detectionWorkflow({ modelId: "coco/3", confidence: 0.3 });
/** The server looks for ended files once a second, and may look while it still works on the last frame. */
const SWEPT_TOO_SOON = { retry: 4 };
const PATIENCE = { timeout: 90_000, interval: 100 };

afterEach(stopAll);
afterAll(() => {
  parts.close();
});

describe.skipIf(server === undefined)("the http backend on a real server", () => {
  it("answers about a camera that only this machine can read", async () => {
    const job = { kind: "model", modelId: "coco/3", confidence: 0.3 } as const;
    const { result, picture, annotated } = await backend.run(job, {
      kind: "source",
      sourceId: "sim",
      address: "sim://street",
    });
    expect(result).toMatchObject({ frame: { source_id: "sim" }, outputs: { predictions: { kind: "detections" } } });
    expect([annotated?.width, annotated?.height]).toEqual([picture.width, picture.height]);
  });

  it("names the step of a workflow that cannot run", async () => {
    expect(await backend.validate(SPEC)).toEqual([]);
    const wrong = { ...SPEC, steps: SPEC.steps.map((step) => ({ ...step, type: "no_such_block@v1" })) };
    expect((await backend.validate(wrong)).map(({ step }) => step)).toContain("detection");
  });

  it("lists its blocks, and from then on without the server", async () => {
    const files = createMemoryFiles();
    const options = { listKnownBlocks, engineVersion: ENGINE_VERSION, files, folder: "/cache", now: systemClock.now };
    const onProblem = (message: string): never => expect.unreachable(message);
    const { blocks, source } = await createBlockCatalog({ ...options, onProblem, fleet: parts.fleet }).list("http");
    expect(source).toMatch(/^Inference server \d/);
    expect(blocks.find(({ type }) => type === SPEC.steps[0]?.type)).toMatchObject({ family: "model", runs: true });
    const gone = { choose: () => Promise.reject(new Error("It is gone.")) };
    const later = await createBlockCatalog({ ...options, onProblem, fleet: gone }).list("http");
    expect(later.blocks).toEqual(blocks);
    expect(later.note).toContain("It is gone.");
  });
});

describe.skipIf(!server?.isLocal || footage === undefined)("pictures and files through the http backend", () => {
  it("finds people in a picture", async () => {
    const bytes = new Uint8Array(await readFile(footage?.picture ?? ""));
    const job = { kind: "model", modelId: "coco/3", confidence: 0.3, classes: ["person"] } as const;
    const { result } = await backend.run(job, { kind: "bytes", bytes, mimeType: "image/jpeg" });
    const { predictions } = result.outputs;
    const classes = predictions?.kind === "detections" ? predictions.detections.class_name : ["none"];
    expect(new Set(classes)).toEqual(new Set(footage?.isReal ? ["person"] : []));
  });

  it("gives every frame of a file, then says that it ended", SWEPT_TOO_SOON, async () => {
    const { request, seen, states } = collect(footage?.clip ?? "");
    await backend.open(request);
    await vi.waitFor(() => expect(states.at(-1)).toBe("ended"), PATIENCE);
    expect(seen.map(({ frame }) => frame.frame_number)).toEqual(
      Array.from({ length: footage?.frames ?? 0 }, (_, at) => at + 1),
    );
  });

  it("stops a file early and leaves nothing on the server", async () => {
    const before = await parts.client.pipelines.list();
    const { request, seen } = collect(footage?.clip ?? "");
    const pipeline = await backend.open({ ...request, maxFps: 5 });
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(2), PATIENCE);
    await pipeline.stop();
    expect(await parts.client.pipelines.list()).toEqual(before);
    expect(await parts.ledger.load()).toEqual([]);
  });
});

describe.skipIf(server === undefined || camera === undefined)("an RTSP camera through the http backend", () => {
  it("gives results and pictures, pauses, goes on and stops", async () => {
    const before = await parts.client.pipelines.list();
    const { request, seen, states } = collect(camera ?? "");
    const pipeline = await backend.open(request);
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(3), PATIENCE);
    expect(pipeline.server()).toBe("real");
    const picture = await pipeline.picture();
    expect([picture?.width, picture?.height]).toEqual([320, 240]);
    await pipeline.pause();
    await pipeline.resume();
    const resumed = seen.length;
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(resumed + 3), PATIENCE);
    expect(states).toContain("paused");
    await pipeline.stop();
    expect(await parts.client.pipelines.list()).toEqual(before);
  });
});

function collect(address: string) {
  const [seen, states]: [FrameResult[], PipelineState[]] = [[], []];
  const request: PipelineRequest = {
    pipelineId: "p1",
    sourceId: "cam",
    address,
    spec: SPEC,
    onResult: (result) => void seen.push(result),
    onState: (state) => void states.push(state),
  };
  return { request, seen, states };
}
