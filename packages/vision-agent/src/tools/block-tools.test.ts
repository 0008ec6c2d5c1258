import type { WorkflowSpec } from "@vision-agent/protocol";
import { listKnownBlocks, validateWorkflow } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { createBlockCatalog } from "../backends/block-catalog.ts";
import { fakeContext as context, SPEC, textOf } from "../testing/fake-app.ts";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { toBlockExample } from "./block-example.ts";
import { blockDetailsTool, listBlocksTool, validateWorkflowTool } from "./block-tools.ts";

const validate = async (spec: WorkflowSpec) => validateWorkflow(spec);

describe("list_workflow_blocks", () => {
  const tool = listBlocksTool(listBlocks);

  it.each([
    ["tracking", "roboflow_core/byte_tracker@v3"],
    ["analytics", "roboflow_core/line_counter@v2"],
    ["classical_cv", "roboflow_core/threshold@v1"],
    ["flow control", "roboflow_core/continue_if@v1"],
    ["fusion", "roboflow_core/detections_consensus@v1"],
    ["ocr", "roboflow_core/ocr_model@v1"],
  ])("S000-5.1.9 gives the blocks for %s with what they do, newest versions only", async (category, expected) => {
    const text = textOf(await tool.execute({ category }, context()));
    expect(text).toContain(`- ${expected}: `);
    expect(text).not.toContain("line_counter@v1");
  });

  it("gives all that run here by name, in families", async () => {
    const text = textOf(await tool.execute({}, context()));
    expect(text).toMatch(/^analytics: .*line_counter@v2/m);
    expect(text).not.toContain("openai");
    expect(text.length / 3.5).toBeLessThan(2500);
  });

  it("says that a block needs a server, and which category was probably meant", async () => {
    expect(textOf(await tool.execute({ category: "gemini" }, context()))).toContain("They need an Inference server");
    await expect(tool.execute({ category: "analitics" }, context())).rejects.toThrow('Did you mean "analytics"?');
  });
});

describe("get_block_details", () => {
  const tool = blockDetailsTool({ listBlocks, listKnownBlocks, validate });

  it("S000-5.1.10 S000-10.1.1 gives properties, outputs and an example", async () => {
    const text = textOf(await tool.execute({ block_type: "roboflow_core/line_counter@v2" }, context()));
    expect(text).toContain("- line_segment*: list[any] | sel<list_of_values>");
    expect(text).toContain("Outputs: count_in (integer)");
    const example = JSON.parse(/^Valid example: (.*)$/m.exec(text)?.[1] ?? "");
    expect(validateWorkflow(example)).toEqual([]);
    expect(JSON.stringify(example)).toContain("$steps.tracker.tracked_detections");
  });

  it("has a valid example for every block that runs here", () => {
    const running = listKnownBlocks().filter(({ runsHere }) => runsHere);
    const without = running.filter((block) => {
      const example = toBlockExample(block);
      return example === undefined || validateWorkflow(example).length > 0;
    });
    expect(running.length).toBeGreaterThan(150);
    expect(without.map(({ type }) => type)).toEqual([]);
  });

  it("shows no example that the backend does not take", async () => {
    const refusing = async () => [{ step: null, property: null, message: "No." }];
    const strict = blockDetailsTool({ listBlocks, listKnownBlocks, validate: refusing });
    const text = textOf(await strict.execute({ block_type: "roboflow_core/line_counter@v2" }, context()));
    expect(text).not.toContain("Valid example");
    expect(text).toContain("check yours with validate_workflow");
  });

  it.each([
    ["line_counter", "roboflow_core/line_counter@v2"],
    ["ByteTracker", "byte_tracker"],
    ["roboflow_core/openai@v4", "needs an Inference server"],
  ])("finds %s however it is written", async (block_type, expected) => {
    expect(textOf(await tool.execute({ block_type }, context()))).toContain(expected);
  });

  it("names the nearest one when there is none", async () => {
    await expect(tool.execute({ block_type: "roboflow_core/line_countr@v2" }, context())).rejects.toThrow(
      'There is no block "roboflow_core/line_countr@v2". Did you mean "roboflow_core/line_counter@v2"?',
    );
  });
});

describe("validate_workflow", () => {
  const tool = validateWorkflowTool(validate);

  it("says what a valid workflow does", async () => {
    const workflow_spec = { ...SPEC, steps: [{ ...SPEC.steps[0], images: "$inputs.image" }] };
    expect(textOf(await tool.execute({ workflow_spec }, context()))).toMatch(/^Valid\. /);
  });

  it("S000-9.14 gives every problem with the nearest name", async () => {
    const workflow_spec = { ...SPEC, steps: [{ type: "roboflow_core/byte_trackr@v3", name: "track" }] };
    const text = textOf(await tool.execute({ workflow_spec }, context()));
    expect(text).toContain("track.type: ");
    expect(text).toContain("roboflow_core/byte_tracker@v3");
  });

  it("says what form a workflow has", async () => {
    await expect(tool.execute({ workflow_spec: { version: "1.0" } }, context())).rejects.toThrow("- steps: ");
  });
});

function listBlocks() {
  const files = createMemoryFiles();
  const fleet = { choose: async () => Promise.reject(new Error("no server")) };
  const quiet = { now: () => 0, onProblem: () => undefined };
  const catalog = createBlockCatalog({ listKnownBlocks, engineVersion: "1", fleet, files, folder: "/w", ...quiet });
  return catalog.list("direct");
}
