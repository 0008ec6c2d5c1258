import { describe, expect, it } from "vitest";
import {
  createActionTool,
  createJobSpec,
  createJobs,
  createMemoryJobStore,
  type Delivery,
  type JobEvent,
  type JobInput,
  type JobRun,
  type JobSpec,
  type JobStore,
  type Jobs,
  type JobsOptions,
} from "./jobs.ts";
import { createCountingIds } from "./testing/counting-ids.ts";
import { createFakeClock, type FakeClock } from "./testing/fake-clock.ts";
import { type ExecutorStep, scriptedExecutor } from "./testing/scripted-executor.ts";
import type { ToolContext } from "./tools/tool.ts";
import type { ErrorView } from "./types/errors.ts";
import type { AgentEventBody } from "./types/events.ts";
import type { Json } from "./types/json.ts";
import type { PauseRecord } from "./types/pause.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse("2026-06-01T12:00:00Z");

describe("an action", () => {
  it("SC-10 SC-11 goes from scheduled to completed when its time has come, and its start is logged", async () => {
    const house = openHouse(() => ({ text: "done" }));
    await house.add({ trigger: at(10 * MINUTE) });
    house.jobs.start();
    await house.advance(9 * MINUTE);
    expect(await house.last()).toMatchObject({ state: "scheduled", dueAt: "2026-06-01T12:10:00.000Z" });
    await house.advance(MINUTE);
    expect(await house.last()).toMatchObject({ state: "completed", startedAt: "2026-06-01T12:10:00.000Z", attempt: 1 });
    await house.advance(24 * HOUR);
    expect(house.log()).toEqual(["run_started running", "run_ended completed"]);
    await house.jobs.stop();
  });

  it("SC-11 runs late when its time passed while nobody was there", async () => {
    const house = openHouse(() => ({}));
    await house.add({ trigger: at(-3 * HOUR) });
    house.jobs.start();
    await house.advance(1);
    expect(await house.last()).toMatchObject({ state: "completed", dueAt: "2026-06-01T09:00:00.000Z" });
    await house.jobs.stop();
  });

  it("SC-12 runs when somebody says so, before `start` and beside its schedule", async () => {
    const house = openHouse(() => ({ takesMs: 1 }));
    await house.add({});
    const begun = await house.jobs.runNow("job");
    expect(["claimed", "running"]).toContain(begun.state);
    await house.advance(1);
    expect((await house.history()).map(({ id, state }) => [id, state])).toEqual([[begun.id, "completed"]]);
    await expect(house.jobs.runNow("other")).rejects.toMatchObject({ code: "unknown_job" });
  });

  it("SC-14 SC-1 hands the same executor its instructions, tools, pictures and principal", async () => {
    const house = openHouse(() => ({}));
    const tools = { allow: ["look"] };
    await house.add({ images: ["art_1"], tools, principal: { userId: "ann" }, mode: "review" });
    await house.runNow();
    expect(house.inputs[0]).toMatchObject({
      text: "Look.",
      images: [{ artifactId: "art_1" }],
      tools,
      principal: { userId: "ann" },
      mode: "review",
      origin: "job",
      stop: { maxWallMs: 15 * MINUTE },
    });
  });

  it("SC-15 stores the answer, the structure and the artifacts before the state says completed", async () => {
    const store = createMemoryJobStore();
    const seen: JobRun[] = [];
    const house = openHouse(
      () => ({ text: "two cars", events: [artifact("art_7", "tool"), artifact("art_8", "input")] }),
      { store, deliver: async ({ run }) => void seen.push((await store.run(run.id)) ?? run) },
    );
    await house.add({ delivery: "alert" });
    await house.runNow();
    expect(seen).toMatchObject([{ state: "running", output: { text: "two cars", artifacts: ["art_7"] } }]);
    expect(await house.last()).toMatchObject({
      state: "completed",
      output: { text: "two cars", artifacts: ["art_7"] },
    });
  });

  it("keeps nothing but the state when it is told to", async () => {
    const house = openHouse(() => ({ text: "secret" }));
    await house.add({ delivery: "none" });
    await house.runNow();
    expect(await house.last()).toMatchObject({ state: "completed", output: {} });
  });

  it("VA-20 has a conversation of its own each time, or the one it is given", async () => {
    const house = openHouse(() => ({}));
    await house.add({});
    await house.runNow();
    await house.runNow();
    await house.add({ session: { mode: "main", sessionId: "chat" } });
    await house.runNow();
    expect(house.inputs.map(({ sessionId }) => sessionId)).toEqual(["job_1", "job_2", "chat"]);
    expect(await house.last()).toMatchObject({ sessionId: "chat", runId: "run_3" });
  });

  it("does not run at the old time when it was moved", async () => {
    const house = openHouse(() => ({}));
    await house.add({ trigger: at(10 * MINUTE) });
    await house.add({ trigger: at(20 * MINUTE) });
    house.jobs.start();
    await house.advance(HOUR);
    expect((await house.history()).map(({ state, reason }) => reason ?? state)).toEqual(["completed", "rescheduled"]);
    await house.jobs.stop();
  });
});

