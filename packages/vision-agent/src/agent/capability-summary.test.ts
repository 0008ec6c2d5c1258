import { createCharCounter } from "@vision-agent/agent-core";
import { listKnownBlocks } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { type ListedBlock, summarizeCapabilities } from "./capability-summary.ts";

const counter = createCharCounter();

describe("the capability summary", () => {
  it("has one line for each family that runs, with the newest version of each block", () => {
    const lines = summarizeCapabilities([
      block("roboflow_core/line_counter@v1", "analytics"),
      block("roboflow_core/line_counter@v2", "analytics"),
      block("roboflow_enterprise/mqtt_writer_sink@v1", "sink"),
      block("roboflow_core/sam3@v1", "model", false),
    ]).split("\n");
    expect(lines.slice(2)).toEqual([
      "- analytics: line_counter@v2",
      "- sink: roboflow_enterprise/mqtt_writer_sink@v1",
      "Not run by this backend: 1 more (list_workflow_blocks names them).",
    ]);
  });

  it("S000-10.1.2 covers every family of this machine's engine within 2,500 tokens", () => {
    const blocks = listKnownBlocks().map(({ type, family, runsHere: runs }) => ({ type, family, runs }));
    const summary = summarizeCapabilities(blocks);
    const families = new Set(blocks.filter(({ runs }) => runs).map(({ family }) => family));
    for (const family of families) expect(summary).toMatch(new RegExp(`^- ${family}: \\w`, "m"));
    expect(counter.text(summary)).toBeLessThanOrEqual(2_500);
  });

  it("cuts long families and says so when a server has thousands", () => {
    const blocks = Array.from({ length: 4_000 }, (_, at) => block(`roboflow_core/block_${at}@v1`, `family_${at % 12}`));
    const summary = summarizeCapabilities(blocks);
    expect(counter.text(summary)).toBeLessThanOrEqual(2_500);
    expect(summary.match(/^- family_/gm)).toHaveLength(12);
    expect(summary).toMatch(/… \d+ more$/m);
  });
});

function block(type: string, family: string, runs = true): ListedBlock {
  return { type, family, runs };
}
