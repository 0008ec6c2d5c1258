import { describe, expect, it } from "vitest";
import { createAgentExecutor } from "./agent/executor.ts";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "./anthropic.ts";
import { startAnthropicLoopback } from "./testing/anthropic-loopback.ts";
import { PNG_1X1 } from "./testing/sample-images.ts";
import { scriptedModel } from "./testing/scripted-model.ts";
import { collectEvents, createTestAgent, testTool } from "./testing/test-agent.ts";
import { systemClock } from "./types/clock.ts";

describe("the model of a run", () => {
  it("is the executor's unless the run names another, in the profile, the request and the events", async () => {
    const { llm, talk } = createTestAgent([{ text: "one" }, { text: "two" }]);
    const own = await talk("Hi");
    const other = await talk("Hi again", { model: "scripted-2" });
    expect(llm.requests.map(({ model }) => model)).toEqual(["scripted-1", "scripted-2"]);
    const started = [...own.events, ...other.events].filter(({ type }) => type === "run_started");
    expect(started).toMatchObject([{ model: "scripted-1" }, { model: "scripted-2" }]);
  });

  it("has to exist", async () => {
    const { talk } = createTestAgent([], { llm: scriptedModel([], { id: "scripted-1" }) });
    const { outcome } = await talk("Hi", { model: "nobody" });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "unknown_model" } });
  });

  it("stays the same after a pause that another process answers", async () => {
    const tool = testTool("drop", async () => "done", {
      approval: () => ({ decision: "ask", prompt: "Drop it?" }),
    });
    const first = createTestAgent([{ toolCalls: [{ name: "drop" }] }], { tools: [tool] });
    const { outcome } = await first.talk("Drop it", { model: "scripted-2" });
    if (outcome.status !== "paused") throw new Error(outcome.status);
    const llm = scriptedModel([{ text: "dropped" }]);
    const later = createAgentExecutor({ ...first.options, llm });
    const { id, token } = outcome.pause;
    const run = later.resume(id, { kind: "approve", token }, { principal: { userId: "ada" } });
    const events = await collectEvents(run);
    expect(llm.requests.map(({ model }) => model)).toEqual(["scripted-2"]);
    expect(events[0]).toMatchObject({ type: "run_started", model: "scripted-2" });
    expect(await run.outcome).toMatchObject({ status: "finished" });
  });
});

it("VI-6 the client reads pictures from the store of the executor", async () => {
  const server = await startAnthropicLoopback({ script: [{ blocks: [{ type: "text", text: "A dot." }] }] });
  const llm = createAnthropicClient({ apiKey: server.apiKey, baseURL: server.url });
  const { talk } = createTestAgent([], { llm, model: DEFAULT_ANTHROPIC_MODEL, clock: systemClock });
  const { outcome } = await talk("What is it?", { images: [{ bytes: PNG_1X1, mediaType: "image/png" }] });
  await server.close();
  expect(outcome).toMatchObject({ status: "finished" });
  expect(JSON.stringify(server.requests[0])).toContain(Buffer.from(PNG_1X1).toString("base64"));
});

it("tells the caller how long the provider asked to wait", async () => {
  const error = { kind: "rate_limit", code: "rate_limited", message: "later", retryable: true, retryAfterMs: 90_000 };
  const { outcome } = await createTestAgent([{ error: { ...error, kind: "rate_limit" } }]).talk("Hi");
  expect(outcome).toMatchObject({ status: "failed", error: { code: "rate_limited", retryAfterMs: 90_000 } });
});
