import { describe, expect, it } from "vitest";
import type { AgentEvent, AgentEventBody, ExecutionOutcome } from "../types/events.ts";
import { createEventSpans } from "./event-spans.ts";
import { createRedactor } from "./redact.ts";
import { type OtelSpan, type OtelTracer, startOtelSpan } from "./span.ts";

const redactor = createRedactor({ secrets: ["sk-secret-key"] });

describe("createEventSpans with OpenTelemetry", () => {
  it("names the run, its model calls and its tool calls as the conventions do", () => {
    const { tracer, spans } = fakeTracer();
    trace(tracer, [
      started(),
      request(),
      answer("tool_use"),
      { type: "tool_call", call: call("c1"), decision: "allow" },
      result("c1", "ok"),
      ended(),
    ]);
    const usage = {
      "gen_ai.usage.input_tokens": 111,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.usage.cache_read.input_tokens": 100,
      "gen_ai.usage.cache_creation.input_tokens": 1,
    };
    expect(spans).toEqual([
      span("invoke_agent", undefined, {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.conversation.id": "s1",
        "gen_ai.request.model": "m1",
        "gen_ai.response.finish_reasons": ["finished"],
      }),
      span("chat m1", "invoke_agent", {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "m1",
        "gen_ai.response.model": "m1-2026",
        "gen_ai.response.finish_reasons": ["tool_use"],
        ...usage,
      }),
      span("execute_tool look", "invoke_agent", {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.call.id": "c1",
      }),
    ]);
  });

  it("ends an attempt that is made again, a tool and a run that failed with the code of the error", () => {
    const { tracer, spans } = fakeTracer();
    const error = { kind: "network", code: "reset", message: "cut for sk-secret-key", retryable: true } as const;
    trace(tracer, [
      started(),
      request(),
      { type: "retry", attempt: 1, delayMs: 1, error },
      request(),
      answer("tool_use"),
      { type: "tool_call", call: call("c1"), decision: "allow" },
      result("c1", "timeout"),
      request(),
      { type: "error", error, stopsRun: true },
      ended({ status: "failed", error }),
    ]);
    const failed = spans.map(({ name, attributes, status }) => [name, attributes["error.type"], status?.message]);
    expect(failed).toEqual([
      ["invoke_agent", "reset", "cut for <secret>"],
      ["chat m1", "reset", "cut for <secret>"],
      ["chat m1", undefined, undefined],
      ["execute_tool look", "timeout", "The tool ended with timeout."],
      ["chat m1", "reset", "cut for <secret>"],
    ]);
    expect(spans.map(({ ends }) => ends)).toEqual([1, 1, 1, 1, 1]);
  });

  it("writes what happens within a run as events of its span", () => {
    const { tracer, spans } = fakeTracer();
    const error = { kind: "tool", code: "threw", message: "x", retryable: false } as const;
    trace(tracer, [
      started(),
      { type: "warning", code: "image_unavailable", message: "gone" },
      { type: "budget", level: "warn", scope: "day", spentMicroUsd: 1, limitMicroUsd: 2 },
      { type: "context", action: "cleared", before: 9, after: 3 },
      { type: "error", error, stopsRun: false },
      ended({ status: "cancelled", reason: "user" }),
    ]);
    expect(spans[0]?.events).toEqual([
      ["warning", { code: "image_unavailable" }],
      ["budget", { level: "warn", scope: "day" }],
      ["context", { action: "cleared", before: 9, after: 3 }],
      ["error", { "error.type": "threw" }],
    ]);
    expect(spans[0]?.attributes["gen_ai.response.finish_reasons"]).toEqual(["cancelled"]);
  });

  it("ends what is open when the run ends, and a result whose call was made before a pause", () => {
    const { tracer, spans } = fakeTracer();
    trace(tracer, [
      started(),
      result("c0", "ok"),
      request(),
      { type: "tool_call", call: call("c1"), decision: "ask" },
      ended(),
    ]);
    expect(spans.map(({ name, ends }) => [name, ends])).toEqual([
      ["invoke_agent", 1],
      ["execute_tool look", 1],
      ["chat m1", 1],
      ["execute_tool look", 1],
    ]);
  });

  it("VI-13 writes content only when asked, and then redacted", () => {
    const events = [
      started(),
      request(),
      answer("complete"),
      { type: "tool_call", call: call("c1"), decision: "allow" },
      result("c1", "ok"),
      ended(),
    ] as const;
    const silent = fakeTracer();
    trace(silent.tracer, events);
    expect(JSON.stringify(silent.spans)).not.toContain("said");
    const loud = fakeTracer();
    trace(loud.tracer, events, { content: redactor });
    const written = JSON.stringify(loud.spans);
    expect(written).toContain("said <secret>");
    expect(written).toContain("gen_ai.tool.call.arguments");
    expect(written).toContain("gen_ai.tool.call.result");
    expect(written).not.toContain("sk-secret-key");
    const chat = loud.spans.find(({ name }) => name === "chat m1");
    expect(JSON.parse(String(chat?.attributes["gen_ai.output.messages"]))).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "said <secret>" }], finish_reason: "stop" },
    ]);
  });

  it("keeps runs that are mixed apart, and ignores one whose beginning it missed", () => {
    const { tracer, spans } = fakeTracer();
    const listen = createEventSpans({ provider: "p", start: (name) => startOtelSpan(name, { tracer, redactor }) });
    for (const runId of ["r1", "r2"]) listen(event(started(), runId));
    for (const runId of ["r2", "r1", "r3"]) listen(event(request(), runId));
    for (const runId of ["r1", "r2", "r3"]) listen(event(ended(), runId));
    expect(spans.map(({ name, parent, ends }) => [name, parent, ends])).toEqual([
      ["invoke_agent", undefined, 1],
      ["invoke_agent", undefined, 1],
      ["chat m1", undefined, 1],
      ["chat m1", undefined, 1],
    ]);
  });
});

