import type { Message, TranscriptEntry } from "@vision-agent/agent-core";
import { describe, expect, it } from "vitest";
import type { ForgetTarget } from "../store/forget-target.ts";
import { withoutForgotten } from "./forget-transcripts.ts";

const AT = "2026-01-02T10:00:00.000Z";
const DAY_MS = 24 * 3_600_000;
const SEEN = "Recent observations, as data:\n- 22:03 [Yard] Yard: 3 person.";

describe("a conversation that shall forget a camera", () => {
  it("loses what was told of it with messages, and what the model wrote about it; a person's words stay", () => {
    const left = JSON.stringify(withoutForgotten(conversation(), { ...NOTHING, camera: "yard" }));
    expect(left).not.toMatch(/3 person|empty on Sundays/);
    expect(left).toContain("Remember that the yard is empty");
    expect(left).toContain("The dock is full.");
  });

  it("keeps all of it for another camera, and for a time long before", () => {
    const entries = conversation();
    expect(withoutForgotten(entries, { ...NOTHING, camera: "dock gate" })).toEqual(entries);
    const then = Date.parse(AT) - 10 * DAY_MS;
    expect(withoutForgotten(entries, { ...NOTHING, camera: "yard", fromMs: then, toMs: then + 1000 })).toEqual(entries);
  });

  it("loses only what was told with messages for one event", () => {
    const at = Date.parse(AT) - 1000;
    const left = JSON.stringify(withoutForgotten(conversation(), { ...NOTHING, camera: "yard", fromMs: at, toMs: at }));
    expect(left).not.toContain("3 person");
    expect(left).toContain("empty on Sundays");
  });
});

const NOTHING: ForgetTarget = {
  fromMs: Number.NEGATIVE_INFINITY,
  toMs: Number.POSITIVE_INFINITY,
  events: new Set(),
  pictures: new Set(),
};

function conversation(): readonly TranscriptEntry[] {
  const call = {
    ...{ id: "c1", toolName: "remember", state: "complete" as const },
    arguments: { content: "The yard is empty on Sundays.", camera_id: "yard" },
  };
  return [
    line("user", [
      { type: "text", text: "Remember that the yard is empty" },
      { type: "state_note", text: SEEN },
    ]),
    line("assistant", [
      { type: "text", text: "The dock is full." },
      { type: "tool_call", call },
    ]),
  ];
}

function line(role: "user" | "assistant", parts: Message["parts"]): TranscriptEntry {
  const origin = role === "user" ? "human" : "model";
  return { v: 1, id: role, ts: AT, runId: "r", type: "message", message: { id: role, ts: AT, role, origin, parts } };
}
