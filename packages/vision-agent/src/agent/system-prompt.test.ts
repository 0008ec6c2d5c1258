import { workflowSpecSchema } from "@vision-agent/protocol";
import { validateWorkflow } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { fakeCameras, fakePipelines, fakeStatus } from "../tools/fake-house.ts";
import { WORKFLOW_FORMAT } from "./prompt-text.data.ts";
import { createSystemPrompt } from "./system-prompt.ts";
import { watchingWorkflow } from "./watching-workflow.ts";

describe("the system prompt", () => {
  it("VA-14 puts what never changes before what the owner wrote", async () => {
    const blocks = await prompt({ "AGENTS.md": "Be brief.", "USER.md": "I am Ada." }).system();
    expect(blocks.map(({ id, stability }) => [id, stability])).toEqual([
      ["identity", "static"],
      ["workflow_format", "static"],
      ["AGENTS.md", "session"],
      ["USER.md", "session"],
    ]);
    expect(blocks[2]?.text).toContain("Be brief.");
  });

  it("leaves out files that are missing or empty", async () => {
    expect(await prompt({ "USER.md": " \n" }).system()).toHaveLength(2);
  });

  it("VA-15 cuts a file that is too long, visibly", async () => {
    const [, , block] = await prompt({ "AGENTS.md": "x".repeat(50_000) }).system();
    expect(block?.text.length).toBeLessThan(17_000);
    expect(block?.text).toContain("AGENTS.md is cut off here: 16000 of 50000 characters are shown.");
  });

  it("tells cameras and pipelines as they are now, without credentials", async () => {
    const state = await prompt({}).state();
    expect(state).toContain("- street: rtsp://street.local/stream, model sim/truth");
    expect(state).toContain("- street-count (pl_1) on street: running.");
    expect(state).not.toContain("password");
  });

  it("stays within the cached prefix of 10,000 tokens", async () => {
    const blocks = await prompt({ "AGENTS.md": "x".repeat(50_000) }).system();
    const characters = blocks.reduce((sum, { text }) => sum + text.length, 0);
    expect(characters / 4).toBeLessThan(10_000);
  });

  it("teaches a pattern that the engine takes", () => {
    const json = WORKFLOW_FORMAT.slice(WORKFLOW_FORMAT.indexOf("\n{"), WORKFLOW_FORMAT.lastIndexOf("\n}") + 2);
    const spec = workflowSpecSchema.parse(JSON.parse(json.replace("<model>", "sim/truth")));
    expect(validateWorkflow(spec)).toEqual([]);
  });
});

describe("the watching workflow", () => {
  it("is one that the engine takes", () => {
    expect(validateWorkflow(watchingWorkflow({ modelId: "sim/truth", classes: ["person"] }))).toEqual([]);
  });
});

function prompt(files: Readonly<Record<string, string>>) {
  return createSystemPrompt({
    cameras: fakeCameras("street"),
    pipelines: fakePipelines({ running: [fakeStatus()] }),
    readFile: async (name) => files[name],
    modelFor: () => "sim/truth",
  });
}
