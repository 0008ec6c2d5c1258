import { type FakeServer, greyJpeg, startFakeServer } from "@vision-agent/inference-client/testing";
import type { Json } from "@vision-agent/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineWorkflowRunner } from "./engine-workflow-runner.ts";

const IMAGE = { type: "base64", value: Buffer.from(greyJpeg({ width: 64, height: 48 })).toString("base64") };
const DETECT = {
  type: "roboflow_core/roboflow_object_detection_model@v2",
  name: "det",
  images: "$inputs.image",
  model_id: "coco/3",
};
const COUNT = {
  type: "roboflow_core/property_definition@v1",
  name: "count",
  data: "$steps.det.predictions",
  operations: [{ type: "SequenceLength" }],
};
const OUTPUTS = [
  { type: "JsonField", name: "predictions", selector: "$steps.det.predictions" },
  { type: "JsonField", name: "count", selector: "$steps.count.output" },
];
const SPEC = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [DETECT, COUNT],
  outputs: OUTPUTS,
};

let server: FakeServer;
let older: FakeServer;

beforeAll(async () => {
  server = await startFakeServer({ workflows: engineWorkflowRunner(), savedWorkflows: { "local/demo": SPEC } });
  older = await startFakeServer({ workflows: engineWorkflowRunner(), version: "1.5.0" });
});

afterAll(async () => {
  await server.close();
  await older.close();
});

describe("what the fake server refuses of a workflow", () => {
  it.each([
    ["an unknown block", { steps: [{ ...DETECT, type: "nope@v1" }, COUNT] }, "WorkflowSyntaxError", "det"],
    [
      "a missing property",
      { steps: [{ type: DETECT.type, name: "det", images: "$inputs.image" }, COUNT] },
      "WorkflowSyntaxError",
      "det",
    ],
    [
      "a reference to no step",
      { steps: [DETECT, { ...COUNT, data: "$steps.zzz.predictions" }] },
      "InvalidReferenceTargetError",
      "count",
    ],
    [
      "an output of no step",
      { outputs: [{ type: "JsonField", name: "p", selector: "$steps.zzz.p" }] },
      "InvalidReferenceTargetError",
      "$outputs",
    ],
    ["no version", { version: undefined }, "WorkflowSyntaxError", undefined],
  ])("names %s", async (_, change, type, block) => {
    const answer = await post("/workflows/validate", { ...SPEC, ...change });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ error_type: type });
    expect((answer.json as { blocks_errors: { block_id: string }[] }).blocks_errors[0]?.block_id).toBe(block);
  });

  it.each([
    ["two steps of one name", { steps: [DETECT, { ...COUNT, name: "det" }] }, "DuplicatedNameError"],
    ["a picture where detections belong", { steps: [DETECT, COUNT, crop("$inputs.image")] }, "ReferenceTypeError"],
    ["an engine of the future", { version: "9.0" }, "NotSupportedExecutionEngineError"],
  ])("says %s in the short shape", async (_, change, type) => {
    const answer = await post("/workflows/validate", { ...SPEC, ...change });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json as object)).toEqual([
      "message",
      "error_type",
      "context",
      "inner_error_type",
      "inner_error_message",
    ]);
    expect(answer.json).toMatchObject({ error_type: type });
  });

  it("demands a key for the interface and any key will do", async () => {
    expect((await post("/workflows/describe_interface", { specification: SPEC })).status).toBe(400);
    const answer = await post("/workflows/describe_interface", { specification: SPEC, api_key: "x" });
    expect(answer.json).toMatchObject({
      inputs: { image: ["image"] },
      outputs: { predictions: ["object_detection_prediction"] },
    });
  });

  it("answers 500 with the step's name for a model it does not have", async () => {
    const steps = [{ ...DETECT, model_id: "nope/9" }, COUNT];
    const answer = await run({ ...SPEC, steps });
    expect([answer.status, answer.json]).toMatchObject([
      500,
      { error_type: "StepExecutionError", blocks_errors: [{ block_id: "det" }] },
    ]);
  });

  it("says aloud that it does not know an operation instead of making up a value", async () => {
    const steps = [DETECT, { ...COUNT, operations: [{ type: "Nonsense" }] }];
    expect(await run({ ...SPEC, steps })).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining("Nonsense") },
    });
  });
});

