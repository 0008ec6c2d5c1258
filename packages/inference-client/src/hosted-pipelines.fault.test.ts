import type { PipelineState } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "./client-clock.ts";
import type { InferenceClient } from "./http/inference-client.ts";
import { createInferenceClient } from "./http/inference-client.ts";
import { sweepLedger } from "./supervise/end-hosted.ts";
import { changeLedger, type LedgerEntry, type PipelineLedger } from "./supervise/pipeline-ledger.ts";
import { createServerFleet } from "./supervise/server-fleet.ts";
import { SupervisedPipeline } from "./supervise/supervise-pipeline.ts";
import type { HostedResult, SuperviseOptions } from "./supervise/supervised-pipeline.ts";
import type { FakeServer, FakeServerOptions, Fault } from "./testing/fake-server.ts";
import { scriptedRunner } from "./testing/scripted-runner.ts";
import { startFakeServer } from "./testing/start-fake-server.ts";

const CAMERA = "rtsp://10.0.0.7/yard";
const FILE = "/data/yard.mp4";
const LONG_FILE = "/data/week.mp4";
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
/** Short, so that silence is noticed within a test. */
const LIMITS = { validateMs: 1500, initialiseMs: 1500, controlMs: 1500, consumeMs: 700 };

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.close();
});

describe("a hosted pipeline over HTTP", () => {
  it("delivers every frame of a file and ends", async () => {
    const { a, supervise } = await setUp();
    const { pipeline, results } = supervise({ isFile: true, source: FILE });
    const figures = await pipeline.ended;
    expect(figures).toMatchObject({ state: "ended", reason: undefined, totalFrames: 30 });
    expect(results.map(({ frameNumber }) => frameNumber)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(results[0]?.outputs).toHaveProperty("found.predictions");
    expect(a.pipelines).toEqual([]);
  });

  it("is stopped within a file without wedging the server", async () => {
    const { a, client, supervise } = await setUp();
    const { pipeline, results } = supervise({ isFile: true, source: LONG_FILE });
    await until(() => results.length > 2);
    await pipeline.stop();
    expect(results.length).toBeLessThan(200);
    expect(await client.pipelines.list()).toEqual([]);
    expect(a.pipelines).toEqual([]);
  });

  it("fails with a reason for a file that is not there, to which the server said yes", async () => {
    const { supervise } = await setUp();
    const { pipeline } = supervise({ isFile: true, source: "/data/none.mp4" });
    expect(await pipeline.ended).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(/server (reports|ended)/),
    });
  });

  it("says what is wrong with a workflow before anything is started", async () => {
    const { a, supervise } = await setUp();
    const specification = { ...SPEC, steps: [{ ...SPEC.steps[0]!, type: "roboflow_core/nothing@v1" }] };
    const { pipeline } = supervise({ specification });
    await expect(pipeline.started).rejects.toMatchObject({ kind: "invalid" });
    expect(a.calls.map(({ path }) => path)).not.toContain("/inference_pipelines/initialise");
  });

  it("surfaces an unknown model, of which the server speaks only in its status", async () => {
    const { supervise } = await setUp();
    const specification = { ...SPEC, steps: [{ ...SPEC.steps[0]!, model_id: "coco/99" }] };
    const { pipeline, states } = supervise({ specification });
    await until(() => states.some(({ reason }) => reason?.includes("The server reports")));
    await pipeline.stop();
  });

  it("comes back by itself when the camera does", async () => {
    const { a, supervise } = await setUp();
    const { pipeline, results, states } = supervise({});
    await until(() => results.length > 2);
    a.camera(CAMERA).unplug();
    await until(() => states.at(-1)?.state === "reconnecting");
    a.camera(CAMERA).plugIn();
    await comesBack(results, pipeline);
    expect(isRising(results)).toBe(true);
    await pipeline.stop();
    expect(a.pipelines).toEqual([]);
  });

  it("mutes and resumes a stream", async () => {
    const { a, supervise } = await setUp();
    const { pipeline, results } = supervise({});
    await until(() => results.length > 1);
    await pipeline.pause();
    expect(a.pipelines[0]?.state).toBe("MUTED");
    await pipeline.resume();
    await comesBack(results, pipeline);
    await pipeline.stop();
  });

  it("does not touch the pipelines of others", async () => {
    const { a, client, supervise } = await setUp();
    const foreign = await client.pipelines.initialise({ workflow: { specification: SPEC }, source: CAMERA });
    const { pipeline } = supervise({});
    await pipeline.started;
    await pipeline.stop();
    expect(a.pipelines.map(({ id }) => id)).toEqual([foreign]);
  });
});

