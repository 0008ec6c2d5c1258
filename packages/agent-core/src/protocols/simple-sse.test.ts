import { describe, expect, it } from "vitest";
import type { AgentEvent, AgentEventBody, ExecutionOutcome } from "../types/events.ts";
import { encodeSse, readSse, SSE_KEEP_ALIVE, type SseMessage } from "./sse.ts";
import { toSimpleSse } from "./vocabularies.ts";

const call = { id: "c1", toolName: "look", arguments: {}, state: "complete" } as const;
const result = { type: "tool_result", callId: "c1", toolName: "look", outcome: "error", content: [] } as const;
const totals = {
  metrics: {
    totalInputTokens: 1,
    totalOutputTokens: 1,
    invocations: 1,
    toolCalls: 0,
    retries: 0,
    compactions: 0,
    costMicroUsd: 0,
    wallMs: 1,
  },
  warnings: [],
  signals: [{ name: "GENERATE_ASSET", data: { title: "Plan" } }],
};

const SIGNALS = [{ type: "GENERATE_ASSET", data: { title: "Plan" } }];

describe("toSimpleSse", () => {
  it("gives an id to come back with before the model says anything", () => {
    const started = { type: "run_started", task: "Look", trigger: "message", model: "m" } as const;
    expect(translate(started)).toEqual([{ type: "start", runId: "r", sessionId: "s" }]);
  });

  it("SC-6 speaks of tokens and tools", () => {
    expect(translate({ type: "text_delta", messageId: "m", text: "Hi" })).toEqual([
      { type: "token", text: "Hi", messageId: "m" },
    ]);
    expect(translate({ type: "tool_call", call, decision: "allow" })).toEqual([
      { type: "tool_start", tool: "look", id: "c1" },
    ]);
    expect(translate({ type: "tool_result", result, durationMs: 3, replayed: false })).toEqual([
      { type: "tool_complete", tool: "look", id: "c1", isError: true },
    ]);
    expect(translate({ type: "discarded", messageId: "m", why: "again" })).toEqual([{ type: "reset", messageId: "m" }]);
  });

  it("SC-6 ends with done and the whole text", () => {
    expect(ended({ status: "finished", by: "model", text: "All.", ...totals })).toEqual([
      { type: "done", signals: SIGNALS, fullResponse: "All." },
    ]);
    const stopped = { status: "stopped", reason: "loop", message: "Again and again.", text: "Al" } as const;
    expect(ended({ ...stopped, ...totals })).toEqual([
      { type: "warning", code: "loop", message: "Again and again." },
      { type: "done", signals: SIGNALS, fullResponse: "Al" },
    ]);
    expect(ended({ status: "cancelled", reason: "user", text: "Al", ...totals })).toEqual([
      { type: "done", signals: SIGNALS, fullResponse: "Al" },
    ]);
  });

  it("SC-19 sends the error and then done when a run failed", () => {
    const error = { kind: "network", code: "reset", message: "gone", retryable: true } as const;
    expect(ended({ status: "failed", error, ...totals })).toEqual([
      { type: "error", code: "reset", message: "gone" },
      { type: "done", signals: SIGNALS, fullResponse: "" },
    ]);
  });

  it("keeps quiet about the rest", () => {
    expect(translate({ type: "state", from: "idle", to: "preparing", why: "" })).toEqual([]);
    expect(translate({ type: "thinking_delta", messageId: "m", text: "hm" })).toEqual([]);
  });
});

describe("encodeSse and readSse", () => {
  it("SC-7 survives any cut of the bytes, comments between, and newlines inside", async () => {
    const messages: SseMessage[] = [
      { id: "run_1:1", event: "token", data: { text: "line\nline\r\n 😀" } },
      { data: ["only", "data"] },
    ];
    const bytes = Buffer.from(messages.map((message) => encodeSse(message) + SSE_KEEP_ALIVE).join(""));
    for (const size of [1, 2, 3, 7, 1_000]) {
      const got: SseMessage[] = [];
      for await (const message of readSse(slices(bytes, size))) got.push(message);
      expect(got).toEqual(messages);
    }
  });

  it("SC-7 can be read by a client that looks only at the first line of each block", () => {
    const text = encodeSse({ id: "r:1", event: "token", data: { type: "token", text: "x" } });
    const [block] = text.split("\n\n");
    expect(JSON.parse(block?.split("\n")[0]?.replace(/^data: /, "") ?? "")).toEqual({ type: "token", text: "x" });
  });

  it("does not let an id break out of its line", () => {
    expect(encodeSse({ id: "a\ndata: evil", data: 1 })).toBe("data: 1\nid: adata: evil\n\n");
  });
});

function translate(body: AgentEventBody): unknown {
  const event = { v: 1, seq: 4, runId: "r", sessionId: "s", turn: 1, ts: "", ...body } as AgentEvent;
  return toSimpleSse(event).map((message) => {
    expect(message.id).toBe("r:4");
    return message.data;
  });
}

function ended(outcome: ExecutionOutcome): unknown {
  return translate({ type: "run_ended", outcome });
}

async function* slices(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
