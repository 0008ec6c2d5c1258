import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TranscriptEntry } from "../session/session-store.ts";
import type { Message, Part, ToolOutcome } from "../types/message.ts";
import { callsOf, toMessages } from "./history.ts";

describe("toMessages", () => {
  it("AI-10 gives the whole conversation in order", () => {
    const entries = [line(user("hi")), line(asks("c1")), line(result("c1")), line(says("done")), line(user("more"))];
    expect(roles(entries)).toEqual(["user", "assistant", "tool_result", "assistant", "user"]);
  });

  it("answers a call whose result was never written", () => {
    const entries = [line(user("hi")), line(asks("c1", "c2")), line(result("c2")), line(user("and now?"))];
    expect(outcomes(entries)).toEqual([
      ["c1", "interrupted"],
      ["c2", "ok"],
    ]);
    expect(roles(entries)).toEqual(["user", "assistant", "tool_result", "tool_result", "user"]);
  });

  it("leaves out results without a call and second results", () => {
    const entries = [line(result("c0")), line(asks("c1")), line(result("c1")), line(result("c1", "error"))];
    expect(outcomes(entries)).toEqual([["c1", "ok"]]);
  });

  it("brings results before a message that came between", () => {
    const entries = [line(asks("c1")), line(user("wait")), line(result("c1"))];
    expect(roles(entries)).toEqual(["assistant", "tool_result", "user"]);
  });

  it("keeps a refused answer out of what is sent", () => {
    const refused: TranscriptEntry = {
      ...line(asks("c1")),
      type: "message",
      message: asks("c1"),
      stopReason: "refusal",
    };
    expect(roles([line(user("hi")), refused, line(user("else"))])).toEqual(["user", "user"]);
  });

  it("names the tool in a result of the plan's form", () => {
    const [, answer] = toMessages([line(asks("c1")), line(result("c1", "ok", ""))]);
    expect(answer?.parts[0]).toMatchObject({ toolName: "look" });
  });

  it("invariant 1: every call is answered once, directly after it, whatever was written and wherever it was cut", () => {
    const id = fc.constantFrom("c1", "c2", "c3");
    const message = fc.oneof(
      fc.constant(user("words")),
      fc.constant(says("words")),
      fc.uniqueArray(id, { minLength: 1 }).map((ids) => asks(...ids)),
      id.map((one) => result(one)),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 20 }), fc.nat(20), (messages, cut) => {
        expectPaired(toMessages(messages.slice(0, cut).map(line)));
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});

function expectPaired(messages: readonly Message[]): void {
  let open: string[] = [];
  for (const message of messages) {
    const answered = message.parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : []));
    if (message.role === "tool_result") {
      expect(answered).toEqual([open.shift()]);
    } else {
      expect(open).toEqual([]);
      expect(answered).toEqual([]);
      open = callsOf(message).map((call) => call.id);
    }
  }
  expect(open).toEqual([]);
}

const TS = "2026-01-01T00:00:00.000Z";

function line(message: Message): TranscriptEntry {
  return { v: 1, id: "l", ts: TS, type: "message", message };
}

function toMessage(role: Message["role"], origin: Message["origin"], parts: readonly Part[]): Message {
  return { id: "m", role, parts, ts: TS, origin };
}

function user(text: string): Message {
  return toMessage("user", "human", [{ type: "text", text }]);
}

function says(text: string): Message {
  return toMessage("assistant", "model", [{ type: "text", text }]);
}

function asks(...ids: string[]): Message {
  const calls = ids.map((id) => ({ id, toolName: "look", arguments: {}, state: "complete" as const }));
  return toMessage(
    "assistant",
    "model",
    calls.map((call) => ({ type: "tool_call", call })),
  );
}

function result(callId: string, outcome: ToolOutcome = "ok", toolName = "look"): Message {
  return toMessage("tool_result", "tool", [{ type: "tool_result", callId, toolName, outcome, content: [] }]);
}

function roles(entries: readonly TranscriptEntry[]): readonly string[] {
  return toMessages(entries).map((message) => message.role);
}

function outcomes(entries: readonly TranscriptEntry[]): readonly (readonly [string, string])[] {
  return toMessages(entries).flatMap((message) =>
    message.parts.flatMap((part) => (part.type === "tool_result" ? [[part.callId, part.outcome] as const] : [])),
  );
}