describe("what the fake server runs", () => {
  it("gives one object per picture, and the same count each time", async () => {
    const answer = await post("/workflows/run", { specification: SPEC, inputs: { image: [IMAGE, IMAGE] } });
    expect(answer.json).toMatchObject({ outputs: [{ count: 2 }, { count: 2 }], profiler_trace: [] });
  });

  it("forgets every step's state after each run", async () => {
    const line = {
      type: "roboflow_core/line_counter@v2",
      name: "line",
      image: "$inputs.image",
      detections: "$steps.track.tracked_detections",
    };
    const tracker = {
      type: "roboflow_core/byte_tracker@v3",
      name: "track",
      image: "$inputs.image",
      detections: "$steps.det.predictions",
    };
    const steps = [
      DETECT,
      tracker,
      {
        ...line,
        line_segment: [
          [0, 0],
          [9, 9],
        ],
      },
    ];
    const spec = { ...SPEC, steps, outputs: [{ type: "JsonField", name: "in", selector: "$steps.line.count_in" }] };
    for (let call = 0; call < 12; call++) {
      expect((await run(spec)).json).toMatchObject({ outputs: [{ in: 0 }] });
    }
  });

  it("gives a crop for each detection and null where a branch is not taken", async () => {
    const condition = {
      type: "StatementGroup",
      statements: [
        {
          type: "BinaryStatement",
          left_operand: { type: "DynamicOperand", operand_name: "n" },
          comparator: { type: "(Number) >=" },
          right_operand: { type: "StaticOperand", value: 3 },
        },
      ],
    };
    const parameters = { n: "$steps.count.output" };
    const gate = {
      type: "roboflow_core/continue_if@v1",
      name: "gate",
      condition_statement: condition,
      evaluation_parameters: parameters,
    };
    const drawn = {
      type: "roboflow_core/bounding_box_visualization@v1",
      name: "viz",
      image: "$inputs.image",
      predictions: "$steps.det.predictions",
    };
    const steps = [DETECT, COUNT, crop("$steps.det.predictions"), { ...gate, next_steps: ["$steps.viz"] }, drawn];
    const outputs = [output("crops", "$steps.crop.crops"), output("viz", "$steps.viz.image")];
    const answer = await run({ ...SPEC, steps, outputs });
    const [first] = (answer.json as { outputs: { crops: { parent_origin: Json }[]; viz: Json }[] }).outputs;
    expect(first?.crops.map((item) => item.parent_origin)).toMatchObject([{ width: 64, height: 48 }, { width: 64 }]);
    expect(first?.viz).toBeNull();
  });

  it("tells what it finds in crops in pixels of the picture, or of the crop where that is asked for", async () => {
    const steps = [
      DETECT,
      COUNT,
      crop("$steps.det.predictions"),
      { ...DETECT, name: "in", images: "$steps.crop.crops" },
    ];
    const selector = "$steps.in.predictions";
    const own = { type: "JsonField", name: "own", selector, coordinates_system: "own" };
    const answer = await run({ ...SPEC, steps, outputs: [output("inner", selector), own] });
    type Told = { image: Json; predictions: { x: number; parent_id: string; parent_origin?: { offset_x: number } }[] };
    const [first] = (answer.json as { outputs: { inner: Told[]; own: Told[] }[] }).outputs;
    const [whole, cut] = [first!.inner[1]!, first!.own[1]!];
    expect(whole).toMatchObject({ image: { width: 64, height: 48 }, predictions: [{ parent_id: "image" }, {}] });
    expect(whole.predictions[0]).not.toHaveProperty("parent_origin");
    expect(cut.image).not.toEqual(whole.image);
    expect(cut.predictions[0]!.x + cut.predictions[0]!.parent_origin!.offset_x).toBe(whole.predictions[0]!.x);
  });

  it("names no block when steps go in a circle", async () => {
    const steps = [{ ...DETECT, images: "$steps.crop.crops" }, crop("$steps.det.predictions")];
    const answer = await post("/workflows/validate", { ...SPEC, steps, outputs: [] });
    expect(answer).toMatchObject({ status: 400, json: { blocks_errors: null } });
  });

  it("loses the size of a picture without detections before 1.8", async () => {
    const spec = { ...SPEC, steps: [{ ...DETECT, confidence: 0.99 }, COUNT] };
    expect((await run(spec)).json).toMatchObject({ outputs: [{ predictions: { image: { width: 64, height: 48 } } }] });
    expect((await run(spec, older)).json).toMatchObject({
      outputs: [{ predictions: { image: { width: null, height: null } } }],
    });
  });

  it("runs a saved workflow and answers 500 for one that is not there", async () => {
    expect((await post("/local/workflows/demo", { inputs: { image: IMAGE } })).json).toMatchObject({
      outputs: [{ count: 2 }],
    });
    expect((await post("/local/workflows/none", { inputs: { image: IMAGE } })).status).toBe(500);
  });

  it("describes its blocks gzipped without a content type when asked, and plainly otherwise", async () => {
    const gzipped = await fetch(`${server.url}/workflows/blocks/describe`, { headers: { "accept-encoding": "gzip" } });
    expect([gzipped.headers.get("content-type"), gzipped.headers.get("content-encoding")]).toEqual([null, "gzip"]);
    const plain = await fetch(`${server.url}/workflows/blocks/describe`, {
      headers: { "accept-encoding": "identity" },
    });
    expect(plain.headers.get("content-type")).toBe("application/json");
    expect(((await plain.json()) as { blocks: Json[] }).blocks.length).toBeGreaterThan(100);
  });
});

function crop(predictions: string): Json {
  return { type: "roboflow_core/dynamic_crop@v1", name: "crop", images: "$inputs.image", predictions };
}

function output(name: string, selector: string): Json {
  return { type: "JsonField", name, selector };
}

function run(specification: unknown, at = server): Promise<{ status: number; json: unknown }> {
  return post("/workflows/run", { specification, inputs: { image: IMAGE } }, at);
}

async function post(path: string, body: unknown, at = server): Promise<{ status: number; json: unknown }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(at.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, json: await response.json() };
}
