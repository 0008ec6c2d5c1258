import type { FrameResult, PipelineState, WorkflowSpec } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import type { EngineError } from "../errors.ts";
import { CameraThreads } from "./camera-threads.ts";
import { runOnce } from "./engine.ts";
import type { Pipeline, PipelineOptions } from "./pipeline.ts";
import { startPipeline } from "./start-pipeline.ts";

const THREAD = { module: new URL("./__fixtures__/fake.worker.ts", import.meta.url), graceMs: 150, settings: {} };
const threads = (): CameraThreads => new CameraThreads(THREAD);

const COUNTING: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [
    {
      type: "roboflow_core/roboflow_object_detection_model@v3",
      name: "model",
      images: "$inputs.image",
      model_id: "fake/truth",
    },
    {
      type: "roboflow_core/byte_tracker@v3",
      name: "tracker",
      image: "$inputs.image",
      detections: "$steps.model.predictions",
    },
    {
      type: "roboflow_core/bounding_box_visualization@v1",
      name: "boxes",
      image: "$inputs.image",
      predictions: "$steps.tracker.tracked_detections",
    },
  ],
  outputs: [
    { type: "JsonField", name: "tracked", selector: "$steps.tracker.tracked_detections" },
    { type: "JsonField", name: "picture", selector: "$steps.boxes.image" },
  ],
};

/** Its model never answers, and a workflow waits for its runs. */
const SLOW_TO_LEAVE: WorkflowSpec = {
  ...COUNTING,
  steps: COUNTING.steps.map((step) => (step.name === "model" ? { ...step, model_id: "fake/stuck" } : step)),
};

const running: Pipeline[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((pipeline) => pipeline.stop()));
});

describe("startPipeline", () => {
  it("gives results in order and ends with the source", async () => {
    const results: FrameResult[] = [];
    const pipeline = await start("fake://short", { onResult: (result) => results.push(result) });
    expect(await pipeline.ended).toMatchObject({ state: "ended", framesProcessed: 5, fps: 0 });
    expect(results.map(({ frame }) => frame.frame_number)).toEqual([1, 2, 3, 4, 5]);
    expect(results[4]!.outputs).toMatchObject({
      tracked: { kind: "detections", detections: { tracker_id: [1], class_name: ["person"] } },
      picture: { kind: "image", width: 64, height: 48 },
    });
    expect(pipeline.latest(2)).toEqual(results.slice(-2));
  });

  it("keeps the pictures of its last frame when it has ended", async () => {
    const pipeline = await start("fake://short");
    await pipeline.ended;
    const [plain, drawn] = [await pipeline.picture({ frameNumber: 5 }), await pipeline.picture({ output: "picture" })];
    expect(plain).toMatchObject({ width: 64, frame: { source_id: "gate", frame_number: 5 } });
    expect(drawn).toMatchObject({ width: 64, frame: { frame_number: 5 } });
    expect(drawn!.jpeg).not.toEqual(plain!.jpeg);
    expect(await pipeline.picture({ frameNumber: 4 })).toBeUndefined();
  });

  it("stops by itself after maxFrames", async () => {
    const pipeline = await start("fake://endless", { maxFrames: 3 });
    expect(await pipeline.ended).toMatchObject({ state: "ended", framesProcessed: 3 });
  });

  it("S000-2.1.3 leaves out frames above maxFps and counts them", async () => {
    const pipeline = await start("fake://short", { maxFps: 5 });
    expect(await pipeline.ended).toMatchObject({ framesProcessed: 3, framesDropped: 2 });
  });

  it("keeps every problem of a wrong workflow across the thread border", async () => {
    const workflow = {
      ...COUNTING,
      steps: [
        { type: "roboflow_core/byte_trackr@v3", name: "a" },
        { type: "X", name: "b" },
      ],
      outputs: [],
    };
    const refusal = await refused(startPipeline({ sourceId: "gate", source: "fake://short", workflow }, threads()));
    expect(refusal).toMatchObject({
      name: "EngineError",
      kind: "workflow",
      problems: [{ step: "a", did_you_mean: "roboflow_core/byte_tracker@v3" }, { step: "b" }],
    });
  });

  it("tells why a source does not open", async () => {
    expect(await refused(start("fake://nowhere"))).toMatchObject({ kind: "source", reason: "unknown_scene" });
  });

  it("opens a lost source again", async () => {
    const states: [PipelineState, string | undefined][] = [];
    const pipeline = await start("fake://lost-once", { onState: (state, reason) => states.push([state, reason]) });
    expect(await pipeline.ended).toMatchObject({ state: "ended", framesProcessed: 5 });
    expect(states).toEqual([
      ["running", undefined],
      ["reconnecting", "The camera does not answer."],
      ["running", undefined],
      ["ended", "The source has ended."],
    ]);
  });

  it("fails with the reason when something breaks", async () => {
    const pipeline = await start("fake://breaks");
    expect(await pipeline.ended).toMatchObject({ state: "failed", reason: "a wheel came off", framesProcessed: 1 });
  });

  it("fails when the thread itself dies", async () => {
    const pipeline = await start("fake://crashes");
    const figures = await pipeline.ended;
    expect(figures.state).toBe("failed");
    expect(figures.reason).toContain("out of memory");
    expect(await pipeline.picture()).toBeUndefined();
  });

  it("may be stopped twice, and a thread that does not listen is ended", async () => {
    const pipeline = await start("fake://deaf");
    await Promise.all([pipeline.stop(), pipeline.stop()]);
    expect(pipeline.figures().state).toBe("stopped");
  });

  it("ends a thread that one of its pipelines blocks, so that the others can be started again", async () => {
    const shared = threads();
    const options = { sourceId: "gate", source: "fake://blocks", workflow: COUNTING };
    const pipelines = await Promise.all([startPipeline(options, shared), startPipeline(options, shared)]);
    await pipelines[0]!.stop();
    expect(await pipelines[1]!.ended).toMatchObject({ state: "failed" });
    const next = await startPipeline({ ...options, source: "fake://endless" }, shared);
    await next.stop();
  });

  it("leaves a pipeline running whose neighbour in the thread is slow to leave", async () => {
    const shared = threads();
    const options = { sourceId: "gate", source: "fake://endless", workflow: COUNTING };
    const slow = await startPipeline({ ...options, workflow: SLOW_TO_LEAVE }, shared);
    const other = await startPipeline(options, shared);
    await slow.stop();
    const before = other.figures().framesProcessed;
    await until(() => other.figures().framesProcessed > before + 3);
    await other.stop();
  });

  it("refuses a frame rate that is none", async () => {
    expect(await refused(start("fake://short", { maxFps: 0 }))).toMatchObject({ kind: "input" });
  });
});

