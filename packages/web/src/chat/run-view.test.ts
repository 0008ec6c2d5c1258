import type { ChatMessage, Effect, RunEvent } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { addSaid, NEW_RUN, type RunView, reduceRun, textOf, toParts } from "./run-view.ts";

const STARTED: RunEvent = { type: "run_started", run_id: "r1", session_id: "s1", speaker: "Claude" };
const CALL: RunEvent = { type: "tool_call", call_id: "c1", tool: "capture_frame", arguments: { camera: "street" } };
const RESULT: RunEvent = {
  type: "tool_result",
  call_id: "c1",
  tool: "capture_frame",
  outcome: "ok",
  text: "a frame",
  images: ["shot"],
  duration_ms: 400,
};

const STOPPED: Effect = {
  kind: "stopped",
  what: "pipeline",
  id: "pipe_1",
  name: "street-count",
  text: "Stopped street-count on street.",
  link: "/cameras/street",
};
const MESSAGE: ChatMessage = {
  id: "m1",
  role: "assistant",
  timestamp: "2026-01-01T00:00:00.000Z",
  text: "A street.",
  images: [],
  steps: [],
};

describe("reduceRun", () => {
  it("says who speaks", () => {
    expect(play([STARTED])).toMatchObject({ runId: "r1", speaker: "Claude", status: "running" });
  });

  it("joins text of one message and keeps messages, thinking and steps in order", () => {
    const view = play([
      thinking("m1", "hm"),
      text("m1", "I "),
      text("m1", "look."),
      CALL,
      RESULT,
      text("m2", "A street."),
    ]);
    expect(view.parts.map((part) => ("text" in part ? `${part.kind} ${part.text}` : part.kind))).toEqual([
      "thinking hm",
      "text I look.",
      "step",
      "text A street.",
    ]);
  });

  it("finishes a step in its place", () => {
    const view = play([CALL, text("m1", "…"), RESULT]);
    expect(view.parts[0]).toMatchObject({
      kind: "step",
      step: { tool: "capture_frame", arguments: { camera: "street" }, result: { outcome: "ok", duration_ms: 400 } },
    });
  });

  it("shows a result whose call was before the attachment", () => {
    expect(play([RESULT]).parts).toMatchObject([
      { kind: "step", step: { arguments: null, result: { outcome: "ok" } } },
    ]);
  });

  it("takes back discarded text and nothing else", () => {
    const view = play([
      text("m1", "kept"),
      CALL,
      text("m2", "void"),
      { type: "discarded", message_id: "m2", reason: "x" },
    ]);
    expect(view.parts.map(({ kind }) => kind)).toEqual(["text", "step"]);
    expect(textOf(view.parts)).toBe("kept");
  });

  it("says what it waits for until it goes on", () => {
    const waiting = play([{ type: "retry", attempt: 1, delay_ms: 1500, reason: "the provider is busy" }]);
    expect(waiting.waitingFor).toBe("Trying again in 2 s: the provider is busy");
    expect(reduceRun(waiting, text("m1", "ok")).waitingFor).toBeUndefined();
  });

  it("shows a picture of the outcome once, at the step that made it", () => {
    const view = play([CALL, RESULT, ended({ images: ["shot", "other"] })]);
    expect(view.parts.filter(({ kind }) => kind === "images")).toEqual([{ kind: "images", images: ["other"] }]);
  });

  it("takes the text of the outcome when none was streamed", () => {
    expect(textOf(play([STARTED, ended({ text: "All of it." })]).parts)).toBe("All of it.");
    expect(textOf(play([text("m1", "Streamed."), ended({ text: "Streamed." })]).parts)).toBe("Streamed.");
  });

  it("VA-22 shows what a person should know of the money", () => {
    const text = "50 % of the limit of today is used: 5 USD of 10 USD.";
    const view = play([{ type: "warning", code: "budget", message: text }, ended({ text: "Done." })]);
    expect(view.parts[0]).toEqual({ kind: "notice", tone: "warning", text });
  });

  it("says how a run ended that did not finish", () => {
    expect(play([ended({ status: "cancelled" })]).parts).toEqual([{ kind: "notice", tone: "info", text: "Stopped." }]);
    expect(play([ended({ status: "paused", reason: "start it?" })]).parts).toMatchObject([{ tone: "warning" }]);
    expect(play([ended({ status: "paused", reason: "start it?", pause_id: "p1" })]).parts).toEqual([]);
    expect(
      play([text("m1", "I look."), ended({ status: "stopped", text: "I look.", reason: "No money is left." })]).parts,
    ).toEqual([
      { kind: "text", messageId: "m1", text: "I look." },
      { kind: "notice", tone: "warning", text: "No money is left." },
    ]);
    expect(toParts({ ...MESSAGE, notice: "No money is left." }).at(-1)).toEqual({
      kind: "notice",
      tone: "info",
      text: "No money is left.",
    });
    expect(play([ended({ status: "failed", reason: "no credit" })]).parts).toEqual([
      { kind: "notice", tone: "critical", text: "no credit" },
    ]);
  });

  it("ends with what the run changed, also when it is read back", () => {
    const receipt = { effects: [STOPPED] };
    const part = { kind: "receipt", effects: [STOPPED] };
    expect(play([CALL, RESULT, text("m1", "Done."), ended({ receipt })]).parts.at(-1)).toEqual(part);
    expect(play([CALL, RESULT, ended({ receipt: { effects: [] } })]).parts.at(-1)).toEqual({ ...part, effects: [] });
    expect(toParts({ ...MESSAGE, receipt }).at(-1)).toEqual(part);
    expect(toParts(MESSAGE).some(({ kind }) => kind === "receipt")).toBe(false);
  });

  it("tells a failure once when an error came before the end", () => {
    const view = play([
      { type: "error", code: "provider", message: "The provider is down." },
      ended({ status: "failed", reason: "The provider is down." }),
    ]);
    expect(view.parts).toHaveLength(1);
    expect(view.status).toBe("failed");
  });

  it("keeps what a person said into the turn in its place", () => {
    const view = reduceRun(addSaid(play([text("m1", "a")]), "only the door"), text("m1", "b"));
    expect(view.parts.map(({ kind }) => kind)).toEqual(["text", "said", "text"]);
  });

  it("changes nothing in the view it was given", () => {
    const before = play([text("m1", "a")]);
    const copy = structuredClone(before);
    reduceRun(before, text("m1", "b"));
    expect(before).toEqual(copy);
  });
});

describe("toParts", () => {
  it("reads a stored message as steps, text and the pictures no step shows", () => {
    const step = { call_id: "c1", tool: "capture_frame", arguments: {}, outcome: "ok", text: "", duration_ms: null };
    const message = { ...MESSAGE, images: ["shot", "other"], steps: [{ ...step, images: ["shot"] }] };
    expect(toParts(message).map(({ kind }) => kind)).toEqual(["step", "text", "images"]);
    expect(toParts({ ...message, text: "", steps: [], images: [] })).toEqual([]);
  });
});

function play(events: readonly RunEvent[]): RunView {
  return events.reduce(reduceRun, NEW_RUN);
}

function text(messageId: string, words: string): RunEvent {
  return { type: "text_delta", message_id: messageId, text: words };
}

function thinking(messageId: string, words: string): RunEvent {
  return { type: "thinking_delta", message_id: messageId, text: words };
}

function ended(outcome: Partial<Extract<RunEvent, { type: "run_ended" }>["outcome"]>): RunEvent {
  return { type: "run_ended", outcome: { status: "finished", text: "", images: [], reason: "done", ...outcome } };
}