describe("a heartbeat", () => {
  const heartbeat = { kind: "heartbeat" } as const;

  it("VA-3 tells nobody when the answer is the token, and says so in its history", async () => {
    const house = openHouse(() => ({ text: "HEARTBEAT_OK." }));
    await house.add(heartbeat);
    await house.runNow();
    expect(house.delivered).toEqual([]);
    expect(await house.last()).toMatchObject({ state: "completed", reason: "silent_reply" });
    expect(house.inputs[0]).toMatchObject({ origin: "heartbeat", mode: "heartbeat", config: { maxTokens: 4_096 } });
  });

  it("VA-3 tells any other answer", async () => {
    const house = openHouse(() => ({ text: "The door is open." }));
    await house.add(heartbeat);
    await house.runNow();
    expect(house.delivered).toMatchObject([{ text: "The door is open.", alerts: [] }]);
  });

  it("VA-3 tells the token too when a tool raised an alert", async () => {
    const alert: AgentEventBody = { type: "alert", severity: "critical", text: "Smoke." };
    const house = openHouse(() => ({ text: "HEARTBEAT_OK", events: [alert] }));
    await house.add(heartbeat);
    await house.runNow();
    expect(house.delivered).toMatchObject([{ text: "HEARTBEAT_OK", alerts: [alert] }]);
  });

  it("is skipped with the reason when there is nothing to do, unless somebody asks for it", async () => {
    const skipReason: JobsOptions["skipReason"] = async ({ kind }, wanted) =>
      kind === "heartbeat" && wanted === "due" ? "All is quiet." : undefined;
    const house = openHouse(() => ({ text: "HEARTBEAT_OK" }), { skipReason });
    await house.add(heartbeat);
    house.jobs.start();
    await house.advance(15 * MINUTE);
    expect(await house.last()).toMatchObject({ state: "skipped", reason: "All is quiet." });
    expect([house.inputs.length, ...house.log()]).toEqual([0, "run_skipped skipped"]);
    await house.runNow();
    expect(house.inputs).toHaveLength(1);
    await house.jobs.stop();
  });

  it("stays completed when telling fails or hangs, and the log has it", async () => {
    for (const deliver of [() => Promise.reject(new Error("no network")), () => new Promise<void>(() => undefined)]) {
      const house = openHouse(() => ({ text: "Fire." }), { deliver });
      await house.add(heartbeat);
      await house.jobs.runNow("job");
      await house.advance(15 * MINUTE);
      expect((await house.last())?.state).toBe("completed");
      expect(house.log()).toEqual(["run_started running", "delivery_failed running", "run_ended completed"]);
    }
  });
});

