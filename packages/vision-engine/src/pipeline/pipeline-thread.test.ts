import { setImmediate as nextTurn } from "node:timers/promises";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import type { DetectionModel } from "../models/model.ts";
import type { FrameSource } from "../sources/frame-source.ts";
import { frameOf, frameSourceOf, modelRegistryOf, truthModel } from "../testing/index.ts";
import { compileWorkflow } from "../workflow/workflow.ts";
import { runPipelineThread } from "./pipeline-thread.ts";
import { SharedCamera } from "./shared-camera.ts";
import { createSourceFeed } from "./source-set.ts";
import type { ThreadParts, ThreadReport, ThreadRequest, ThreadTask } from "./thread-messages.ts";

const MOST_UNTAKEN = 64;
const DETECTOR = "roboflow_core/roboflow_object_detection_model@v3";
const BOXES = "roboflow_core/bounding_box_visualization@v1";
const NOTHING: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [],
  outputs: [],
};
const FRAMES = Array.from({ length: MOST_UNTAKEN + 40 }, (_, index) => frameOf({ frameNumber: index + 1 }));

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

describe("a pipeline's thread", () => {
  it("waits with the next frame while its owner has too many results to take", async () => {
    const { reports, send } = run(frameSourceOf(FRAMES));
    const results = () => reports.filter(({ type }) => type === "result").length;
    await until(() => results() === MOST_UNTAKEN);
    await turns();
    expect(results()).toBe(MOST_UNTAKEN);
    send({ type: "taken" });
    send({ type: "taken" });
    await until(() => results() === MOST_UNTAKEN + 2);
    await turns();
    expect(results()).toBe(MOST_UNTAKEN + 2);
  });

  it("gives the picture of the last result while the next frame is still inside the workflow", async () => {
    const drawn: WorkflowSpec = {
      ...NOTHING,
      steps: [
        { type: DETECTOR, name: "model", images: "$inputs.image", model_id: "fake/truth" },
        { type: BOXES, name: "boxes", image: "$inputs.image", predictions: "$steps.model.predictions" },
      ],
      outputs: [{ type: "JsonField", name: "picture", selector: "$steps.boxes.image" }],
    };
    const truth = truthModel();
    const { promise: looking, resolve: endLook } = Promise.withResolvers<void>();
    const detect: DetectionModel["detect"] = (frame, options) =>
      (frame.metadata.frame_number === 1 ? Promise.resolve() : looking).then(() => truth.detect(frame, options));
    const models = modelRegistryOf([{ ...truth, detect }]);
    const { reports, send } = run(frameSourceOf(FRAMES), {
      compile: (_, parameters) => compileWorkflow(drawn, { models, parameters }),
    });
    await until(() => reports.some(({ type }) => type === "result"));
    await turns();
    send({ type: "picture", id: 7, request: { output: "picture", sourceId: "camera" } });
    await until(() => reports.some((report) => "id" in report && report.id === 7));
    expect(reports.at(-1)).toMatchObject({ type: "answer", picture: { frame: { frame_number: 1 } } });
    endLook();
  });

  it.each([
    [false, 3],
    [true, 1],
  ])("begins frames beside the first only while the models have time (loaded: %s)", async (isLoaded, most) => {
    const detecting: WorkflowSpec = {
      ...NOTHING,
      steps: [{ type: DETECTOR, name: "model", images: "$inputs.image", model_id: "fake/truth" }],
    };
    const truth = truthModel();
    const { promise: looking, resolve: endLook } = Promise.withResolvers<void>();
    let begun = 0;
    const detect: DetectionModel["detect"] = async (frame, options) => {
      begun += 1;
      await looking;
      return truth.detect(frame, options);
    };
    const models = modelRegistryOf([{ ...truth, detect }]);
    run(frameSourceOf(FRAMES), {
      ...{ overlap: 3, isLoaded: () => isLoaded },
      compile: (_, parameters) => compileWorkflow(detecting, { models, parameters }),
    });
    await until(() => begun === most);
    await turns();
    expect(begun).toBe(most);
    endLook();
  });

  it("hears a stop while it waits for its owner", async () => {
    const { reports, send, ended } = run(frameSourceOf(FRAMES));
    await until(() => reports.filter(({ type }) => type === "result").length === MOST_UNTAKEN);
    send({ type: "stop" });
    await ended;
  });

  it("ends when a live picture fails that was begun before the pause", async () => {
    const { promise: encoding, reject } = Promise.withResolvers<never>();
    const { reports, send, ended } = run(frameSourceOf(FRAMES), { encodeJpeg: () => encoding });
    send({ type: "view", on: true });
    await until(() => reports.some(({ type }) => type === "result"));
    await turns();
    send({ type: "pause", id: 1 });
    reject(new Error("no memory"));
    await ended;
    expect(reports.slice(-2)).toEqual([{ type: "state", state: "failed", reason: "no memory" }, { type: "over" }]);
  });

  it("does not count as dropped what passed by during a pause", async () => {
    const { source, passBy } = liveSource();
    const { reports, send } = run(source);
    const dropped = () => reports.findLast((report) => report.type === "result")?.drops.not_taken_in_time;
    passBy(2);
    await until(() => dropped() === 2);
    send({ type: "pause", id: 1 });
    await turns();
    passBy(1000);
    send({ type: "resume", id: 2 });
    await turns();
    passBy(3);
    await until(() => (dropped() ?? 0) > 2);
    expect(dropped()).toBe(5);
  });
});

