import type { LLMClient } from "@vision-agent/agent-core";
import { describe, expect, it } from "vitest";
import { createWatchCheck, type WatchCheckOptions } from "../../tools/check-watch.ts";
import { type DayScript, HOME } from "./day-script.ts";
import { openDay } from "./open-day.ts";
import { compareWithTruth, liveDay } from "./simulated-day.ts";

const COST_MICRO_USD = 2000;
const QUESTION = { question: "Is it a person?", expect: "yes", frames: 1, daily_usd: 1 } as const;
/** Every watch has a vision model look before it tells. */
const CHECKED: DayScript = { ...HOME, watches: HOME.watches.map((watch) => ({ ...watch, check: QUESTION })) };

describe("a day at home", () => {
  it("S000-4.5 tells every true event once and nothing else, whatever goes by", { timeout: 120_000 }, async () => {
    const model = openModel(() => "yes");
    const { alerts, rawEvents, counts, problems } = await liveDay(CHECKED, model);
    process.stdout.write(`${rawEvents} raw events, ${alerts.length} alerts, ${model.used()}\n`);
    expect(compareWithTruth(HOME.truth, alerts)).toEqual([]);
    expect(alerts.length).toBeLessThanOrEqual(6);
    expect(alerts.filter(({ text }) => text.includes("Not checked"))).toEqual([]);
    expect(rawEvents).toBeGreaterThanOrEqual(240);
    expect(counts.map(({ sent }) => sent)).toEqual([1, 1, 1]);
    expect(model.used()).toBe("3 model calls for 0.006 USD");
    expect(problems).toEqual([]);
  });

  it("tells the same with the model unreachable all day, says that nobody looked, and pays nothing", {
    timeout: 120_000,
  }, async () => {
    let calls = 0;
    const model = openModel(() => {
      calls += 1;
      // Refused by turns, and never answered.
      if (calls % 2 === 0) return new Promise<never>(() => undefined);
      throw new Error("The model cannot be reached.");
    });
    const { alerts, counts, problems } = await liveDay(CHECKED, model);
    expect(compareWithTruth(HOME.truth, alerts)).toEqual([]);
    expect(alerts).toHaveLength(6);
    const unchecked = alerts.filter(({ watch_id }) => watch_id !== undefined).map(({ text }) => text);
    expect(unchecked).toHaveLength(3);
    for (const text of unchecked) expect(text).toMatch(/\(Not checked: (The model cannot be reached|no answer came)/);
    expect(counts.map(({ seen, sent, suppressed }) => [seen - suppressed, sent])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    expect(model.used()).toBe("0 model calls for 0 USD");
    expect(problems).toEqual([]);
  });

  it("asks no model on a day without events", { timeout: 120_000 }, async () => {
    const model = openModel(() => "yes");
    const { alerts, rawEvents } = await liveDay({ ...CHECKED, actors: [], faults: [] }, model);
    expect([alerts.length, rawEvents, model.used()]).toEqual([0, 0, "0 model calls for 0 USD"]);
  });

  it("decides about an event without asking for the state of every watch", async () => {
    const day = await openDay({ ...HOME, watches: [] });
    for (let seconds = 1; seconds <= 8; seconds += 1) {
      const told = { cooldown_seconds: 0, severity: "info", condition: { kind: "stays", seconds } } as const;
      await day.app().watches.create({ words: "people", cameras: ["garden"], classes: ["person"], ...told });
    }
    await day.goTo(2 * 3600 + 12 * 60);
    const asked = day.cameras.asked();
    await day.goTo(2 * 3600 + 15 * 60);
    expect(day.alerts.length).toBeGreaterThanOrEqual(8);
    expect(day.cameras.asked() - asked).toBe(0);
    await day.close();
  });
});

/** The check as the product makes it, on a model that answers so. */
function openModel(answer: () => string | Promise<string>) {
  const paid = { calls: 0, microUsd: 0 };
  const client = {} as LLMClient;
  const visionModel: WatchCheckOptions["visionModel"] = {
    name: "a model",
    canSee: async () => true,
    async ask(_, { pay }) {
      const words = await answer();
      pay(client);
      return words;
    },
  };
  return {
    used: () => `${paid.calls} model calls for ${paid.microUsd / 1e6} USD`,
    openCheck: (clock: WatchCheckOptions["clock"]) =>
      createWatchCheck({
        visionModel,
        refusal: () => undefined,
        payingFor: (payer, onCost) => {
          paid.calls += 1;
          paid.microUsd += COST_MICRO_USD;
          onCost(COST_MICRO_USD);
          return payer;
        },
        pictureOf: async () => new Uint8Array(1),
        hash: async () => ({ whole: 0n, thing: 0n }),
        events: { list: () => [] },
        store: { load: async () => [], save: async () => undefined },
        timeZone: "UTC",
        clock,
      }),
  };
}