describe("missed and overlapping times", () => {
  it("complaint 10: skips the beats of the hours it was away, with a reason for each", async () => {
    const house = openHouse(() => ({ text: "HEARTBEAT_OK" }));
    await house.add({ kind: "heartbeat" });
    await house.advance(HOUR + 5 * MINUTE);
    house.jobs.start();
    await house.advance(10 * MINUTE);
    const states = (await house.history()).map(({ state, reason }) => [state, reason]);
    const missed = ["skipped", "missed"];
    expect(states).toEqual([["completed", "silent_reply"], missed, missed, missed, missed]);
    expect(house.events.filter(({ type }) => type === "run_skipped")).toHaveLength(4);
    await house.jobs.stop();
  });

  it("complaint 10: makes up a missed cron time once, by its own zone", async () => {
    const house = openHouse(() => ({}), { startMs: Date.parse("2026-03-28T20:00:00Z") });
    await house.add({ kind: "cron", trigger: { type: "cron", expression: "0 9 * * *", timeZone: "Europe/Berlin" } });
    await house.advance(12 * HOUR);
    house.jobs.start();
    await house.advance(1);
    expect(await house.history()).toMatchObject([{ dueAt: "2026-03-29T07:00:00.000Z", state: "completed" }]);
    await house.jobs.stop();
  });

  it("catches up one after the other", async () => {
    const house = openHouse(() => ({ takesMs: 20 * MINUTE }));
    const misfire = { policy: "catch_up", graceMs: 10 * HOUR, maxCatchUp: 2 } as const;
    await house.add({ kind: "cron", trigger: { type: "every", ms: HOUR }, misfire, timeoutMs: HOUR });
    await house.advance(3 * HOUR + 10 * MINUTE);
    house.jobs.start();
    await house.advance(45 * MINUTE);
    expect((await house.history()).map(({ state, startedAt }) => [state, startedAt?.slice(11, 16)])).toEqual([
      ["completed", "15:30"],
      ["completed", "15:10"],
      ["skipped", undefined],
    ]);
    await house.jobs.stop();
  });

  it("records a time that comes while the last run goes on as skipped, with the reason", async () => {
    const house = openHouse(() => ({ takesMs: 25 * MINUTE }));
    await house.add({ trigger: { type: "every", ms: 10 * MINUTE }, timeoutMs: HOUR });
    house.jobs.start();
    await house.advance(40 * MINUTE);
    expect((await house.history()).map(({ state, reason }) => reason ?? state)).toEqual([
      "running",
      "overlap",
      "overlap",
      "completed",
    ]);
    await house.jobs.stop();
  });

  it("lets one wait when the job says so", async () => {
    const house = openHouse(() => ({ takesMs: 25 * MINUTE }));
    await house.add({ trigger: { type: "every", ms: 10 * MINUTE }, timeoutMs: HOUR, overlap: "queue_one" });
    house.jobs.start();
    await house.advance(36 * MINUTE);
    expect((await house.history()).map(({ state, reason }) => reason ?? state)).toEqual([
      "overlap",
      "running",
      "completed",
    ]);
    await house.jobs.stop();
  });

  it("answers a second `runNow` with a skipped run", async () => {
    const house = openHouse(() => ({ takesMs: MINUTE }));
    await house.add({});
    await house.jobs.runNow("job");
    expect(await house.jobs.runNow("job")).toMatchObject({ state: "skipped", reason: "overlap" });
    await house.jobs.stop();
  });

  it("records a long absence as the newest 500 and one for all before", async () => {
    const house = openHouse(() => ({}), { store: createMemoryJobStore({ keepRuns: 9_999 }) });
    await house.add({ kind: "heartbeat", trigger: { type: "every", ms: 1_000 } });
    await house.advance(24 * HOUR);
    house.jobs.start();
    await house.advance(0);
    const history = await house.history(9_999);
    expect(history).toHaveLength(501);
    expect(history.at(-1)).toMatchObject({ state: "skipped", dueAt: "2026-06-01T12:00:01.000Z" });
    await house.jobs.stop();
  });

  it("does nothing while it is disabled, and makes nothing up for it", async () => {
    const house = openHouse(() => ({}));
    await house.add({ trigger: { type: "every", ms: HOUR }, enabled: false });
    house.jobs.start();
    await house.advance(3 * HOUR);
    await house.add({ trigger: { type: "every", ms: HOUR } });
    await house.advance(HOUR);
    expect(await house.history()).toHaveLength(1);
    await house.jobs.stop();
  });
});

