import { createJobSpec, type JobRun } from "@vision-agent/agent-core/jobs";
import { describe, expect, it } from "vitest";
import { toJobNews } from "./job-news.ts";

const spec = (kind: "action" | "heartbeat", instructions = "Count the cars.") =>
  createJobSpec({
    id: "task_1",
    kind,
    instructions,
    principal: { userId: "owner" },
    trigger: kind === "heartbeat" ? { type: "every", ms: 60_000 } : { type: "manual" },
  });
const run = (parts: Partial<JobRun>): JobRun => {
  return { id: "r", jobId: "task_1", state: "failed", dueAt: "2026-01-01T10:00:00.000Z", attempt: 1, ...parts };
};
const error = { kind: "network", code: "reset", message: "The provider cannot be reached.", retryable: true } as const;

describe("toJobNews", () => {
  it("SC-14 tells a person that a task failed or took too long, and why", () => {
    const failed = { type: "run_ended", job: spec("action"), run: run({ error }) } as const;
    expect(toJobNews(failed)).toEqual({
      text: 'The task "Count the cars." was not done. The provider cannot be reached.',
      severity: "warning",
    });
    const late = { ...failed, run: run({ state: "timed_out", reason: "It took longer than 900 s." }) };
    expect(toJobNews(late)?.text).toBe('The task "Count the cars." was not done. It took longer than 900 s.');
    const long = { ...failed, job: spec("action", "x".repeat(300)) };
    expect(toJobNews(long)?.text).toContain(`"${"x".repeat(120)}…"`);
  });

  it("says what a task waits for and how to answer", () => {
    const paused = run({ state: "paused", reason: "May I stop it?", pause: { id: "pause_1" } });
    expect(toJobNews({ type: "run_paused", job: spec("action"), run: paused })?.text).toBe(
      "A task waits for your yes. May I stop it? Answer it in the dashboard, or with: vision-agent pauses answer pause_1 yes",
    );
  });

  it("is quiet about what went well, was cancelled by a person, or comes again by itself", () => {
    for (const state of ["completed", "cancelled"] as const) {
      expect(toJobNews({ type: "run_ended", job: spec("action"), run: run({ state }) })).toBeUndefined();
    }
    expect(toJobNews({ type: "run_ended", job: spec("heartbeat"), run: run({ error }) })).toBeUndefined();
    expect(toJobNews({ type: "run_started", job: spec("action"), run: run({}) })).toBeUndefined();
  });
});
