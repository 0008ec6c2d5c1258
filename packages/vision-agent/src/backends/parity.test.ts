import type { Detections, FrameResult } from "@vision-agent/protocol";
import { EngineError } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { backendsOn, createFakeEngine, type FakeEngine } from "../testing/fake-engine.ts";
import type { InferenceBackend } from "./backend.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { runParity } from "./parity.ts";

const SPEC = detectionWorkflow({ modelId: "coco/3" });

describe("parity", () => {
  it("agrees when every backend finds the same, and tells the times of each", async () => {
    const { backends, engines } = three();
    engines.direct.answer = engines.http.answer = { predictions: boxes(10), count: { kind: "value", value: 1 } };
    engines.http.answer = { predictions: boxes(11.5), count: { kind: "value", value: 1 } };
    const report = runParity({ ...common, backends });
    await expect.poll(() => engines.webrtc.pipelines.length).toBe(1);
    engines.webrtc.pipelines[0]?.emit({ predictions: boxes(10) });
    const { runs, comparisons, agrees } = await report;
    expect(agrees).toBe(true);
    expect(runs).toMatchObject([
      { backend: "direct", first_ms: 10, again_ms: 10, latency_ms: 5, notes: ["Another model stands in."] },
      { backend: "http", first_ms: 10, again_ms: 10 },
      { backend: "webrtc", first_ms: 10, latency_ms: 5 },
    ]);
    expect(comparisons.map(({ output, backends: pair, agrees: fine }) => [output, ...pair, fine])).toEqual([
      ["predictions", "direct", "http", true],
      ["count", "direct", "http", true],
      ["predictions", "direct", "webrtc", true],
    ]);
    expect(comparisons[0]).toMatchObject({ worst_px: 1.5, matched: 1 });
    expect(engines.webrtc.pipelines[0]).toMatchObject({ stopped: true, options: { source: "/tmp/p.jpg" } });
  });

  it("does not agree when a box is off, or a count is another", async () => {
    const { backends, engines } = three();
    engines.direct.answer = { predictions: boxes(10), count: { kind: "value", value: 1 } };
    engines.http.answer = { predictions: boxes(13), count: { kind: "value", value: 2 } };
    engines.webrtc.failure = new EngineError({ kind: "source", message: "ffmpeg is missing." });
    const { agrees, comparisons, runs } = await runParity({ ...common, backends });
    expect(agrees).toBe(false);
    expect(comparisons.map((each) => each.agrees)).toEqual([false, false]);
    expect(runs[2]).toEqual({ backend: "webrtc", failure: "ffmpeg is missing." });
  });

  it("agrees with nobody when only one could run, and says why the others could not", async () => {
    const { backends, engines } = three();
    engines.http.failure = new EngineError({ kind: "model", message: "No such model." });
    const report = runParity({ ...common, backends, sessionMs: 20 });
    expect(await report).toMatchObject({
      agrees: false,
      comparisons: [],
      runs: [{ backend: "direct" }, { failure: "No such model." }, { failure: "No result came within 0.02 s." }],
    });
    expect(engines.webrtc.pipelines.map(({ stopped }) => stopped)).toEqual([true]);
  });

  it.each(["failed", "ended"] as const)("hears that a session %s", async (state) => {
    const { backends, engines } = three();
    const report = runParity({ ...common, backends: backends.slice(2) });
    await expect.poll(() => engines.webrtc.pipelines.length).toBe(1);
    engines.webrtc.pipelines[0]?.become(state, state === "failed" ? "Nobody answers." : undefined);
    const failure = state === "failed" ? "Nobody answers." : "The session ended without a result.";
    expect((await report).runs).toEqual([{ backend: "webrtc", failure }]);
  });
});

let time = 0;
const clock = {
  monotonic: () => {
    time += 10;
    return time;
  },
};
const common = { spec: SPEC, jpeg: new Uint8Array(3), path: "/tmp/p.jpg", clock };

function three(): {
  readonly engines: Readonly<Record<"direct" | "http" | "webrtc", FakeEngine>>;
  readonly backends: readonly InferenceBackend[];
} {
  const engines = { direct: createFakeEngine(), http: createFakeEngine(), webrtc: createFakeEngine() };
  engines.webrtc.opens = /^\/tmp/;
  return { engines, backends: backendsOn(engines).list };
}

function boxes(left: number): FrameResult["outputs"][string] {
  const detections: Detections = {
    image: { width: 640, height: 480 },
    xyxy: [left, 10, 50, 90],
    confidence: [0.9],
    class_id: [0],
    class_name: ["person"],
    tracker_id: null,
    ...(left === 10 && { note: "Another model stands in." }),
  };
  return { kind: "detections", detections };
}
