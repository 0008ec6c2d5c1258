import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import type { AgentEvent, AgentEventBody } from "../types/events.ts";
import { type Message, NO_USAGE } from "../types/message.ts";
import { createUiStream } from "./ui-stream.ts";
import { toCoreEvent, toFlowEvent } from "./vocabularies.ts";

const call = { id: "c1", toolName: "look", arguments: { where: "door" }, state: "complete" } as const;
const result = {
  type: "tool_result",
  callId: "c1",
  toolName: "look",
  outcome: "ok",
  content: [
    { type: "text", text: "A cat." },
    { type: "image", artifactId: "art_1", mimeType: "image/jpeg", alt: "a cat at the door" },
  ],
} as const;
const metrics = {
  totalInputTokens: 1,
  totalOutputTokens: 1,
  invocations: 2,
  toolCalls: 1,
  retries: 0,
  compactions: 0,
  costMicroUsd: 0,
  wallMs: 5,
};
const outcome = {
  status: "finished",
  by: "model",
  text: "A cat.",
  metrics,
  warnings: [],
  signals: [],
} as const;
const pause = {
  id: "pause_1",
  runId: "r",
  sessionId: "s",
  turn: 1,
  kind: "approval",
  prompt: "May I?",
  createdAt: "",
  token: "secret-token",
  userId: "ada",
  remaining: { iterations: 1, wallMs: 1 },
  calls: [{ callId: "c1", toolName: "look", argsSha256: "", preview: "" }],
} as const;

/** A whole run: thinking, a tool, an answer. */
const RUN: readonly AgentEventBody[] = [
  { type: "run_started", task: "look", trigger: "message", model: "m" },
  { type: "state", from: "preparing", to: "sending", why: "" },
  { type: "thinking_delta", messageId: "m1", text: "Hm." },
  { type: "text_delta", messageId: "m1", text: "Let me " },
  { type: "text_delta", messageId: "m1", text: "look." },
  { type: "tool_input_delta", callId: "c1", toolName: "look", json: '{"where":' },
  { type: "message", message: said("Let me look."), stopReason: "tool_use", usage: NO_USAGE },
  { type: "state", from: "sending", to: "executing_tools", why: "" },
  { type: "tool_call", call, decision: "allow" },
  { type: "tool_result", result, durationMs: 3, replayed: false },
  { type: "state", from: "executing_tools", to: "sending", why: "" },
  { type: "text_delta", messageId: "m2", text: "A cat." },
  { type: "message", message: said("A cat."), stopReason: "complete", usage: NO_USAGE },
  { type: "response", text: "A cat.", messageId: "m2" },
  { type: "run_ended", outcome },
];

describe("toFlowEvent", () => {
  it("AF-31 tells thinking, attempts, completions and the end", () => {
    expect(RUN.map((body) => toFlowEvent(event(body))).filter((told) => told !== undefined)).toEqual([
      { kind: "Thinking", text: "Hm." },
      { kind: "Thinking", text: "Let me look." },
      { kind: "ToolCallAttempted", name: "look", args: { where: "door" }, id: "c1" },
      { kind: "ToolCallCompleted", id: "c1", result: "A cat.\na cat at the door", toolName: "look" },
      { kind: "Finished", summary: "A cat.", status: "finished", reason: "" },
    ]);
  });

  it("AF-31 tells errors that do not stop a run", () => {
    expect(toFlowEvent(event({ type: "warning", code: "budget", message: "careful" }))).toEqual({
      kind: "ExecutionError",
      error: "careful",
    });
  });

  it("AF-31 ends with the reason when a run was cancelled, failed or waits", () => {
    const base = { metrics, warnings: [], signals: [] };
    const error = { kind: "network", code: "reset", message: "The line broke.", retryable: true } as const;
    const ends = [
      { ...base, status: "cancelled", reason: "Stopped." },
      { ...base, status: "failed", error },
      { ...base, status: "paused", pause },
      { ...base, ...stopped },
    ] as const;
    expect(ends.map((end) => toFlowEvent(event({ type: "run_ended", outcome: end })))).toEqual([
      { kind: "Finished", summary: "", status: "cancelled", reason: "Stopped." },
      { kind: "Finished", summary: "", status: "failed", reason: "The line broke." },
      { kind: "Finished", summary: "", status: "paused", reason: "May I?" },
      { kind: "Finished", summary: "A c", status: "stopped", reason: "No money is left." },
    ]);
  });
});

const stopped = { status: "stopped", reason: "budget", message: "No money is left.", text: "A c" } as const;

