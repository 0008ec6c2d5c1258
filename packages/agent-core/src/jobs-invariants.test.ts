import fc from "fast-check";
import { expect, it } from "vitest";
import { dueTimes } from "./jobs/due-times.ts";
import { createJobSpec, createJobs, createMemoryJobStore, type JobSpec, type JobStore, type Jobs } from "./jobs.ts";
import { createCountingIds } from "./testing/counting-ids.ts";
import { createFakeClock } from "./testing/fake-clock.ts";
import { type ScriptedExecutor, scriptedExecutor } from "./testing/scripted-executor.ts";
import type { Clock } from "./types/clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Shortly before Berlin has an hour twice. */
const START = Date.parse("2026-10-24T18:00:00Z");
const base = { instructions: "Look.", principal: { userId: "u" }, retries: { max: 0, backoffMs: 0 } } as const;
const night = { type: "cron", expression: "30 2 * * *", timeZone: "Europe/Berlin" } as const;
const half = { type: "cron", expression: "*/30 * * * *", timeZone: "Europe/Berlin" } as const;
const SPECS: readonly JobSpec[] = [
  createJobSpec({ ...base, id: "beat", kind: "heartbeat" }),
  createJobSpec({ ...base, id: "night", kind: "cron", trigger: night }),
  createJobSpec({ ...base, id: "half", kind: "cron", trigger: half, overlap: "queue_one" }),
  createJobSpec({
    ...base,
    id: "chase",
    kind: "cron",
    trigger: { type: "every", ms: 50 * MINUTE },
    misfire: { policy: "catch_up", graceMs: 5 * HOUR, maxCatchUp: 3 },
  }),
  createJobSpec({ ...base, id: "once", kind: "action", trigger: { type: "at", time: "2026-10-25T00:45:00Z" } }),
];

type Step = { readonly do: "advance" | "jump"; readonly ms: number } | { readonly do: "restart" | "crash" };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.nat(3 * HOUR) }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant("jump" as const), ms: fc.integer({ min: -8 * HOUR, max: 12 * HOUR }) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("restart" as const, "crash" as const) }) },
  ),
  { minLength: 1, maxLength: 10 },
);

it("invariant 10: complaint 10: for any jumps of the clock, restarts and crashes every due time has exactly one run", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(40 * MINUTE), async (script, takesMs) => {
      const world = openWorld(takesMs);
      await world.boot();
      for (const step of script) {
        if (step.do === "advance") await world.advance(step.ms);
        else if (step.do === "jump") world.jump(step.ms);
        else await (step.do === "crash" ? world.crash() : world.restart());
      }
      await world.advance(2 * HOUR);
      for (const spec of SPECS) await assertOnce(spec, world.store, world.clock.now());
      assertExecutedOnce(world.executor);
      await world.crash();
    }),
    { numRuns: 40, seed: 10 },
  );
});

/** No gap, none twice, nothing left undecided, and nothing that is due left out. */
async function assertOnce(spec: JobSpec, store: JobStore, nowMs: number): Promise<void> {
  const runs = await store.runs({ jobId: spec.id });
  const found = runs.map(({ dueAt }) => Date.parse(dueAt));
  const untilMs = Math.max(nowMs, ...found);
  expect(found).toEqual(dueTimes(spec.trigger, START, untilMs, 10_000).timesMs);
  const open = runs.filter(({ state, dueAt }) => state === "scheduled" && Date.parse(dueAt) <= nowMs);
  // What waits in line behind a run that goes on is decided, and not begun.
  const isGoingOn = runs.some(({ state }) => state === "running" || state === "claimed");
  expect(open.length).toBeLessThanOrEqual(isGoingOn ? 3 : 0);
}

function assertExecutedOnce({ inputs }: ScriptedExecutor): void {
  // No job here has retries: a second attempt would be a second run.
  const keys = inputs.map(({ dedupeKey }) => dedupeKey?.split("#")[0]);
  expect(new Set(keys).size).toBe(keys.length);
}

function openWorld(takesMs: number) {
  const steady = createFakeClock(START);
  let shiftMs = 0;
  const clock: Clock = { ...steady, now: () => steady.now() + shiftMs };
  const store = createMemoryJobStore({ keepRuns: 100_000 });
  const executor = scriptedExecutor(clock, () => ({ takesMs }));
  const ids = createCountingIds();
  let alive: { readonly jobs: Jobs; kill(): void } | undefined;
  const advance = async (ms: number): Promise<void> => {
    await steady.advance(0);
    await steady.advance(ms);
  };
  const boot = async (): Promise<void> => {
    const mortal = toMortal(store);
    const jobs = createJobs({ executor, store: mortal.store, clock, ids });
    alive = { jobs, kill: mortal.kill };
    if ((await store.jobs()).length === 0) for (const spec of SPECS) await jobs.upsert(spec);
    jobs.start();
    await steady.advance(0);
  };
  return {
    clock,
    store,
    executor,
    advance,
    boot,
    jump: (ms: number) => {
      shiftMs += ms;
    },
    async restart() {
      await alive?.jobs.stop();
      await boot();
    },
    async crash() {
      alive?.kill();
      await boot();
    },
  };
}

/** After `kill` nothing that the process writes arrives, and nothing that it asks is answered. */
function toMortal(store: JobStore): { readonly store: JobStore; kill(): void } {
  let isDead = false;
  const guard = <T>(work: () => Promise<T>): Promise<T> => (isDead ? new Promise<never>(() => undefined) : work());
  return {
    kill: () => {
      isDead = true;
    },
    store: {
      isExclusive: store.isExclusive,
      jobs: () => guard(() => store.jobs()),
      putJob: (job) => guard(() => store.putJob(job)),
      removeJob: (id) => guard(() => store.removeJob(id)),
      addRuns: (...rest) => guard(() => store.addRuns(...rest)),
      swapRun: (run) => guard(() => store.swapRun(run)),
      run: (id) => guard(() => store.run(id)),
      forgetOutputs: (goes) => guard(() => store.forgetOutputs(goes)),
      runs: (filter) => guard(() => store.runs(filter)),
      close: () => store.close(),
    },
  };
}
