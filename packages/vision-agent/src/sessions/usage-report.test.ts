import { createMemorySessionStore } from "@vision-agent/agent-core";
import { usageSchema } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { createUsageLog, type UsageEntry } from "../agent/usage-log.ts";
import { loadUsageReport } from "./usage-report.ts";

const WATCHES = [
  { id: "w1", words: "a cat" },
  { id: "w2", words: "a dog" },
];
const NOON = Date.UTC(2026, 4, 20, 12);

describe("the usage report", () => {
  it("S000-11.4.6 tells days of the person's own time zone, conversations and watches that used something", async () => {
    const report = await load([
      entry("2026-05-19T20:00:00.000Z", "s1", 1_000_000),
      entry("2026-05-19T23:30:00.000Z", "s1", 500_000),
      entry("2026-05-20T08:00:00.000Z", "s2", 250_000),
    ]);
    expect(usageSchema.parse(report)).toEqual(report);
    expect(report.today).toMatchObject({ day: "2026-05-20", turns: 2, calls: 4, cost_usd: 0.75, limit_usd: 10 });
    expect(report.days.map(({ day, cost_usd }) => [day, cost_usd])).toEqual([
      ["2026-05-20", 0.75],
      ["2026-05-19", 1],
    ]);
    expect(report.sessions).toMatchObject([{ session_id: "s1", cost_usd: 1.5 }]);
    expect(report.watches).toMatchObject([
      { watch_id: "w1", words: "a cat", calls: 2, cost_usd: 0.25 },
      { watch_id: "gone", words: null, calls: 2 },
    ]);
    expect(report.turns).toMatchObject([
      { ended_at: "2026-05-20T08:00:00.000Z", session_id: "s2", watch_ids: ["w1", "gone"], cost_usd: 0.25 },
      { session_id: "s1", watch_ids: [] },
      { session_id: "s1" },
    ]);
  });

  it("is all zero where nothing was used", async () => {
    const report = await load([]);
    expect(report).toMatchObject({ today: { calls: 0, cost_usd: 0 }, days: [], sessions: [], watches: [], turns: [] });
  });
});

async function load(entries: readonly UsageEntry[]) {
  const sessions = createMemorySessionStore();
  const session = await sessions.open("s1");
  await session.append({ v: 1, id: "e", ts: "2026-05-19T20:00:00.000Z", type: "session", meta: {} });
  await session.close();
  const common = { timeZone: "Europe/Oslo", now: () => NOON };
  const log = { entries: () => entries, append: async () => undefined, settled: async () => undefined, unreadable: 0 };
  const usageLog = createUsageLog({ ...common, log, onProblem: () => undefined });
  return loadUsageReport({ ...common, usageLog, sessions, watches: WATCHES, clock: common, limitUsd: 10 });
}

function entry(ts: string, session_id: string, cost_micro_usd: number): UsageEntry {
  const watch = session_id === "s2" && { watch_ids: ["w1", "gone"] };
  return {
    ts,
    run_id: ts,
    session_id,
    ...watch,
    model: "m",
    calls: 2,
    input_tokens: 5,
    output_tokens: 1,
    cost_micro_usd,
  };
}
