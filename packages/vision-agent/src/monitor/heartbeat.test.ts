import { LOAD_TOOLS } from "@vision-agent/agent-core";
import { createJobs, createMemoryJobStore } from "@vision-agent/agent-core/jobs";
import { createCountingIds, createFakeClock, scriptedExecutor } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { createTools } from "../tools/create-tools.ts";
import type { ToolParts } from "../tools/tool-parts.ts";
import { DEFAULT_FILES } from "../workspace/default-files.ts";
import { createHeartbeat } from "./heartbeat.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe("a heartbeat", () => {
  it("S000-10.5.1 asks no model all day while nothing happens, and its history says so", async () => {
    const app = await openApp({});
    await app.pass(DAY_MS);
    expect(app.asked).toEqual([]);
    const history = await app.jobs.history("heartbeat", 1000);
    expect(history).toHaveLength(96);
    const reason = "Nothing happened since the last check, so no model was asked.";
    expect(history.every((run) => run.state === "skipped" && run.reason === reason)).toBe(true);
    await app.stop();
  });

  it("S000-3.1.4 S000-4.5.4 goes through the checklist once after something happened, with the light prompt, and tells what it finds", async () => {
    const app = await openApp({ answer: "A van stands at the dock." });
    app.happens(20);
    await app.pass(60 * MINUTE_MS);
    expect(app.asked).toMatchObject([{ origin: "heartbeat", mode: "heartbeat" }]);
    expect(app.told).toEqual(["A van stands at the dock."]);
    const runs = await app.jobs.history("heartbeat", 10);
    expect(runs.map(({ state, dueAt }) => [state, dueAt.slice(11, 16)])).toEqual([
      ["skipped", "01:00"],
      ["skipped", "00:45"],
      ["completed", "00:30"],
      ["skipped", "00:15"],
    ]);
    await app.stop();
  });

  it("S000-4.5.3 stays silent when the answer is HEARTBEAT_OK", async () => {
    const app = await openApp({ answer: "HEARTBEAT_OK" });
    app.happens(5);
    await app.pass(15 * MINUTE_MS);
    expect([app.asked.length, app.told.length]).toEqual([1, 0]);
    await app.stop();
  });

  it.each<[string, Wanted, RegExp]>([
    ["the checklist is empty", { checklist: "# Checklist\n\n<!-- 1. Look. -->\n- [ ]\n---\n" }, /nothing to check/],
    ["there is no checklist", { checklist: undefined }, /nothing to check/],
    ["no model is configured", { hasModel: false }, /No model is configured/],
    ["the money for today is used up", { room: 0 }, /money for today is used up/],
    ["it is another time of the day", { settings: `active_hours: ${hoursElsewhere()}` }, /^It looks from .* only\.$/],
  ])("S000-10.5.1 asks no model when %s, whatever happened", async (_when, wanted, reason) => {
    const app = await openApp(wanted);
    app.happens(5);
    await app.pass(15 * MINUTE_MS);
    expect(app.asked).toEqual([]);
    expect(await app.jobs.history("heartbeat", 1)).toMatchObject([
      { state: "skipped", reason: expect.stringMatching(reason) },
    ]);
    await app.stop();
  });

  it("looks again at what a failed check did not see", async () => {
    const app = await openApp({ fails: 1 });
    app.happens(5);
    await app.pass(45 * MINUTE_MS);
    const runs = await app.jobs.history("heartbeat", 10);
    expect(runs.map(({ state }) => state)).toEqual(["skipped", "completed", "failed"]);
    await app.stop();
  });

  it("runs when somebody asks for it, and every time where the configuration says so", async () => {
    const app = await openApp({});
    await app.jobs.runNow("heartbeat");
    await app.pass(1);
    expect(app.asked).toHaveLength(1);
    await app.stop();
    const steady = await openApp({ settings: "only_after_events: false\n  interval_minutes: 30" });
    await steady.pass(DAY_MS);
    expect(steady.asked).toHaveLength(48);
    await steady.stop();
  });

  it("is off the schedule when the configuration switches it off", async () => {
    const app = await openApp({});
    expect(await app.jobs.list()).toMatchObject([{ id: "heartbeat", trigger: { ms: 15 * MINUTE_MS } }]);
    await app.stop();
    const off = await openApp({ settings: "enabled: false", store: app.store });
    expect(await off.jobs.list()).toEqual([]);
    await off.stop();
  });

  it("has tools that exist, and none that changes anything", async () => {
    const app = await openApp({});
    const [spec] = await app.jobs.list();
    const tools = createTools({ level: "supervised", timeZone: "UTC" } as ToolParts);
    const known = [...tools.map(({ name }) => name), LOAD_TOOLS];
    expect(known).toEqual(expect.arrayContaining([...(spec?.tools?.allow ?? [])]));
    expect(
      spec?.tools?.allow?.filter((name) =>
        /start|stop|pause|resume|create|cancel|schedule|send|remember|save/.test(name),
      ),
    ).toEqual([]);
    await app.stop();
  });

  it("finds something to check in the file of the first run", async () => {
    const app = await openApp({ checklist: DEFAULT_FILES["HEARTBEAT.md"] });
    app.happens(5);
    await app.pass(15 * MINUTE_MS);
    expect(app.asked).toHaveLength(1);
    await app.stop();
  });
});

