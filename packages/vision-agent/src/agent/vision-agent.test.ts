import { createMemoryArtifactStore, createMemorySessionStore, systemClock } from "@vision-agent/agent-core";
import { createCountingIds, startAnthropicLoopback } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { fakePipelines, fakeStatus, SPEC } from "../tools/fake-house.ts";
import { createListPipelinesTool } from "../tools/list-pipelines.ts";
import { openAnthropic } from "./open-model.ts";
import { createVisionAgent, type Speaker } from "./vision-agent.ts";

const OFFLINE: Speaker = {
  mode: "offline",
  known: () => ({ cameras: ["street"], pipelines: [] }),
  specs: { counting: () => SPEC, watching: () => SPEC },
};

describe("who speaks", () => {
  it("is the offline interpreter without a key, and says so", async () => {
    const agent = build(OFFLINE);
    expect([agent.mode, agent.speaker]).toEqual(["offline", "offline interpreter"]);
    expect(await answer(agent, "What is running?")).toMatchObject({
      status: "finished",
      summary: "1 pipeline:\n- street-count on street: running",
    });
    await agent.executor.close();
  });

  it("is the configured model with a key, driving the same tools", async () => {
    const loopback = await startAnthropicLoopback({
      script: [
        { blocks: [{ type: "tool_use", name: "list_pipelines", input: {} }] },
        { blocks: [{ type: "text", text: "street-count is running." }] },
      ],
    });
    const client = await openAnthropic({
      apiKey: loopback.apiKey,
      baseURL: loopback.url,
      artifacts: createMemoryArtifactStore(),
    });
    const agent = build({ mode: "model", client, model: "claude-sonnet-5-5" });
    expect([agent.mode, agent.speaker]).toEqual(["model", "claude-sonnet-5-5"]);
    expect(await answer(agent, "What is running?")).toMatchObject({
      status: "finished",
      summary: "street-count is running.",
    });
    expect(loopback.refusals).toEqual([]);
    expect(JSON.stringify(loopback.requests[1])).toContain("street-count (pl_1) on street: running");
    await agent.executor.close();
    await loopback.close();
  });

  it("never turns to the interpreter when the model fails", async () => {
    const loopback = await startAnthropicLoopback({ script: [], apiKey: "right" });
    const client = await openAnthropic({
      apiKey: "wrong",
      baseURL: loopback.url,
      artifacts: createMemoryArtifactStore(),
    });
    const agent = build({ mode: "model", client, model: "claude-sonnet-5-5" });
    expect(await answer(agent, "What is running?")).toMatchObject({ status: "failed", error: { code: "auth" } });
    await agent.executor.close();
    await loopback.close();
  });
});

function build(speaker: Speaker) {
  return createVisionAgent({
    speaker,
    tools: [createListPipelinesTool({ pipelines: fakePipelines({ running: [fakeStatus()] }) })],
    prompt: { system: async () => [], state: async () => "" },
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    clock: systemClock,
    ids: createCountingIds(),
  });
}

function answer({ executor }: ReturnType<typeof build>, text: string) {
  return executor.execute({ sessionId: "session_1", text, principal: { userId: "owner" } }).outcome;
}
