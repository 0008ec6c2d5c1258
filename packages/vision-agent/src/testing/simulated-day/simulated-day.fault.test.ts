import { describe, expect, it } from "vitest";
import { HOME } from "./day-script.ts";
import { compareWithTruth, liveDay } from "./simulated-day.ts";

const KILLS = 200;

describe("a day at home with two hundred kills", () => {
  it("tells every true event once and nothing twice", { timeout: 300_000 }, async () => {
    const { alerts, problems } = await liveDay(HOME, { killsAt: new Set(randomSeconds(KILLS)) });
    expect(compareWithTruth(HOME.truth, alerts)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

/** The same each time, spread over the day. */
function randomSeconds(count: number): readonly number[] {
  let state = 12_345;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % 86_400;
  });
}
