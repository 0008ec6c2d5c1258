import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineError } from "../errors.ts";
import { modelRegistryOf, truthModel } from "../testing/index.ts";
import {
  compileWorkflow,
  describeWorkflow,
  modelsOf,
  shapesOf,
  validateWorkflow,
  workflowWarnings,
} from "./workflow.ts";

const GATED = {
  version: "1.0",
  inputs: [
    { type: "WorkflowImage", name: "image" },
    { type: "WorkflowParameter", name: "sure", default_value: 0.4 },
  ],
  steps: [
    {
      type: "ObjectDetectionModel",
      name: "model",
      image: "$inputs.image",
      model_id: "fake/truth",
      confidence: "$inputs.sure",
    },
    {
      type: "roboflow_core/byte_tracker@v3",
      name: "tracker",
      image: "$inputs.image",
      detections: "$steps.model.predictions",
    },
    {
      type: "roboflow_core/line_counter@v2",
      name: "line",
      image: "$inputs.image",
      detections: "$steps.tracker.tracked_detections",
      line_segment: [
        [0, 24],
        [64, 24],
      ],
    },
    {
      type: "ContinueIf",
      name: "gate",
      condition_statement: {
        type: "StatementGroup",
        statements: [
          {
            type: "BinaryStatement",
            left_operand: { type: "DynamicOperand", operand_name: "n" },
            comparator: { type: "(Number) >" },
            right_operand: { type: "StaticOperand", value: 1 },
          },
        ],
      },
      evaluation_parameters: { n: "$steps.line.count_in" },
      next_steps: ["$steps.boxes"],
    },
    {
      type: "roboflow_core/bounding_box_visualization@v1",
      name: "boxes",
      image: "$inputs.image",
      predictions: "$steps.tracker.tracked_detections",
    },
  ],
  outputs: [{ type: "JsonField", name: "picture", selector: "$steps.boxes.image" }],
};

describe("a workflow from anywhere", () => {
  it("is valid before anything is changed", () => {
    expect(validateWorkflow(GATED)).toEqual([]);
  });

  it("gives problems or none for any JSON, and never throws", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (spec) => everythingTold(spec)),
      { numRuns: 100, seed: 1 },
    );
  });

  it("gives problems or none for a document of odd parts", () => {
    const entry = fc.dictionary(
      fc.constantFrom("type", "name", "selector", "kind", "workflow_definition", "image"),
      fc.jsonValue(),
    );
    const document = fc.record({
      version: fc.constantFrom("1.0", "9", 3),
      inputs: fc.array(entry),
      steps: fc.array(entry),
      outputs: fc.array(entry),
    });
    fc.assert(
      fc.property(document, (spec) => everythingTold(spec)),
      { numRuns: 100, seed: 2 },
    );
  });

  it("opens, or is refused with an EngineError, when one value of a good one is changed", async () => {
    const places = placesIn(GATED);
    const values = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom("$steps.gate", "$steps.line.count_in", "$inputs.image", "$steps.boxes", "gate"),
    );
    const change = fc.record({ place: fc.constantFrom(...places), value: values });
    const models = modelRegistryOf([truthModel()]);
    await fc.assert(
      fc.asyncProperty(change, async ({ place, value }) => {
        const spec = structuredClone(GATED);
        put(spec, place, value);
        everythingTold(spec);
        try {
          await (await compileWorkflow(spec, { models })).close();
        } catch (error) {
          expect(error).toBeInstanceOf(EngineError);
        }
      }),
      { numRuns: 100, seed: 3 },
    );
  });
});

function everythingTold(spec: unknown): void {
  for (const { message } of [...validateWorkflow(spec), ...workflowWarnings(spec)]) expect(message).toMatch(/[.…]$/);
  expect(describeWorkflow(spec)).toMatch(/\.$/);
  shapesOf(spec);
  modelsOf(spec);
}

type Path = readonly (string | number)[];

function placesIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [
    ...(path.length > 0 ? [path] : []),
    ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, key])),
  ];
}

function put(target: object, path: Path, value: unknown): void {
  const owner = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], target);
  (owner as Record<string, unknown>)[path.at(-1)!] = value;
}
