import { createCountingIds, createFakeClock } from "@vision-agent/agent-core/testing";
import type { OutputValue } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { BackendError } from "../backends/backend.ts";
import { createActiveState } from "../pipelines/active-state.ts";
import { countingWorkflow } from "../pipelines/counting-workflow.ts";
import { createPipelineRegistry } from "../pipelines/create-pipeline-registry.ts";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { backendsOn, createFakeEngine, type FakePipeline } from "../testing/fake-engine.ts";
import { createCameraRegistry } from "../workspace/create-camera-registry.ts";
import { createMemoryFiles } from "../workspace/memory-files.ts";
import type { SceneEventDraft } from "./detect-scene-events.ts";
import { recordSceneEvents } from "./record-scene-events.ts";

describe("recording what pipelines see", () => {
  it("turns results into events with the picture of that very frame", async () => {
    const { engine, added } = await openStreet();
    for (let frame = 0; frame < 3; frame += 1) engine().emit(seen([1]));
    expect(added.map(({ event }) => event.kind)).toEqual(["appeared"]);
    expect(await textOf(added[0]?.picture)).toBe("street 3");
  });

  it("takes a picture of every crossing but of comings and goings only each two seconds", async () => {
    const { engine, added, pass } = await openStreet();
    for (let frame = 0; frame < 3; frame += 1) engine().emit(seen([1, 2], 0));
    engine().emit(seen([1, 2], 1));
    engine().emit(seen([1, 2], 2));
    await pass(2000);
    for (let frame = 0; frame < 3; frame += 1) engine().emit(seen([3], 2));
    const pictures = await Promise.all(added.map(async ({ event, picture }) => [event.kind, Boolean(await picture)]));
    expect(pictures).toEqual([
      ["appeared", true],
      ["appeared", false],
      ["line_crossed", true],
      ["line_crossed", true],
      ["appeared", true],
    ]);
  });

  it("tells when the camera is lost, with the last picture, and when it is back", async () => {
    const { engine, added } = await openStreet();
    engine().emit();
    engine().become("reconnecting", "The camera is silent.");
    engine().become("running");
    expect(added.map(({ event }) => event.text)).toEqual([
      "street gives no pictures: The camera is silent.",
      "street gives pictures again.",
    ]);
    expect(await textOf(added[0]?.picture)).toBe("street 1");
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
    const { engine, added, stop } = await openStreet();
    stop();
    stop();
    for (let frame = 0; frame < 5; frame += 1) engine().emit(seen([1]));
    expect(added).toEqual([]);
  });
});

interface Street {
  readonly added: { readonly event: SceneEventDraft; readonly picture: Promise<Uint8Array | undefined> }[];
  engine(): FakePipeline;
  pass(ms: number): Promise<void>;
  stop(): void;
}

async function openStreet(options: { readonly picture?: PipelineRegistry["picture"] } = {}): Promise<Street> {
  const engine = createFakeEngine();
  const clock = createFakeClock();
  const pipelines = createPipelineRegistry({
    backends: backendsOn({ direct: engine }),
    cameras: createCameraRegistry({ markdown: "", extra: ["street=sim://street"] }),
    state: createActiveState({ files: createMemoryFiles(), path: "/w/active_state.json", now: clock.now }),
    clock,
    ids: createCountingIds(),
    workflows: { describeWorkflow: () => "", shapesOf: () => [], modelsOf: () => [] },
    onProblem: (message) => {
      throw new Error(message);
    },
  });
  const added: Street["added"] = [];
  const stop = recordSceneEvents({
    pipelines: {
      onResult: (listener) => pipelines.onResult(listener),
      onChange: (listener) => pipelines.onChange(listener),
      definition: (id) => pipelines.definition(id),
      picture: options.picture ?? ((id, request) => pipelines.picture(id, request)),
    },
    clock,
    log: { add: (event, picture) => added.push({ event, picture }) },
  });
  const line = [
    [480, 40],
    [480, 520],
  ] as const;
  await pipelines.start({ videoReference: "street", spec: countingWorkflow({ modelId: "m", line }) });
  const only = (): FakePipeline => {
    const [pipeline] = engine.pipelines;
    if (!pipeline) throw new Error("no pipeline");
    return pipeline;
  };
  return { added, engine: only, pass: (ms) => clock.advance(ms), stop };
}

function seen(ids: readonly number[], countIn = 0): Readonly<Record<string, OutputValue>> {
  return {
    tracked_detections: {
      kind: "detections",
      detections: {
        image: { width: 960, height: 540 },
        xyxy: ids.flatMap(() => [0, 0, 10, 10]),
        confidence: ids.map(() => 1),
        class_id: ids.map(() => 0),
        class_name: ids.map(() => "person"),
        tracker_id: [...ids],
      },
    },
    count_in: { kind: "value", value: countIn },
    annotated: { kind: "image", width: 960, height: 540 },
  };
}

async function textOf(picture: Promise<Uint8Array | undefined> | undefined): Promise<string> {
  return new TextDecoder().decode(await picture);
}