describe("failures", () => {
  const network: ErrorView = { kind: "network", code: "reset", message: "Reset.", retryable: true };

  it("tries again after failures of the infrastructure, with a wait that doubles", async () => {
    const times: number[] = [];
    const house = openHouse((_, number) => {
      times.push(house.clock.now() - START);
      return number < 3 ? { outcome: { status: "failed", error: network } } : { text: "at last" };
    });
    await house.add({ retries: { max: 2, backoffMs: 1_000 } });
    await house.jobs.runNow("job");
    await house.advance(MINUTE);
    expect(times).toEqual([0, 1_000, 3_000]);
    expect(await house.last()).toMatchObject({ state: "completed", attempt: 3, output: { text: "at last" } });
    expect(new Set(house.inputs.map(({ dedupeKey }) => dedupeKey)).size).toBe(3);
  });

  it("gives up after its retries, with the error", async () => {
    const house = openHouse(() => ({ outcome: { status: "failed", error: network } }));
    await house.add({ retries: { max: 1, backoffMs: 0 } });
    await house.jobs.runNow("job");
    await house.advance(MINUTE);
    expect(await house.last()).toMatchObject({ state: "failed", attempt: 2, error: network });
  });

  it.each<[boolean, ErrorView]>([
    [true, { kind: "timeout", code: "idle", message: "", retryable: true }],
    [true, { kind: "rate_limit", code: "rate_limited", message: "", retryable: true }],
    [true, { kind: "agent", code: "overloaded", message: "", retryable: true }],
    [true, { kind: "invalid", code: "session_busy", message: "", retryable: false }],
    [false, { kind: "agent", code: "protocol", message: "", retryable: false }],
    [false, { kind: "invalid", code: "auth", message: "", retryable: false }],
    [false, { kind: "budget", code: "daily_limit", message: "", retryable: false }],
    [false, { kind: "tool", code: "threw", message: "", retryable: true }],
  ])("tries again: %s for %o", async (isRetried, error) => {
    const house = openHouse(() => ({ outcome: { status: "failed", error } }));
    await house.add({ retries: { max: 1, backoffMs: 0 } });
    await house.runNow();
    await house.advance(0);
    expect(house.inputs).toHaveLength(isRetried ? 2 : 1);
  });

  it("SC-13 ends what takes too long as timed_out, retries and all", async () => {
    const house = openHouse(() => ({ takesMs: HOUR }));
    await house.add({});
    await house.jobs.runNow("job");
    await house.advance(15 * MINUTE);
    expect(await house.last()).toMatchObject({ state: "timed_out", reason: "job_timeout" });
    const failing = openHouse(() => ({ outcome: { status: "failed", error: network } }));
    await failing.add({ retries: { max: 9, backoffMs: 10 * MINUTE } });
    await failing.jobs.runNow("job");
    await failing.advance(15 * MINUTE);
    expect(await failing.last()).toMatchObject({ state: "timed_out", attempt: 3 });
    expect(failing.clock.sleepers).toBe(0);
  });

  it.each([
    ["deadline", "timed_out"],
    ["budget", "failed"],
    ["max_iterations", "failed"],
    ["refusal", "failed"],
    ["terminated_by_tool", "completed"],
    ["stop_condition", "completed"],
  ] as const)("calls a run that finished by %s %s, and keeps its answer", async (finish, state) => {
    const house = openHouse(() => ({ outcome: { status: "finished", finish, summary: "so far" } }));
    await house.add({});
    await house.runNow();
    expect(await house.last()).toMatchObject({ state, output: { text: "so far" } });
  });

  it("cancels a run that goes on, one that waits, and leaves one that ended", async () => {
    const house = openHouse(() => ({ takesMs: MINUTE }));
    await house.add({ trigger: at(HOUR) });
    const waiting = (await house.last())?.id ?? "";
    const going = await house.jobs.runNow("job");
    await house.advance(1);
    await Promise.all([house.jobs.cancel(going.id), house.jobs.cancel(going.id)]);
    await house.jobs.cancel(waiting);
    await house.jobs.cancel(waiting);
    house.jobs.start();
    await house.advance(2 * HOUR);
    expect((await house.history()).map(({ state, reason }) => [state, reason])).toEqual([
      ["cancelled", "user"],
      ["cancelled", "user"],
    ]);
    await expect(house.jobs.cancel("no such")).rejects.toMatchObject({ code: "unknown_job_run" });
    await house.jobs.stop();
  });

  it("goes on with other jobs when one breaks the store", async () => {
    const store = createMemoryJobStore();
    const breaking: JobStore = {
      ...bind(store),
      addRuns: (id, ...rest) => (id === "bad" ? Promise.reject(new Error("torn")) : store.addRuns(id, ...rest)),
    };
    const house = openHouse(() => ({}), { store: breaking });
    await house.add({ id: "bad", trigger: { type: "every", ms: HOUR } });
    await house.add({ trigger: { type: "every", ms: HOUR } });
    house.jobs.start();
    await house.advance(HOUR);
    expect(await house.last()).toMatchObject({ state: "completed" });
    expect(house.events).toContainEqual(expect.objectContaining({ type: "scheduler_failed", jobId: "bad" }));
    await house.jobs.stop();
  });
});

