import { readFile } from "node:fs/promises";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { systemClock } from "../client-clock.ts";
import { toOutputs } from "../wire/to-outputs.ts";
import { createInferenceClient } from "./inference-client.ts";

const { server, footage } = inject("live");
const client = createInferenceClient({ url: server?.url ?? "http://127.0.0.1", clock: systemClock });
const DETECTION = {
  type: "roboflow_core/roboflow_object_detection_model@v2",
  name: "det",
  images: "$inputs.image",
  model_id: "coco/3",
  confidence: "$inputs.sure",
};
const SPEC: WorkflowSpec = {
  version: "1.0",
  inputs: [
    { type: "InferenceImage", name: "image" },
    { type: "WorkflowParameter", name: "sure", default_value: 0.3 },
  ],
  steps: [
    DETECTION,
    {
      type: "roboflow_core/property_definition@v1",
      name: "count",
      data: "$steps.det.predictions",
      operations: [{ type: "SequenceLength" }],
    },
    {
      type: "roboflow_core/bounding_box_visualization@v1",
      name: "draw",
      image: "$inputs.image",
      predictions: "$steps.det.predictions",
    },
  ],
  outputs: [
    { type: "JsonField", name: "found", selector: "$steps.det.predictions" },
    { type: "JsonField", name: "count", selector: "$steps.count.output" },
    { type: "JsonField", name: "drawn", selector: "$steps.draw.image" },
  ],
};

afterAll(() => client.close());

describe.skipIf(server === undefined)("workflows of a real server", () => {
  it("validate", async () => {
    expect(await client.workflows.validate(SPEC)).toEqual([]);
  });

  it.each<[string, Partial<WorkflowSpec>, string | null]>([
    [
      "a block that does not exist",
      { steps: [{ ...DETECTION, type: "roboflow_core/nothing@v1" }], outputs: [] },
      "det",
    ],
    ["a property of a wrong kind", { steps: [{ ...DETECTION, confidence: "very" }], outputs: [] }, "det"],
    ["a step that reads nothing", { steps: [{ ...DETECTION, images: "$inputs.picture" }], outputs: [] }, null],
    [
      "an output of no step",
      { steps: [DETECTION], outputs: [{ type: "JsonField", name: "x", selector: "$steps.none.predictions" }] },
      null,
    ],
  ])("are refused for %s, with the step where the server names it", async (_, change, step) => {
    const problems = await client.workflows.validate({ ...SPEC, ...change });
    expect(problems.length).toBeGreaterThan(0);
    if (step !== null) expect(problems.map((problem) => problem.step)).toContain(step);
    expect(problems.every(({ message }) => message.length > 10)).toBe(true);
  });

  it("know their block types, inputs, outputs, models and versions", async () => {
    const blocks = await client.workflows.describeBlocks();
    const detection = blocks.find(({ type }) => type === DETECTION.type);
    expect(blocks.length).toBeGreaterThan(100);
    expect(detection?.outputs.map(({ name }) => name)).toContain("predictions");
    const { inputs, outputs } = await client.workflows.describeInterface({ specification: SPEC });
    expect(inputs).toHaveProperty("image");
    expect(outputs).toMatchObject({ found: ["object_detection_prediction"], drawn: ["image"] });
    expect(await client.workflows.versions()).toContainEqual(expect.stringMatching(/^1\./));
    if ((await client.capabilities()).families.has("workload"))
      expect((await client.workflows.describeWorkload({ specification: SPEC })).modelIds).toContain("coco/3");
  });
});

describe.skipIf(server === undefined || footage === undefined)("a workflow on a real server", () => {
  const size = { width: 640, height: 480 };
  let image: Uint8Array;

  beforeAll(async () => {
    image = new Uint8Array(await readFile(footage?.picture ?? ""));
  });

  it("runs by its specification, with parameters", async () => {
    const run = async (sure: number) => {
      const answer = await client.workflows.run({ specification: SPEC, images: { image }, parameters: { sure } });
      return toOutputs(answer.outputs[0]!, size);
    };
    const { outputs, pictures } = await run(0.3);
    const found = outputs.found?.kind === "detections" ? outputs.found.detections : undefined;
    expect(found?.image).toEqual(size);
    expect(outputs.count).toEqual({ kind: "value", value: found?.confidence.length });
    expect(outputs.drawn).toEqual({ kind: "image", ...size });
    expect([...(pictures.get("drawn") ?? []).slice(0, 2)]).toEqual([0xff, 0xd8]);
    expect((await run(0.99)).outputs.count).toEqual({ kind: "value", value: 0 });
  });

  it("runs on a batch and leaves out what is not wanted", async () => {
    const { outputs } = await client.workflows.run({
      specification: SPEC,
      images: { image: [image, image] },
      excludedFields: ["drawn"],
    });
    expect(outputs.map((one) => Object.keys(one).sort())).toEqual([
      ["count", "found"],
      ["count", "found"],
    ]);
    expect(outputs[1]?.count).toEqual(outputs[0]?.count);
  });

  it("fails with the step for a block that does not exist, and by kind for a model that nobody has", async () => {
    const wrong = { ...SPEC, steps: [{ ...DETECTION, type: "roboflow_core/nothing@v1" }], outputs: [] };
    await expect(client.workflows.run({ specification: wrong, images: { image } })).rejects.toMatchObject({
      kind: "invalid",
      blocks: [{ step: "det" }],
    });
    const foreign = { ...SPEC, steps: [{ ...DETECTION, model_id: "no-such-project/1" }], outputs: [] };
    const running = client.workflows.run({ specification: foreign, images: { image } }, { timeoutMs: 60_000 });
    await expect(running).rejects.toMatchObject({ kind: expect.stringMatching(/^(server|not_found|auth)$/) });
  });
});