/** A source whose frames come one by one; some pass by before the next is asked for, which is fine during a pause. */
function liveSource(): { readonly source: FrameSource; passBy(frames: number): void } {
  let waiting = 0;
  let dropped = 0;
  let paused = false;
  const frames = frameSourceOf(FRAMES);
  return {
    passBy(count) {
      waiting = paused ? 0 : count;
    },
    source: {
      ...frames,
      get dropped() {
        return dropped;
      },
      async next(signal) {
        dropped += waiting;
        waiting = 0;
        await nextTurn();
        return frames.next(signal);
      },
      pause() {
        paused = true;
      },
      resume() {
        paused = false;
      },
    },
  };
}

function run(source: FrameSource, parts: Partial<ThreadParts> = {}) {
  const reports: ThreadReport[] = [];
  const listeners: ((request: ThreadRequest) => void)[] = [];
  const task: ThreadTask = {
    kind: "pipeline",
    sources: [{ sourceId: "gate", source: "fake://" }],
    workflow: NOTHING,
    parameters: {},
    maxFps: 1000,
    buffer: {},
    timing: "live",
    motionGate: "off",
  };
  const port = {
    postMessage: (report: ThreadReport) => void reports.push(report),
    on: (_: "message", listener: (request: ThreadRequest) => void) => listeners.push(listener),
  };
  const ended = runPipelineThread(task, port, {
    createFeed: (_source, guest) =>
      new SharedCamera({
        createFeed: (onLost) =>
          createSourceFeed({ open: async () => source, sleep: async () => undefined, backOffMs: () => 0, onLost }),
        wallClock: () => 0,
        now: () => 0,
      }).join(guest),
    compile: (spec, parameters) => compileWorkflow(spec, { models: modelRegistryOf([]), parameters }),
    decodePicture: async () => frameOf(),
    encodeJpeg: async () => ({ jpeg: new Uint8Array(1), width: 1, height: 1 }),
    push: () => undefined,
    overlap: 1,
    now: () => 0,
    sleep: async () => undefined,
    close: async () => undefined,
    ...parts,
  });
  const send = (request: ThreadRequest): void => {
    for (const listener of listeners) listener(request);
  };
  ends.push(() => {
    send({ type: "stop" });
    return ended;
  });
  return { reports, send, ended };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}
