import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createFileJobStore } from "./journaled-job-store.ts";

const here = (name: string): string => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** A beat every second; says on its output which due time it works on. */
const SCHEDULER = `
  import { createJobs, createJobSpec, createFileJobStore } from ${here("../jobs.ts")};
  import { scriptedExecutor } from ${here("../testing/scripted-executor.ts")};
  import { randomIds, systemClock } from ${here("../types/clock.ts")};
  const store = createFileJobStore({ path: process.argv[1], owner: "scheduler" });
  const executor = scriptedExecutor(systemClock, ({ dedupeKey }) => {
    process.stdout.write(dedupeKey + "\\n");
    return { text: "HEARTBEAT_OK", takesMs: 20 };
  });
  const jobs = createJobs({ executor, store, clock: systemClock, ids: randomIds });
  const trigger = { type: "every", ms: 1000 };
  const retries = { max: 0, backoffMs: 0 };
  await jobs.upsert(createJobSpec({ id: "beat", kind: "heartbeat", instructions: "?", principal: { userId: "u" }, trigger, retries }));
  jobs.start();
  setInterval(() => undefined, 1000);
`;

it("invariant 10: VA-20 a scheduler that is killed three times gives every due time one run, and works on none twice", async () => {
  const folder = await mkdtemp(join(tmpdir(), "jobs-crash-"));
  const path = join(folder, "jobs.jsonl");
  try {
    const begun: string[] = [];
    for (const beats of [2, 1, 2]) begun.push(...(await runUntilKilled(path, beats)));
    const store = createFileJobStore({ path, owner: "test" });
    const dueMs = (await store.runs({ jobId: "beat" })).map(({ dueAt }) => Date.parse(dueAt));
    await store.close();
    expect(new Set(begun).size).toBe(begun.length);
    expect(dueMs.length).toBeGreaterThanOrEqual(5);
    const first = dueMs[0] ?? 0;
    expect(dueMs).toEqual(dueMs.map((_, index) => first + index * 1_000));
  } finally {
    await rm(folder, { recursive: true });
  }
});

async function runUntilKilled(path: string, beats: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", SCHEDULER, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const begun: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    begun.push(line.split("#")[0] ?? "");
    if (begun.length === beats) child.kill("SIGKILL");
  }
  await exit;
  return begun;
}
