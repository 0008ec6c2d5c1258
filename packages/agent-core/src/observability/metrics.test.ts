import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent, AgentEventBody } from "../types/events.ts";
import { createMetrics } from "./metrics.ts";

const RUN: readonly [at: number, body: AgentEventBody][] = [
  [0, { type: "run_started", task: "t", trigger: "message", model: "m1" }],
  [0, request("m1")],
  [100, { type: "retry", attempt: 1, delayMs: 10, error: failure("reset") }],
  [200, request("m1")],
  [240, { type: "text_delta", messageId: "m", text: "a" }],
  [260, { type: "text_delta", messageId: "m", text: "b" }],
  [700, answer("tool_use")],
  [700, { type: "tool_call", call: call("c1"), decision: "allow" }],
  [700, { type: "tool_call", call: call("c2"), decision: "deny" }],
  [720, result("c1", "ok", 20)],
  [720, result("c2", "denied", 0)],
  [800, { type: "artifact", reason: "tool", ref: { ...ref(), bytes: 50 } }],
  [800, { type: "warning", code: "image_unavailable", message: "gone" }],
  [800, { type: "context", action: "compacted", before: 9, after: 3 }],
  [800, { type: "budget", level: "warn", scope: "day", spentMicroUsd: 1, limitMicroUsd: 2 }],
  [800, { type: "error", error: failure("threw"), stopsRun: false }],
  [900, ended(900)],
];

describe("createMetrics", () => {
  it("AF-37 counts runs, requests, tokens, retries and times per model", async () => {
    const samples = await samplesOf(RUN);
    expect(samples).toMatchObject({
      agent_runs_started_total: 1,
      'agent_runs_ended_total{how="finished"}': 1,
      'agent_cost_micro_usd_total{model="m1"}': 1_500,
      agent_run_duration_seconds_sum: 0.9,
      'agent_model_requests_total{model="m1"}': 2,
      'agent_model_answers_total{model="m1",stop_reason="tool_use"}': 1,
      'agent_model_input_tokens_total{model="m1"}': 12,
      'agent_model_output_tokens_total{model="m1"}': 7,
      'agent_model_cache_read_tokens_total{model="m1"}': 100,
      'agent_model_cache_write_tokens_total{model="m1"}': 1,
      'agent_model_reasoning_tokens_total{model="m1"}': 3,
      'agent_model_retries_total{model="m1",code="reset"}': 1,
      'agent_model_duration_seconds_count{model="m1"}': 1,
      'agent_model_duration_seconds_sum{model="m1"}': 0.5,
      'agent_model_first_token_seconds_count{model="m1"}': 1,
      'agent_model_first_token_seconds_sum{model="m1"}': 0.04,
      'agent_errors_total{code="threw"}': 1,
      'agent_warnings_total{code="image_unavailable"}': 1,
      'agent_context_actions_total{action="compacted"}': 1,
      'agent_budget_events_total{level="warn"}': 1,
      agent_artifacts_total: 1,
      agent_artifact_bytes_total: 50,
    });
    expect(Object.keys(samples).filter((name) => name.startsWith("agent_pauses_total"))).toEqual([]);
  });

  it("AF-34 counts calls, decisions, outcomes and times per tool", async () => {
    expect(await samplesOf(RUN)).toMatchObject({
      'agent_tool_calls_total{tool="look",decision="allow"}': 1,
      'agent_tool_calls_total{tool="look",decision="deny"}': 1,
      'agent_tool_results_total{tool="look",outcome="ok"}': 1,
      'agent_tool_results_total{tool="look",outcome="denied"}': 1,
      'agent_tool_duration_seconds_count{tool="look"}': 2,
      'agent_tool_duration_seconds_sum{tool="look"}': 0.02,
    });
  });

  it("counts a tool called constructor like any other", async () => {
    const samples = await record([
      event({ type: "tool_call", call: { ...call("c"), toolName: "constructor" }, decision: "allow" }, 0),
    ]);
    expect(samples).toMatchObject({ 'agent_tool_calls_total{tool="constructor",decision="allow"}': 1 });
  });

  it("keeps the numbers of two instances apart", async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.record(event(request("m1"), 0));
    expect(await other.registry.metrics()).not.toContain("m1");
  });

  it("counts a duration as 0 when the clock was set back", async () => {
    const samples = await samplesOf([
      [100, request("m1")],
      [40, answer("tool_use")],
    ]);
    expect(samples).toMatchObject({ 'agent_model_duration_seconds_sum{model="m1"}': 0 });
  });

  it("AF-37 is a function of the events alone, however runs are mixed", async () => {
    const two = RUN.map(([at, body]) => event(body, at, "r1"));
    const other = RUN.map(([at, body]) => event(body, at, "r2"));
    const inOrder = await record([...two, ...other]);
    const property = fc.asyncProperty(fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }), async (choices) => {
      const [left, right] = [[...two], [...other]];
      const mixed = choices.flatMap((choice) => (choice ? left : right).splice(0, 1));
      expect(await record([...mixed, ...left, ...right])).toEqual(inOrder);
    });
    await fc.assert(property, { numRuns: 30 });
  });

  it("AF-37 writes counters with labels and histograms that add up", async () => {
    const metrics = createMetrics();
    for (const [at, body] of RUN) metrics.record(event(body, at));
    const text = await metrics.registry.metrics();
    expect(text).toContain(
      '# TYPE agent_tool_results_total counter\nagent_tool_results_total{tool="look",outcome="ok"} 1\n',
    );
    expect(text).toContain('agent_tool_duration_seconds_bucket{le="0.01",tool="look"} 1\n');
    expect(text).toContain('agent_tool_duration_seconds_bucket{le="0.025",tool="look"} 2\n');
    expect(text).toContain('agent_tool_duration_seconds_bucket{le="+Inf",tool="look"} 2\n');
  });

  it("escapes names that come from outside", async () => {
    const metrics = createMetrics();
    const result = { ...part("c", "ok"), toolName: 'a"b\\c\nd' };
    metrics.record(event({ type: "tool_result", result, durationMs: 1, replayed: true }, 0));
    const text = await metrics.registry.metrics();
    expect(text).toContain('agent_tool_results_total{tool="a\\"b\\\\c\\nd",outcome="ok"} 1\n');
    expect(text).toContain('agent_tool_replayed_total{tool="a\\"b\\\\c\\nd"} 1\n');
  });
});