describe("toCoreEvent", () => {
  it("VA-1 has all eight words", () => {
    const bodies: AgentEventBody[] = [
      ...RUN,
      { type: "paused", pause },
      { type: "alert", severity: "warning", text: "Smoke." },
      { type: "stream_event", source: "door", data: { open: true } },
      { type: "error", error: { kind: "tool", code: "threw", message: "Broken.", retryable: false }, stopsRun: false },
    ];
    const told = bodies.map((body) => toCoreEvent(event(body))).filter((one) => one !== undefined);
    expect(new Set(told.map(({ type }) => type))).toEqual(
      new Set(["thinking", "tool_call", "tool_result", "response", "alert", "stream_event", "error", "ask_user"]),
    );
    expect(told.every(({ timestamp }) => timestamp === 1_770_000_000)).toBe(true);
    expect(JSON.stringify(told)).not.toContain("secret-token");
  });

  it("VA-1 says why a run was stopped, and not as a response", () => {
    const outcome = { metrics, warnings: [], signals: [], ...stopped } as const;
    expect(toCoreEvent(event({ type: "run_ended", outcome }))).toMatchObject({
      type: "error",
      data: { code: "budget", message: "No money is left." },
    });
  });
});

describe("createUiStream", () => {
  it("gives the reason of a stop as a notice, and no text", () => {
    const outcome = { metrics, warnings: [], signals: [], ...stopped } as const;
    expect(createUiStream()(event({ type: "run_ended", outcome }))).toEqual([
      { type: "data-notice", data: { code: "budget", message: "No money is left." } },
      { type: "finish" },
    ]);
  });

  it("is read by the AI SDK: text, reasoning, a tool with its output, in their order", async () => {
    const message = await readByAiSdk(RUN);
    expect(message?.parts.map((part) => part.type)).toEqual([
      "step-start",
      "reasoning",
      "text",
      "dynamic-tool",
      "step-start",
      "text",
    ]);
    expect(message?.parts[3]).toMatchObject({
      toolName: "look",
      toolCallId: "c1",
      state: "output-available",
      input: { where: "door" },
      output: "A cat.\na cat at the door",
    });
    expect(message?.parts.flatMap((part) => (part.type === "text" ? [[part.text, part.state]] : []))).toEqual([
      ["Let me look.", "done"],
      ["A cat.", "done"],
    ]);
  });

  it("gives the data of a tool where there is some, for components that show it", () => {
    const told = createUiStream()(
      event({ type: "tool_result", result: { ...result, data: { cats: 1 } }, durationMs: 0, replayed: false }),
    );
    expect(told).toMatchObject([{ type: "tool-output-available", output: { cats: 1 } }]);
  });

  it("takes back an answer that did not have the shape that was asked for", async () => {
    const message = await readByAiSdk([
      ...RUN.slice(0, -4),
      { type: "text_delta", messageId: "m0", text: "Wrong" },
      { type: "message", message: said("Wrong"), stopReason: "complete", usage: NO_USAGE },
      { type: "discarded", messageId: "m0", why: "shape" },
      { type: "state", from: "preparing", to: "sending", why: "" },
      ...RUN.slice(-4),
    ]);
    expect(message?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))).toEqual([
      "Let me look.",
      "A cat.",
    ]);
  });

  it("takes back what a failed attempt has shown", async () => {
    const again: AgentEventBody[] = [
      ...RUN.slice(0, 2),
      { type: "text_delta", messageId: "m0", text: "Wro" },
      { type: "discarded", messageId: "m0", why: "reset" },
      ...RUN.slice(-4),
    ];
    const message = await readByAiSdk(again);
    expect(message?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))).toEqual(["A cat."]);
  });

  it("says failure, denial and cancel in that protocol's words", () => {
    const toChunks = createUiStream();
    const words = (body: AgentEventBody): string[] => toChunks(event(body)).map(({ type }) => type);
    const base = { metrics, warnings: [], signals: [] };
    const error = { kind: "network", code: "reset", message: "gone", retryable: true } as const;
    expect(words({ type: "paused", pause })).toEqual(["tool-approval-request"]);
    expect(
      words({ type: "tool_result", result: { ...result, outcome: "denied" }, durationMs: 0, replayed: false }),
    ).toEqual(["tool-output-denied"]);
    expect(
      words({ type: "tool_result", result: { ...result, outcome: "error" }, durationMs: 0, replayed: false }),
    ).toEqual(["tool-output-error"]);
    expect(words({ type: "run_ended", outcome: { ...base, status: "failed", error } })).toEqual(["error"]);
    expect(words({ type: "run_ended", outcome: { ...base, status: "cancelled", reason: "" } })).toEqual(["abort"]);
  });
});

function event(body: AgentEventBody): AgentEvent {
  return { v: 1, seq: 1, runId: "r", sessionId: "s", turn: 1, ts: "2026-02-02T02:40:00.000Z", ...body };
}

function said(text: string): Message {
  return { id: "m", role: "assistant", parts: [{ type: "text", text }], ts: "", origin: "model" };
}

async function readByAiSdk(bodies: readonly AgentEventBody[]): Promise<UIMessage | undefined> {
  const toChunks = createUiStream();
  const chunks = bodies.flatMap((body) => toChunks(event(body)));
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk as unknown as UIMessageChunk);
      controller.close();
    },
  });
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) last = message;
  return last;
}
