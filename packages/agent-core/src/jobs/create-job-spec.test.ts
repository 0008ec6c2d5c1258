import { describe, expect, it } from "vitest";
import { createJobSpec, type JobInput } from "./create-job-spec.ts";

const input = { id: "j", instructions: "Look.", principal: { userId: "u" } } as const;

const HOURLY = { type: "every", ms: 3_600_000 } as const;

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
      expect(createJobSpec({ ...input, kind, trigger: HOURLY }).misfire.policy).toBe("run_once");
    }
  });

  it.each(["action", "cron", "heartbeat"] as const)("tells the answer of a job of the kind %s", (kind) => {
    expect(createJobSpec({ ...input, kind, trigger: HOURLY }).delivery).toBe("alert");
  });

  it("refuses a cron job that would never run", () => {
    const expected = expect.objectContaining({ code: "bad_job", message: expect.stringContaining("needs a trigger") });
    expect(() => createJobSpec({ ...input, kind: "cron" })).toThrow(expected);
    expect(() => createJobSpec({ ...input, kind: "cron", trigger: { type: "manual" } })).toThrow(expected);
  });

  it.each([
    ["0 18 * * *", "Oslo", '"Oslo" is not an IANA time zone, such as Europe/Oslo.'],
    [
      "x 18 * * *",
      "UTC",
      '"x 18 * * *" is not five fields of cron, such as "0 8 * * 1-5": configuration entry 1 (x) contains illegal characters.',
    ],
  ])("says in one sentence what is wrong with %s in %s", (expression, timeZone, words) => {
    expect(() => createJobSpec({ ...input, kind: "cron", trigger: { type: "cron", expression, timeZone } })).toThrow(
      expect.objectContaining({ message: `The job "j": ${words}` }),
    );
  });

  it.each<Partial<JobInput>>([
    { id: "no spaces" },
    { id: "" },
    { instructions: " " },
    { trigger: { type: "every", ms: 10 } },
    { session: { mode: "main" } },
    { session: { mode: "main", sessionId: "../up" } },
    { session: { mode: "isolated", sessionId: "no spaces" } },
    { session: { mode: "isolated", sessionId: "x".repeat(100) } },
    { timeoutMs: 0 },
    { retries: { max: -1, backoffMs: 0 } },
    { misfire: { policy: "skip", graceMs: 0.5, maxCatchUp: 0 } },
  ])("refuses %o", (wrong) => {
    expect(() => createJobSpec({ ...input, kind: "action", ...wrong })).toThrow(
      expect.objectContaining({ kind: "invalid", code: "bad_job" }),
    );
  });

  it.each([
    "tomorrow 9am",
    "2026-13-01",
    "2026-13-01T00:00:00Z",
    "2026-02-30T09:00:00Z",
    "2026-06-01T09:00:00",
    "2026-06-01",
    "1780304400000",
    "June 1, 2026 13:00 UTC",
    "",
  ])("SC-10 refuses the time %o and says how one is written", (time) => {
    for (const trigger of [{ type: "at", time } as const, { type: "every", ms: 60_000, anchor: time } as const]) {
      expect(() => createJobSpec({ ...input, kind: "action", trigger })).toThrow(
        expect.objectContaining({ code: "bad_job", message: expect.stringContaining("ISO 8601 with an offset") }),
      );
    }
  });

  it.each(["2026-06-01T13:00Z", "2026-06-01T13:00:00.250Z", "2026-06-01T15:00:00+02:00", "2028-02-29T23:59:59-0330"])(
    "takes the time %o",
    (time) => {
      expect(createJobSpec({ ...input, kind: "action", trigger: { type: "at", time } }).trigger).toEqual({
        type: "at",
        time,
      });
    },
  );
});