describe("a server that fails under a hosted pipeline", () => {
  it("killed and restarted: the pipeline says why and is started again", async () => {
    const { a, supervise } = await setUp();
    const { pipeline, results, states } = supervise({});
    await until(() => results.length > 2);
    await a.kill();
    await until(() => states.at(-1)?.state === "reconnecting");
    expect(states.at(-1)?.reason).toContain('Server "a" fails');
    await a.restart();
    await comesBack(results, pipeline);
    expect(pipeline.figures().restarts).toBe(1);
    await pipeline.stop();
    expect(a.pipelines).toEqual([]);
  });

  it("replaced by an older version: the pipeline runs there and the skew is named", async () => {
    const { a, supervise } = await setUp();
    const { pipeline, results, states } = supervise({});
    await until(() => results.length > 2);
    await a.kill();
    await until(() => states.at(-1)?.state === "reconnecting");
    await a.restart({ version: "1.5.0" });
    await comesBack(results, pipeline);
    expect(pipeline.figures().placement).toContain("Version 1.5.0 is older than 1.8");
    await pipeline.stop();
  });

  it.each<[string, Fault]>([
    ["hung", { kind: "hang" }],
    ["dripping slowly", { kind: "drip", everyMs: 400 }],
    ["answering garbage", { kind: "garbage" }],
    ["cutting connections", { kind: "reset" }],
    ["answering 503 with Retry-After", { kind: "status", status: 503, retryAfterS: 1 }],
  ])("%s: the pipeline says why, and comes back", async (_, fault) => {
    const { a, supervise } = await setUp();
    const { pipeline, results, states } = supervise({});
    await until(() => results.length > 2);
    a.break(fault);
    await until(() => states.at(-1)?.state === "reconnecting");
    expect(states.at(-1)?.reason).toMatch(/Server "a" fails|Stream manager wedged/);
    a.mend();
    await comesBack(results, pipeline);
    expect(isRising(results)).toBe(true);
    await pipeline.stop();
    expect(a.pipelines).toEqual([]);
  });

  it("wedged: the pipeline says so and moves to another server", async () => {
    const { a, b, ledger, supervise } = await setUp({ servers: 2 });
    const { pipeline, results, states } = supervise({});
    await until(() => results.length > 2);
    const first = pipeline.figures().server;
    (first === "a" ? a : b).wedge();
    await until(() => pipeline.figures().server !== first && pipeline.figures().state === "running");
    expect(states.some(({ reason }) => reason?.includes("Stream manager wedged"))).toBe(true);
    expect((await ledger.load()).map(({ state }) => state).sort()).toEqual(["running", "stopping"]);
    await expect(pipeline.stop()).rejects.toThrow("may still run");
  });

  it("killed: the pipeline moves to another server", async () => {
    const { a, b, supervise } = await setUp({ servers: 2 });
    const { pipeline, results } = supervise({});
    await until(() => results.length > 2);
    const first = pipeline.figures().server;
    const [dying, other] = first === "a" ? [a, b] : [b, a];
    await dying.kill();
    await comesBack(results, pipeline);
    expect(other.pipelines).toHaveLength(1);
    await dying.restart();
    await pipeline.stop();
    expect(other.pipelines).toEqual([]);
  });

  it("F-04 a stop that fails says so, and is made good when the server answers again", async () => {
    const { a, supervise, ledger } = await setUp();
    const { pipeline, results, states } = supervise({});
    await until(() => results.length > 2);
    a.break({ kind: "hang" });
    const begun = performance.now();
    await expect(pipeline.stop()).rejects.toMatchObject({
      kind: "timeout",
      message: expect.stringContaining("may still run"),
    });
    expect(performance.now() - begun).toBeLessThan(LIMITS.controlMs + LIMITS.consumeMs + 1500);
    expect(states.map(({ state }) => state)).not.toContain("stopped");
    expect(await ledger.load()).toMatchObject([{ state: "stopping" }]);
    a.mend();
    expect(await pipeline.ended).toMatchObject({ state: "stopped" });
    expect(a.pipelines).toEqual([]);
    expect(await ledger.load()).toEqual([]);
  });
});

