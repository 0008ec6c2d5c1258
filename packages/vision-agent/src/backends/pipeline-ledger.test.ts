import type { LedgerEntry } from "@vision-agent/inference-client";
import { describe, expect, it } from "vitest";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { createPipelineLedger } from "./pipeline-ledger.ts";

const PATH = "/home/hosted_pipelines.json";
const ENTRY: LedgerEntry = {
  pipelineId: "pipe_1",
  server: "cellar",
  serverId: "0f3c",
  fingerprint: "abc",
  state: "stopping",
  since: Date.UTC(2026, 0, 2),
};

describe("the ledger of pipelines on servers", () => {
  it("is empty at first, and gives back what was saved", async () => {
    const { ledger, problems } = create();
    expect(await ledger.load()).toEqual([]);
    await ledger.save([ENTRY]);
    expect(await ledger.load()).toEqual([ENTRY]);
    expect(problems).toEqual([]);
  });

  it.each([
    ["cut off", '{"version":1,"pipelines":[{"pipel', []],
    ["of another kind", '{"version":7}', []],
    ["damaged in one entry", JSON.stringify({ version: 1, pipelines: [7, written()] }), [ENTRY]],
  ])("puts a file that is %s aside once, keeps what can be read and says so", async (_what, text, expected) => {
    const { ledger, files, problems } = create({ [PATH]: text });
    expect(await ledger.load()).toEqual(expected);
    expect(await ledger.load()).toEqual(expected);
    expect(problems).toHaveLength(1);
    expect([...files.contents].find(([path]) => path.includes(".broken-"))?.[1]).toBe(text);
  });

  it("says when the disk is full instead of forgetting", async () => {
    const { ledger, files } = create();
    files.fault = { code: "ENOSPC" };
    await expect(ledger.save([ENTRY])).rejects.toMatchObject({ kind: "no_space" });
  });
});

function create(initial: Readonly<Record<string, string>> = {}) {
  const files = createMemoryFiles(initial);
  const problems: string[] = [];
  const onProblem = (message: string): void => void problems.push(message);
  return { files, problems, ledger: createPipelineLedger({ files, path: PATH, now: () => 0, onProblem }) };
}

function written(): object {
  const { pipelineId, serverId, since, ...same } = ENTRY;
  return { ...same, pipeline_id: pipelineId, server_id: serverId, since: new Date(since).toISOString() };
}
