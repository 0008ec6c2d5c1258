import { describe, expect, it } from "vitest";
import type { CallContext, LLMDelta, LLMRequest } from "../llm/llm-client.ts";
import { systemClock } from "../types/clock.ts";
import { scriptedModel } from "./scripted-model.ts";

describe("scriptedModel", () => {
  it("AF-38 shows the arguments of calls in pieces", async () => {
    const model = scriptedModel([{ text: "ab", toolCalls: [{ name: "look", args: { at: 1 } }], chunks: 2 }]);
    const deltas: LLMDelta[] = [];
    for await (const delta of model.stream(request(), context())) deltas.push(delta);
    expect(deltas).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
      { type: "tool_args", callId: "call_1_1", toolName: "look", json: '{"at' },
      { type: "tool_args", callId: "call_1_1", toolName: "look", json: '":1}' },
    ]);
  });

  it("shows what did not parse as it was", async () => {
    const calls = [{ name: "look", raw: '{"at', state: "truncated" }] as const;
    const model = scriptedModel([{ toolCalls: calls, stop: "max_tokens" }]);
    const { toolCalls } = await model.run(request(), context());
    expect(toolCalls).toMatchObject([{ state: "truncated", rawArguments: '{"at', arguments: {} }]);
  });

  it("AF-38 fails where a request is not what the script expects", async () => {
    const model = scriptedModel([{ text: "x", expect: ({ messages }) => expect(messages).toHaveLength(9) }]);
    await expect(model.run(request(), context())).rejects.toMatchObject({
      code: "script_expectation",
      message: expect.stringMatching(/^Request 1 is not what the script expects: /),
    });
  });

  it("fails when it is asked more often than it has steps", async () => {
    await expect(scriptedModel([]).run(request(), context())).rejects.toMatchObject({ code: "script_over" });
    const short = scriptedModel([{ text: "one" }]);
    await short.run(request(), context());
    await expect(short.run(request(), context())).rejects.toMatchObject({
      message: "The model was called 2 times, but the script has 1 step.",
    });
  });
});

function request(): LLMRequest {
  return { model: "scripted-1", system: [], messages: [], tools: [] };
}

function context(): CallContext {
  const timers = { firstEventMs: 1_000, idleMs: 1_000, attemptMs: 1_000 };
  return { signal: new AbortController().signal, clock: systemClock, messageId: "m1", timers };
}
