import { describe, expect, it } from "vitest";
import type { LLMClient, LLMDelta, ToolContext } from "./index.ts";
import { createTestAgent, scriptedModel, testMessage, testTool, untilEvent } from "./testing.ts";

const TIMERS = { firstEventMs: 300, idleMs: 200, attemptMs: 1_000 };

/** Says these, and then nothing any more. */
function hangingClient(...deltas: readonly LLMDelta[]): LLMClient {
  return {
    ...scriptedModel([]),
    stream: () => ({
      result: () => new Promise(() => undefined),
      async *[Symbol.asyncIterator]() {
        yield* deltas;
        await new Promise(() => undefined);
      },
    }),
  };
}

describe("timers and a client of the program's own", () => {
  it.each([
    ["first_event", 300, []],
    ["idle", 200, [{ type: "text", text: "Os" }]],
    ["idle", 200, [{ type: "alive" }]],
  ] as const)("AI-14 ends a call that hangs with %s", async (code, ms, deltas) => {
    const agent = createTestAgent([], { llm: hangingClient(...deltas), timers: TIMERS, retry: { maxAttempts: 1 } });
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "request");
    await agent.clock.advance(0);
    await agent.clock.advance(ms - 1);
    expect(agent.executor.activeRun("s1")).toBe(run);
    await agent.clock.advance(1);
    expect(await run.outcome).toMatchObject({ status: "failed", error: { kind: "timeout", code } });
  });

  it("AI-14 holds for the client that a tool asks", async () => {
    const ask = testTool("ask", async (_, context: ToolContext) => {
      const call = { signal: context.signal, clock: agent.clock, messageId: "m", timers: TIMERS };
      await context.pay(hangingClient()).run({ model: "m", system: [], messages: [], tools: [] }, call);
    });
    const agent = createTestAgent([{ toolCalls: [{ name: "ask" }] }, { text: "Done." }], { tools: [ask] });
    const run = agent.executor.execute(testMessage("Hi"));
    await untilEvent(run, "tool_call");
    for (let passedMs = 0; passedMs < 400; passedMs += 50) await agent.clock.advance(50);
    expect(await untilEvent(run, "tool_result")).toMatchObject({
      result: { outcome: "error", content: [{ text: expect.stringContaining("did not begin to answer in time") }] },
    });
    expect(await run.outcome).toMatchObject({ status: "finished" });
  });
});
