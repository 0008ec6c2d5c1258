import { createCountingIds, createFakeClock } from "@vision-agent/agent-core/testing";
import type { OutputValue } from "@vision-agent/protocol";
import { shapesOf } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { BackendError } from "../backends/backend.ts";
import { createActiveState } from "../pipelines/active-state.ts";
import { countingWorkflow } from "../pipelines/counting-workflow.ts";
import { createPipelineRegistry, type PipelineRegistry, type StartRequest } from "../pipelines/pipeline-registry.ts";
import type { SceneEventDraft } from "../store/open-scene-event-log.ts";
import { backendsOn, createFakeEngine, type FakePipeline } from "../testing/fake-engine.ts";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { createCameraRegistry } from "../workspace/camera-registry.ts";
import { openScene, type SceneFollower } from "./open-scene.ts";
import { areaOf } from "./scene-interest.ts";

describe("the scene in front of a camera", () => {
  it("turns results into events with the picture of that very frame", async () => {
    const { engine, added } = await openStreet();
    for (let frame = 0; frame < 3; frame += 1) engine().emit(seen([1]));
    expect(added.map(({ event }) => event.kind)).toEqual(["appeared"]);
    expect(await textOf(added[0]?.picture)).toBe("street 3");
  });

  it("takes one picture for all who appear together, and none for what else they do", async () => {
    const { engine, added } = await openStreet();
    for (let frame = 0; frame < 3; frame += 1) engine().emit(seen([1, 2]));
    for (const x of [500, 300]) engine().emit(seen([1, 2], x));
    const pictures = await Promise.all(added.map(async ({ event, picture }) => [event.kind, await textOf(picture)]));
    expect(pictures).toEqual([
      ["appeared", "street 3"],
      ["appeared", "street 3"],
      ...Array.from({ length: 4 }, () => ["line_crossed", ""]),
    ]);
  });

  it("takes a picture of the moment where somebody asked to be told of it, once in ten seconds", async () => {
    const { engine, added, start, pass } = await openStreet();
    await start({ name: "telling", alertOn: ["line_crossed"] });
    for (let frame = 0; frame < 3; frame += 1) engine(1).emit(seen([1]));
    for (const x of [500, 300]) engine(1).emit(seen([1], x));
    await pass(10_000);
    engine(1).emit(seen([1], 500));
    const crossed = added.filter(({ event }) => event.kind === "line_crossed");
    const pictures = await Promise.all(crossed.map(({ picture }) => textOf(picture)));
    expect(pictures).toEqual(["street 4", "", "street 6"]);
  });

  it("ends a visit with the best picture of it: large, surely recognised and whole", async () => {
    const { engine, added } = await openStreet();
    const sized = (half: number, x: number) => seen([1], x, "person", half);
    for (let frame = 0; frame < 3; frame += 1) engine().emit(sized(5, 300));
    for (let frame = 0; frame < 10; frame += 1) engine().emit(sized(10, 300));
    for (let frame = 0; frame < 10; frame += 1) engine().emit(sized(40, 300));
    // Larger still, but half of it is out of the picture.
    for (let frame = 0; frame < 10; frame += 1) engine().emit(sized(60, 30));
    for (let frame = 0; frame < 30; frame += 1) engine().emit(seen([]));
    const [appeared, left] = added.filter(({ event }) => event.kind !== "line_crossed");
    expect([appeared?.event.kind, left?.event.kind]).toEqual(["appeared", "left"]);
    expect(await textOf(appeared?.picture)).toBe("street 3");
    const shown = Number((await textOf(left?.picture)).split(" ")[1]);
    expect(shown).toBeGreaterThan(13);
    expect(shown).toBeLessThanOrEqual(23);
  });

  it("has a picture of every visit, also of one that crosses and is gone", async () => {
    const { engine, added } = await openStreet();
    for (const x of [300, 600]) engine().emit(seen([1], x));
    expect(await Promise.all(added.map(async ({ event, picture }) => [event.kind, await textOf(picture)]))).toEqual([
      ["line_crossed", "street 2"],
    ]);
  });

  it("ends the visits of a camera that nobody watches any more", async () => {
    const { engine, ended, pipelines } = await openStreet();
    for (let frame = 0; frame < 3; frame += 1) engine().emit(seen([1]));
    expect(ended).toEqual([]);
    await pipelines.stop("street");
    expect(ended).toEqual(["street"]);
  });

  it("tells when the camera is lost, with the last picture, and when it is back", async () => {
    const { engine, added, pass } = await openStreet();
    engine().emit();
    engine().become("reconnecting", "The camera is silent.");
    await pass(12_000);
    engine().become("running");
    await pass(15_000);
    expect(added.map(({ event }) => event.text)).toEqual([
      "street gives no pictures: The camera is silent.",
      "street gives pictures again.",
    ]);
    expect(await textOf(added[0]?.picture)).toBe("street 1");
  });

  it("tells when the camera is frozen, covered or moved, with a picture, and once when it is well again", async () => {
    const { engine, added, pass } = await openStreet();
    engine().emit();
    for (const trouble of ["moved", "frozen", "covered", "dark", undefined] as const) {
      engine().find(trouble);
      await pass(15_000);
    }
    expect(added.map(({ event }) => event.kind)).toEqual([
      ...["camera_moved", "camera_frozen", "camera_covered", "camera_dark", "camera_up"],
    ]);
    for (const { picture } of added) expect(await textOf(picture)).toBe("street 1");
  });

  it("does not judge recordings as if they were cameras", async () => {
    const { engine, added, pass } = await openStreet({ recording: true });
    engine().emit();
    engine().find("frozen");
    await pass(2000);
    expect(added).toEqual([]);
  });

  it("has an event without a picture when the pipeline is gone", async () => {
    const picture = (): Promise<never> => Promise.reject(new BackendError({ kind: "not_found", message: "gone" }));
    const { engine, added } = await openStreet({ picture });
    for (let frame = 0; frame < 3; frame += 1) engine().emit(seen([1]));
    expect(await added[0]?.picture).toBeUndefined();
  });

  it("does not wait for a picture that never comes", async () => {
    const picture = (): Promise<never> => Promise.withResolvers<never>().promise;
    const { engine, added, pass } = await openStreet({ picture });
    for (let frame = 0; frame < 3; frame += 1) engine().emit(seen([1]));
    await pass(1500);
    expect(await added[0]?.picture).toBeUndefined();
  });

  it("stops when it is told to, twice", async () => {
    const { engine, added, scene } = await openStreet();
    scene.close();
    scene.close();
    for (let frame = 0; frame < 5; frame += 1) engine().emit(seen([1]));
    expect(added).toEqual([]);
  });
});