describe("pauses", () => {
  it("waits in the state paused, runs on schedule meanwhile, and completes when somebody answers", async () => {
    const house = openHouse((_, number) => (number === 1 ? paused("p1") : { text: "later" }));
    await house.add({ trigger: { type: "every", ms: HOUR }, delivery: "alert" });
    const first = await house.runNow();
    expect(await house.last()).toMatchObject({ state: "paused", pause: { id: "p1" }, reason: "May I?" });
    house.jobs.start();
    await house.advance(HOUR);
    const answered = scriptedExecutor(house.clock, () => ({ text: "opened", takesMs: 1 })).execute(house.inputs[0]!);
    expect(await house.jobs.resumed("p1", answered)).toMatchObject({ id: first.id });
    expect(await house.jobs.resumed("p1", answered)).toBeUndefined();
    await house.advance(1);
    const run = (await house.history()).find(({ id }) => id === first.id);
    expect(run).toMatchObject({ state: "completed", output: { text: "opened" } });
    expect(run).not.toHaveProperty("pause");
    expect(house.delivered.map(({ text }) => text)).toEqual(["later", "opened"]);
    await house.jobs.stop();
  });

  it("is found by another process after a restart", async () => {
    const house = openHouse(() => paused("p1"));
    await house.add({});
    await house.runNow();
    await house.jobs.stop();
    const next = openHouse(() => ({}), { store: house.store, startMs: house.clock.now() });
    const handle = scriptedExecutor(next.clock, () => ({ text: "yes" })).execute(house.inputs[0]!);
    await next.jobs.resumed("p1", handle);
    await next.advance(0);
    expect(await next.last()).toMatchObject({ state: "completed", output: { text: "yes" } });
  });

  it("is cancelled when nobody answers in time", async () => {
    const house = openHouse(() => paused("p1", new Date(START + HOUR).toISOString()));
    await house.add({});
    await house.runNow();
    house.jobs.start();
    await house.advance(2 * HOUR);
    expect(await house.last()).toMatchObject({ state: "cancelled", reason: "pause_expired" });
    await house.jobs.stop();
  });
});

