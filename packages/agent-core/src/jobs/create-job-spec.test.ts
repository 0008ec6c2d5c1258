import { describe, expect, it } from "vitest";
import { createJobSpec, type JobInput } from "./create-job-spec.ts";

const input = { id: "j", instructions: "Look.", principal: { userId: "u" } } as const;

describe("createJobSpec", () => {
  it("VA-21 makes a heartbeat of 15 minutes that leaves out what it missed", () => {
    expect(createJobSpec({ ...input, kind: "heartbeat" })).toMatchObject({
      trigger: { type: "every", ms: 900_000 },
      misfire: { policy: "skip" },
      silentReply: "HEARTBEAT_OK",
      delivery: "alert",
      session: { mode: "isolated" },
    });
    const hourly = createJobSpec({ ...input, kind: "heartbeat", trigger: { type: "every", ms: 3_600_000 } });
    expect(hourly.trigger).toEqual({ type: "every", ms: 3_600_000 });
  });

  it("SC-13 gives background work 15 minutes", () => {
    expect(createJobSpec({ ...input, kind: "action" }).timeoutMs).toBe(900_000);
  });

  it("runs once what a cron job or an action missed", () => {
    for (const kind of ["cron", "action"] as const) {
      expect(createJobSpec({ ...input, kind }).misfire.policy).toBe("run_once");
    }
  });

  it.each<Partial<JobInput>>([
    { id: "no spaces" },
    { id: "" },
    { instructions: " " },
    { trigger: { type: "every", ms: 10 } },
    { session: { mode: "main" } },
    { timeoutMs: 0 },
    { retries: { max: -1, backoffMs: 0 } },
    { misfire: { policy: "skip", graceMs: 0.5, maxCatchUp: 0 } },
  ])("refuses %o", (wrong) => {
    expect(() => createJobSpec({ ...input, kind: "action", ...wrong })).toThrow(
      expect.objectContaining({ kind: "invalid", code: "bad_job" }),
    );
  });
});
