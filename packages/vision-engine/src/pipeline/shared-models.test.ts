import { setImmediate as nextTurn } from "node:timers/promises";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import type { DetectionModel, ModelRegistry, ModelsByTask, ModelTask } from "../models/model.ts";
import { frameOf, frameSourceOf, modelRegistryOf, truthModel } from "../testing/index.ts";
import { compileWorkflow } from "../workflow/workflow.ts";
import { runPipelineThread } from "./pipeline-thread.ts";
import { SharedCamera } from "./shared-camera.ts";
import { shareModels } from "./shared-models.ts";
import { createSourceFeed } from "./source-set.ts";
import type { ThreadReport, ThreadRequest } from "./thread-messages.ts";

describe("a shared model", () => {
  it("looks once at a picture for all who ask the same", async () => {
    const { models, looks } = countingModels();
    const [one, other] = await Promise.all([models.open("fake/truth", TASK), models.open("fake/truth", TASK)]);
    const frame = frameOf({ objects: [{ box: [1, 2, 3, 4] }] });
    const found = await Promise.all([one.detect(frame, { confidence: 0.5 }), other.detect(frame, { confidence: 0.5 })]);
    expect(found[0]).toBe(found[1]);
    expect(looks).toEqual([1]);
    await other.detect(frame, { confidence: 0.6 });
    await other.detect(frameOf({ frameNumber: 2 }), { confidence: 0.5 });
    expect(looks).toEqual([1, 1, 2]);
  });

  it("is opened once and closed with its last user", async () => {
    const { models, told } = countingModels();
    const [one, other] = [await models.open("fake/truth", TASK), await models.open("fake/truth", TASK)];
    await one.close();
    await one.close();
    expect(told).toEqual(["opened"]);
    await other.close();
    expect(told).toEqual(["opened", "closed"]);
    await models.open("fake/truth", TASK);
    expect(told).toEqual(["opened", "closed", "opened"]);
  });

  it("is tried again by the next who asks when it could not be had", async () => {
    const { models } = countingModels();
    await expect(models.open("nothing", TASK)).rejects.toMatchObject({ kind: "model" });
    await expect(models.open("nothing", TASK)).rejects.toMatchObject({ kind: "model" });
  });
});

describe("two pipelines with one detector on one camera", () => {
  it("decode and detect each frame once, and give the same boxes", async () => {
    const { models, looks } = countingModels();
    const frames = Array.from({ length: 30 }, (_, at) => {
      const box = [at, 2, at + 10, 20] as const;
      return frameOf({ frameNumber: at + 1, objects: [{ box }] });
    });
    let openings = 0;
    const source = { ...frameSourceOf(frames), next: paced(frameSourceOf(frames).next) };
    const camera = new SharedCamera({
      createFeed: (onLost) =>
        createSourceFeed({
          async open() {
            openings += 1;
            return source;
          },
          ...{ sleep: async () => undefined, backOffMs: () => 0, onLost },
        }),
      ...{ wallClock: () => 0, now: () => 0 },
    });
    const [all, people] = await Promise.all([run(camera, models, []), run(camera, models, ["person"])]);
    expect(openings).toBe(1);
    expect(looks).toEqual(frames.map(({ metadata }) => metadata.frame_number));
    expect(all.length).toBe(30);
    expect(people).toEqual(all);
  });

  it("do not end each other: the one whose workflow fails leaves alone", async () => {
    const { models } = countingModels();
    const frames = Array.from({ length: 20 }, (_, at) => frameOf({ frameNumber: at + 1 }));
    const source = { ...frameSourceOf(frames), next: paced(frameSourceOf(frames).next) };
    const camera = new SharedCamera({
      createFeed: (onLost) =>
        createSourceFeed({ open: async () => source, sleep: async () => undefined, backOffMs: () => 0, onLost }),
      ...{ wallClock: () => 0, now: () => 0 },
    });
    const breaking: ModelRegistry = {
      async open<T extends ModelTask>(id: string): Promise<ModelsByTask[T]> {
        const detect: DetectionModel["detect"] = () => Promise.reject(new Error("a wheel came off"));
        return { ...(await models.open(id, TASK)), detect } as DetectionModel as ModelsByTask[T];
      },
    };
    const [well, broken] = await Promise.all([run(camera, models, []), run(camera, breaking, [])]);
    expect(well.length).toBe(20);
    expect(broken.length).toBe(0);
  });
});

const TASK = "object-detection";

function countingModels() {
  const looks: number[] = [];
  const told: string[] = [];
  const truth = truthModel();
  const registry = modelRegistryOf([
    {
      ...truth,
      async detect(frame, options) {
        looks.push(frame.metadata.frame_number);
        await nextTurn();
        return truth.detect(frame, options);
      },
      close: async () => void told.push("closed"),
    },
  ]);
  const models = shareModels({
    async open(id, task) {
      const model = await registry.open(id, task);
      told.push("opened");
      return model;
    },
  });
  return { models, looks, told };
}

/** A few turns between frames, so that both are ready for each. */
function paced<T>(next: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  return async (signal) => {
    for (let turn = 0; turn < 30; turn++) await nextTurn();
    return next(signal);
  };
}

/** All boxes that a pipeline gave, frame by frame. */
async function run(
  camera: SharedCamera,
  models: ModelRegistry,
  classes: readonly string[],
): Promise<readonly unknown[]> {
  const boxes: unknown[] = [];
  let send: (request: ThreadRequest) => void = () => undefined;
  const step = { type: "ObjectDetectionModel", name: "model", images: "$inputs.image", model_id: "fake/truth" };
  const workflow: WorkflowSpec = {
    version: "1.0",
    inputs: [{ type: "WorkflowImage", name: "image" }],
    steps: [classes.length === 0 ? step : { ...step, class_filter: [...classes] }],
    outputs: [{ type: "JsonField", name: "found", selector: "$steps.model.predictions" }],
  };
  const port = {
    postMessage(report: ThreadReport) {
      if (report.type !== "result") return;
      const { found } = report.result.outputs;
      boxes.push(found?.kind === "detections" ? found.detections.xyxy : undefined);
      send({ type: "taken" });
    },
    on(_: "message", listener: (request: ThreadRequest) => void) {
      send = listener;
    },
  };
  const task = {
    kind: "pipeline",
    timing: "live",
    motionGate: "off",
    maxFps: 1000,
    buffer: {},
    parameters: {},
  } as const;
  await runPipelineThread({ ...task, workflow, sources: [{ sourceId: "camera", source: "fake://" }] }, port, {
    createFeed: (_, guest) => camera.join(guest),
    compile: (spec, parameters) => compileWorkflow(spec, { models, parameters }),
    decodePicture: async () => frameOf(),
    encodeJpeg: async () => ({ jpeg: new Uint8Array(1), width: 1, height: 1 }),
    push: () => undefined,
    overlap: 2,
    now: () => 0,
    sleep: async () => undefined,
    close: async () => undefined,
  });
  return boxes;
}
