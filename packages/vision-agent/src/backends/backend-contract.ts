import type { FrameResult, PipelineState, WorkflowSpec } from "@vision-agent/protocol";
import type { LiveFrame } from "@vision-agent/vision-engine";
// biome-ignore lint/correctness/noUndeclaredDependencies: tests alone import this suite, and vitest belongs to the whole house
import { afterEach, describe, expect, it, vi } from "vitest";
import type { InferenceBackend, PipelineRequest } from "./backend.ts";
import { detectionWorkflow } from "./detection-workflow.ts";

export interface BackendUnderTest {
  readonly backend: InferenceBackend;
  /** A source that opens and gives frames. */
  readonly address: string;
  readonly modelId: string;
  /** Makes frames pass where they do not pass by themselves. */
  readonly tick?: () => void;
}

const BROKEN: WorkflowSpec = {
  version: "1.0",
  inputs: [],
  steps: [{ type: "no_such_block@v1", name: "wrong" }],
  outputs: [],
};

/** What every backend keeps to, whichever machine runs the workflow. */
export function backendContract(title: string, makeBackend: () => Promise<BackendUnderTest>): void {
  describe(`backend contract: ${title}`, () => {
    let open: BackendUnderTest | undefined;
    const make = async (): Promise<BackendUnderTest> => {
      open = await makeBackend();
      return open;
    };
    afterEach(() => open?.backend.close());
    describe("workflows", () => checkWorkflows(make));
    describe("pipelines", () => checkPipelines(make));
  });
}

function checkWorkflows(make: () => Promise<BackendUnderTest>): void {
  it("accepts a workflow that runs and names the step of one that does not", async () => {
    const { backend, modelId } = await make();
    expect(await backend.validate(detectionWorkflow({ modelId }))).toEqual([]);
    expect((await backend.validate(BROKEN)).map(({ step }) => step)).toContain("wrong");
  });

  it("answers a model job and a workflow job about one picture of a source", async () => {
    const { backend, address, modelId } = await make();
    const image = { kind: "source", sourceId: "cam", address } as const;
    const model = await backend.run({ kind: "model", modelId }, image);
    const workflow = await backend.run({ kind: "workflow", spec: detectionWorkflow({ modelId }) }, image);
    for (const { result, picture } of [model, workflow]) {
      expect(result.frame.source_id).toBe("cam");
      expect(picture.jpeg.length).toBeGreaterThan(0);
      expect([picture.width, picture.height]).toEqual([result.frame.width, result.frame.height]);
    }
  });

  it("refuses a wrong workflow with everything wrong, a dead source and a cancelled call by kind", async () => {
    const { backend, address, modelId } = await make();
    const image = { kind: "source", sourceId: "cam", address } as const;
    const nowhere = { kind: "source", sourceId: "cam", address: "nowhere://at-all" } as const;
    const wrong = await backend.run({ kind: "workflow", spec: BROKEN }, image).catch((error: unknown) => error);
    expect(wrong).toMatchObject({ name: "BackendError", kind: "invalid_workflow" });
    expect(wrong).toHaveProperty("problems.0.step", "wrong");
    await expect(backend.run({ kind: "model", modelId }, nowhere)).rejects.toMatchObject({ kind: "source" });
    const cancelled = backend.run({ kind: "model", modelId }, image, AbortSignal.abort());
    await expect(cancelled).rejects.toMatchObject({ kind: "cancelled" });
  });
}

