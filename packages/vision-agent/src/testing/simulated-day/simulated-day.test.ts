import { describe, expect, it } from "vitest";
import { HOME } from "./day-script.ts";
import { compareWithTruth, liveDay } from "./simulated-day.ts";

describe("a day at home", () => {
  it("S000-4.5 tells every true event once and nothing else, whatever goes by", { timeout: 120_000 }, async () => {
    const { alerts, rawEvents, counts, problems } = await liveDay(HOME);
    expect(compareWithTruth(HOME.truth, alerts)).toEqual([]);
    expect(alerts.length).toBeLessThanOrEqual(6);
    expect(rawEvents).toBeGreaterThanOrEqual(240);
    expect(counts.map(({ sent }) => sent)).toEqual([1, 1, 1]);
    expect(problems).toEqual([]);
  });
});