describe("sub-actions", () => {
  it("SC-14 makes actions of the signal GENERATE_ACTIONS, with the parent's principal and tools", async () => {
    const count = { instructions: "Count.", schedule_time: "2026-06-01T13:00:00Z" };
    const data: Json = { actions: [count, { note: "no" }] };
    const house = openHouse(({ text }) => (text === "Look." ? { signals: [{ name: "GENERATE_ACTIONS", data }] } : {}));
    await house.add({ tools: { deny: ["unlock"] }, principal: { userId: "ann" } });
    await house.runNow();
    expect(await house.jobs.list()).toMatchObject([
      { id: "job" },
      {
        kind: "action",
        taskConfig: { instructions: "Count." },
        trigger: { type: "at", time: "2026-06-01T13:00:00Z" },
        parent: { jobId: "job", depth: 1 },
        principal: { userId: "ann" },
        tools: { deny: ["unlock"] },
      },
    ]);
    house.jobs.start();
    await house.advance(HOUR);
    expect(house.inputs.map(({ text }) => text)).toEqual(["Look.", "Count."]);
    await house.jobs.stop();
  });

  it("SC-14 stops at a depth of three", async () => {
    const signals = [{ name: "GENERATE_ACTIONS", data: [{ instructions: "Again." }] }];
    const house = openHouse(() => ({ signals }));
    await house.add({});
    house.jobs.start();
    await house.jobs.runNow("job");
    await house.advance(HOUR);
    expect((await house.jobs.list()).map(({ parent }) => parent?.depth ?? 0)).toEqual([0, 1, 2, 3]);
    expect(house.events).toContainEqual(
      expect.objectContaining({ type: "action_refused", error: expect.objectContaining({ code: "action_depth" }) }),
    );
    await house.jobs.stop();
  });

  it("SC-14 lets agents make so many a day, by the day of the zone, and makes the same one once", async () => {
    const house = openHouse(() => ({}), { actions: { maxPerDay: 2 }, timeZone: "Europe/Berlin" });
    const create = (key: string): Promise<JobSpec> =>
      house.jobs.createAction({ instructions: "Look." }, { runId: "chat", principal: { userId: "u" }, key });
    const first = await create("a");
    expect(await create("a")).toEqual(first);
    expect(first).not.toHaveProperty("parent");
    await create("b");
    await expect(create("c")).rejects.toMatchObject({ kind: "invalid", code: "action_limit" });
    await house.advance(10 * HOUR);
    await create("c");
  });

  it("SC-14 has a tool that makes actions, under the job whose run calls it", async () => {
    const house = openHouse(() => ({ takesMs: MINUTE }));
    await house.add({});
    await house.jobs.runNow("job");
    await house.advance(1);
    const tool = createActionTool(house.jobs);
    const context = { runId: "run_1", principal: { userId: "u" }, idempotencyKey: "k" } as ToolContext;
    const time = "2026-06-01T13:00:00Z";
    const output = await tool.execute({ instructions: "Count.", schedule_time: time, notify: false }, context);
    const [, made] = await house.jobs.list();
    expect(output).toEqual({ action_id: made?.id, schedule_time: time });
    expect(made).toMatchObject({ parent: { jobId: "job", depth: 1 }, delivery: "store" });
    await expect(
      tool.execute({ instructions: "Count.", schedule_time: "soon" }, { ...context, idempotencyKey: "l" }),
    ).rejects.toMatchObject({ code: "bad_job" });
    await house.jobs.stop();
  });
});