describe("our own restart", () => {
  it("goes on with what is still wanted and ends the rest", async () => {
    const { a, fleet, ledger, supervise } = await setUp();
    const letGo = new AbortController();
    const kept = supervise({ pipelineId: "kept", signal: letGo.signal });
    const dropped = supervise({ pipelineId: "dropped", signal: letGo.signal });
    await Promise.all([kept.pipeline.started, dropped.pipeline.started]);
    letGo.abort();
    await Promise.all([kept.pipeline.ended, dropped.pipeline.ended]);
    expect(a.pipelines).toHaveLength(2);
    const adopt = (await ledger.load()).find(({ pipelineId }) => pipelineId === "kept");
    await changeLedger(ledger, (entries) =>
      entries.map((entry) => (entry.pipelineId === "dropped" ? { ...entry, state: "stopping" } : entry)),
    );
    const { ended } = await sweepLedger({ fleet, ledger, clock: systemClock, timeoutMs: LIMITS.controlMs });
    expect(ended.map(({ pipelineId }) => pipelineId)).toEqual(["dropped"]);
    const again = supervise({ pipelineId: "kept", adopt });
    await comesBack(again.results, again.pipeline);
    expect(a.pipelines.map(({ id }) => id)).toEqual([adopt?.serverId]);
    await again.pipeline.stop();
  });
});

interface Request extends Partial<SuperviseOptions> {
  readonly source?: string;
  readonly specification?: typeof SPEC;
}

function startOf({ source = CAMERA, specification = SPEC }: Request) {
  return { workflow: { specification }, source };
}

async function setUp({ servers: count = 1 }: { readonly servers?: number } = {}) {
  const options: FakeServerOptions = {
    cameras: { [CAMERA]: { fps: 10 } },
    files: { [FILE]: { frames: 30, fps: 10 }, [LONG_FILE]: { frames: 200, fps: 10 } },
    inferenceMs: 20,
  };
  const fakes: FakeServer[] = [];
  for (let index = 0; index < count; index += 1)
    fakes.push(await startFakeServer({ workflows: scriptedRunner(), ...options }));
  const clients = fakes.map(({ url }) => createInferenceClient({ url, clock: systemClock }));
  const fleet = createServerFleet({
    servers: clients.map((client, index) => ({ label: "ab"[index]!, client })),
    clock: systemClock,
    freshMs: 200,
    checkTimeoutMs: 500,
  });
  open.push(...fakes, ...clients, fleet);
  const ledger = memoryLedger();
  const supervise = (request: Request) => superviseWith(request, { fleet, ledger });
  return { a: fakes[0]!, b: fakes[1]!, client: clients[0] as InferenceClient, fleet, ledger, supervise };
}

function superviseWith(request: Request, parts: Pick<SuperviseOptions, "fleet" | "ledger">) {
  const { source: _, specification: __, ...change } = request;
  const results: HostedResult[] = [];
  const states: { state: PipelineState; reason: string | undefined }[] = [];
  const end = new AbortController();
  const pipeline = new SupervisedPipeline({
    pipelineId: "yard",
    ...parts,
    clock: systemClock,
    isFile: false,
    start: startOf(request),
    timeouts: LIMITS,
    wantsImages: () => [],
    onResult: (result) => results.push(result),
    onState: (state, reason) => states.push({ state, reason }),
    signal: end.signal,
    ...change,
  });
  open.push({ close: () => end.abort() });
  return { pipeline, results, states };
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

async function comesBack(results: readonly HostedResult[], pipeline: SupervisedPipeline): Promise<void> {
  const { length } = results;
  await until(() => results.length > length + 2 && pipeline.figures().state === "running");
}

async function until(condition: () => boolean, withinMs = 60_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error("It did not happen in time.");
    await systemClock.sleep(20);
  }
}

function isRising(results: readonly HostedResult[]): boolean {
  return results.every(({ frameNumber }, index) => index === 0 || frameNumber > results[index - 1]!.frameNumber);
}
