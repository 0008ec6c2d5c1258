import { describe, expect, it } from "vitest";
import { createReport, type EvalReport, toMarkdownReport, toReportRows } from "./report.ts";
import type { EvalResult } from "./run-evals.ts";

describe("a report", () => {
  it("gives rates, cost, time and wrong effects by family and for all", () => {
    expect(toReportRows(sample())).toEqual([
      ["family", "instructions", "first try", "after correction", "cost", "time", "wrong effects"],
      ["counting", "2", "1 (50 %)", "2 (100 %)", "$0.0030", "3.0 s", "1"],
      ["past", "1", "0 (0 %)", "0 (0 %)", "$0.0015", "1.5 s", "0"],
      ["all", "3", "1 (33 %)", "2 (67 %)", "$0.0045", "4.5 s", "1"],
    ]);
  });

  it("tells people what was said and what was wrong", () => {
    const text = toMarkdownReport(sample());
    expect(text).toContain("| all | 3 | 1 (33 %) | 2 (67 %) |");
    expect(text).toContain("### counting/b: right after the correction, with a wrong effect");
    expect(text).toContain("### past/c: wrong");
    expect(text).not.toContain("counting/a");
    expect(text).toContain("- person: first\n  - recall `{}`: ok\n- answer: well well");
    expect(text).toContain("- wrong at first: one");
  });

  it("gives programs the same in JSON", () => {
    expect(JSON.parse(JSON.stringify(sample()))).toMatchObject({
      speaker: "offline interpreter",
      total: { instructions: 3, first_try: 1, after_correction: 2, wrong_effects: 1, cost_usd: 0.0045 },
      families: [{ family: "counting" }, { family: "past" }],
      results: [
        { name: "a", first_try: true, failure: null },
        { name: "b", wrong_effect: true },
        { name: "c", complaints: { first: ["one"] } },
      ],
    });
  });
});

function sample(): EvalReport {
  const results = [
    result("counting", "a", true, true),
    result("counting", "b", false, true),
    result("past", "c", false, false),
  ];
  return createReport(results, {
    speaker: "offline interpreter",
    started_at: "2026-01-01T00:00:00.000Z",
    wall_ms: 9000,
  });
}

function result(family: string, name: string, first_try: boolean, after_correction: boolean): EvalResult {
  const complaints = { first: first_try ? [] : ["one"], after: after_correction ? [] : ["one"] };
  const calls = [{ tool: "recall", arguments: {}, outcome: "ok", result: "" }];
  const turns = [{ said: "first", answer: "well\nwell", calls }];
  const wrong_effect = !first_try && after_correction;
  const common = { complaints, turns, cost_usd: 0.0015, duration_ms: 1500, failure: null };
  return { family, name, first_try, after_correction, wrong_effect, ...common };
}