describe("two pipelines on one camera", () => {
  it("tell of the same person once, and the other goes on without a word when the first is stopped", async () => {
    const { engine, added, start, pipelines } = await openStreet();
    await start();
    const [first, second] = [engine(0), engine(1)];
    for (let frame = 0; frame < 5; frame += 1) {
      first.emit(seen([1]));
      second.emit(seen([7]));
    }
    await pipelines.stop("street");
    for (let frame = 0; frame < 50; frame += 1) second.emit(seen([7]));
    for (let frame = 0; frame < 30; frame += 1) second.emit(seen([]));
    expect(added.map(({ event }) => [event.kind, event.tracker_id])).toEqual([
      ["appeared", 1],
      ["left", 7],
    ]);
  });

  it("tell of their own lines, of the same line once, and only of what they show themselves", async () => {
    const { engine, added, start } = await openStreet();
    await start({ name: "same" });
    await start({ name: "other", line: [700, 40, 700, 520] });
    for (const x of [300, 600, 900]) {
      engine(0).emit(seen([1], x));
      engine(1).emit(seen([5], x));
      engine(2).emit(seen([9], x, "car"));
    }
    const crossed = added.filter(({ event }) => event.kind === "line_crossed").map(({ event }) => event);
    expect(crossed.map(({ pipeline_id, class_name }) => [pipeline_id, class_name])).toEqual([
      ["pipe_1", "person"],
      ["pipe_3", "car"],
    ]);
  });

  it("go by the name of the one that is to tell of it, with the picture of the one that saw it", async () => {
    const { engine, added, start } = await openStreet();
    await start({ name: "telling", alertOn: ["appeared"] });
    for (let frame = 0; frame < 3; frame += 1) {
      engine(1).emit();
      engine(0).emit(seen([1]));
      engine(1).emit(seen([5]));
    }
    expect(added.map(({ event }) => [event.kind, event.pipeline_id])).toEqual([["appeared", "pipe_2"]]);
    expect(await textOf(added[0]?.picture)).toBe("street 3");
  });
});

