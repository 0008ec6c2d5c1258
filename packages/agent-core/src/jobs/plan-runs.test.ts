import { describe, expect, it } from "vitest";
import { planRuns } from "./plan-runs.ts";

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
