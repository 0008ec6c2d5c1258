import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dueTimes, nextDue, planRuns, previewSchedule, triggerMistake } from "./due-times.ts";
import type { Trigger } from "./job-spec.ts";

const cron = (expression: string, timeZone: string): Trigger => ({ type: "cron", expression, timeZone });

describe("previewSchedule", () => {
  it.each([
    ["a fixed time that the clocks leave out, once, when they have moved on", "30 2 * * *", "2026-03-29", ["01:00"]],
    ["a fixed time that happens twice, the first time only", "30 2 * * *", "2026-10-25", ["00:30"]],
    ["an interval in the hour that is left out, not at all", "*/30 2 * * *", "2026-03-29", []],
    [
      "an interval in the hour that happens twice, twice",
      "*/30 2 * * *",
      "2026-10-25",
      ["00:00", "00:30", "01:00", "01:30"],
    ],
    ["nine in the morning before and after", "0 9 * * *", "2026-03-29", ["07:00"]],
  ])("VA-20 complaint 10: gives %s", (_, expression, day, times) => {
    const from = new Date(`${day}T00:00:00Z`);
    const due = previewSchedule({ trigger: cron(expression, "Europe/Berlin") }, from, hoursLater(from, 22));
    expect(due.map((date) => date.toISOString().slice(11, 16))).toEqual(times);
  });

  it("VA-21 gives 96 heartbeats a day, on the quarters of the hour", () => {
    const from = new Date("2026-06-01T00:00:00Z");
    const due = previewSchedule({ trigger: { type: "every", ms: 900_000 } }, from, hoursLater(from, 24));
    expect([due.length, due[0], due[95]]).toEqual([96, from, new Date("2026-06-01T23:45:00Z")]);
  });

  it("counts an interval from its anchor, in both directions", () => {
    const trigger: Trigger = { type: "every", ms: 3_600_000, anchor: "2026-06-01T00:10:00+02:00" };
    const from = new Date("2026-05-31T00:00:00Z");
    expect(previewSchedule({ trigger }, from, hoursLater(from, 2)).map((date) => date.getUTCMinutes())).toEqual([
      10, 10,
    ]);
  });

  it("gives one time for `at`, none for `manual`, and no more than a thousand", () => {
    const from = new Date("2026-06-01T00:00:00Z");
    const to = hoursLater(from, 24 * 365);
    expect(previewSchedule({ trigger: { type: "manual" } }, from, to)).toEqual([]);
    const at: Trigger = { type: "at", time: "2026-06-01T02:00:00+02:00" };
    expect(previewSchedule({ trigger: at }, from, to)).toEqual([from]);
    expect(previewSchedule({ trigger: at }, hoursLater(from, 1), to)).toEqual([]);
    expect(previewSchedule({ trigger: { type: "every", ms: 1_000 } }, from, to)).toHaveLength(1_000);
  });

  it("ends for an expression that no day fulfils", () => {
    const trigger = cron("0 0 30 2 *", "UTC");
    expect(previewSchedule({ trigger }, new Date(0), new Date("2026-01-01"))).toEqual([]);
  });
});

describe("dueTimes", () => {
  const someTrigger = fc.oneof(
    fc.record({ type: fc.constant("every" as const), ms: fc.integer({ min: 60_000, max: 9_000_000 }) }),
    fc
      .tuple(
        fc.constantFrom("30 2 * * *", "*/20 * * * *", "0 2,3 * * *", "0 0 * * *", "15 1-3 * * 0"),
        fc.constantFrom("Europe/Berlin", "America/Santiago", "Australia/Lord_Howe"),
      )
      .map(([expression, timeZone]) => cron(expression, timeZone)),
  );
  const aroundChanges = fc
    .tuple(fc.constantFrom("2026-03-28", "2026-04-04", "2026-09-05", "2026-10-24"), fc.nat(48 * 3_600_000))
    .map(([day, ms]) => Date.parse(day) + ms);

  it("finds the newest backwards as it finds all forwards, over changes of the clocks", () => {
    fc.assert(
      fc.property(someTrigger, aroundChanges, fc.integer({ min: 1, max: 8 }), (trigger, afterMs, max) => {
        const untilMs = afterMs + 30 * 3_600_000;
        const all = dueTimes(trigger, afterMs, untilMs, 5_000).timesMs;
        const some = dueTimes(trigger, afterMs, untilMs, max);
        expect(some.timesMs).toEqual(all.slice(-max));
        expect(some.omittedFromMs).toBe(all.length > max ? all[0] : undefined);
      }),
      { numRuns: 40, seed: 10 },
    );
  });

  it("gives times that grow, whether asked one by one or from any moment between", () => {
    fc.assert(
      fc.property(someTrigger, aroundChanges, fc.nat(10_000_000), (trigger, afterMs, stepMs) => {
        const dueMs = nextDue(trigger, afterMs) ?? 0;
        expect(dueMs).toBeGreaterThan(afterMs);
        const betweenMs = Math.min(afterMs + stepMs, dueMs - 1);
        expect(nextDue(trigger, betweenMs)).toBe(dueMs);
      }),
      { numRuns: 40, seed: 10 },
    );
  });
});

