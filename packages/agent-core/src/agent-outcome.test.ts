import { afterEach, describe, expect, it } from "vitest";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "./anthropic.ts";
import type { LLMClient } from "./index.ts";
import { createOpenAIClient, DEFAULT_OPENAI_MODEL } from "./openai.ts";
import { parseEntry } from "./session/transcript.ts";
import { startAnthropicLoopback } from "./testing/anthropic-loopback.ts";
import { startOpenAILoopback } from "./testing/openai-loopback.ts";
import { createTestAgent, type TestAgent, testTool } from "./testing/test-agent.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

const look = testTool("look", async () => "nothing");

describe("a run that was stopped", () => {
  it.each<[string, () => TestAgent, string]>([
    [
      "loop",
      () => createTestAgent(() => ({ text: "I look.", toolCalls: [{ name: "look" }] }), { tools: [look] }),
      "I look.",
    ],
    [
      "max_iterations",
      () =>
        createTestAgent((_, n) => ({ text: `Step ${n}.`, toolCalls: [{ name: "look", args: { n } }] }), {
          tools: [look],
          stop: { maxIterations: 2 },
        }),
      "Step 2.",
    ],
    ["refusal", () => createTestAgent([], { guard: async () => ({ allow: false, message: "Not that." }) }), ""],
    [
      "stop_condition",
      () =>
        createTestAgent(() => ({ text: "Hm.", toolCalls: [{ name: "look" }] }), {
          stop: { custom: [() => "Enough."] },
        }),
      "Hm.",
    ],
  ])("says why (%s), and none of our words are the model's", async (reason, build, text) => {
    const agent = build();
    const { outcome, events } = await agent.talk("Go");
    expect(outcome).toMatchObject({ status: "stopped", reason, text, message: expect.stringMatching(/^[A-Z].*\.$/) });
    const { message } = outcome as Extract<typeof outcome, { status: "stopped" }>;
    expect(events.filter(({ type }) => type === "response" || type === "warning")).toEqual([]);
    const lines = await agent.options.sessions.read("s1");
    expect(lines.filter((line) => line.type === "message" && line.message.origin === "core")).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ type: "run_ended", status: "stopped", reason, message });
  });

  it("gives the answer of the model as far as it came", async () => {
    const { events } = await createTestAgent([{ text: "Once upon", stop: "max_tokens" }]).talk("A story");
    expect(events.filter(({ type }) => type === "response")).toMatchObject([{ text: "Once upon" }]);
  });

  it.each(["anthropic", "chat", "responses"] as const)(
    "goes on with a request that the %s wire takes",
    async (wire) => {
      const llm = await open(wire);
      const agent = createTestAgent([], {
        llm: llm.client,
        model: llm.model,
        tools: [look],
        stop: { maxIterations: 1 },
      });
      expect((await agent.talk("Look")).outcome).toMatchObject({
        status: "stopped",
        reason: "max_iterations",
        message: "Stopped after 1 step. Send a message to go on.",
      });
      expect((await agent.talk("Go on")).outcome).toMatchObject({ status: "finished", by: "model", text: "Quiet." });
    },
  );
});

it("a tool that ends a run finishes it with its own words, which may be none", async () => {
  const end = testTool("end", async () => ({ content: [], terminate: true }));
  const { outcome, events } = await createTestAgent([{ toolCalls: [{ name: "end" }] }], { tools: [end] }).talk("Go");
  expect(outcome).toMatchObject({ status: "finished", by: "tool", text: "" });
  expect(events.some(({ type }) => type === "response")).toBe(false);
});

it("outcomes of earlier versions are read as what they were", () => {
  const read = (outcome: object) => {
    const line = { v: 1, id: "l", ts: "2026-01-01T00:00:00.000Z", type: "run_ended", status: "finished", reason: "x" };
    const entry = parseEntry(JSON.stringify({ ...line, outcome }));
    return entry?.type === "run_ended" ? entry.outcome : undefined;
  };
  const totals = { metrics: {}, warnings: [], signals: [] };
  expect(read({ status: "finished", finish: "complete", summary: "All.", ...totals })).toEqual({
    status: "finished",
    by: "model",
    text: "All.",
    ...totals,
  });
  expect(read({ status: "finished", finish: "loop_detected", summary: "I stopped.", ...totals })).toEqual({
    status: "stopped",
    reason: "loop",
    message: "I stopped.",
    text: "",
    ...totals,
  });
  expect(read({ status: "cancelled", reason: "user", partial: "Al", ...totals })).toEqual({
    status: "cancelled",
    reason: "user",
    text: "Al",
    ...totals,
  });
});

async function open(wire: "anthropic" | "chat" | "responses"): Promise<{ client: LLMClient; model: string }> {
  const call = { type: "tool_use", name: "look", input: {} } as const;
  const script = [{ blocks: [call] }, { blocks: [{ type: "text", text: "Quiet." } as const] }];
  if (wire === "anthropic") {
    const server = await startAnthropicLoopback({ script });
    closers.push(server.close);
    return {
      client: createAnthropicClient({ apiKey: "test-key", baseURL: server.url }),
      model: DEFAULT_ANTHROPIC_MODEL,
    };
  }
  const server = await startOpenAILoopback({ api: wire, script });
  closers.push(server.close);
  return {
    client: createOpenAIClient({ apiKey: "test-key", baseURL: server.url, api: wire }),
    model: DEFAULT_OPENAI_MODEL,
  };
}
