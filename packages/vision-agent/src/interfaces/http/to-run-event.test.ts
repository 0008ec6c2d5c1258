import type { AgentEvent, AgentEventBody } from "@vision-agent/agent-core";
import { runEventSchema } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { fakeStatus } from "../../testing/fake-app.ts";
import { fakeChanges } from "../../testing/fake-changes.ts";
import { pipelineEffect } from "../../tools/effects.ts";
import { createRunTranslator } from "./to-run-event.ts";

const METRICS = {
  totalInputTokens: 0,
  totalOutputTokens: 0,
  invocations: 1,
  toolCalls: 0,
  retries: 0,
  compactions: 0,
  costMicroUsd: 0,
  wallMs: 1,
};
const ERROR = { kind: "network", code: "dropped", message: "The line broke.", retryable: true } as const;

const FINISHED = {
  status: "finished",
  by: "model",
  text: "Done.",
  metrics: METRICS,
  warnings: [],
  signals: [],
} as const;

describe("events of the loop on the wire", () => {
  it.each<[AgentEventBody, unknown]>([
    [
      { type: "text_delta", messageId: "m", text: "a" },
      { type: "text_delta", message_id: "m", text: "a" },
    ],
    [
      { type: "thinking_delta", messageId: "m", text: "a" },
      { type: "thinking_delta", message_id: "m", text: "a" },
    ],
    [
      { type: "discarded", messageId: "m", why: "retry" },
      { type: "discarded", message_id: "m", reason: "retry" },
    ],
    [
      { type: "retry", attempt: 1, delayMs: 5, error: ERROR },
      { type: "retry", attempt: 1, delay_ms: 5, reason: "The line broke." },
    ],
    [
      { type: "warning", code: "budget", message: "Careful." },
      { type: "warning", code: "budget", message: "Careful." },
    ],
    [
      { type: "error", error: ERROR, stopsRun: true },
      { type: "error", code: "dropped", message: "The line broke." },
    ],
    [{ type: "steered", messageIds: ["m"] }, { type: "steered" }],
    [{ type: "state", from: "idle", to: "sending", why: "" }, undefined],
    [{ type: "response", text: "a", messageId: "m" }, undefined],
  ])("%j", (body, expected) => {
    const translated = createRunTranslator({ speaker: "me", changes: fakeChanges() })(event(body));
    expect(translated).toEqual(expected);
    if (translated !== undefined) expect(runEventSchema.parse(translated)).toEqual(translated);
  });

  it("ends with a receipt from the ledger, an empty one when nothing was changed, none after talk alone", async () => {
    const changes = fakeChanges();
    const effect = pipelineEffect("stopped", fakeStatus());
    await changes.record([effect], { runId: "run_1", sessionId: "s", callId: "c1", tool: "stop_pipeline" });
    const receiptOf = (toolName: string, ledger = changes) => {
      const translate = createRunTranslator({ speaker: "me", changes: ledger });
      const result = { type: "tool_result", callId: "c1", toolName, outcome: "ok", content: [] } as const;
      translate(event({ type: "tool_result", durationMs: 1, replayed: false, result }));
      const ended = translate(event({ type: "run_ended", outcome: FINISHED }));
      return ended?.type === "run_ended" ? ended.outcome.receipt : undefined;
    };
    expect(receiptOf("stop_pipeline")).toEqual({ effects: [effect] });
    expect(receiptOf("list_pipelines", fakeChanges())).toEqual({ effects: [] });
    expect(receiptOf("think", fakeChanges())).toBeUndefined();
  });

  it("gathers the pictures of the run for its end", () => {
    const translate = createRunTranslator({ speaker: "me", changes: fakeChanges() });
    for (const id of ["art_1", "art_2"]) {
      translate(
        event({
          type: "tool_result",
          durationMs: 1,
          replayed: false,
          result: {
            type: "tool_result",
            callId: id,
            toolName: "t",
            outcome: "ok",
            content: [{ type: "image", artifactId: id, mimeType: "image/jpeg" }],
          },
        }),
      );
    }
    expect(translate(event({ type: "run_ended", outcome: FINISHED }))).toEqual({
      type: "run_ended",
      outcome: {
        status: "finished",
        text: "Done.",
        images: ["art_1", "art_2"],
        reason: "complete",
        receipt: { effects: [] },
      },
    });
  });

  it.each([
    [
      { status: "failed", error: ERROR, text: "On str" },
      {
        status: "failed",
        text: "On str",
        reason: "The line broke.",
        warnings: [{ code: "budget", message: "Half is used." }],
      },
    ],
    [
      { status: "stopped", reason: "loop", message: "Stopped: the same call again.", text: "I look." },
      { status: "stopped", text: "I look.", reason: "Stopped: the same call again.", code: "loop" },
    ],
    [
      { status: "cancelled", reason: "by a person" },
      { status: "cancelled", text: "", reason: "by a person" },
    ],
  ] as const)("tells how a run ended: %j", (outcome, expected) => {
    const translated = createRunTranslator({ speaker: "me", changes: fakeChanges() })(
      event({
        type: "run_ended",
        outcome: {
          ...outcome,
          metrics: METRICS,
          warnings: [{ code: "budget", message: "Half is used." }],
          signals: [],
        },
      }),
    );
    expect(translated).toMatchObject({ outcome: expected });
  });
});

function event(body: AgentEventBody): AgentEvent {
  return { v: 1, seq: 1, runId: "run_1", sessionId: "session_1", turn: 1, ts: "2026-01-01T10:00:00.000Z", ...body };
}