describe("a running pipeline", () => {
  it("takes no frames while paused, and goes on", async () => {
    const pipeline = await start("fake://endless");
    await until(() => pipeline.figures().framesProcessed > 2);
    await pipeline.pause();
    await pipeline.pause();
    expect(pipeline.figures().state).toBe("paused");
    const before = pipeline.figures().framesProcessed;
    await wait(60);
    expect(pipeline.figures().framesProcessed).toBe(before);
    await pipeline.resume();
    expect(pipeline.figures().state).toBe("running");
    await until(() => pipeline.figures().framesProcessed > before);
  });

  it("hears a stop while paused", async () => {
    const pipeline = await start("fake://endless");
    await pipeline.pause();
    await pipeline.stop();
    expect(pipeline.figures().state).toBe("stopped");
  });

  it("gives a picture of a frame as it was and as it was drawn", async () => {
    const pipeline = await start("fake://endless");
    await until(() => pipeline.figures().framesProcessed > 3);
    const frameNumber = pipeline.latest(2)[0]!.frame.frame_number;
    const plain = await pipeline.picture({ frameNumber });
    const drawn = await pipeline.picture({ frameNumber, output: "picture", maxEdge: 32 });
    expect(plain).toMatchObject({ width: 64, height: 48, frame: { source_id: "gate", frame_number: frameNumber } });
    expect([...plain!.jpeg.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    expect(drawn).toMatchObject({ width: 32, height: 24 });
    expect(await pipeline.picture({ frameNumber: 999_999 })).toBeUndefined();
    expect(await refused(pipeline.picture({ output: "nothing" }))).toMatchObject({ kind: "input" });
  });

  it("shows viewers the picture together with what was found in it", async () => {
    const pipeline = await start("fake://greedy");
    const seen: boolean[] = [];
    const leave = pipeline.view(({ picture, result }) => {
      seen.push(picture.frame.frame_number === result.frame.frame_number && picture.jpeg.length > 100);
    });
    await until(() => seen.length >= 3);
    leave();
    leave();
    await wait(30);
    const shown = seen.length;
    await wait(30);
    expect(seen).toHaveLength(shown);
    expect(seen.every(Boolean)).toBe(true);
  });

  it("gives each result once to who consumes, and counts those that were lost", async () => {
    const pipeline = await start("fake://greedy", { maxFrames: 300, maxFps: 1000 });
    await pipeline.ended;
    expect(pipeline.figures().resultsLost).toBe(44);
    expect(pipeline.consume(2).map(({ frame }) => frame.frame_number)).toEqual([45, 46]);
    expect(pipeline.consume()).toHaveLength(254);
    expect(pipeline.consume()).toEqual([]);
  });

  it("S000-2.1.4 runs frames of several sources together, each with its own results", async () => {
    const results: FrameResult[] = [];
    const pipeline = await start("fake://short", {
      moreSources: [{ sourceId: "door", source: "fake://short" }],
      onResult: (result) => results.push(result),
    });
    await pipeline.ended;
    const numbersOf = (sourceId: string) =>
      results.filter(({ frame }) => frame.source_id === sourceId).map(({ frame }) => frame.frame_number);
    expect(numbersOf("gate")).toEqual([1, 2, 3, 4, 5]);
    expect(numbersOf("door")).toEqual([1, 2, 3, 4, 5]);
  });

  it("refuses two sources of one name", async () => {
    const twice = start("fake://short", { moreSources: [{ sourceId: "gate", source: "fake://short" }] });
    expect(await refused(twice)).toMatchObject({ kind: "input" });
  });

  it("takes in a source while it runs and lets one go", async () => {
    const seen = new Set<string>();
    const pipeline = await start("fake://endless", { onResult: ({ frame }) => seen.add(frame.source_id) });
    await until(() => seen.has("gate"));
    await pipeline.addSource({ sourceId: "door", source: "fake://endless" });
    await until(() => seen.has("door"));
    expect(await pipeline.picture({ sourceId: "door" })).toMatchObject({ frame: { source_id: "door" } });
    await pipeline.removeSource("gate");
    await wait(20);
    seen.clear();
    await until(() => seen.size > 0);
    expect([...seen]).toEqual(["door"]);
    expect(await refused(pipeline.removeSource("gate"))).toMatchObject({ kind: "input" });
    expect(await refused(pipeline.addSource({ sourceId: "x", source: "fake://no" }))).toMatchObject({ kind: "source" });
  });

  it("runs frames that its owner hands in", async () => {
    const results: FrameResult[] = [];
    const pipeline = await start("push://?width=64&height=48", { onResult: (result) => results.push(result) });
    const rgba = new Uint8ClampedArray(64 * 48 * 4).fill(90);
    pipeline.push({ width: 64, height: 48, rgba, timestamp: "2026-01-01T00:00:00.000Z" });
    await until(() => results.length === 1);
    expect(results[0]!.frame).toMatchObject({ source_id: "gate", timestamp: "2026-01-01T00:00:00.000Z" });
    expect((await pipeline.picture())?.width).toBe(64);
    expect(await refused(start("push://"))).toMatchObject({ kind: "source", reason: "bad_option" });
  });

  it("keeps at most 256 results", async () => {
    const pipeline = await start("fake://greedy", { maxFrames: 300, maxFps: 1000 });
    await pipeline.ended;
    expect(pipeline.latest(1000)).toHaveLength(256);
    expect(pipeline.latest(1)[0]!.frame.frame_number).toBe(300);
  });
});

describe("runOnce", () => {
  it("answers with the first frame and its pictures", async () => {
    const { result, picture, annotated } = await runOnce(
      { sourceId: "gate", source: "fake://endless", workflow: COUNTING },
      threads(),
    );
    expect(result.frame.frame_number).toBe(1);
    expect(picture.width).toBe(64);
    expect(annotated?.jpeg.length).toBeGreaterThan(100);
  });

  it("tells why it could not", async () => {
    const attempt = runOnce({ sourceId: "gate", source: "fake://nowhere", workflow: COUNTING }, threads());
    expect(await refused(attempt)).toMatchObject({ kind: "source", reason: "unknown_scene" });
  });

  it("ends when the signal says so", async () => {
    const signal = AbortSignal.timeout(50);
    const attempt = runOnce({ sourceId: "gate", source: "fake://deaf", workflow: COUNTING, signal }, threads());
    await expect(attempt).rejects.toMatchObject({ name: "TimeoutError" });
  });
});

async function start(source: string, options: Partial<PipelineOptions> = {}): Promise<Pipeline> {
  const pipeline = await startPipeline({ sourceId: "gate", source, workflow: COUNTING, ...options }, threads());
  running.push(pipeline);
  return pipeline;
}

async function refused(attempt: Promise<unknown>): Promise<EngineError> {
  return attempt.then(
    () => Promise.reject(new Error("It was not refused.")),
    (error: EngineError) => error,
  );
}

const wait = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(5);
}
