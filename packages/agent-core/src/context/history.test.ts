import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TranscriptEntry } from "../session/session-store.ts";
import { historyFrom } from "../testing/history-generators.ts";
import type { Message, Part, ToolOutcome } from "../types/message.ts";
import { type ContextLine, callsOf, readView, toMessages, toView } from "./history.ts";

describe("readView", () => {
  it("AF-25 gives the same view for a transcript that grows, step by step, as for the whole of it", () => {
    const choice = fc.record({ at: fc.nat(500), edit: fc.constantFrom("none", "hide", "clear", "compact", "refuse") });
    fc.assert(
      fc.property(fc.array(choice, { maxLength: 30 }), (choices) => {
        const growing: TranscriptEntry[] = [];
        for (const [at, entry] of historyFrom(choices.map((one) => one.at)).entries()) {
          growing.push(entry, ...editAfter(growing, choices[at % choices.length]?.edit ?? "none"));
          const view = readView(growing);
          expect(view).toEqual(toView(growing));
          const lines: ContextLine[] = [{ type: "view", epoch: 9, edits: [{ op: "hide", messageIds: ["m1"] }] }];
          expect(readView(growing, lines)).toEqual(toView([...growing, ...lines]));
          expect(readView(growing)).toEqual(view);
        }
      }),
      { numRuns: 40, seed: 4 },
    );
  });

  it("does not change what was read before, and reads another list from its beginning", () => {
    const entries = [line(user("hi")), line(asks("c1"))];
    const before = readView(entries);
    const bytes = JSON.stringify(before);
    entries.push(line(result("c1")), line(says("done")));
    expect(readView(entries).messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool_result",
      "assistant",
    ]);
    expect(JSON.stringify(before)).toBe(bytes);
    entries.length = 1;
    expect(readView(entries).messages).toHaveLength(1);
  });
});

/** An edit that might be written here. */
function editAfter(entries: readonly TranscriptEntry[], edit: string): readonly TranscriptEntry[] {
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const [first, last] = [messages[0], messages.at(-1)];
  if (!first || !last) return [];
  const head = { v: 1, id: `e${entries.length}`, ts: last.ts } as const;
  if (edit === "hide") return [{ ...head, type: "view", epoch: 0, edits: [{ op: "hide", messageIds: [first.id] }] }];
  if (edit === "clear") {
    return [{ ...head, type: "view", epoch: 3, edits: [{ op: "clear_result", messageId: last.id, partIndex: 0 }] }];
  }
  if (edit === "refuse") return [{ ...head, type: "message", message: says("no"), stopReason: "refusal" }];
  if (edit !== "compact") return [];
  return [
    { ...head, type: "compaction", summary: says("so far"), firstKeptId: last.id, tokensBefore: 2, tokensAfter: 1 },
  ];
}

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

  it("lets what stands beside a result follow it as the core's word", () => {
    const note: Part = { type: "state_note", text: "door open" };
    const noted = { ...result("c1"), parts: [...result("c1").parts, note] };
    const messages = toMessages([line(asks("c1", "c2")), line(noted), line(result("c2"))]);
    expect(messages.map(({ role, origin }) => [role, origin])).toEqual([
      ["assistant", "model"],
      ["tool_result", "tool"],
      ["tool_result", "tool"],
      ["user", "core"],
    ]);
    expect(messages[3]?.parts).toEqual([note]);
  });

  it("AF-37 gives the same objects again as the transcript grows, so that sizes are counted once", () => {
    const noted = { ...result("c1", "ok", ""), id: "r1" };
    const edit = { op: "clear_result" as const, messageId: "r1", partIndex: 0 };
    const entries: TranscriptEntry[] = [
      line(asks("c1", "c2")),
      line(noted),
      { v: 1, id: "v", ts: TS, type: "view", epoch: 1, edits: [edit] },
    ];
    const first = readView(entries).messages;
    entries.push(line(asks("c3")), line(result("c3")));
    const second = readView(entries).messages;
    expect(first.length).toBe(3);
    expect(first.every((message, at) => message === second[at])).toBe(true);
  });

  it("keeps everything when a compaction names a message that nobody knows", () => {
    const summary = { ...user("summary"), id: "s" };
    const cut = { type: "compaction" as const, summary, tokensBefore: 2, tokensAfter: 1 };
    const entries = [line({ ...user("one"), id: "u1" }), line({ ...user("two"), id: "u2" })];
    const lost: TranscriptEntry = { v: 1, id: "x", ts: TS, ...cut, firstKeptId: "gone" };
    const found: TranscriptEntry = { v: 1, id: "x", ts: TS, ...cut, firstKeptId: "u2" };
    expect(toMessages([...entries, lost]).map(({ id }) => id)).toEqual(["u1", "u2"]);
    expect(toMessages([...entries, found]).map(({ id }) => id)).toEqual(["s", "u2"]);
  });

  it("VA-18 says where all of a cleared result can be read", () => {
    const truncated = { artifactId: "sha256_x", originalBytes: 90_000 };
    const long = { ...result("c1"), id: "r1" };
    const parts = long.parts.map((part) => (part.type === "tool_result" ? { ...part, truncated } : part));
    const edits = [{ op: "clear_result" as const, messageId: "r1", partIndex: 0 }];
    const view: TranscriptEntry = { v: 1, id: "v", ts: TS, type: "view", epoch: 1, edits };
    const [, answer] = toMessages([line(asks("c1")), line({ ...long, parts }), view]);
    expect(JSON.stringify(answer)).toContain("all of it is in the artifact sha256_x");
  });

  it("leaves a part alone that an edit does not suit", () => {
    const entries = [line({ ...user("hi"), id: "u1" })];
    const edits = (["clear_result", "clear_image", "drop_reasoning"] as const).map((op) => ({
      op,
      messageId: "u1",
      partIndex: 0,
    }));
    const view: TranscriptEntry = { v: 1, id: "v", ts: TS, type: "view", epoch: 1, edits };
    expect(toMessages([...entries, view])).toEqual(toMessages(entries));
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