describe("starting and stopping", () => {
  it("does both twice, and leaves nothing behind", async () => {
    const house = openHouse(() => ({}));
    await house.add({ trigger: { type: "every", ms: HOUR } });
    house.jobs.start();
    house.jobs.start();
    await house.advance(HOUR);
    await Promise.all([house.jobs.stop(), house.jobs.stop()]);
    await house.jobs.stop();
    expect([house.inputs.length, house.clock.sleepers]).toEqual([1, 0]);
    await expect(house.jobs.runNow("job")).rejects.toMatchObject({ code: "jobs_stopped" });
    house.jobs.start();
    await house.advance(HOUR);
    expect(house.inputs).toHaveLength(2);
    await house.jobs.stop();
  });

  it("waits for what runs as long as it is told, then cancels it", async () => {
    for (const [graceMs, state] of [
      [2 * MINUTE, "completed"],
      [MINUTE / 2, "cancelled"],
    ] as const) {
      const house = openHouse(() => ({ takesMs: MINUTE }));
      await house.add({});
      await house.jobs.runNow("job");
      await house.advance(1);
      const stopping = house.jobs.stop(graceMs);
      await house.advance(2 * MINUTE);
      await stopping;
      expect(await house.last()).toMatchObject({ state });
      expect(house.clock.sleepers).toBe(0);
    }
  });

  it("notices a job that is added while it naps", async () => {
    const house = openHouse(() => ({}));
    house.jobs.start();
    await house.advance(10);
    await house.add({ trigger: at(1_000) });
    await house.advance(1_000);
    expect(await house.last()).toMatchObject({ state: "completed", startedAt: "2026-06-01T12:00:01.000Z" });
    await house.jobs.stop();
  });

  it("keeps the place in time of a job that is stated again at every start", async () => {
    const house = openHouse(() => ({}));
    await house.add({
      trigger: { type: "every", ms: HOUR },
      misfire: { policy: "run_once", graceMs: 9 * HOUR, maxCatchUp: 1 },
    });
    await house.advance(90 * MINUTE);
    await house.add({
      trigger: { ms: HOUR, type: "every" },
      misfire: { policy: "run_once", graceMs: 9 * HOUR, maxCatchUp: 1 },
    });
    house.jobs.start();
    await house.advance(1);
    expect(await house.last()).toMatchObject({ state: "completed", dueAt: "2026-06-01T13:00:00.000Z" });
    await house.jobs.stop();
  });

  it("removes a job with its history and cancels its run", async () => {
    const signals = [{ name: "GENERATE_ACTIONS", data: [{ instructions: "Again." }] }];
    const house = openHouse(() => ({ takesMs: MINUTE, signals }));
    await house.add({});
    await house.jobs.runNow("job");
    await house.advance(1);
    expect([await house.jobs.remove("job"), await house.jobs.remove("job")]).toEqual([true, false]);
    expect([await house.jobs.list(), await house.history()]).toEqual([[], []]);
    expect(house.log().at(-1)).toBe("run_ended cancelled");
  });
});

describe("after a crash", () => {
  it("runs again what was going on, when its lease is over and retries are left", async () => {
    const house = openHouse(() => ({ takesMs: HOUR }));
    await house.add({ trigger: at(0), timeoutMs: 2 * HOUR });
    house.jobs.start();
    await house.advance(10);
    const next = openHouse(() => ({ text: "again" }), { store: house.store, startMs: house.clock.now() });
    next.jobs.start();
    await next.advance(50_000);
    expect(next.inputs).toHaveLength(0);
    await next.advance(2 * MINUTE);
    expect(await next.last()).toMatchObject({ state: "completed", attempt: 2, output: { text: "again" } });
    await next.jobs.stop();
    // The first one was not dead after all: it finds its lease gone, and changes nothing.
    await house.advance(2 * MINUTE);
    expect(house.clock.sleepers).toBe(1);
    expect(await next.last()).toMatchObject({ state: "completed", output: { text: "again" } });
    await house.jobs.stop();
  });

  it("says interrupted when no retries are left", async () => {
    const house = openHouse(() => ({ takesMs: HOUR }));
    await house.add({ retries: { max: 0, backoffMs: 0 } });
    await house.jobs.runNow("job");
    await house.advance(1);
    const next = openHouse(() => ({}), { store: house.store, startMs: house.clock.now() });
    next.jobs.start();
    await next.advance(5 * MINUTE);
    expect(await next.last()).toMatchObject({ state: "failed", error: { code: "interrupted" } });
    await next.jobs.stop();
  });

  it("tells an answer that was stored and not yet told, without asking the model again", async () => {
    const dying = openHouse(() => ({ text: "Smoke!" }), { deliver: () => new Promise<void>(() => undefined) });
    await dying.add({ delivery: "alert" });
    await dying.jobs.runNow("job");
    await dying.advance(1);
    const next = openHouse(() => ({}), { store: dying.store, startMs: dying.clock.now() });
    next.jobs.start();
    await next.advance(5 * MINUTE);
    expect(next.delivered).toMatchObject([{ text: "Smoke!" }]);
    expect(next.inputs).toHaveLength(0);
    expect(await next.last()).toMatchObject({ state: "completed", output: { text: "Smoke!" } });
    await next.jobs.stop();
  });
});

