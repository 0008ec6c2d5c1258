import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createJobSpec } from "./create-job-spec.ts";
import { newRun } from "./due-times.ts";
import { type JobStore, type StoredJob, type StoredRun, toJobRun } from "./job-spec.ts";
import { createFileJobStore, createMemoryJobStore } from "./journaled-job-store.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "jobs-"));
});
afterEach(() => rm(folder, { recursive: true }));

const fileStore = (keepRuns?: number): JobStore =>
  createFileJobStore({ path: join(folder, "jobs.jsonl"), owner: "test", ...(keepRuns && { keepRuns }) });

describe.each([
  ["memory", (keepRuns?: number) => createMemoryJobStore(keepRuns ? { keepRuns } : {})],
  ["file", fileStore],
] as const)("a job store of the kind %s", (_, open) => {
  it("forgets the oldest ended runs of a job, and none that goes on", async () => {
    const store = open(2);
    await store.putJob(job("a"));
    await store.addRuns("a", [
      run("a", 1),
      ...[2, 3, 4].map((ms) => ({ ...run("a", ms), state: "completed" as const })),
    ]);
    await store.addRuns("a", [run("a", 5)]);
    expect((await store.runs({})).map(({ dueAt }) => Date.parse(dueAt))).toEqual([1, 3, 4, 5]);
    await store.close();
  });
});

describe("createFileJobStore", () => {
  it("VA-20 keeps jobs and history over a restart, past a torn end", async () => {
    const before = fileStore();
    await before.putJob(job("a"));
    await before.putJob(job("b"));
    await before.removeJob("b");
    await before.addRuns("a", [run("a", 1)], 1);
    const changed = await before.swapRun({ ...run("a", 1), state: "completed", output: { text: "all quiet" } });
    await before.close();
    await appendFile(join(folder, "jobs.jsonl"), '{"type":"run_changed","run":{"id":"a@19');
    const after = fileStore();
    expect(await after.jobs()).toEqual([{ ...job("a"), coveredUntilMs: 1 }]);
    expect(await after.runs({})).toEqual([changed]);
    await after.close();
  });

  it("skips lines that are not its own", async () => {
    await appendFile(join(folder, "jobs.jsonl"), '[]\n{"type":"job"}\n{"type":"run_changed","run":{}}\n\0\n');
    const store = fileStore();
    expect(await store.jobs()).toEqual([]);
    await store.close();
  });

  it("writes its log anew before it grows long", async () => {
    const path = join(folder, "jobs.jsonl");
    const line = JSON.stringify({ type: "job", job: job("a") });
    await appendFile(path, `${line}\n`.repeat(3_000));
    const store = fileStore();
    await store.addRuns("a", [run("a", 1)], 1);
    expect((await readFile(path, "utf8")).split("\n")).toHaveLength(3);
    await store.close();
  });

  it("refuses a second process, and tries again later", async () => {
    const first = fileStore();
    await first.putJob(job("a"));
    const second = fileStore();
    await expect(second.jobs()).rejects.toMatchObject({ kind: "invalid", code: "log_busy" });
    await first.close();
    expect(await second.jobs()).toHaveLength(1);
    await second.close();
  });
});

it("shows nobody the lease", () => {
  const shown = toJobRun({ ...run("a", 1), lease: { owner: "x", untilMs: 1 } });
  expect(Object.keys(shown).sort()).toEqual(["attempt", "dueAt", "id", "jobId", "state"]);
});

function job(id: string): StoredJob {
  const spec = createJobSpec({ id, kind: "action", instructions: "Look.", principal: { userId: "u" } });
  return { spec, createdAtMs: 0, coveredUntilMs: 0, byAgent: false };
}

function run(jobId: string, dueMs: number): StoredRun {
  return newRun(jobId, undefined, dueMs);
}