interface Wanted {
  readonly answer?: string;
  /** So many runs fail at first. */
  readonly fails?: number;
  readonly checklist?: string | undefined;
  readonly hasModel?: boolean;
  readonly room?: number;
  /** Lines of the group in `config.yaml`. */
  readonly settings?: string;
  readonly store?: ReturnType<typeof createMemoryJobStore>;
}

async function openApp(wanted: Wanted) {
  const {
    answer = "HEARTBEAT_OK",
    fails = 0,
    hasModel = true,
    room = 1,
    settings,
    store = createMemoryJobStore(),
  } = wanted;
  const checklist = "checklist" in wanted ? wanted.checklist : "1. Is the gate open?";
  const clock = createFakeClock();
  const happened: number[] = [];
  const told: string[] = [];
  const error = { kind: "agent", code: "bad", message: "It broke.", retryable: false } as const;
  const executor = scriptedExecutor(clock, (_input, number) =>
    number <= fails ? { outcome: { status: "failed", error } } : { text: answer },
  );
  const jobs = createJobs({
    executor,
    store,
    clock,
    ids: createCountingIds(),
    deliver: ({ text }) => void told.push(text),
    skipReason: (spec, why) => heartbeat.skipReason(spec, why),
  });
  const heartbeat = createHeartbeat({
    config: loadConfig({ env: {}, configText: settings ? `heartbeat:\n  ${settings}\n` : "" }).heartbeat,
    jobs,
    news: {
      since: (ms) => happened.filter((at) => at >= ms && at <= clock.now()).map((at) => new Date(at).toISOString()),
    },
    budgetView: { room: () => room },
    readChecklist: async () => checklist,
    hasModel: () => hasModel,
    clock,
    timeZone: "UTC",
  });
  await heartbeat.schedule();
  jobs.start();
  return {
    jobs,
    store,
    told,
    asked: executor.inputs,
    happens: (minute: number) => void happened.push(clock.now() + minute * MINUTE_MS),
    async pass(ms: number) {
      await clock.advance(0);
      await clock.advance(ms);
    },
    stop: () => jobs.stop(),
  };
}

/** An hour of the day, twelve hours away from the first check in UTC. */
function hoursElsewhere(): string {
  const hour = (new Date(Date.UTC(2026, 0, 1)).getHours() + 12) % 24;
  const shown = String(hour).padStart(2, "0");
  return `${shown}:00-${shown}:59`;
}