describe("triggerMistake", () => {
  it.each<Trigger>([
    { type: "at", time: "soon" },
    { type: "every", ms: 0 },
    { type: "every", ms: 1_500.5 },
    { type: "every", ms: 60_000, anchor: "noon" },
    cron("61 * * * *", "UTC"),
    cron("* * * * * *", "UTC"),
    cron("0 9 * * *", "Mars/Olympus"),
  ])("says what is wrong with %o", (trigger) => {
    expect(triggerMistake(trigger)).toEqual(expect.any(String));
  });

  it("speaks of the expression, not of the library that reads it", () => {
    expect(triggerMistake(cron("61 * * * *", "UTC"))).toMatch(/^"61 \* \* \* \*" is not five fields of cron, such as/);
    expect(triggerMistake(cron("61 * * * *", "UTC"))).not.toContain("CronPattern");
  });

  it("finds nothing wrong with what is right", () => {
    expect(triggerMistake(cron("0 9 * * 1-5", "Asia/Kolkata"))).toBeUndefined();
    expect(triggerMistake({ type: "manual" })).toBeUndefined();
  });
});

function hoursLater(date: Date, hours: number): Date {
  return new Date(date.getTime() + hours * 3_600_000);
}

const NOW = Date.parse("2026-06-01T12:00:00Z");
const MINUTE = 60_000;
/** Late by 5 h, 2 h, 1 h and 10 s. */
const due = [300, 120, 60, 1 / 6].map((minutes) => ({ dueAt: new Date(NOW - minutes * MINUTE).toISOString() }));
const missed = due.slice(0, 3);

describe("planRuns", () => {
  it("`skip` starts what is on time and nothing that was missed", () => {
    const misfire = { policy: "skip", graceMs: 600 * MINUTE, maxCatchUp: 9 } as const;
    expect(planRuns(due, misfire, NOW)).toEqual({ start: due.slice(3), skip: missed });
    expect(planRuns(missed, misfire, NOW)).toEqual({ start: [], skip: missed });
  });

  it("`run_once` starts one for all that were missed, within the grace", () => {
    const misfire = { policy: "run_once", graceMs: 90 * MINUTE, maxCatchUp: 9 } as const;
    expect(planRuns(due, misfire, NOW).start).toEqual(due.slice(3));
    expect(planRuns(missed, misfire, NOW).start).toEqual(missed.slice(2));
    expect(planRuns(missed.slice(0, 2), misfire, NOW).start).toEqual([]);
  });

  it("`catch_up` starts the newest of those within the grace, in order, up to its number", () => {
    const misfire = { policy: "catch_up", graceMs: 180 * MINUTE, maxCatchUp: 1 } as const;
    expect(planRuns(due, { ...misfire, maxCatchUp: 9 }, NOW).start).toEqual(due.slice(1));
    expect(planRuns(due, misfire, NOW).start).toEqual(due.slice(2));
    expect(planRuns(due, { ...misfire, maxCatchUp: 0 }, NOW).start).toEqual(due.slice(3));
  });

  it("starts one of several that are on time", () => {
    const burst = [30, 20, 10].map((seconds) => ({ dueAt: new Date(NOW - seconds * 1_000).toISOString() }));
    const plan = planRuns(burst, { policy: "skip", graceMs: 0, maxCatchUp: 0 }, NOW);
    expect(plan).toEqual({ start: burst.slice(2), skip: burst.slice(0, 2) });
  });
});
