import type { FakeServer } from "@vision-agent/inference-client/testing";
import type { Detections, FrameResult, PipelineState, WorkflowSpec } from "@vision-agent/protocol";
import type { LiveFrame } from "@vision-agent/vision-engine";
import sharp from "sharp";
// biome-ignore lint/correctness/noUndeclaredDependencies: tests alone import this suite, and vitest belongs to the whole app
import { afterEach, describe, expect, it, vi } from "vitest";
import type { InferenceBackend, PipelineRequest, RunningPipeline } from "../backends/backend.ts";
import { detectionWorkflow, IMAGE_INPUT } from "../backends/detection-workflow.ts";

export interface BackendUnderTest {
  readonly backend: InferenceBackend;
  /** A source that opens and gives frames. */
  readonly address: string;
  readonly modelId: string;
  /** One that runs with pictures of the source. */
  readonly savedWorkflow: { readonly workspace: string; readonly workflowId: string };
  /** The server behind it, where there is one. */
  readonly server?: FakeServer;
  /** Makes frames pass where they do not pass by themselves. */
  readonly tick?: () => void;
}

const BROKEN: WorkflowSpec = {
  version: "1.0",
  inputs: [],
  steps: [{ type: "no_such_block@v1", name: "wrong" }],
  outputs: [],
};

const GREY: WorkflowSpec = {
  version: "1.0",
  inputs: [IMAGE_INPUT],
  steps: [{ type: "roboflow_core/convert_grayscale@v1", name: "grey", image: "$inputs.image" }],
  outputs: [{ type: "JsonField", name: "grey", selector: "$steps.grey.image" }],
};

/** What every backend keeps to, whichever machine runs the workflow. */
export function backendContract(title: string, makeBackend: () => Promise<BackendUnderTest>): void {
  describe(`backend contract: ${title}`, () => {
    let made: (BackendUnderTest & { readonly stopAll: () => Promise<void> }) | undefined;
    const make = async (): Promise<BackendUnderTest> => {
      const test = await makeBackend();
      made = { ...test, ...rememberOpened(test.backend) };
      return made;
    };
    afterEach(async () => {
      made?.server?.mend();
      await made?.stopAll();
      await made?.server?.close();
    });
    describe("workflows", () => checkWorkflows(make));
    describe("pictures", () => checkPictures(make));
    describe("pipelines", () => checkPipelines(make));
    describe("a server that fails", () => checkFailures(make));
  });
}

/** The same backend, and the way to stop every pipeline that it opened. */
export function rememberOpened(backend: InferenceBackend) {
  const opened: RunningPipeline[] = [];
  return {
    backend: {
      ...backend,
      open: async (request: PipelineRequest) => {
        const pipeline = await backend.open(request);
        opened.push(pipeline);
        return pipeline;
      },
    },
    stopAll: async () => void (await Promise.all(opened.splice(0).map((pipeline) => pipeline.stop()))),
  };
}

