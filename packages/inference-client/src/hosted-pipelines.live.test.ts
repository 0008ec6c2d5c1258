import type { PipelineState, WorkflowSpec } from "@vision-agent/protocol";
import { afterAll, afterEach, describe, expect, inject, it, vi } from "vitest";
import { systemClock } from "./client-clock.ts";
import { createInferenceClient } from "./http/inference-client.ts";
import type { LedgerEntry, PipelineLedger } from "./supervise/pipeline-ledger.ts";
import { createServerFleet } from "./supervise/server-fleet.ts";
import { SupervisedPipeline } from "./supervise/supervise-pipeline.ts";
import type { HostedResult } from "./supervise/supervised-pipeline.ts";

const { server, footage, camera } = inject("live");
const client = createInferenceClient({ url: server?.url ?? "http://127.0.0.1", clock: systemClock });
const fleet = createServerFleet({ servers: [{ label: "real", client }], clock: systemClock });
const SPEC: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "InferenceImage", name: "image" }],
  steps: [
    {
      type: "roboflow_core/roboflow_object_detection_model@v2",
      name: "det",
      images: "$inputs.image",
      model_id: "coco/3",
    },
    {
      type: "roboflow_core/bounding_box_visualization@v1",
      name: "draw",
      image: "$inputs.image",
      predictions: "$steps.det.predictions",
    },
  ],
  outputs: [
    { type: "JsonField", name: "found", selector: "$steps.det.predictions" },
    { type: "JsonField", name: "drawn", selector: "$steps.draw.image" },
  ],
};
/** The server looks for ended files once a second, and may look while it still works on the last frame. */
const SWEPT_TOO_SOON = { retry: 4 };
const PATIENCE = { timeout: 90_000, interval: 100 };

let open: SupervisedPipeline | undefined;

afterEach(async () => {
  await open?.stop();
  open = undefined;
});
afterAll(() => {
  fleet.close();
  client.close();
});

describe.skipIf(!server?.isLocal || footage === undefined)("a file on a real server", () => {
  const clip = footage?.clip ?? "";
  const frames = footage?.frames ?? 0;

  it("gives every frame once and in order, and leaves nothing", SWEPT_TOO_SOON, async () => {
    const before = await client.pipelines.list();
    const { pipeline, results, ledger } = supervise({ source: clip, isFile: true });
    expect(await pipeline.ended).toMatchObject({ state: "ended", reason: undefined, framesDropped: 0 });
    expect(results.map(({ frameNumber }) => frameNumber)).toEqual(Array.from({ length: frames }, (_, at) => at + 1));
    // Pictures are sent once, when nobody knows yet which outputs they are.
    expect(results.filter(({ outputs }) => "drawn" in outputs).length).toBeLessThan(frames);
    expect(results.every(({ outputs }) => "found" in outputs)).toBe(true);
    expect(await ledger.load()).toEqual([]);
    await vi.waitFor(async () => expect(await client.pipelines.list()).toEqual(before), PATIENCE);
  });

  it("is stopped early, twice, and is gone from the server, which goes on to serve", async () => {
    const before = await client.pipelines.list();
    const { pipeline, results, ledger } = supervise({ source: clip, isFile: true, maxFps: 5 });
    await vi.waitFor(() => expect(results.length).toBeGreaterThan(2), PATIENCE);
    await Promise.all([pipeline.stop(), pipeline.stop()]);
    expect(results.length).toBeLessThan(frames);
    expect(await ledger.load()).toEqual([]);
    expect(await client.pipelines.list()).toEqual(before);
  });

  it("that is not there fails with a reason", async () => {
    const { pipeline } = supervise({ source: `${clip}.none`, isFile: true });
    expect(await pipeline.ended).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("The server reports"),
    });
  });
});

describe.skipIf(server === undefined || camera === undefined)("an RTSP camera on a real server", () => {
  it("gives results, pauses, goes on and stops", async () => {
    const before = await client.pipelines.list();
    const { pipeline, results, states, ledger } = supervise({ source: camera ?? "", isFile: false });
    await vi.waitFor(() => expect(results.length).toBeGreaterThan(5), PATIENCE);
    const numbers = results.map(({ frameNumber }) => frameNumber);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(pipeline.figures()).toMatchObject({ state: "running", server: "real" });
    // The size comes with the server's next report.
    await vi.waitFor(() => expect(pipeline.figures().source).toMatchObject({ width: 320, height: 240 }), PATIENCE);
    await pipeline.pause();
    expect(pipeline.figures().state).toBe("paused");
    const paused = results.length;
    await pipeline.resume();
    await vi.waitFor(() => expect(results.length).toBeGreaterThan(paused + 3), PATIENCE);
    expect(states).toEqual(["running", "paused", "running"]);
    await pipeline.stop();
    await pipeline.stop();
    expect(await ledger.load()).toEqual([]);
    expect(await client.pipelines.list()).toEqual(before);
  });
});

describe.skipIf(server === undefined)("a pipeline that a real server does not know", () => {
  it("is not found in any call", async () => {
    const { status, pause, resume, terminate, consume } = client.pipelines;
    for (const call of [status, pause, resume, terminate, consume])
      await expect(call("00000000-0000-4000-8000-000000000000")).rejects.toMatchObject({ kind: "not_found" });
  });

  it("is not started with a wrong workflow", async () => {
    const before = await client.pipelines.list();
    const specification = { ...SPEC, steps: [{ ...SPEC.steps[0]!, type: "roboflow_core/nothing@v1" }], outputs: [] };
    const { pipeline } = supervise({ source: "rtsp://127.0.0.1:9/none", isFile: false, specification });
    await expect(pipeline.started).rejects.toMatchObject({ kind: "invalid" });
    expect(await client.pipelines.list()).toEqual(before);
  });
});

function supervise(wanted: {
  readonly source: string;
  readonly isFile: boolean;
  readonly maxFps?: number;
  readonly specification?: WorkflowSpec;
}) {
  const { source, isFile, maxFps, specification = SPEC } = wanted;
  const [results, states]: [HostedResult[], PipelineState[]] = [[], []];
  const ledger = memoryLedger();
  const pipeline = new SupervisedPipeline({
    pipelineId: "live",
    fleet,
    ledger,
    clock: systemClock,
    isFile,
    start: { workflow: { specification }, source, maxFps },
    wantsImages: () => [],
    onResult: (result) => void results.push(result),
    onState: (state) => void states.push(state),
  });
  open = pipeline;
  pipeline.started.catch(() => undefined);
  return { pipeline, results, states, ledger };
}

function memoryLedger(): PipelineLedger {
  let kept: readonly LedgerEntry[] = [];
  return {
    load: async () => kept,
    save: async (entries) => {
      kept = entries;
    },
  };
}
