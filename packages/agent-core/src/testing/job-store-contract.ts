import assert from "node:assert/strict";
import { createJobSpec } from "../jobs/create-job-spec.ts";
import { newRun } from "../jobs/due-times.ts";
import type { JobStore, StoredJob, StoredRun } from "../jobs/job-spec.ts";
import type { ContractCase } from "./contract.ts";

/** VA-26: what every job store keeps. `make` gives a fresh, empty one. */
export function jobStoreContract(make: () => Promise<JobStore>): readonly ContractCase[] {
  const withStore = (name: string, check: (store: JobStore) => Promise<void>): ContractCase => ({
    name,
    async run() {
      const store = await make();
      await store.putJob(job("a"));
      await check(store);
      await Promise.all([store.close(), store.close()]);
    },
  });
  return [
    withStore("adds a run once, and moves the covered time on, never back", async (store) => {
      assert.equal((await store.addRuns("a", [run("a", 1), run("a", 2)], 2)).length, 2);
      assert.deepEqual(await store.addRuns("a", [run("a", 2), run("a", 3)], 1), [run("a", 3)]);
      assert.equal((await store.jobs())[0]?.coveredUntilMs, 2);
      assert.deepEqual(await dueTimes(store), [1, 2, 3]);
    }),
    withStore("complaint 10: lets one of many claim a run", async (store) => {
      await store.addRuns("a", [run("a", 1)]);
      const claim = (owner: string): Promise<StoredRun | undefined> =>
        store.swapRun({ ...run("a", 1), state: "claimed", lease: { owner, untilMs: 60_000 } });
      const claims = await Promise.all(["x", "y", "z"].map(claim));
      assert.equal(claims.filter((claimed) => claimed !== undefined).length, 1);
      assert.equal((await store.runs({ states: ["claimed"] })).length, 1);
    }),
    withStore("removes a job with its runs, once, and adds no run to a job that there is not", async (store) => {
      await store.addRuns("a", [run("a", 1)]);
      assert.deepEqual([await store.removeJob("a"), await store.removeJob("a")], [true, false]);
      assert.deepEqual(await store.addRuns("a", [run("a", 2)]), []);
      assert.deepEqual([await store.jobs(), await store.runs({})], [[], []]);
    }),
    withStore("forgets what ended runs answered, and nothing else of them", async (store) => {
      const ended = { state: "completed", output: { text: "seen" } } as const;
      await store.addRuns("a", [
        { ...run("a", 1), ...ended },
        { ...run("a", 2), ...ended },
      ]);
      assert.equal(await store.forgetOutputs(({ id }) => id === run("a", 1).id), 1);
      assert.equal(await store.forgetOutputs(({ id }) => id === run("a", 1).id), 0);
      const texts = (await store.runs({})).map(({ state, output }) => [state, output?.text]);
      assert.deepEqual(texts, [
        ["completed", undefined],
        ["completed", "seen"],
      ]);
    }),
    withStore("gives the runs of one job, oldest due time first", async (store) => {
      await store.putJob(job("b"));
      await store.addRuns("b", [run("b", 9)]);
      await store.addRuns("a", [run("a", 7), run("a", 5)]);
      const times = (await store.runs({ jobId: "a" })).map(({ dueAt }) => Date.parse(dueAt));
      assert.deepEqual(times, [5, 7]);
      assert.equal((await store.run(run("b", 9).id))?.jobId, "b");
      assert.equal(await store.run("nobody"), undefined);
    }),
  ];
}

async function dueTimes(store: JobStore): Promise<readonly number[]> {
  return (await store.runs({ jobId: "a" })).map(({ dueAt }) => Date.parse(dueAt));
}

function job(id: string): StoredJob {
  const spec = createJobSpec({ id, kind: "action", instructions: "Look.", principal: { userId: "u" } });
  return { spec, createdAtMs: 0, coveredUntilMs: 0, byAgent: false };
}

function run(jobId: string, dueMs: number): StoredRun {
  return newRun(jobId, undefined, dueMs);
}
