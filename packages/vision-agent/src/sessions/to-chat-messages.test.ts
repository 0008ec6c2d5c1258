import type { Message, TranscriptEntry } from "@vision-agent/agent-core";
import { chatMessageSchema } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { beginningOfRun, toChatMessages } from "./to-chat-messages.ts";

describe("a transcript as a person reads it", () => {
  it("folds all calls and results of a turn into one message, with its pictures", () => {
    const messages = toChatMessages([
      entry("user", [
        { type: "text", text: "Look." },
        { type: "state_note", text: "Cameras: street" },
      ]),
      entry("assistant", [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "One moment." },
        call("c1", "capture_frame"),
        call("c2", "list_pipelines"),
      ]),
      entry("tool_result", [
        {
          type: "tool_result",
          callId: "c1",
          toolName: "capture_frame",
          outcome: "ok",
          content: [
            { type: "text", text: "street: 1 person." },
            { type: "image", artifactId: "art_1", mimeType: "image/jpeg" },
          ],
        },
      ]),
      entry("assistant", [{ type: "text", text: "One person." }]),
    ]);
    expect(messages.map((message) => chatMessageSchema.parse(message))).toEqual(messages);
    expect(messages).toMatchObject([
      { role: "user", text: "Look.", images: [], steps: [] },
      {
        role: "assistant",
        text: "One moment.\n\nOne person.",
        images: ["art_1"],
        steps: [
          { call_id: "c1", tool: "capture_frame", outcome: "ok", text: "street: 1 person.", images: ["art_1"] },
          { call_id: "c2", tool: "list_pipelines", outcome: "not_executed", text: "", duration_ms: null },
        ],
      },
    ]);
  });

  it("shows a picture without words, and no note that only the model reads", () => {
    const messages = toChatMessages([
      { v: 1, id: "e", ts: TS, type: "session", meta: {} },
      entry("user", [{ type: "image", artifactId: "art_1", mimeType: "image/png" }]),
      entry("user", [{ type: "state_note", text: "quiet" }]),
      { v: 1, id: "e", ts: TS, type: "run_ended", status: "finished", reason: "complete" },
    ]);
    expect(messages).toMatchObject([{ role: "user", text: "", images: ["art_1"] }]);
  });

  it("tells why a turn did not come to its end, apart from the words of the assistant", () => {
    const texts = toChatMessages([
      entry("user", [{ type: "text", text: "a" }]),
      { v: 1, id: "e", ts: TS, type: "run_ended", status: "failed", reason: "bad_request" },
      entry("user", [{ type: "text", text: "b" }]),
      entry("assistant", [{ type: "text", text: "One moment." }]),
      { v: 1, id: "e", ts: TS, type: "run_ended", status: "cancelled", reason: "cancelled" },
      entry("user", [{ type: "text", text: "c" }]),
      { v: 1, id: "e", ts: TS, type: "run_ended", status: "stopped", reason: "budget", message: "No money is left." },
    ]).map(({ role, text, notice }) => [role, text, notice]);
    expect(texts).toEqual([
      ["user", "a", undefined],
      ["assistant", "", "This turn failed: bad request."],
      ["user", "b", undefined],
      ["assistant", "One moment.", "Stopped."],
      ["user", "c", undefined],
      ["assistant", "", "No money is left."],
    ]);
  });

  it("begins a new turn after each message of the person", () => {
    const roles = toChatMessages([
      entry("user", [{ type: "text", text: "a" }]),
      entry("assistant", [{ type: "text", text: "b" }]),
      entry("user", [{ type: "text", text: "c" }]),
      entry("assistant", [{ type: "text", text: "d" }]),
    ]).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant"]);
  });

  it("lets a run begin after the person's last words, or after the answer to what it waited for", () => {
    const said = [
      entry("user", [{ type: "text", text: "Stop all." }]),
      entry("assistant", [call("c1", "stop_pipeline")]),
      entry("user", [{ type: "state_note", text: "Cameras: street" }]),
    ];
    expect(beginningOfRun(said)).toBe(1);
    const resumed: TranscriptEntry = {
      v: 1,
      id: "r",
      ts: TS,
      type: "resume",
      pauseId: "p1",
      resolution: {},
      by: { userId: "owner" },
    };
    expect(beginningOfRun([...said, resumed, entry("assistant", [{ type: "text", text: "Done." }])])).toBe(4);
    expect(beginningOfRun([])).toBe(0);
  });
});

const TS = "2026-01-01T10:00:00.000Z";
let count = 0;

function entry(role: Message["role"], parts: Message["parts"]): TranscriptEntry {
  count += 1;
  const message: Message = { id: `m${count}`, role, parts, ts: TS, origin: role === "user" ? "human" : "model" };
  return { v: 1, id: `e${count}`, ts: TS, type: "message", message };
}

function call(id: string, toolName: string): Message["parts"][number] {
  return { type: "tool_call", call: { id, toolName, arguments: {}, state: "complete" } };
}
