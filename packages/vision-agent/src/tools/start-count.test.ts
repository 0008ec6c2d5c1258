import { systemClock } from "@vision-agent/agent-core";
import { createCountingIds } from "@vision-agent/agent-core/testing";
import type { CameraPlace } from "@vision-agent/protocol";
import { COCO_CLASSES } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { countingWorkflow, zoneCountWorkflow } from "../pipelines/counting-workflow.ts";
import { fakeCameras, fakeContext, fakePipelines, SPEC, textOf } from "../testing/fake-app.ts";
import { fakePlaces } from "../testing/fake-places.ts";
import { QUIET_SCENE } from "../testing/fake-scene.ts";
import { createWatchRegistry } from "../watches/watch-registry.ts";
import { startCountTool } from "./start-count.ts";
import { startPipelineTool } from "./start-pipeline.ts";

const DOOR: CameraPlace = {
  kind: "line",
  name: "door",
  points: [
    [0.25, 0],
    [0.25, 1],
  ],
  directions: { in: "entering", out: "leaving" },
};

describe("start_count", () => {
  it("counts crossings of a line in words with one call, and says what in means", async () => {
    const { count, pipelines } = setUp();
    const text = await count({ camera: "street", classes: ["people"], line: "vertical middle" });
    expect(text).toBe(
      [
        "Counting.",
        "street-person-count (pl_1) counts person crossing the line on street.",
        '"In" is from left to right, "out" is from right to left.',
        "get_pipeline_results pl_1 tells count_in and count_out, since its start. search_events with kind line_crossed counts crossings of any day, over restarts.",
      ].join("\n"),
    );
    expect(pipelines.started[0]).not.toHaveProperty("counted");
    expect(pipelines.started[0]?.spec).toEqual(
      countingWorkflow({
        modelId: "detector",
        classes: ["person"],
        line: [
          [640, 0],
          [640, 720],
        ],
      }),
    );
  });

  it("says that the count may be wrong where too few pictures come", async () => {
    const { count } = setUp({ fps: 1 });
    expect(await count({ camera: "street", line: "door" })).toContain("street gives 1 picture a second");
    expect(await count({ camera: "street", zone: "left half" })).not.toContain("a second");
  });

  it("takes named places with their directions, and points as fractions", async () => {
    const { count, pipelines } = setUp();
    expect(await count({ camera: "street", line: "door" })).toContain(
      'counts everything crossing the door on street.\n"In" is entering, "out" is leaving.',
    );
    expect(pipelines.started[0]?.counted).toMatchObject({ place: "door", kind: "line", width: 1280, height: 720 });
    expect(pipelines.started[0]?.spec.steps).toContainEqual(
      expect.objectContaining({
        name: "line",
        line_segment: [
          [320, 0],
          [320, 720],
        ],
      }),
    );
    await count({
      camera: "street",
      line: [
        [0, 0.5],
        [1, 0.5],
      ],
    });
    expect(pipelines.started[1]?.spec.steps).toContainEqual(
      expect.objectContaining({
        name: "line",
        line_segment: [
          [0, 360],
          [1280, 360],
        ],
      }),
    );
  });

  it("counts what is in a zone", async () => {
    const { count, pipelines } = setUp();
    expect(await count({ camera: "street", classes: ["car"], zone: "left half" })).toContain(
      "get_pipeline_results pl_1 tells count_in_zone, now.",
    );
    const zone = [
      [0, 0],
      [640, 0],
      [640, 720],
      [0, 720],
    ] as const;
    expect(pipelines.started[0]?.spec).toEqual(zoneCountWorkflow({ modelId: "detector", classes: ["car"], zone }));
  });

  it("points out the same count instead of starting it twice", async () => {
    const { count, pipelines } = setUp();
    await count({ camera: "street", classes: ["car"] });
    const text = await count({ camera: "street", classes: ["cars"], line: "vertical middle" });
    expect(text).toContain(
      "Nothing new was started: this is counted already, by street-car-count (pl_1), which is running.",
    );
    expect(pipelines.started).toHaveLength(1);
    await count({ camera: "dock", classes: ["car"] });
    expect(pipelines.started).toHaveLength(2);
  });

  it.each([
    [{ camera: "nowhere" }, "There is no camera"],
    [{ camera: "street", classes: ["unicorn"] }, 'cannot find "unicorn"'],
    [{ camera: "street", line: "door", zone: "left half" }, "Give a line or a zone, not both."],
    [{ camera: "street", zone: "behind the moon" }, "is not a place in the picture"],
    [{ camera: "broken" }, "Nothing was started: broken does not open. Nobody answers."],
  ])("says what is wrong with %j, and starts nothing", async (args, message) => {
    const { count, pipelines } = setUp();
    await expect(count(args)).rejects.toThrow(message);
    expect(pipelines.started).toEqual([]);
  });
});

