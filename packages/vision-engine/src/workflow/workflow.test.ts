import { type Json, workflowProblemSchema } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { ImageValue } from "../frames/image-value.ts";
import { frameOf, modelRegistryOf, truthModel } from "../testing/index.ts";
import {
  compileWorkflow,
  describeWorkflow,
  listBlocks,
  listKnownBlocks,
  modelsOf,
  shapesOf,
  validateWorkflow,
  workflowWarnings,
} from "./workflow.ts";

const MODEL = {
  type: "ObjectDetectionModel",
  name: "model",
  image: "$inputs.image",
  model_id: "fake/truth",
  class_filter: ["person", "car"],
};
const TRACKER = {
  type: "roboflow_core/byte_tracker@v3",
  name: "tracker",
  image: "$inputs.image",
  detections: "$steps.model.predictions",
};
const LINE = {
  type: "roboflow_core/line_counter@v2",
  name: "line",
  image: "$inputs.image",
  detections: "$steps.tracker.tracked_detections",
  line_segment: [
    [0, 24],
    [64, 24],
  ],
  triggering_anchor: "CENTER",
};
const BOXES = {
  type: "roboflow_core/bounding_box_visualization@v1",
  name: "boxes",
  image: "$inputs.image",
  predictions: "$steps.tracker.tracked_detections",
};
const COUNTING = spec(
  [MODEL, TRACKER, LINE, BOXES],
  [
    ["in", "$steps.line.count_in"],
    ["out", "$steps.line.count_out"],
    ["tracked", "$steps.tracker.tracked_detections"],
    ["picture", "$steps.boxes.image"],
    ["line", "$steps.line.*"],
    ["frame", "$inputs.image"],
  ],
);