interface House {
  readonly jobs: Jobs;
  readonly clock: FakeClock;
  readonly store: JobStore;
  readonly events: readonly JobEvent[];
  readonly delivered: readonly Delivery[];
  readonly inputs: ReturnType<typeof scriptedExecutor>["inputs"];
  /** Lets everything begin that is about to, then moves time on. */
  advance(ms: number): Promise<void>;
  add(input: Partial<JobInput>): Promise<void>;
  /** Begins it and lets it end, where it takes no time. */
  runNow(): Promise<JobRun>;
  history(limit?: number): Promise<readonly JobRun[]>;
  last(): Promise<JobRun | undefined>;
  log(): readonly string[];
}

function openHouse(
  script: Parameters<typeof scriptedExecutor>[1],
  { startMs = START, ...options }: Partial<JobsOptions> & { readonly startMs?: number } = {},
): House {
  const clock = createFakeClock(startMs);
  const executor = scriptedExecutor(clock, script);
  const store = options.store ?? createMemoryJobStore();
  const events: JobEvent[] = [];
  const delivered: Delivery[] = [];
  const jobs = createJobs({
    executor,
    clock,
    ids: createCountingIds(),
    deliver: (delivery) => void delivered.push(delivery),
    onEvent: (event) => events.push(event),
    ...options,
    store,
  });
  const history = (limit = 50): Promise<readonly JobRun[]> => jobs.history("job", limit);
  return {
    jobs,
    clock,
    store,
    events,
    delivered,
    inputs: executor.inputs,
    async advance(ms) {
      await clock.advance(0);
      await clock.advance(ms);
    },
    add: (input) =>
      jobs.upsert(
        createJobSpec({ id: "job", kind: "action", instructions: "Look.", principal: { userId: "u" }, ...input }),
      ),
    async runNow() {
      const run = await jobs.runNow("job");
      await clock.advance(0);
      return run;
    },
    history,
    last: async () => (await history(1))[0],
    log: () => events.map((event) => ("run" in event ? `${event.type} ${event.run.state}` : event.type)),
  };
}

function at(afterMs: number): { readonly type: "at"; readonly time: string } {
  return { type: "at", time: new Date(START + afterMs).toISOString() };
}

function artifact(id: string, reason: "tool" | "input"): AgentEventBody {
  const ref = { id, mimeType: "image/jpeg", bytes: 1, sha256: "", namespace: "", createdAt: "" };
  return { type: "artifact", ref, reason };
}

function paused(id: string, expiresAt?: string): ExecutorStep {
  const pause: PauseRecord = {
    id,
    kind: "approval",
    prompt: "May I?",
    runId: "run_1",
    sessionId: "job_1",
    turn: 1,
    createdAt: "",
    calls: [],
    token: "",
    remaining: { iterations: 1, wallMs: 1 },
    expiresAt,
  };
  return { outcome: { status: "paused", pause } };
}

/** Its methods as plain functions, so that some can be replaced. */
function bind(store: JobStore): JobStore {
  return {
    isExclusive: store.isExclusive,
    jobs: () => store.jobs(),
    putJob: (job) => store.putJob(job),
    removeJob: (id) => store.removeJob(id),
    addRuns: (...rest) => store.addRuns(...rest),
    swapRun: (run) => store.swapRun(run),
    run: (id) => store.run(id),
    runs: (filter) => store.runs(filter),
    close: () => store.close(),
  };
}
