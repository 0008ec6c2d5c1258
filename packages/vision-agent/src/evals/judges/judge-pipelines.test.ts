import { describe, expect, it } from "vitest";
import type { PipelinePattern } from "../expectation.ts";
import type { FoundPipeline } from "../outcome.ts";
import { judgePipelines } from "./judge-pipelines.ts";

describe("judgePipelines", () => {
  it("accepts a pipeline that fits in everything", () => {
    const pattern = wanted({
      name: "gate",
      camera: "GATE",
      blocks: ["line_counter", "track"],
      classes: ["car"],
      model: "sim/truth",
      line: { through: [0.5, 0.5], runs: "horizontal", within: 0.1 },
      zone: { holds: [[0.2, 0.2]], leaves_out: [[0.9, 0.9]] },
      max_fps: { from: 1, to: 3 },
      backend: "direct",
      state: "running",
      new: true,
    });
    expect(judgePipelines([pattern], [found()])).toEqual([]);
  });

  it.each<[string, Partial<PipelinePattern>]>([
    ["name", { name: "dock" }],
    ["camera", { camera: "dock" }],
    ["block", { blocks: ["time_in_zone"] }],
    ["class too many", { classes: [] }],
    ["class too few", { classes: ["car", "truck"] }],
    ["model", { model: "acme/cars/1" }],
    ["model that is part of another", { model: "sim/trut" }],
    ["place of the line", { line: { through: [0.5, 0.9], within: 0.1 } }],
    ["direction of the line", { line: { runs: "vertical", within: 0.1 } }],
    ["zone", { zone: { holds: [[0.9, 0.9]], leaves_out: [] } }],
    ["rate", { max_fps: 5 }],
    ["backend", { backend: "http" }],
    ["state", { state: "paused" }],
    ["age", { new: false }],
  ])("finds a wrong %s", (_, part) => {
    const complaints = judgePipelines([wanted(part)], [found()]);
    expect(complaints).toHaveLength(2);
    expect(complaints[0]).toContain("no pipeline is");
    expect(complaints[1]).toContain("gate-count on gate");
  });

  it("takes a pipeline that has failed, ended or stopped for none, unless any state will do", () => {
    for (const state of ["failed", "ended", "stopped"] as const) {
      expect(judgePipelines([wanted()], [found({ state })])).toHaveLength(2);
      expect(judgePipelines([wanted({ state: "any" })], [found({ state })])).toEqual([]);
    }
  });

  it("takes the list for the whole list", () => {
    expect(judgePipelines([], [found()])).toHaveLength(1);
    expect(judgePipelines([wanted()], [found(), found({ id: "2" })])).toHaveLength(1);
    expect(judgePipelines([wanted(), wanted()], [found()])).toHaveLength(1);
    expect(judgePipelines([wanted(), wanted({ optional: true })], [found()])).toEqual([]);
  });

  it("lets a pipeline of a watch stand for a wanted one, and leaves it out of what is too many", () => {
    expect(judgePipelines([wanted()], [found({ ofWatch: true })])).toEqual([]);
    expect(judgePipelines([], [found({ ofWatch: true }), found({ alertOn: ["appeared"] })])).toEqual([]);
    expect(judgePipelines([wanted()], [found({ ofWatch: true }), found()])).toEqual([]);
  });

  it("gives each pattern a pipeline of its own, whatever the order", () => {
    const [any, front] = [wanted(), wanted({ camera: "front" })];
    expect(judgePipelines([any, front], [found({ camera: "front" }), found({ camera: "back" })])).toEqual([]);
  });
});

function wanted(over: Partial<PipelinePattern> = {}): PipelinePattern {
  return { state: "alive", optional: false, ...over };
}

function found(over: Partial<FoundPipeline> = {}): FoundPipeline {
  const types = ["roboflow_object_detection_model@v2", "byte_tracker@v3", "line_counter@v2"];
  const steps = types.map((type, index) => ({
    type: `roboflow_core/${type}`,
    name: `s${index}`,
    model_id: "sim/truth",
  }));
  return {
    id: "1",
    name: "gate-count",
    camera: "gate",
    spec: { version: "1.0", inputs: [], steps, outputs: [] },
    classes: ["car"],
    lines: [
      [
        [0, 0.5],
        [1, 0.52],
      ],
    ],
    zones: [
      [
        [0, 0],
        [0.5, 0],
        [0.5, 0.5],
        [0, 0.5],
      ],
    ],
    state: "running",
    backend: "direct",
    maxFps: 2,
    alertOn: [],
    ofWatch: false,
    isNew: true,
    ...over,
  };
}
