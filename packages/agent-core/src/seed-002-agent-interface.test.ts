import { describe, expect, it } from "vitest";
import { parseAgentConfig } from "./config/agent-config.ts";
import type { CallContext, LLMRequest } from "./llm/llm-client.ts";
import { type ScriptStep, scriptedModel } from "./testing/scripted-model.ts";
import { createTestAgent, testMessage, testTool, untilEvent } from "./testing/test-agent.ts";
import { systemClock } from "./types/clock.ts";
import { AgentError, type ErrorKind } from "./types/errors.ts";
import type { Message } from "./types/message.ts";

const READ_FILE = {
  name: "read_file",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

describe("R1, R3: the agent interface and its response", () => {
  it("AI-1 AI-2 AI-5 AI-6 AI-7 AI-8 one call gives content, tool calls, usage and why it stopped", async () => {
    const agent = scriptedModel([
      {
        text: "I read it.",
        toolCalls: [{ name: "read_file", args: { path: "main.go" }, id: "toolu_1" }],
        usage: { inputTokens: 120, outputTokens: 30 },
      },
      { text: "It is a", stop: "max_tokens" },
      { text: "Done." },
    ]);
    const request: LLMRequest = {
      model: "claude-sonnet-4-20250514",
      system: [],
      messages: [user("What does main.go do?")],
      tools: [READ_FILE],
      config: { maxTokens: 1_024, temperature: 0.2 },
    };
    const first = await agent.run(request, callContext());
    expect(first).toMatchObject({
      content: "I read it.",
      stopReason: "tool_use",
      usage: { inputTokens: 120, outputTokens: 30 },
    });
    expect(first.toolCalls).toMatchObject([{ id: "toolu_1", toolName: "read_file", arguments: { path: "main.go" } }]);
    expect((await agent.run(request, callContext())).stopReason).toBe("max_tokens");
    expect((await agent.run(request, callContext())).stopReason).toBe("complete");
  });
});

describe("R2, R4: tools and the conversation loop", () => {
  it("AI-3 AI-4 AI-9 AI-10 goes from send to tools to complete, and each call has the whole conversation", async () => {
    const tool = { ...testTool("read_file", async ({ path }) => ({ path, lines: 3 })), ...READ_FILE };
    const { talk, llm } = createTestAgent(
      [{ toolCalls: [{ name: "read_file", args: { path: "main.go" } }] }, { text: "It prints hello." }],
      { tools: [tool] },
    );
    const { outcome, events } = await talk("What does main.go do?");
    expect(outcome).toMatchObject({ status: "finished", text: "It prints hello." });
    expect(llm.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ["user"],
      ["user", "assistant", "tool_result"],
    ]);
    const states = events.flatMap((event) => (event.type === "state" ? [event.to] : []));
    expect(states.filter((state) => state !== "preparing")).toEqual([
      "sending",
      "executing_tools",
      "sending",
      "complete",
    ]);
  });

  it("AI-9 AI-18 an error of the tool goes to the model, one of the agent to the caller", async () => {
    const broken = testTool("read_file", async () => {
      throw new Error("no such file");
    });
    const told = createTestAgent([{ toolCalls: [{ name: "read_file" }] }, { text: "It is not there." }], {
      tools: [broken],
    });
    expect((await told.talk("Read it.")).outcome).toMatchObject({ status: "finished", text: "It is not there." });
    expect(JSON.stringify(told.llm.requests[1]?.messages)).toContain("no such file");
    const failed = createTestAgent([{ error: { kind: "agent", code: "provider", message: "Broken." } }]);
    expect((await failed.talk("Read it.")).outcome).toMatchObject({ status: "failed", error: { kind: "agent" } });
  });
});