function checkWorkflows(make: () => Promise<BackendUnderTest>): void {
  it("accepts a workflow that runs and names the step of one that does not", async () => {
    const { backend, modelId } = await make();
    expect(await backend.validate(detectionWorkflow({ modelId }))).toEqual([]);
    expect((await backend.validate(BROKEN)).map(({ step }) => step)).toContain("wrong");
  });

  it("S000-3.3.1 S000-10.4.1 answers a model job and a workflow job about one picture of a source", async () => {
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

function checkPictures(make: () => Promise<BackendUnderTest>): void {
  it("answers about the bytes of a picture, whatever their format", async () => {
    const { backend } = await make();
    const bytes = await sharp({ create: { width: 96, height: 64, channels: 3, background: "grey" } })
      .png()
      .toBuffer();
    const image = { kind: "bytes", bytes, mimeType: "image/png" } as const;
    const { result, picture } = await backend.run({ kind: "workflow", spec: GREY }, image);
    expect(picture.jpeg.length).toBeGreaterThan(0);
    expect([picture.width, picture.height]).toEqual([result.frame.width, result.frame.height]);
  });

  it("finds with a model only what is sure enough and of the classes asked for", async () => {
    const { backend, address, modelId } = await make();
    const job = { kind: "model", modelId, confidence: 0.8, classes: ["person"] } as const;
    const { result } = await backend.run(job, { kind: "source", sourceId: "cam", address });
    for (const { confidence, class_name } of detectionsOf(result)) {
      for (const score of confidence) expect(score).toBeGreaterThanOrEqual(0.8);
      for (const name of class_name) expect(name).toBe("person");
    }
  });

  it("S000-3.3.1 runs a saved workflow", async () => {
    const { backend, address, savedWorkflow } = await make();
    const image = { kind: "source", sourceId: "cam", address } as const;
    const { result } = await backend.run({ kind: "saved_workflow", ...savedWorkflow }, image);
    expect(result.frame.source_id).toBe("cam");
  });
}

function checkFailures(make: () => Promise<BackendUnderTest>): void {
  it("that answers garbage is neither believed nor waited for", async (context) => {
    const { backend, address, modelId, server } = await make();
    if (server === undefined) return context.skip("no server is needed");
    server.break({ kind: "garbage" });
    const image = { kind: "source", sourceId: "cam", address } as const;
    await expect(backend.run({ kind: "model", modelId }, image)).rejects.toMatchObject({ name: "BackendError" });
    await expect(backend.validate(BROKEN)).rejects.toMatchObject({ name: "BackendError" });
  });

  it("that hangs is waited for no longer than its time", async (context) => {
    const { backend, address, modelId, server } = await make();
    if (server === undefined) return context.skip("no server is needed");
    server.break({ kind: "hang" });
    const image = { kind: "source", sourceId: "cam", address } as const;
    await expect(backend.run({ kind: "model", modelId }, image)).rejects.toMatchObject({ kind: "unavailable" });
    await expect(backend.validate(BROKEN)).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("that is gone is said to be so, and a start leaves nothing behind", async (context) => {
    const { test, pipeline, request } = await started(make);
    const { backend, server } = test;
    if (server === undefined) return context.skip("no server is needed");
    await pipeline.stop();
    await server.kill();
    await expect(backend.open(request)).rejects.toMatchObject({ kind: "unavailable" });
    await server.restart();
  });
}

function checkPipelines(make: () => Promise<BackendUnderTest>): void {
  it("S000-2.1.1 S000-3.3.3 gives results in order, the last ones again, figures and a picture", async () => {
    const { test, pipeline, seen } = await started(make);
    await framesPass(test, seen, 3);
    const numbers = seen.map(({ frame }) => frame.frame_number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(pipeline.results(2)).toHaveLength(2);
    expect(pipeline.figures()).toMatchObject({ state: "running" });
    expect(pipeline.figures().framesProcessed).toBeGreaterThanOrEqual(3);
    const picture = await pipeline.picture();
    expect(picture?.jpeg.length).toBeGreaterThan(0);
    expect(await pipeline.picture({ frameNumber: 1_000_000 })).toBeUndefined();
  });

  it("S000-3.3.5 shows live frames with the result of that very frame until the viewer leaves, twice", async () => {
    const { test, pipeline, seen } = await started(make);
    const frames: LiveFrame[] = [];
    const leave = pipeline.view((frame) => frames.push(frame));
    await passUntil(test, () => frames.length >= 2);
    for (const { picture, result } of frames) expect(picture.frame.frame_number).toBe(result.frame.frame_number);
    leave();
    leave();
    const shown = frames.length;
    await framesPass(test, seen, seen.length + 3);
    // One frame may have been on its way.
    expect(frames.length).toBeLessThanOrEqual(shown + 1);
  });

  it("S000-3.3.4 pauses, resumes and tells each change", async () => {
    const { test, pipeline, seen, states } = await started(make);
    await framesPass(test, seen, 1);
    await pipeline.pause();
    expect(pipeline.figures().state).toBe("paused");
    await pipeline.resume();
    await framesPass(test, seen, seen.length + 2);
    expect(pipeline.figures().state).toBe("running");
    expect(states).toContain("paused");
  });

  it("S000-3.3.4 stops, twice, and gives no more results", async () => {
    const { test, pipeline, seen, states } = await started(make);
    await framesPass(test, seen, 1);
    await pipeline.stop();
    await pipeline.stop();
    const before = seen.length;
    test.tick?.();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(seen.length).toBe(before);
    expect(states.at(-1)).toBe("stopped");
  });

  it("opens an id again after a stop", async () => {
    const { test, pipeline, request, seen } = await started(make);
    await pipeline.stop();
    await test.backend.open(request);
    await framesPass(test, seen, seen.length + 1);
  });

  it("refuses a wrong workflow", async () => {
    const { test, request } = await started(make);
    const wrong = test.backend.open({ ...request, pipelineId: "p2", spec: BROKEN });
    await expect(wrong).rejects.toMatchObject({ kind: "invalid_workflow" });
  });
}

interface Started {
  readonly test: BackendUnderTest;
  readonly pipeline: RunningPipeline;
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
  const pipeline = await test.backend.open(request);
  return { test, pipeline, request, seen, states };
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

function detectionsOf({ outputs }: FrameResult): readonly Detections[] {
  return Object.values(outputs).flatMap((output) => (output.kind === "detections" ? [output.detections] : []));
}
