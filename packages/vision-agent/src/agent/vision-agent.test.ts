import {
  createMemoryArtifactStore,
  createMemorySessionStore,
  type SessionStore,
  systemClock,
} from "@vision-agent/agent-core";
import { createCountingIds, startAnthropicLoopback } from "@vision-agent/agent-core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakePipelines, fakeStatus } from "../testing/fake-app.ts";
import { OPEN_EGRESS } from "../testing/fake-egress.ts";
import { listPipelinesTool } from "../tools/pipeline-tools.ts";
import { openAnthropic, toSpeakingModel } from "./open-model.ts";
import { createVisionAgent, type Speaker, type VisionAgentOptions } from "./vision-agent.ts";

const MODEL = "claude-sonnet-5-5";
const OFFLINE: Speaker = {
  mode: "offline",
  known: () => ({ cameras: [{ name: "street" }], pipelines: [] }),
  modelFor: () => "sim/truth",
  timeZone: "UTC",
};

type Loopback = Parameters<typeof startAnthropicLoopback>[0];

describe("who speaks", () => {
  it("is the offline interpreter without a key, and says so", async () => {
    const agent = build(OFFLINE);
    expect([agent.mode, agent.speaker]).toEqual(["offline", "offline interpreter"]);
    expect(await answer(agent, "What is running?")).toMatchObject({
      status: "finished",
      text: expect.stringContaining("street-count on street: running"),
    });
  });

  it("S000-9.12 is the configured model with a key, driving the same tools", async () => {
    const { client, loopback } = await open({
      script: [
        { blocks: [{ type: "tool_use", name: "list_pipelines", input: {} }] },
        { blocks: [{ type: "text", text: "street-count is running." }] },
      ],
    });
    const agent = build({ mode: "model", client, model: MODEL });
    expect([agent.mode, agent.speaker]).toEqual(["model", MODEL]);
    expect(await answer(agent, "What is running?")).toMatchObject({
      status: "finished",
      text: "street-count is running.",
    });
    expect(loopback.refusals).toEqual([]);
    expect(JSON.stringify(loopback.requests[1])).toContain("street-count (pl_1) on street: running");
  });

  it("is asked as the configuration says", async () => {
    const { client, loopback } = await open({ script: [{ blocks: [{ type: "text", text: "Hello." }] }] });
    const settings = { maxTokens: 2_048, thinking: { enabled: false, budgetTokens: 4_096 } };
    const speaking = await toSpeakingModel(client, MODEL, settings);
    await answer(build({ mode: "model", client, ...speaking }), "Hello");
    expect(loopback.requests[0]).toMatchObject({ model: MODEL, max_tokens: 2_048 });
    expect(speaking.price).toBeDefined();
  });

  it("never turns to the interpreter when the model fails", async () => {
    const { client } = await open({ script: [], apiKey: "right" }, "wrong");
    const agent = build({ mode: "model", client, model: MODEL });
    expect(await answer(agent, "What is running?")).toMatchObject({ status: "failed", error: { code: "auth" } });
  });
});

describe("what a model says", () => {
  it("is shown and kept word for word, true or not: the receipt says what was done", async () => {
    const said = "I've stopped street-count. Ich habe auch die Wache gelöscht.";
    const { client } = await open({ script: [{ blocks: [{ type: "text", text: said }] }] });
    const agent = build({ mode: "model", client, model: MODEL });
    expect(await answer(agent, "Stop street-count")).toMatchObject({ text: said, warnings: [] });
  });

  it("S000-4.4.3 F-05 thinking is stored with its signature", async () => {
    const { client } = await open({
      script: [
        {
          blocks: [
            { type: "thinking", text: "Hm" },
            { type: "text", text: "Hello." },
          ],
        },
      ],
    });
    const sessions = createMemorySessionStore();
    await answer(build({ mode: "model", client, model: MODEL }, { sessions }), "Hello");
    expect(await reasoningIn(sessions)).toEqual([
      {
        type: "reasoning",
        text: "Hm",
        opaque: {
          provider: "anthropic",
          model: MODEL,
          data: { type: "thinking", thinking: "Hm", signature: expect.stringMatching(/./) },
        },
      },
    ]);
  });

  it("F-12 an unknown stop reason is told, not silent", async () => {
    const { client } = await open({ script: [{ blocks: [{ type: "text", text: "x" }], stopReason: "novel" }] });
    const outcome = await answer(build({ mode: "model", client, model: MODEL }), "Hello");
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "unknown_stop_reason", message: expect.stringContaining("novel") },
    });
  });
});

async function reasoningIn(sessions: SessionStore) {
  const entries = await sessions.read("session_1");
  return entries.flatMap((entry) =>
    entry.type === "message" ? entry.message.parts.filter(({ type }) => type === "reasoning") : [],
  );
}

async function open(options: Loopback, apiKey?: string) {
  const loopback = await startAnthropicLoopback(options);
  onTestFinished(() => loopback.close());
  const client = await openAnthropic(
    { apiKey: apiKey ?? loopback.apiKey, baseURL: loopback.url },
    { egress: OPEN_EGRESS, artifacts: createMemoryArtifactStore() },
  );
  return { client, loopback };
}

function build(speaker: Speaker, more: Partial<VisionAgentOptions> = {}) {
  const agent = createVisionAgent({
    speaker,
    tools: [listPipelinesTool(fakePipelines({ running: [fakeStatus()] }))],
    prompt: { system: async () => [], state: async () => "" },
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    clock: systemClock,
    ids: createCountingIds(),
    ...more,
  });
  onTestFinished(async () => {
    await agent.executor.close();
  });
  return agent;
}

function answer({ executor }: ReturnType<typeof build>, text: string) {
  return executor.execute({ sessionId: "session_1", text, principal: { userId: "owner" } }).outcome;
}