describe("validateWorkflow", () => {
  it("finds nothing wrong with a good workflow", () => {
    expect(validateWorkflow(COUNTING)).toEqual([]);
    expect(workflowWarnings(COUNTING)).toEqual([]);
  });

  it.each([
    ["an unknown block", { ...MODEL, type: "byte_traker" }, "type", "roboflow_core/byte_tracker@v3"],
    ["a missing property", { ...MODEL, model_id: undefined, modelid: "x" }, "model_id", "model_id"],
    ["a number out of range", { ...MODEL, confidence: 1.5 }, "confidence", undefined],
    ["a literal of a wrong type", { ...MODEL, max_detections: "many" }, "max_detections", undefined],
    ["an unknown input", { ...MODEL, image: "$inputs.imge" }, "images", "$inputs.image"],
    ["a text where a selector belongs", { ...MODEL, image: "image" }, "images", "$inputs.image"],
    [
      "a value of a wrong kind",
      { ...BOXES, predictions: "$steps.model.inference_id" },
      "predictions",
      "$steps.model.predictions",
    ],
    [
      "an unknown output",
      { ...BOXES, predictions: "$steps.model.prediction" },
      "predictions",
      "$steps.model.predictions",
    ],
    [
      "a step instead of its output",
      { ...BOXES, predictions: "$steps.model" },
      "predictions",
      "$steps.model.predictions",
    ],
    [
      "an unknown step",
      { ...BOXES, predictions: "$steps.modl.predictions" },
      "predictions",
      "$steps.model.predictions",
    ],
    [
      "a wrong choice",
      { ...BOXES, predictions: "$steps.model.predictions", color_axis: "CLAS" },
      "color_axis",
      "CLASS",
    ],
  ])("tells %s and what was meant", (_, step, property, didYouMean) => {
    const steps = step.name === "model" ? [step] : [MODEL, step];
    const problems = validateWorkflow(spec(steps, []));
    expect(problems).toMatchObject([{ step: step.name, property }]);
    expect(problems[0]?.did_you_mean).toBe(didYouMean);
    expect(workflowProblemSchema.parse(problems[0])).toEqual(problems[0]);
  });

  it("collects everything that is wrong at once", () => {
    const problems = validateWorkflow({
      version: "7",
      inputs: [{ type: "WorkflowImag", name: "image" }],
      steps: [{ type: "nonsense" }, { ...MODEL, confidence: -1 }, MODEL],
      outputs: [{ type: "JsonField", name: "a", selector: "$steps.model.nothing" }],
    });
    expect(problems.map(({ step, property }) => [step, property])).toEqual([
      [null, "version"],
      [null, "name"],
      [null, "inputs"],
      ["model", "confidence"],
      ["model", "name"],
      ["model", "images"],
      ["model", "images"],
      ["$outputs", "a"],
    ]);
  });

  it("names steps that wait for each other", () => {
    const one = { ...BOXES, name: "one", image: "$steps.two.image", predictions: "$steps.model.predictions" };
    const two = { ...one, name: "two", image: "$steps.one.image" };
    expect(validateWorkflow(spec([MODEL, one, two], []))).toEqual([
      { step: "one", property: null, message: 'These steps wait for each other: "one" → "two" → "one".' },
    ]);
  });

  it("knows blocks that do not run here", () => {
    const step = { type: "roboflow_core/modbus_tcp@v1", name: "plc", plc_ip: "10.0.0.1" };
    const problems = validateWorkflow(spec([{ ...step, plc_port: 502, mode: "read", registers_to_read: [1] }], []));
    const problem = problems.at(-1);
    expect(problem).toMatchObject({ step: "plc", property: "type" });
    expect(problem?.message).toContain("is not available in the direct backend");
  });

  it("refuses Python blocks", () => {
    const problems = validateWorkflow({ ...COUNTING, dynamic_blocks_definitions: [{ type: "x" }] });
    expect(problems).toMatchObject([{ property: "dynamic_blocks_definitions" }]);
  });

  it.each([
    ["nothing", null],
    ["a number", 3],
    ["a text", "text"],
    ["a list", []],
    ["an empty object", {}],
    ["steps that are no list", { steps: {} }],
    ["an input type that every object has", { ...COUNTING, inputs: [{ type: "constructor", name: "image" }] }],
    ["a step with the name of a prototype", { ...COUNTING, steps: [{ ...MODEL, name: "__proto__" }] }],
  ])("takes %s without throwing", (_, value) => {
    expect(validateWorkflow(value).length).toBeGreaterThan(0);
  });

  it("says in words which part of an entry is missing", () => {
    const { outputs } = COUNTING;
    const document = {
      ...COUNTING,
      steps: [...COUNTING.steps, { type: 3, name: "odd" }],
      outputs: [...outputs, { type: "JsonField", name: "late", selector: null, coordinates_system: "mine" }],
    };
    expect(validateWorkflow(document)).toEqual([
      { step: "odd", property: "type", message: 'Entry "odd" of steps: "type" must be a text.' },
      { step: null, property: "selector", message: 'Entry "late" of outputs: "selector" must be a text.' },
      {
        step: null,
        property: "coordinates_system",
        message: 'Entry "late" of outputs: "coordinates_system" must be "own" or "parent".',
      },
    ]);
  });

  it("warns of a property that no block has", () => {
    const warnings = workflowWarnings(spec([{ ...MODEL, confidance: 0.5 }], []));
    expect(warnings).toMatchObject([{ step: "model", property: "confidance", did_you_mean: "confidence" }]);
  });
});