describe("startOtelSpan", () => {
  it("VI-13 redacts every attribute and event, and ends once", () => {
    const { tracer, spans } = fakeTracer();
    const one = startOtelSpan("for sk-secret-key", { tracer, redactor });
    one.set("a", "sk-secret-key");
    one.set("b", ["x", "sk-secret-key"]);
    one.set("c", 1);
    one.event("e", { d: `data:image/png;base64,${"A".repeat(80)}`, ok: true });
    one.end();
    one.end({ kind: "agent", code: "late", message: "late", retryable: false });
    expect(spans).toEqual([
      {
        name: "for <secret>",
        attributes: { a: "<secret>", b: ["x", "<secret>"], c: 1 },
        events: [["e", { d: "<image image/png 60 bytes>", ok: true }]],
        ends: 1,
      },
    ]);
  });
});

interface FakeSpan {
  readonly name: string;
  readonly parent?: string;
  readonly attributes: Record<string, unknown>;
  readonly events: unknown[];
  status?: { code: number; message?: string };
  ends: number;
}

function fakeTracer() {
  const spans: FakeSpan[] = [];
  const tracer: OtelTracer<OtelSpan & { record: FakeSpan }, { parent: string }> = {
    startSpan(name, _, context) {
      const record: FakeSpan = { name, ...context, attributes: {}, events: [], ends: 0 };
      spans.push(record);
      return {
        record,
        setAttribute: (key, value) => {
          record.attributes[key] = value;
        },
        addEvent: (...args) => record.events.push(args),
        setStatus: (status) => {
          record.status = status;
        },
        end: () => {
          record.ends += 1;
        },
      };
    },
  };
  return { tracer, spans };
}

function trace(
  tracer: ReturnType<typeof fakeTracer>["tracer"],
  bodies: readonly AgentEventBody[],
  more: { readonly content?: typeof redactor } = {},
): void {
  const options = { tracer, redactor, contextOf: (one: { record: FakeSpan }) => ({ parent: one.record.name }) };
  const listen = createEventSpans({ provider: "anthropic", start: (name) => startOtelSpan(name, options), ...more });
  for (const body of bodies) listen(event(body));
}

function span(name: string, parent: string | undefined, attributes: object): object {
  return { name, ...(parent && { parent }), attributes, events: [], ends: 1 };
}

function event(body: AgentEventBody, runId = "r1"): AgentEvent {
  return { v: 1, seq: 1, runId, sessionId: "s1", turn: 1, ts: "2026-01-01T00:00:00.000Z", ...body };
}

function started(): AgentEventBody {
  return { type: "run_started", task: "t", trigger: "message", model: "m1" };
}

function request(): AgentEventBody {
  const tokens = { tools: 0, system: 0, state: 0, history: 0, images: 0, total: 0 };
  const context = { tokens, source: "estimated", bytes: 0, images: 0, expectedCachedTokens: 0 } as const;
  return { type: "request", model: "m1", context, attempt: 1 };
}

function answer(stopReason: "complete" | "tool_use"): AgentEventBody {
  const usage = {
    inputTokens: 10,
    outputTokens: 5,
    cacheReadTokens: 100,
    cacheWriteTokens: 1,
    reasoningTokens: 0,
    estimated: false,
  };
  const parts = [{ type: "text", text: "said sk-secret-key" }] as const;
  const message = { id: "m", role: "assistant", origin: "model", model: "m1-2026", ts: "", parts } as const;
  return { type: "message", message, stopReason, usage };
}

function call(id: string) {
  return { id, toolName: "look", arguments: { at: "sk-secret-key" }, state: "complete" } as const;
}

function result(callId: string, outcome: "ok" | "timeout"): AgentEventBody {
  const content = [{ type: "text", text: "seen sk-secret-key" }] as const;
  const part = { type: "tool_result", callId, toolName: "look", outcome, content } as const;
  return { type: "tool_result", result: part, durationMs: 1, replayed: false };
}

type Ending =
  | { status: "failed"; error: Extract<ExecutionOutcome, { status: "failed" }>["error"] }
  | { status: "cancelled"; reason: string };

function ended(ending?: Ending): AgentEventBody {
  const counts = { totalInputTokens: 0, totalOutputTokens: 0, invocations: 0, toolCalls: 0, retries: 0 };
  const metrics = { ...counts, compactions: 0, costMicroUsd: 0, wallMs: 1 };
  const how = ending ?? ({ status: "finished", by: "model", text: "said" } as const);
  return { type: "run_ended", outcome: { metrics, warnings: [], signals: [], ...how } };
}
