import type { PauseRecord, TranscriptEntry } from "@vision-agent/agent-core";
import { describe, expect, it } from "vitest";
import { findWrongAlerts, findWrongEffects, findWrongPauses } from "./day-checks.ts";
import type { Mark } from "./day-plan.ts";

const OF_ENTRY = { v: 1, id: "e", ts: "2026-06-01T00:00:00.000Z" } as const;
const asked = (id: string, callId: string): TranscriptEntry => {
  const calls = [{ callId, toolName: "create_watch", argsSha256: "", preview: "" }];
  const rest = {
    runId: "r",
    sessionId: "s",
    userId: "u",
    turn: 1,
    createdAt: OF_ENTRY.ts,
    token: "",
    prompt: "May I?",
  };
  const pause: PauseRecord = { ...rest, id, kind: "approval", calls, remaining: { iterations: 1, wallMs: 1 } };
  return { ...OF_ENTRY, type: "pause", pause };
};
const answered = (pauseId: string): TranscriptEntry => ({
  ...{ ...OF_ENTRY, type: "resume", pauseId },
  ...{ resolution: { kind: "approve" }, by: { userId: "owner" } },
});
const question = (...kinds: readonly ("asked" | "answering" | "answered")[]): readonly Mark[] =>
  kinds.map((kind) => ({ kind, pauseId: "p" }));

describe("the checks of a killed day", () => {
  const alert: Mark = { kind: "effect", callId: "send_alert-3" };
  const sent: Mark = { kind: "sent", alertId: "a", text: "alert 3 end" };

  it.each<[string, readonly Mark[], readonly string[], readonly string[]]>([
    ["nothing", [alert], ["alert 3 end"], []],
    ["what is there twice", [], ["note 1 end", "note 1 end"], ["twice: note 1 end"]],
    [
      "what was done twice",
      ["", ".1"].map((end) => ({ kind: "done", callId: `remember-1${end}` })),
      [],
      ["twice: note 1 end"],
    ],
    ["what is lost", [alert], [], ["lost: alert 3 end"]],
    ["what is back", [{ kind: "removed", words: "watch 2 end" }], ["watch 2 end"], ["back: watch 2 end"]],
  ])("find %s", (_, marks, left, wrong) => {
    expect(findWrongEffects(marks, left)).toEqual(wrong);
  });

  it("find an alert that reached the person twice, or never", () => {
    expect(findWrongAlerts([alert, sent])).toEqual([]);
    expect(findWrongAlerts([sent, { ...sent, alertId: "b" }])).toEqual(["twice: alert 3 end"]);
    expect(findWrongAlerts([alert])).toEqual(["not sent: alert 3 end"]);
  });

  it.each<[string, readonly TranscriptEntry[], readonly Mark[], readonly string[], readonly string[]]>([
    ["nothing while it is open", [asked("p", "create_watch-2")], question("asked"), [], []],
    ["a lost question", [], question("asked"), [], ["a question is lost: p"]],
    ["an answer that nobody gave", [asked("p", "c"), answered("p")], question("asked"), [], ["nobody answered: p"]],
    ["a lost answer", [asked("p", "c")], question("asked", "answering", "answered"), [], ["an answer is lost: p"]],
    [
      "a deed before the yes",
      [asked("p", "create_watch-2")],
      question("asked"),
      ["watch 2 end"],
      ["unasked: watch 2 end"],
    ],
    [
      "a deed in spite of a no",
      [asked("p", "create_watch-6"), answered("p")],
      question("asked", "answering"),
      ["watch 6 end"],
      ["unasked: watch 6 end"],
    ],
    [
      "two answers",
      [asked("p", "create_watch-2"), answered("p"), answered("p")],
      question("answering"),
      ["watch 2 end"],
      ["twice: p"],
    ],
  ])("find %s", (...[, entries, marks, left, wrong]) => {
    expect(findWrongPauses(entries, marks, left)).toEqual(wrong);
  });
});