function checkPipelines(make: () => Promise<BackendUnderTest>): void {
  it("gives results in order, the last ones again, figures and a picture", async () => {
    const { test, seen } = await started(make);
    await framesPass(test, seen, 3);
    const numbers = seen.map(({ frame }) => frame.frame_number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    const last = await test.backend.consumeResults("p1", 2);
    expect(last).toHaveLength(2);
    expect(test.backend.figures("p1")).toMatchObject({ state: "running" });
    expect(test.backend.figures("p1").framesProcessed).toBeGreaterThanOrEqual(3);
    expect(await test.backend.listPipelines()).toEqual(["p1"]);
    const picture = await test.backend.picture("p1");
    expect(picture?.jpeg.length).toBeGreaterThan(0);
    expect(await test.backend.picture("p1", { frameNumber: 1_000_000 })).toBeUndefined();
  });

  it("shows live frames with the result of that very frame until the viewer leaves, twice", async () => {
    const { test, seen } = await started(make);
    const frames: LiveFrame[] = [];
    const leave = test.backend.view("p1", (frame) => frames.push(frame));
    await passUntil(test, () => frames.length >= 2);
    for (const { picture, result } of frames) expect(picture.frame.frame_number).toBe(result.frame.frame_number);
    leave();
    leave();
    const shown = frames.length;
    await framesPass(test, seen, seen.length + 3);
    // One frame may have been on its way.
    expect(frames.length).toBeLessThanOrEqual(shown + 1);
  });

  it("pauses, resumes and tells each change", async () => {
    const { test, seen, states } = await started(make);
    await framesPass(test, seen, 1);
    await test.backend.pausePipeline("p1");
    expect(test.backend.figures("p1").state).toBe("paused");
    await test.backend.resumePipeline("p1");
    await framesPass(test, seen, seen.length + 2);
    expect(test.backend.figures("p1").state).toBe("running");
    expect(states).toContain("paused");
  });

  it("stops, twice, and then knows the pipeline no more", async () => {
    const { test } = await started(make);
    await test.backend.stopPipeline("p1");
    await test.backend.stopPipeline("p1");
    expect(await test.backend.listPipelines()).toEqual([]);
    expect(() => test.backend.figures("p1")).toThrow(expect.objectContaining({ kind: "not_found" }));
    await expect(test.backend.pausePipeline("p1")).rejects.toMatchObject({ kind: "not_found" });
    await expect(test.backend.consumeResults("p1", 1)).rejects.toMatchObject({ kind: "not_found" });
  });

  it("refuses an id that runs, and lets it be used again after a stop", async () => {
    const { test, request } = await started(make);
    await expect(test.backend.startPipeline(request)).rejects.toMatchObject({ name: "BackendError" });
    await test.backend.stopPipeline("p1");
    await test.backend.startPipeline(request);
    expect(await test.backend.listPipelines()).toEqual(["p1"]);
  });

  it("refuses a wrong workflow and leaves nothing behind", async () => {
    const { test, request } = await started(make);
    const wrong = test.backend.startPipeline({ ...request, pipelineId: "p2", spec: BROKEN });
    await expect(wrong).rejects.toMatchObject({ kind: "invalid_workflow" });
    expect(await test.backend.listPipelines()).toEqual(["p1"]);
  });

  it("stops everything on close, twice, and starts nothing afterwards", async () => {
    const { test, request } = await started(make);
    await test.backend.close();
    await test.backend.close();
    expect(await test.backend.listPipelines()).toEqual([]);
    await expect(test.backend.startPipeline(request)).rejects.toMatchObject({ kind: "unavailable" });
  });
}

interface Started {
  readonly test: BackendUnderTest;
  readonly request: PipelineRequest;
  readonly seen: FrameResult[];
  readonly states: PipelineState[];
}

async function started(make: () => Promise<BackendUnderTest>): Promise<Started> {
  const test = await make();
  const seen: FrameResult[] = [];
  const states: PipelineState[] = [];
  const request: PipelineRequest = {
    pipelineId: "p1",
    sourceId: "cam",
    address: test.address,
    spec: detectionWorkflow({ modelId: test.modelId }),
    onResult: (result) => void seen.push(result),
    onState: (state) => void states.push(state),
  };
  await test.backend.startPipeline(request);
  return { test, request, seen, states };
}

function framesPass(test: BackendUnderTest, seen: readonly FrameResult[], count: number): Promise<void> {
  return passUntil(test, () => seen.length >= count);
}

function passUntil(test: BackendUnderTest, reached: () => boolean): Promise<void> {
  const check = (): void => {
    if (reached()) return;
    test.tick?.();
    expect(reached()).toBe(true);
  };
  return vi.waitFor(check, { timeout: 10_000, interval: 20 });
}
