import { describe, expect, it } from "vitest";
import { fakeAlert, fakeEvalApp, fakePipeline, fakeWatch, type ScriptedTurn } from "../testing/fake-eval-app.ts";
import { type Before, collectOutcome } from "./collect-outcome.ts";
import type { AppBefore } from "./instruction.ts";
import type { EvalOutcome } from "./outcome.ts";

describe("collectOutcome", () => {
  it("reads lines and zones as fractions of the camera's size", async () => {
    const shapes = [
      {
        kind: "line" as const,
        step: "line",
        points: [
          [0, 270],
          [960, 270],
        ] as [number, number][],
      },
      {
        kind: "zone" as const,
        step: "zone",
        points: [
          [0, 0],
          [100, 0],
          [100, 50],
        ] as [number, number][],
      },
    ];
    const usual = await collect({ pipelines: [fakePipeline({ shapes, max_fps: 2 })] });
    expect(usual.pipelines[0]).toMatchObject({
      lines: [
        [
          [0, 0.5],
          [1, 0.5],
        ],
      ],
      maxFps: 2,
      isNew: true,
      ofWatch: false,
    });
    const cameras = { street: { source: "a.mp4", location: "", notes: "", size: [200, 100] as [number, number] } };
    const sized = await collect({ pipelines: [fakePipeline({ shapes })] }, { cameras });
    expect(sized.pipelines[0]?.zones).toEqual([
      [
        [0, 0],
        [0.5, 0],
        [0.5, 0.5],
      ],
    ]);
  });

  it("finds classes in filters of models and in conditions", async () => {
    const filter = {
      statements: [{ left_operand: {}, right_operand: { type: "StaticOperand", value: ["car", "bus"] } }],
    };
    const steps = [
      { type: "model", name: "a", class_filter: ["person"] },
      { type: "detections_filter", name: "b", operations: [{ filter_operation: filter }] },
    ];
    const { pipelines } = await collect({
      pipelines: [fakePipeline({ spec: { version: "1.0", inputs: [], steps, outputs: [] } })],
    });
    expect(pipelines[0]?.classes).toEqual(["person", "car", "bus"]);
  });

  it("gives a watch's pipeline the classes of its watches", async () => {
    const watch = fakeWatch({ classes: ["dog"], pipelines: [{ camera: "street", pipeline_id: "pl_1" }] });
    const { pipelines } = await collect({ pipelines: [fakePipeline()], watches: [watch] });
    expect(pipelines[0]).toMatchObject({ ofWatch: true, classes: ["dog"] });
  });

  it("reads every kind of condition, and takes a pipeline that tells for a watch", async () => {
    const counting = fakeWatch({ id: "a", condition: { kind: "count", at_least: 4, for_seconds: 60 } });
    const staying = fakeWatch({
      id: "watch_before",
      condition: { kind: "stays", seconds: 9 },
      active_hours: { from: "22:00", to: "06:00" },
    });
    const { watches } = await collect({
      watches: [counting, staying],
      pipelines: [fakePipeline({ alert_on: ["appeared", "line_crossed"] })],
    });
    expect(watches).toMatchObject([
      { condition: { kind: "count", at_least: 4, for_seconds: 60 }, cooldown_seconds: 30, isNew: true },
      { condition: { kind: "stays", seconds: 9 }, active_hours: { from: "22:00" }, isNew: false },
      { condition: { kind: "appears" }, cameras: ["street"], isNew: true },
      { condition: { kind: "crosses", direction: "any" } },
    ]);
  });

  it("gathers calls with their outcomes, cost, alerts and new notes", async () => {
    const outcome = await collect({
      calls: [
        { tool: "remember", arguments: { content: "x" } },
        { tool: "recall", outcome: "error" },
      ],
      costMicroUsd: 1200,
      alerts: [fakeAlert({ id: "alert_before", camera: "dock" }), fakeAlert()],
      notes: ["- old", "- new"],
    });
    expect(outcome).toMatchObject({
      calls: [
        { tool: "remember", arguments: { content: "x" }, outcome: "ok" },
        { tool: "recall", outcome: "error" },
      ],
      costMicroUsd: 1200,
      alerts: [{ camera: "gate" }],
      newNotes: ["- new"],
    });
  });
});

async function collect(turn: ScriptedTurn, over: Partial<AppBefore> = {}): Promise<EvalOutcome> {
  const app = fakeEvalApp([turn]);
  await app.say("hello", { pictures: [], agrees: true, signal: AbortSignal.any([]) });
  const empty = {
    cameras: {},
    pipelines: [],
    watches: [],
    events: [],
    runs_seconds: 0,
    alerts: [],
    memory: [],
    saved_workflows: {},
    config: {},
    files: {},
  };
  const before: Before = {
    app: { ...empty, ...over },
    pipelineIds: new Set(),
    watchIds: new Set(["watch_before"]),
    alertIds: new Set(["alert_before"]),
    notes: ["- old"],
  };
  return collectOutcome(app, before, { status: "finished", answer: "", nowMs: 0 });
}