describe("R6: timeout and cancellation", () => {
  it.each<[string, ScriptStep]>([
    ["while the model streams", { text: "Let me", stall: true }],
    ["while a tool runs", { toolCalls: [{ name: "wait" }] }],
  ])("AI-9 AI-14 AI-15 a signal of AbortSignal.timeout() is a timeout, not a cancel, %s", async (_, step) => {
    const wait = testTool("wait", (__, { signal }) => untilAborted(signal));
    const { executor } = createTestAgent([step, { text: "never" }], { tools: [wait], clock: systemClock });
    const run = executor.execute(testMessage("Take your time.", { signal: AbortSignal.timeout(30) }));
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ status: "stopped", reason: "deadline" });
    expect(executor.activeRun("s1")).toBeUndefined();
  });

  it("AI-9 AI-15 so is the time that the run itself is given", async () => {
    const { executor } = createTestAgent([{ stall: true }], { clock: systemClock });
    const { outcome } = executor.execute(testMessage("Hurry.", { stop: { maxWallMs: 30 } }));
    expect(await outcome).toMatchObject({ status: "stopped", reason: "deadline" });
  });

  it("AI-14 AI-15 any other abort of the caller is a cancel", async () => {
    const parent = new AbortController();
    const { executor } = createTestAgent([{ text: "Let me", stall: true }]);
    const run = executor.execute(testMessage("Take your time.", { signal: parent.signal }));
    await untilEvent(run, "text_delta");
    parent.abort();
    expect(await run.outcome).toMatchObject({ status: "cancelled", text: "Let me" });
  });
});

describe("R7: token tracking", () => {
  it("AI-16 adds up what each invocation used", async () => {
    const look = testTool("look", async () => "a door");
    const usage = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });
    const { talk } = createTestAgent(
      [
        { toolCalls: [{ name: "look" }], usage: usage(100, 20) },
        { toolCalls: [{ name: "look", args: { again: true } }], usage: usage(150, 25) },
        { text: "A door.", usage: usage(200, 5) },
      ],
      { tools: [look] },
    );
    const { metrics } = (await talk("Look.")).outcome;
    expect(metrics).toMatchObject({ totalInputTokens: 450, totalOutputTokens: 50, invocations: 3 });
  });
});

describe("R8: error types", () => {
  it.each<ErrorKind>(["agent", "tool", "timeout", "rate_limit", "network", "invalid"])(
    "AI-17 a failure of the kind %s reaches the caller as that",
    async (kind) => {
      const cause = new Error("underneath");
      const error = { kind, code: "seed", message: "It failed.", cause };
      const { talk } = createTestAgent(() => ({ error }), { retry: { maxAttempts: 1 } });
      expect((await talk("Go.")).outcome).toMatchObject({ status: "failed", error: { kind, message: "It failed." } });
      expect(new AgentError(error).cause).toBe(cause);
    },
  );
});

describe("R9: configuration", () => {
  it("AI-19 AI-20 reads the seed's fields, with 0 and -1 for the defaults and the key from the environment", () => {
    const config = parseAgentConfig(
      { provider: "claude", model: "claude-sonnet-4-20250514", maxTokens: 0, temperature: -1 },
      { env: { COBBLER_AGENT_API_KEY: "k-1", ANTHROPIC_API_KEY: "k-2" }, productVariables: ["COBBLER_AGENT_API_KEY"] },
    );
    expect(config).toMatchObject({ provider: "anthropic", model: "claude-sonnet-4-20250514" });
    expect([config.maxTokens, config.temperature]).toEqual([undefined, undefined]);
    expect([config.apiKey?.reveal(), config.apiKeyFrom]).toEqual(["k-1", "COBBLER_AGENT_API_KEY"]);
    const fallback = parseAgentConfig({ model: "m" }, { env: { ANTHROPIC_API_KEY: "k-2" } });
    expect(fallback.apiKeyFrom).toBe("ANTHROPIC_API_KEY");
  });
});

function user(text: string): Message {
  return { id: "m1", role: "user", origin: "human", ts: "2026-01-01T00:00:00.000Z", parts: [{ type: "text", text }] };
}

function callContext(): CallContext {
  return {
    signal: new AbortController().signal,
    clock: systemClock,
    messageId: "m2",
    timers: { firstEventMs: 1_000, idleMs: 1_000, attemptMs: 1_000 },
  } as CallContext;
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