describe("compileWorkflow", () => {
  it("counts an object that walks over the line", async () => {
    const workflow = await compileWorkflow(COUNTING, { models: MODELS });
    const runs = [];
    for (const [i, y] of [16, 19, 22, 26, 29].entries()) runs.push(await workflow.runImages([walker(i + 1, y)]));
    await workflow.close();
    await workflow.close();
    const [last] = runs.at(-1)!;
    expect(last?.outputs).toMatchObject({
      in: { kind: "value", value: 0 },
      out: { kind: "value", value: 1 },
      tracked: { kind: "detections", detections: { tracker_id: [1] } },
      picture: { kind: "image", width: 64, height: 48 },
      line: { kind: "value", value: { count_in: 0, count_out: 1, detections_out: { class_name: [] } } },
      frame: { kind: "image" },
    });
    expect([...last!.images.keys()]).toEqual(["picture", "frame"]);
    expect(last!.images.get("picture")!.rgba).not.toEqual(last!.images.get("frame")!.rgba);
  });

  it("counts each video apart", async () => {
    const workflow = await compileWorkflow(COUNTING, { models: MODELS });
    await workflow.runImages([walker(1, 4, "a")]);
    const runs = await workflow.runImages([walker(2, 40, "b"), walker(2, 5, "a")]);
    expect(runs.map(({ outputs }) => outputs.out)).toEqual([
      { kind: "value", value: 0 },
      { kind: "value", value: 0 },
    ]);
  });

  it("fills parameters, given and default", async () => {
    const spec = withParameter(0.95);
    const strict = await compileWorkflow(spec, { models: MODELS });
    expect((await strict.runImages([walker(1, 4)]))[0]?.outputs.found).toMatchObject({
      detections: { confidence: [] },
    });
    const lenient = await compileWorkflow(spec, { models: MODELS, parameters: { sure: 0.5 } });
    expect((await lenient.runImages([walker(1, 4)]))[0]?.outputs.found).toMatchObject({
      detections: { confidence: [0.9] },
    });
  });

  it.each<[string, { [name: string]: Json }]>([
    ["does not exist", { sur: 0.5 }],
    ["does not fit", { sure: 3 }],
  ])("refuses a parameter that %s", async (_, parameters) => {
    await expect(compileWorkflow(withParameter(0.4), { models: MODELS, parameters })).rejects.toMatchObject({
      kind: "input",
    });
  });

  it("refuses a model that cannot be had", async () => {
    const attempt = compileWorkflow(COUNTING, { models: modelRegistryOf([]) });
    await expect(attempt).rejects.toMatchObject({ kind: "model" });
  });

  it("names the step that fails", async () => {
    const untracked = { ...LINE, detections: "$steps.model.predictions" };
    const workflow = await compileWorkflow(spec([MODEL, untracked], []), { models: MODELS });
    await expect(workflow.runImages([walker(1, 4)])).rejects.toMatchObject({
      kind: "workflow",
      type: "StepExecutionError",
      problems: [{ step: "line" }],
    });
  });

  it("runs steps in the order of their data, not of the document", async () => {
    const turned = { ...COUNTING, steps: [...COUNTING.steps].reverse() };
    const workflow = await compileWorkflow(turned, { models: MODELS });
    const [run] = await workflow.runImages([walker(1, 4)]);
    expect(run?.outputs.tracked).toMatchObject({ detections: { tracker_id: [1] } });
  });
});

describe("what a workflow tells of itself", () => {
  it("is a sentence, its lines and its models", () => {
    expect(describeWorkflow(COUNTING)).toBe(
      "Detects person and car with fake/truth, tracks them, counts crossings of line 'line', draws boxes.",
    );
    expect(shapesOf(COUNTING)).toEqual([{ kind: "line", step: "line", points: LINE.line_segment }]);
    expect(modelsOf(COUNTING)).toEqual(["fake/truth"]);
    expect(describeWorkflow({})).toBe("Does nothing yet.");
  });

  it("lists the blocks that run, each described", () => {
    const blocks = listBlocks();
    expect(blocks.map(({ type }) => type)).toContain("roboflow_core/line_counter@v2");
    for (const { description } of blocks) expect(description).toMatch(/\.$/);
  });

  it("lists every block of the language and tells which run here", () => {
    const known = listKnownBlocks();
    expect(new Set(known.map(({ type }) => type)).size).toBe(known.length);
    const runnable = known.filter(({ runsHere }) => runsHere).map(({ type }) => type);
    expect(runnable.sort()).toEqual(
      listBlocks()
        .map(({ type }) => type)
        .sort(),
    );
    expect(known.length).toBeGreaterThan(runnable.length);
    for (const { family } of known) expect(family).not.toBe("");
  });
});

const MODELS = modelRegistryOf([truthModel()]);

function spec(steps: readonly object[], outputs: readonly (readonly [string, string])[]) {
  return {
    version: "1.0",
    inputs: [{ type: "WorkflowImage", name: "image" }],
    steps,
    outputs: outputs.map(([name, selector]) => ({ type: "JsonField", name, selector })),
  };
}

function withParameter(defaultValue: number) {
  const parameter = {
    type: "WorkflowParameter",
    name: "sure",
    kind: ["float_zero_to_one"],
    default_value: defaultValue,
  };
  const document = spec([{ ...MODEL, confidence: "$inputs.sure" }], [["found", "$steps.model.predictions"]]);
  return { ...document, inputs: [...document.inputs, parameter] };
}

function walker(frameNumber: number, y: number, sourceId = "gate"): ImageValue {
  return ImageValue.ofFrame(frameOf({ frameNumber, sourceId, objects: [{ box: [20, y - 4, 30, y + 4] }] }));
}
