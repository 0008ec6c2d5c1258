import { expect, it } from "vitest";
import {
  createJobSpec,
  createJobs,
  createMemoryJobStore,
  type JobDelivery,
  type JobInput,
  type Jobs,
  previewSchedule,
} from "./jobs.ts";
import { createCountingIds } from "./testing/counting-ids.ts";
import { createFakeClock } from "./testing/fake-clock.ts";
import { scriptedExecutor } from "./testing/scripted-executor.ts";

const HOUR = 3_600_000;
const START = new Date("2026-03-28T23:00:00Z");
/** The day on which Berlin loses an hour. */
const DAY: readonly Omit<JobInput, "principal">[] = [
  { id: "heartbeat", kind: "heartbeat", instructions: "Is all well?" },
  { id: "morning", kind: "cron", instructions: "Report the night.", trigger: berlin("0 7 * * *") },
  { id: "gap", kind: "cron", instructions: "Tidy up.", trigger: berlin("30 2 * * *"), delivery: "store" },
  { id: "hourly", kind: "cron", instructions: "Count.", trigger: berlin("5 * * * *"), delivery: "store" },
];

it("S000-4.5.5 VA-3 VA-20 VA-21 SC-1 a simulated day has 96 heartbeats, three cron jobs and a restart in milliseconds", async () => {
  const clock = createFakeClock(START.getTime());
  const store = createMemoryJobStore({ keepRuns: 1_000 });
  const ids = createCountingIds();
  const told: JobDelivery[] = [];
  const executor = scriptedExecutor(clock, ({ text }, number) => {
    if (text === "Report the night.") return { text: "A quiet night." };
    return { text: number === 50 ? "The gate is open." : "HEARTBEAT_OK", takesMs: 2_000 };
  });
  const open = async (): Promise<Jobs> => {
    const jobs = createJobs({ executor, store, clock, ids, deliver: (delivery) => void told.push(delivery) });
    for (const input of DAY) await jobs.upsert(createJobSpec({ principal: { userId: "home" }, ...input }));
    jobs.start();
    await clock.advance(0);
    return jobs;
  };

  const morning = await open();
  await clock.advance(11 * HOUR + 60_000);
  await morning.stop();
  expect(clock.sleepers).toBe(0);
  const evening = await open();
  await clock.advance(13 * HOUR - 60_000 + 3_000);
  await evening.stop();

  const end = new Date(START.getTime() + 24 * HOUR + 1);
  for (const input of DAY) {
    const spec = createJobSpec({ principal: { userId: "home" }, ...input });
    const runs = (await evening.history(spec.id, 1_000)).toReversed();
    // The first moment itself lies before the jobs were added.
    const due = previewSchedule(spec, new Date(START.getTime() + 1), end);
    expect(runs.map(({ dueAt }) => dueAt)).toEqual(due.map((date) => date.toISOString()));
    expect(runs.every(({ state }) => state === "completed")).toBe(true);
  }
  expect(await evening.history("heartbeat", 1_000)).toHaveLength(96);
  expect((await evening.history("gap", 9))[0]?.dueAt).toBe("2026-03-29T01:00:00.000Z");
  expect(told.map(({ text }) => text).sort()).toEqual(["A quiet night.", "The gate is open."]);
});

function berlin(expression: string): JobInput["trigger"] {
  return { type: "cron", expression, timeZone: "Europe/Berlin" };
}
