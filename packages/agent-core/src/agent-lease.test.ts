import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAgentExecutor } from "./agent/executor.ts";
import { acquireLease, type Lease, type LeaseTimes, SYSTEM_TIMES } from "./files/lease.ts";
import { createFileSessionStore } from "./session/file-session-store.ts";
import { createTestAgent, testMessage, testTool } from "./testing/test-agent.ts";

const START = Date.parse("2026-01-01T00:00:00Z");

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lease-"));
  path = join(folder, "s1.lease");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a lease", () => {
  it("of a process on another machine holds while it is refreshed, and not 30 seconds longer", async () => {
    const far = machine("far");
    await take(far);
    far.time += 20_000;
    await far.beat();
    const near = machine("near", START + 40_000);
    expect(await acquireLease(path, "near", near)).toEqual({ heldBy: expect.stringContaining("far") });
    near.time = START + 51_000;
    const lease = await take(near);
    expect(await lease.isHeld()).toBe(true);
  });

  it("that somebody took over is lost: it is not refreshed and not released", async () => {
    const far = machine("far");
    const lost = await take(far);
    const near = machine("near", START + 31_000);
    await take(near);
    const written = (await stat(path)).mtimeMs;
    far.time = START + 90_000;
    await far.beat();
    expect(await lost.isHeld()).toBe(false);
    expect((await stat(path)).mtimeMs).toBe(written);
    await lost.release();
    expect(await readFile(path, "utf8")).toContain("near");
  });

  it("of a process here that lives holds, however long it was not refreshed", async () => {
    const here = machine("here");
    await take(here);
    await utimes(path, 0, 0);
    expect(await acquireLease(path, "other", machine("here", START + 99_000))).toMatchObject({
      heldBy: expect.any(String),
    });
  });

  it("of another thread of this process holds while it is refreshed, and not 30 seconds longer", async () => {
    const worker = await holdInThread();
    try {
      expect(await acquireLease(path, "main")).toEqual({ heldBy: expect.stringContaining("thread") });
    } finally {
      await worker.terminate();
    }
    expect(await acquireLease(path, "main", { ...SYSTEM_TIMES, now: () => Date.now() + 31_000 })).toHaveProperty(
      "release",
    );
  });

  it("of another copy of this package in the same process holds, however long it was not refreshed", async () => {
    const copy = (await import("./files/lease.ts?copy" as "./files/lease.ts")) as typeof import("./files/lease.ts");
    expect(copy.acquireLease).not.toBe(acquireLease);
    const here = machine("here");
    await copy.acquireLease(path, "copy", here);
    await utimes(path, 0, 0);
    expect(await acquireLease(path, "main", here)).toEqual({ heldBy: expect.stringContaining("copy") });
  });

  it("of a process that was killed is taken over at once", async () => {
    const child = await holdInProcess();
    expect(await acquireLease(path, "main")).toEqual({ heldBy: expect.stringContaining("child") });
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await acquireLease(path, "main")).toHaveProperty("release");
  });

  it("that is released is no longer refreshed", async () => {
    const here = machine("here");
    await (await take(here)).release();
    expect(here.beats()).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });
});

it("a process that was frozen and lost its session ends its run with an error and writes nothing", async () => {
  const far = machine("far");
  const near = machine("near", START + 31_000);
  const entered = Promise.withResolvers<void>();
  const thawed = Promise.withResolvers<void>();
  const freeze = testTool("freeze", async () => {
    entered.resolve();
    await thawed.promise;
    return "awake";
  });
  const sessions = createFileSessionStore({ folder, owner: "far", lease: far });
  const { options } = createTestAgent([{ toolCalls: [{ name: "freeze" }] }, { text: "never" }], {
    tools: [freeze],
    sessions,
  });
  const run = createAgentExecutor(options).execute(testMessage("Hi"));
  await entered.promise;
  const other = await createFileSessionStore({ folder, owner: "near", lease: near }).open("s1");
  const before = await readFile(join(folder, "s1.jsonl"), "utf8");
  thawed.resolve();
  expect(await run.outcome).toMatchObject({ status: "failed", error: { kind: "agent", code: "session_lost" } });
  expect(await readFile(join(folder, "s1.jsonl"), "utf8")).toBe(before);
  await other.close();
});

async function take(times: Machine): Promise<Lease> {
  const lease = await acquireLease(path, times.host, times);
  if ("heldBy" in lease) throw new Error(lease.heldBy);
  return lease;
}

const MODULE = new URL("./files/lease.ts", import.meta.url).href;

/** Holds the lease of this test until it is ended. `tell` is called when it does. */
function holder(owner: string, tell: string): string {
  return `import(${JSON.stringify(MODULE)})
    .then(({ acquireLease }) => acquireLease(${JSON.stringify(path)}, ${JSON.stringify(owner)}))
    .then(() => ${tell});
    setInterval(() => undefined, 1_000);`;
}

async function holdInThread(): Promise<Worker> {
  const tell = `require("node:worker_threads").parentPort.postMessage("held")`;
  const worker = new Worker(holder("thread", tell), { eval: true, execArgv: [] });
  await once(worker, "message");
  return worker;
}

async function holdInProcess(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", holder("child", `console.log("held")`)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

interface Machine extends LeaseTimes {
  readonly host: string;
  time: number;
  /** Timers that are set. */
  readonly beats: () => number;
  readonly beat: () => Promise<void>;
}

/** A machine whose time stands still. */
function machine(host: string, time = START): Machine {
  const acts = new Set<() => Promise<void>>();
  const self: Machine = {
    host,
    time,
    now: () => self.time,
    every(_ms, act) {
      acts.add(act);
      return () => acts.delete(act);
    },
    beats: () => acts.size,
    async beat() {
      for (const act of acts) await act();
    },
  };
  return self;
}
