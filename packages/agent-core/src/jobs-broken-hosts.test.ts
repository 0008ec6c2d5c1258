import { describe, expect, it } from "vitest";
import type { RunHandle } from "./agent/run.ts";
import { createJobSpec, createJobs, createMemoryJobStore, type JobStore, type JobsOptions } from "./jobs.ts";
import { createCountingIds } from "./testing/counting-ids.ts";
import { createFakeClock } from "./testing/fake-clock.ts";
import { scriptedExecutor } from "./testing/scripted-executor.ts";

const JOB = createJobSpec({ id: "job", kind: "action", instructions: "Look.", principal: { userId: "u" } });

async function openJobs(options: Partial<JobsOptions> = {}) {
  const clock = createFakeClock(Date.parse("2026-06-01T12:00:00Z"));
  const executor = scriptedExecutor(clock, () => ({ text: "done" }));
  const jobs = createJobs({ executor, clock, ids: createCountingIds(), store: createMemoryJobStore(), ...options });
  await jobs.upsert(JOB);
  const begin = async () => {
    await jobs.runNow("job").catch((thrown: unknown) => thrown);
    await clock.advance(0);
    await clock.advance(0);
  };
  const runNow = async () => {
    await begin();
    return (await jobs.history("job", 1))[0];
  };
  return { jobs, begin, runNow };
}

describe("a run of a job ends as failed, with the reason, and the next one begins", () => {
  const rejecting = (): RunHandle => {
    const clock = createFakeClock();
    const run = scriptedExecutor(clock, () => ({})).execute({ sessionId: "s", text: "", principal: { userId: "u" } });
    return { ...run, outcome: Promise.reject(new Error("boom")) };
  };

  it.each<[string, () => RunHandle, string]>([
    [
      "whose executor throws",
      () => {
        throw new Error("boom");
      },
      "boom",
    ],
    ["whose executor gives nothing", () => undefined as unknown as RunHandle, "gave no run"],
    ["whose outcome rejects", rejecting, "boom"],
  ])("%s", async (_, execute, words) => {
    const { runNow, jobs } = await openJobs({ executor: { execute } });
    const failed = { state: "failed", error: { message: expect.stringContaining(words) } };
    expect(await runNow()).toMatchObject(failed);
    expect(await runNow()).toMatchObject(failed);
    await jobs.stop();
  });

  it("whose ids fail", async () => {
    const ids = createCountingIds();
    const next = (kind: string): string => {
      if (kind === "job") throw new Error("no more numbers");
      return ids.next(kind);
    };
    const { runNow } = await openJobs({ ids: { next } });
    expect(await runNow()).toMatchObject({ state: "failed", error: { message: "no more numbers" } });
  });

  it.each(["swapRun", "runs", "run", "jobs", "addRuns"] as const)(
    "whose store fails once in %s: nothing is left behind",
    async (name) => {
      const store = createMemoryJobStore();
      for (const failing of [1, 2, 3, 4]) {
        let calls = Number.POSITIVE_INFINITY;
        const broken = new Proxy(store, {
          get(target, key) {
            const value: unknown = Reflect.get(target, key);
            if (typeof value !== "function") return value;
            return (...args: unknown[]) =>
              key === name && --calls === 0 ? Promise.reject(new Error("disk")) : value.apply(target, args);
          },
        }) as JobStore;
        const { begin } = await openJobs({ store: broken, ids: { next: (kind) => `${kind}_${crypto.randomUUID()}` } });
        calls = failing;
        await begin();
        calls = Number.POSITIVE_INFINITY;
        expect(await store.runs({ states: ["scheduled", "claimed", "running"] })).toEqual([]);
        await begin();
        expect(await store.runs({ states: ["skipped"] })).toEqual([]);
      }
    },
  );
});

describe("functions of the host", () => {
  it.each([undefined, null, ""])("a skipReason of %j skips nothing", async (reason) => {
    const { runNow } = await openJobs({ skipReason: async () => reason as undefined });
    expect(await runNow()).toMatchObject({ state: "completed" });
  });

  it.each([5, {}, true])("a skipReason of %j is a fault of the program, and is told", async (reason) => {
    const { runNow } = await openJobs({ skipReason: async () => reason as unknown as string });
    const error = { code: "host_callback", message: expect.stringContaining("skipReason") };
    expect(await runNow()).toMatchObject({ state: "failed", error });
  });

  it("get copies of the job", async () => {
    const spoil = (given: object): void => void ("job" in given && Reflect.set(Object(given.job), "id", "other"));
    const { jobs, runNow } = await openJobs({
      deliver: spoil,
      onEvent: spoil,
      skipReason: async (job) => void spoil({ job }),
    });
    expect(await runNow()).toMatchObject({ state: "completed", jobId: "job" });
    expect((await jobs.list()).map(({ id }) => id)).toEqual(["job"]);
  });

  it("are told that an id is not that of a pause", async () => {
    const { jobs } = await openJobs();
    const resumed = jobs.resumed("nope", {} as RunHandle);
    await expect(resumed).rejects.toMatchObject({ code: "unknown_pause", message: expect.stringContaining("nope") });
    expect(await jobs.resumed("talk~pause_1", {} as RunHandle)).toBeUndefined();
  });
});