describe("what somebody asks for", () => {
  it("is followed on that camera until nobody asks any more", async () => {
    const { engine, added, scene } = await openStreet();
    const views: number[] = [];
    scene.onView(({ entered }) => views.push(entered.length));
    const points = [
      [0, 0],
      [0.5, 0],
      [0.5, 1],
      [0, 1],
    ] as const;
    const stop = scene.follow("street", { area: areaOf("zone", points), classes: ["person"] });
    scene.follow("yard", { area: areaOf("zone", points), classes: ["car"] });
    for (let frame = 0; frame < 3; frame += 1) engine().emit(seen([1, 2]));
    expect(views).toEqual([0, 0, 2]);
    expect(added.map(({ event }) => event.kind)).toEqual(["appeared", "appeared", "zone_entered", "zone_entered"]);
    stop();
    for (let frame = 0; frame < 3; frame += 1) engine().emit(seen([3], 400));
    expect(added.map(({ event }) => event.kind).slice(4)).toEqual(["appeared"]);
  });
});

interface Street {
  readonly added: { readonly event: SceneEventDraft; readonly picture: Promise<Uint8Array | undefined> }[];
  readonly ended: readonly string[];
  readonly scene: SceneFollower;
  readonly pipelines: PipelineRegistry;
  engine(index?: number): FakePipeline;
  pass(ms: number): Promise<void>;
  start(options?: Partial<StartRequest> & { readonly line?: readonly number[] }): Promise<unknown>;
}

async function openStreet(
  options: { readonly picture?: PipelineRegistry["picture"]; readonly recording?: boolean } = {},
): Promise<Street> {
  const engine = createFakeEngine();
  const clock = createFakeClock();
  const pipelines = createPipelineRegistry({
    admit: () => undefined,
    backends: backendsOn({ direct: engine }),
    cameras: createCameraRegistry({ markdown: "", extra: ["street=sim://street"] }),
    state: createActiveState({ files: createMemoryFiles(), path: "/w/active_state.json", now: clock.now }),
    clock,
    ids: createCountingIds(),
    workflows: { describeWorkflow: () => "", shapesOf, modelsOf: () => [] },
    onProblem: (message) => {
      throw new Error(message);
    },
  });
  const added: Street["added"] = [];
  const ended: string[] = [];
  const scene = openScene({
    pipelines: {
      onResult: (listener) => pipelines.onResult(listener),
      onChange: (listener) => pipelines.onChange(listener),
      definition: (id) => pipelines.definition(id),
      picture: options.picture ?? ((id, request) => pipelines.picture(id, request)),
    },
    clock,
    log: {
      add: (event, picture) => added.push({ event, picture }),
      endVisits: (camera) => ended.push(camera),
      list: () => [],
    },
  });
  const start: Street["start"] = ({
    line: [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = [480, 40, 480, 520],
    ...request
  } = {}) => {
    const line = [
      [x1, y1],
      [x2, y2],
    ] as const;
    return pipelines.start({ videoReference: "street", spec: countingWorkflow({ modelId: "m", line }), ...request });
  };
  await start();
  const pipelineAt = (index = 0): FakePipeline => {
    const pipeline = engine.pipelines[index];
    if (!pipeline) throw new Error("no pipeline");
    if (!options.recording) return pipeline;
    const { emit } = pipeline;
    const onResult = pipeline.options.onResult;
    return {
      ...pipeline,
      emit: (...given) => {
        const result = emit(...given);
        onResult?.({ ...result, frame: { ...result.frame, comes_from_video_file: true } });
        return result;
      },
    };
  };
  return { added, ended, scene, pipelines, engine: pipelineAt, pass: (ms) => clock.advance(ms), start };
}

/** People, all with their centre at the same place. */
function seen(ids: readonly number[], x = 100, className = "person", half = 5): Readonly<Record<string, OutputValue>> {
  return {
    tracked_detections: {
      kind: "detections",
      detections: {
        image: { width: 960, height: 540 },
        xyxy: ids.flatMap(() => [Math.max(0, x - half), 205 - half, x + half, 205 + half]),
        confidence: ids.map(() => 1),
        class_id: ids.map(() => 0),
        class_name: ids.map(() => className),
        tracker_id: [...ids],
      },
    },
    annotated: { kind: "image", width: 960, height: 540 },
  };
}

async function textOf(picture: Promise<Uint8Array | undefined> | undefined): Promise<string> {
  return new TextDecoder().decode(await picture);
}
