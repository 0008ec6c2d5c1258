import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent, AgentEventBody } from "../types/events.ts";
import { addDuration, EMPTY_HISTOGRAM, quantile } from "./histogram.ts";
import { createMetrics, type MetricsSnapshot } from "./metrics.ts";
import { toPrometheusText } from "./prometheus-text.ts";

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
  it("AF-37 counts runs, requests, tokens, retries and times per model", () => {
    const { runs, models, ...others } = snapshotOf(RUN);
    expect(runs).toMatchObject({ started: 1, ended: { complete: 1 }, costMicroUsd: 1_500, wallMs: { sum: 900 } });
    expect(models).toMatchObject({
      m1: {
        requests: 2,
        answers: 1,
        inputTokens: 12,
        outputTokens: 7,
        cacheReadTokens: 100,
        cacheWriteTokens: 1,
        reasoningTokens: 3,
        retries: { reset: 1 },
        stopReasons: { tool_use: 1 },
        durationMs: { count: 1, sum: 500 },
        firstTokenMs: { count: 1, sum: 40 },
      },
    });
    expect(others).toMatchObject({
      errors: { threw: 1 },
      warnings: { image_unavailable: 1 },
      context: { compacted: 1 },
      budget: { warn: 1 },
      pauses: {},
      artifacts: { count: 1, bytes: 50 },
    });
  });

  it("AF-34 counts calls, decisions, outcomes and times per tool", () => {
    expect(snapshotOf(RUN).tools).toMatchObject({
      look: {
        calls: 2,
        decisions: { allow: 1, deny: 1 },
        outcomes: { ok: 1, denied: 1 },
        replayed: 0,
        durationMs: { count: 2, sum: 20, max: 20 },
      },
    });
  });

  it("counts a tool called constructor like any other", () => {
    const metrics = createMetrics();
    metrics.record(event({ type: "tool_call", call: { ...call("c"), toolName: "constructor" }, decision: "allow" }, 0));
    expect(metrics.snapshot().tools.constructor).toMatchObject({ calls: 1 });
  });

  it("gives a snapshot that later events do not change, and that JSON can hold", () => {
    const metrics = createMetrics();
    metrics.record(event(request("m1"), 0));
    const before = metrics.snapshot();
    const text = JSON.stringify(before);
    for (const [at, body] of RUN) metrics.record(event(body, at));
    expect(JSON.stringify(before)).toBe(text);
    expect(JSON.parse(JSON.stringify(metrics.snapshot()))).toEqual(metrics.snapshot());
  });

  it("AF-37 is a function of the events alone, however runs are mixed", () => {
    const two = RUN.map(([at, body]) => event(body, at, "r1"));
    const other = RUN.map(([at, body]) => event(body, at, "r2"));
    const inOrder = record([...two, ...other]);
    const property = fc.property(fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }), (choices) => {
      const [left, right] = [[...two], [...other]];
      const mixed = choices.flatMap((choice) => (choice ? left : right).splice(0, 1));
      expect(record([...mixed, ...left, ...right])).toEqual(inOrder);
    });
    fc.assert(property, { numRuns: 30 });
  });
});

describe("a histogram", () => {
  it("bounds its quantiles from above, and never beyond what was met", () => {
    const filled = [1, 7, 8, 40, 900_000].reduce(addDuration, EMPTY_HISTOGRAM);
    expect(filled).toMatchObject({ count: 5, min: 1, max: 900_000 });
    expect([0.2, 0.5, 0.8, 1].map((share) => quantile(filled, share))).toEqual([5, 10, 50, 900_000]);
    expect(quantile(EMPTY_HISTOGRAM, 0.5)).toBe(0);
    expect(addDuration(EMPTY_HISTOGRAM, -5)).toMatchObject({ min: 0, sum: 0, count: 1 });
  });
});

describe("toPrometheusText", () => {
  it("AF-37 writes counters with labels and histograms that add up", () => {
    const text = toPrometheusText(snapshotOf(RUN));
    expect(text).toContain(
      '# TYPE agent_tool_results_total counter\nagent_tool_results_total{tool="look",outcome="ok"} 1\n',
    );
    expect(text).toContain('agent_model_input_tokens_total{model="m1"} 12\n');
    expect(text).toContain("agent_runs_started_total 1\n");
    expect(text).toContain('agent_tool_duration_ms_bucket{tool="look",le="25"} 2\n');
    expect(text).toContain('agent_tool_duration_ms_bucket{tool="look",le="+Inf"} 2\n');
    expect(text).toContain('agent_tool_duration_ms_sum{tool="look"} 20\n');
    expect(text).not.toContain("agent_pauses_total");
  });

  it("escapes names that come from outside", () => {
    const metrics = createMetrics();
    const result = { ...part("c", "ok"), toolName: 'a"b\\c\nd' };
    metrics.record(event({ type: "tool_result", result, durationMs: 1, replayed: true }, 0));
    expect(toPrometheusText(metrics.snapshot())).toContain('{tool="a\\"b\\\\c\\nd",outcome="ok"} 1\n');
  });
});

function snapshotOf(steps: typeof RUN): MetricsSnapshot {
  return record(steps.map(([at, body]) => event(body, at)));
}

function record(events: readonly AgentEvent[]): MetricsSnapshot {
  const metrics = createMetrics();
  for (const one of events) metrics.record(one);
  return metrics.snapshot();
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
    outcome: { metrics, warnings: [], signals: [], status: "finished", finish: "complete", summary: "" },
  };
}