/** Every sample by its name and labels, as the text writes it. */
type Samples = Readonly<Record<string, number>>;

function samplesOf(steps: typeof RUN): Promise<Samples> {
  return record(steps.map(([at, body]) => event(body, at)));
}

async function record(events: readonly AgentEvent[]): Promise<Samples> {
  const metrics = createMetrics();
  for (const one of events) metrics.record(one);
  const lines = (await metrics.registry.metrics()).split("\n").filter((line) => /^\w/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

function event(body: AgentEventBody, at: number, runId = "r1"): AgentEvent {
  return { v: 1, seq: 1, runId, sessionId: "s1", turn: 1, ts: new Date(at).toISOString(), ...body };
}

function ref() {
  return { id: "art_1", mimeType: "image/png", bytes: 1, sha256: "", namespace: "n", createdAt: "" };
}

function request(model: string): AgentEventBody {
  const tokens = { tools: 0, system: 0, state: 0, history: 0, images: 0, total: 0 };
  const context = { tokens, source: "estimated", bytes: 0, images: 0, expectedCachedTokens: 0 } as const;
  return { type: "request", model, context, attempt: 1 };
}

function answer(stopReason: "tool_use"): AgentEventBody {
  const usage = {
    inputTokens: 10,
    outputTokens: 5,
    cacheReadTokens: 100,
    cacheWriteTokens: 1,
    reasoningTokens: 3,
    estimated: false,
  };
  const extra = {
    ...usage,
    inputTokens: 2,
    outputTokens: 2,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  const message = { id: "m", role: "assistant", origin: "model", ts: "", parts: [] } as const;
  return { type: "message", message, stopReason, usage: { ...usage, extraIterations: [extra] } };
}

function call(id: string) {
  return { id, toolName: "look", arguments: {}, state: "complete" } as const;
}

function part(callId: string, outcome: "ok" | "denied") {
  return { type: "tool_result", callId, toolName: "look", outcome, content: [] } as const;
}

function result(callId: string, outcome: "ok" | "denied", durationMs: number): AgentEventBody {
  return { type: "tool_result", result: part(callId, outcome), durationMs, replayed: false };
}

function failure(code: string) {
  return { kind: "network", code, message: "x", retryable: true } as const;
}

function ended(wallMs: number): AgentEventBody {
  const counts = { totalInputTokens: 0, totalOutputTokens: 0, invocations: 0, toolCalls: 0, retries: 0 };
  const metrics = { ...counts, compactions: 0, costMicroUsd: 1_500, wallMs };
  return {
    type: "run_ended",
    outcome: { metrics, warnings: [], signals: [], status: "finished", by: "model", text: "" },
  };
}