describe("start_pipeline with alert_when", () => {
  const wanted = { path: "count_in", comparator: ">=", value: 10, text: "It is crowded." };

  it("makes the watch together with the pipeline", async () => {
    const { start, watches, pipelines } = setUp();
    const { data, text } = await start({
      alert_when: { ...wanted, seconds: 5, severity: "warning", cooldown_seconds: 60 },
    });
    expect(watches.list()).toMatchObject([
      {
        cameras: ["street"],
        words: "It is crowded.",
        text: "It is crowded.",
        severity: "warning",
        cooldown_seconds: 60,
        condition: { kind: "output", pipeline: "pl_1", path: "count_in", comparator: ">=", value: 10, for_seconds: 5 },
        state: { kind: "on" },
      },
    ]);
    expect(data).toMatchObject({ effects: [{ what: "pipeline" }, { what: "watch" }] });
    expect(text).toContain("You are alerted by the watch");
    expect(pipelines.list()).toHaveLength(1);
  });

  it.each([
    [{ ...wanted, comparator: "about" }, "condition.comparator takes"],
    [{ ...wanted, severity: "loud" }, "severity takes info, warning or critical"],
  ])("leaves no pipeline running when the watch is refused: %j", async (alert_when, reason) => {
    const { start, watches, pipelines } = setUp();
    await expect(start({ alert_when })).rejects.toThrow(`Nothing was started. alert_when: ${reason}`);
    expect(pipelines.list()).toEqual([]);
    expect(watches.list()).toEqual([]);
  });
});

function setUp({ fps = 10 } = {}) {
  const specs: Record<string, typeof SPEC> = {};
  const pipelines = fakePipelines({ specs });
  const { start } = pipelines;
  const recording = {
    ...pipelines,
    start: async (request: Parameters<typeof start>[0]) => {
      const status = await start(request);
      specs[status.pipeline_id] = request.spec;
      return status;
    },
  };
  const cameras = fakeCameras("street", "dock", "broken");
  const detectorFor = () => "detector";
  const classesOf = () => COCO_CLASSES;
  const watches = createWatchRegistry({
    pipelines: recording,
    scene: QUIET_SCENE,
    cameras,
    store: { load: async () => [], save: async () => undefined },
    modelFor: detectorFor,
    classesOf,
    clock: systemClock,
    ids: createCountingIds(),
    onProblem: () => undefined,
  });
  const counting = startCountTool({
    pipelines: recording,
    cameras,
    detectorFor,
    classesOf,
    places: fakePlaces(DOOR),
    probe: async (source) =>
      source.includes("broken")
        ? { ok: false, reason: "refused", message: "Nobody answers." }
        : { ok: true, width: 1280, height: 720, fps },
  });
  const starting = startPipelineTool({
    clock: systemClock,
    cameras,
    pipelines: recording,
    watches,
    validate: async () => [],
    loadSaved: async () => Promise.reject(new Error("not asked")),
  });
  return {
    pipelines,
    watches,
    count: (args: Parameters<typeof counting.execute>[0]) => counting.execute(args, fakeContext()).then(textOf),
    start: (args: object) =>
      starting.execute({ video_reference: "street", workflow_spec: SPEC, ...args }, fakeContext()),
  };
}
