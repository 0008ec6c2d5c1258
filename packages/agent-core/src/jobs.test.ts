import { describe, expect, it } from "vitest";
import {
  createActionTool,
  createJobSpec,
  createJobs,
  createMemoryJobStore,
  type JobDelivery,
  type JobEvent,
  type JobInput,
  type JobRun,
  type JobSpec,
  type JobStore,
  type Jobs,
  type JobsOptions,
} from "./jobs.ts";
import { createSecretTokens } from "./observability/secret-tokens.ts";
import { createCountingIds } from "./testing/counting-ids.ts";
import { createFakeClock, type FakeClock } from "./testing/fake-clock.ts";
import { type ExecutorStep, scriptedExecutor } from "./testing/scripted-executor.ts";
import type { ToolContext } from "./tools/tool.ts";
import type { ErrorView } from "./types/errors.ts";
import type { AgentEventBody } from "./types/events.ts";
import type { Json } from "./types/json.ts";
import type { PauseRecord } from "./types/message.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse("2026-06-01T12:00:00Z");

describe("an action", () => {
  it("SC-10 SC-11 goes from scheduled to completed when its time has come, and its start is logged", async () => {
    const scheduler = openScheduler(() => ({ text: "done" }));
    await scheduler.add({ trigger: at(10 * MINUTE) });
    scheduler.jobs.start();
    await scheduler.advance(9 * MINUTE);
    expect(await scheduler.last()).toMatchObject({ state: "scheduled", dueAt: "2026-06-01T12:10:00.000Z" });
    await scheduler.advance(MINUTE);
    expect(await scheduler.last()).toMatchObject({
      state: "completed",
      startedAt: "2026-06-01T12:10:00.000Z",
      attempt: 1,
    });
    await scheduler.advance(24 * HOUR);
    expect(scheduler.log()).toEqual(["run_started running", "run_ended completed"]);
    await scheduler.jobs.stop();
  });

  it("SC-11 runs late when its time passed while nobody was there", async () => {
    const scheduler = openScheduler(() => ({}));
    await scheduler.add({ trigger: at(-3 * HOUR) });
    scheduler.jobs.start();
    await scheduler.advance(1);
    expect(await scheduler.last()).toMatchObject({ state: "completed", dueAt: "2026-06-01T09:00:00.000Z" });
    await scheduler.jobs.stop();
  });

  it("SC-12 runs when somebody says so, before `start` and beside its schedule", async () => {
    const scheduler = openScheduler(() => ({ takesMs: 1 }));
    await scheduler.add({});
    const begun = await scheduler.jobs.runNow("job");
    expect(["claimed", "running"]).toContain(begun.state);
    await scheduler.advance(1);
    expect((await scheduler.history()).map(({ id, state }) => [id, state])).toEqual([[begun.id, "completed"]]);
    await expect(scheduler.jobs.runNow("other")).rejects.toMatchObject({ code: "unknown_job" });
  });

  it("SC-14 SC-1 hands the same executor its instructions, tools, pictures and principal", async () => {
    const scheduler = openScheduler(() => ({}));
    const tools = { allow: ["look"] };
    await scheduler.add({ images: ["art_1"], tools, principal: { userId: "ann" }, mode: "review" });
    await scheduler.runNow();
    expect(scheduler.inputs[0]).toMatchObject({
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
    const scheduler = openScheduler(
      () => ({ text: "two cars", events: [artifact("art_7", "tool"), artifact("art_8", "input")] }),
      { store, deliver: async ({ run }) => void seen.push((await store.run(run.id)) ?? run) },
    );
    await scheduler.add({});
    await scheduler.runNow();
    expect(seen).toMatchObject([{ state: "running", output: { text: "two cars", artifacts: ["art_7"] } }]);
    expect(await scheduler.last()).toMatchObject({
      state: "completed",
      output: { text: "two cars", artifacts: ["art_7"] },
    });
  });

  it("keeps nothing but the state when it is told to", async () => {
    const scheduler = openScheduler(() => ({ text: "secret" }));
    await scheduler.add({ delivery: "none" });
    await scheduler.runNow();
    expect(await scheduler.last()).toMatchObject({ state: "completed", output: {} });
  });

  it("VA-20 has a conversation of its own each time, or the one it is given", async () => {
    const scheduler = openScheduler(() => ({}));
    await scheduler.add({});
    await scheduler.runNow();
    await scheduler.runNow();
    await scheduler.add({ session: { mode: "main", sessionId: "chat" } });
    await scheduler.runNow();
    expect(scheduler.inputs.map(({ sessionId }) => sessionId)).toEqual(["job_1", "job_2", "chat"]);
    expect(await scheduler.last()).toMatchObject({ sessionId: "chat", runId: "run_3" });
  });

  it("does not run at the old time when it was moved", async () => {
    const scheduler = openScheduler(() => ({}));
    await scheduler.add({ trigger: at(10 * MINUTE) });
    await scheduler.add({ trigger: at(20 * MINUTE) });
    scheduler.jobs.start();
    await scheduler.advance(HOUR);
    expect((await scheduler.history()).map(({ state, reason }) => reason ?? state)).toEqual([
      "completed",
      "rescheduled",
    ]);
    await scheduler.jobs.stop();
  });
});

describe("functions of the host that fail", () => {
  it.each([
    [
      "throws",
      () => {
        throw new Error("no log");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no log"))],
  ])("SC-11 an onEvent that %s stops no job", async (_, onEvent) => {
    const { add, runNow, last } = openScheduler(() => ({ text: "done" }), { onEvent: onEvent as () => void });
    await add({ trigger: { type: "manual" } });
    await runNow();
    expect(await last()).toMatchObject({ state: "completed" });
  });

  it("SC-11 a skipReason that fails ends the run, and the next one begins", async () => {
    let isBroken = true;
    const skipReason = async (): Promise<undefined> => {
      if (isBroken) throw new Error("no database");
    };
    const { add, runNow, history } = openScheduler(() => ({ text: "done" }), { skipReason });
    await add({ trigger: { type: "manual" } });
    expect(await runNow()).toMatchObject({ state: "failed", error: { code: "host_callback" } });
    isBroken = false;
    await runNow();
    expect((await history()).map(({ state }) => state)).toEqual(["completed", "failed"]);
  });
});

describe("secrets of the host", () => {
  it("VI-13 are tokens in the instructions that are stored", async () => {
    const secrets = createSecretTokens({ secrets: ["hunter2hunter2"], key: async () => new Uint8Array(32) });
    const store = createMemoryJobStore();
    const { add } = openScheduler(() => ({}), { store, secrets });
    await add({ instructions: "Log in with hunter2hunter2.", trigger: { type: "manual" } });
    expect(JSON.stringify(await store.jobs())).not.toContain("hunter2");
    expect((await store.jobs())[0]?.spec.taskConfig.instructions).toMatch(/^Log in with <secret:/);
  });
});

describe("a heartbeat", () => {
  const heartbeat = { kind: "heartbeat" } as const;

  it("VA-3 tells nobody when the answer is the token, and says so in its history", async () => {
    const scheduler = openScheduler(() => ({ text: "HEARTBEAT_OK." }));
    await scheduler.add(heartbeat);
    await scheduler.runNow();
    expect(scheduler.delivered).toEqual([]);
    expect(await scheduler.last()).toMatchObject({ state: "completed", reason: "silent_reply" });
    expect(scheduler.inputs[0]).toMatchObject({ origin: "heartbeat", mode: "heartbeat", config: { maxTokens: 4_096 } });
  });

  it("VA-3 tells any other answer", async () => {
    const scheduler = openScheduler(() => ({ text: "The door is open." }));
    await scheduler.add(heartbeat);
    await scheduler.runNow();
    expect(scheduler.delivered).toMatchObject([{ text: "The door is open.", alerts: [] }]);
  });

  it("VA-3 tells the token too when a tool raised an alert", async () => {
    const alert: AgentEventBody = { type: "alert", severity: "critical", text: "Smoke." };
    const scheduler = openScheduler(() => ({ text: "HEARTBEAT_OK", events: [alert] }));
    await scheduler.add(heartbeat);
    await scheduler.runNow();
    expect(scheduler.delivered).toMatchObject([{ text: "HEARTBEAT_OK", alerts: [alert] }]);
  });

  it("is skipped with the reason when there is nothing to do, unless somebody asks for it", async () => {
    const skipReason: JobsOptions["skipReason"] = async ({ kind }, wanted) =>
      kind === "heartbeat" && wanted === "due" ? "All is quiet." : undefined;
    const scheduler = openScheduler(() => ({ text: "HEARTBEAT_OK" }), { skipReason });
    await scheduler.add(heartbeat);
    scheduler.jobs.start();
    await scheduler.advance(15 * MINUTE);
    expect(await scheduler.last()).toMatchObject({ state: "skipped", reason: "All is quiet." });
    expect([scheduler.inputs.length, ...scheduler.log()]).toEqual([0, "run_skipped skipped"]);
    await scheduler.runNow();
    expect(scheduler.inputs).toHaveLength(1);
    await scheduler.jobs.stop();
  });

  it("stays completed when telling fails or hangs, and the log has it", async () => {
    for (const deliver of [() => Promise.reject(new Error("no network")), () => new Promise<void>(() => undefined)]) {
      const scheduler = openScheduler(() => ({ text: "Fire." }), { deliver });
      await scheduler.add(heartbeat);
      await scheduler.jobs.runNow("job");
      await scheduler.advance(15 * MINUTE);
      expect((await scheduler.last())?.state).toBe("completed");
      expect(scheduler.log()).toEqual(["run_started running", "delivery_failed running", "run_ended completed"]);
    }
  });
});

describe("missed and overlapping times", () => {
  it("complaint 10: skips the beats of the hours it was away, with a reason for each", async () => {
    const scheduler = openScheduler(() => ({ text: "HEARTBEAT_OK" }));
    await scheduler.add({ kind: "heartbeat" });
    await scheduler.advance(HOUR + 5 * MINUTE);
    scheduler.jobs.start();
    await scheduler.advance(10 * MINUTE);
    const states = (await scheduler.history()).map(({ state, reason }) => [state, reason]);
    const missed = ["skipped", "missed"];
    expect(states).toEqual([["completed", "silent_reply"], missed, missed, missed, missed]);
    expect(scheduler.events.filter(({ type }) => type === "run_skipped")).toHaveLength(4);
    await scheduler.jobs.stop();
  });

  it("complaint 10: makes up a missed cron time once, by its own zone", async () => {
    const scheduler = openScheduler(() => ({}), { startMs: Date.parse("2026-03-28T20:00:00Z") });
    await scheduler.add({
      kind: "cron",
      trigger: { type: "cron", expression: "0 9 * * *", timeZone: "Europe/Berlin" },
    });
    await scheduler.advance(12 * HOUR);
    scheduler.jobs.start();
    await scheduler.advance(1);
    expect(await scheduler.history()).toMatchObject([{ dueAt: "2026-03-29T07:00:00.000Z", state: "completed" }]);
    await scheduler.jobs.stop();
  });

  it("catches up one after the other", async () => {
    const scheduler = openScheduler(() => ({ takesMs: 20 * MINUTE }));
    const misfire = { policy: "catch_up", graceMs: 10 * HOUR, maxCatchUp: 2 } as const;
    await scheduler.add({ kind: "cron", trigger: { type: "every", ms: HOUR }, misfire, timeoutMs: HOUR });
    await scheduler.advance(3 * HOUR + 10 * MINUTE);
    scheduler.jobs.start();
    await scheduler.advance(45 * MINUTE);
    expect((await scheduler.history()).map(({ state, startedAt }) => [state, startedAt?.slice(11, 16)])).toEqual([
      ["completed", "15:30"],
      ["completed", "15:10"],
      ["skipped", undefined],
    ]);
    await scheduler.jobs.stop();
  });

  it("records a time that comes while the last run goes on as skipped, with the reason", async () => {
    const scheduler = openScheduler(() => ({ takesMs: 25 * MINUTE }));
    await scheduler.add({ trigger: { type: "every", ms: 10 * MINUTE }, timeoutMs: HOUR });
    scheduler.jobs.start();
    await scheduler.advance(40 * MINUTE);
    expect((await scheduler.history()).map(({ state, reason }) => reason ?? state)).toEqual([
      "running",
      "overlap",
      "overlap",
      "completed",
    ]);
    await scheduler.jobs.stop();
  });

  it("lets one wait when the job says so", async () => {
    const scheduler = openScheduler(() => ({ takesMs: 25 * MINUTE }));
    await scheduler.add({ trigger: { type: "every", ms: 10 * MINUTE }, timeoutMs: HOUR, overlap: "queue_one" });
    scheduler.jobs.start();
    await scheduler.advance(36 * MINUTE);
    expect((await scheduler.history()).map(({ state, reason }) => reason ?? state)).toEqual([
      "overlap",
      "running",
      "completed",
    ]);
    await scheduler.jobs.stop();
  });

  it("answers a second `runNow` with a skipped run", async () => {
    const scheduler = openScheduler(() => ({ takesMs: MINUTE }));
    await scheduler.add({});
    await scheduler.jobs.runNow("job");
    expect(await scheduler.jobs.runNow("job")).toMatchObject({ state: "skipped", reason: "overlap" });
    await scheduler.jobs.stop();
  });

  it("records a long absence as the newest 500 and one for all before", async () => {
    const scheduler = openScheduler(() => ({}), { store: createMemoryJobStore({ keepRuns: 9_999 }) });
    await scheduler.add({ kind: "heartbeat", trigger: { type: "every", ms: 1_000 } });
    await scheduler.advance(24 * HOUR);
    scheduler.jobs.start();
    await scheduler.advance(0);
    const history = await scheduler.history(9_999);
    expect(history).toHaveLength(501);
    expect(history.at(-1)).toMatchObject({ state: "skipped", dueAt: "2026-06-01T12:00:01.000Z" });
    await scheduler.jobs.stop();
  });

  it("does nothing while it is disabled, and makes nothing up for it", async () => {
    const scheduler = openScheduler(() => ({}));
    await scheduler.add({ trigger: { type: "every", ms: HOUR }, enabled: false });
    scheduler.jobs.start();
    await scheduler.advance(3 * HOUR);
    await scheduler.add({ trigger: { type: "every", ms: HOUR } });
    await scheduler.advance(HOUR);
    expect(await scheduler.history()).toHaveLength(1);
    await scheduler.jobs.stop();
  });
});

describe("failures", () => {
  const network: ErrorView = { kind: "network", code: "reset", message: "Reset.", retryable: true };

  it("tries again after failures of the infrastructure, with a wait that doubles", async () => {
    const times: number[] = [];
    const scheduler = openScheduler((_, number) => {
      times.push(scheduler.clock.now() - START);
      return number < 3 ? { outcome: { status: "failed", error: network } } : { text: "at last" };
    });
    await scheduler.add({ retries: { max: 2, backoffMs: 1_000 } });
    await scheduler.jobs.runNow("job");
    await scheduler.advance(MINUTE);
    expect(times).toEqual([0, 1_000, 3_000]);
    expect(await scheduler.last()).toMatchObject({ state: "completed", attempt: 3, output: { text: "at last" } });
    expect(new Set(scheduler.inputs.map(({ dedupeKey }) => dedupeKey)).size).toBe(3);
  });

  it("gives up after its retries, with the error", async () => {
    const scheduler = openScheduler(() => ({ outcome: { status: "failed", error: network } }));
    await scheduler.add({ retries: { max: 1, backoffMs: 0 } });
    await scheduler.jobs.runNow("job");
    await scheduler.advance(MINUTE);
    expect(await scheduler.last()).toMatchObject({ state: "failed", attempt: 2, error: network });
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
    const scheduler = openScheduler(() => ({ outcome: { status: "failed", error } }));
    await scheduler.add({ retries: { max: 1, backoffMs: 0 } });
    await scheduler.runNow();
    await scheduler.advance(0);
    expect(scheduler.inputs).toHaveLength(isRetried ? 2 : 1);
  });

  it("SC-13 ends what takes too long as timed_out, retries and all", async () => {
    const scheduler = openScheduler(() => ({ takesMs: HOUR }));
    await scheduler.add({});
    await scheduler.jobs.runNow("job");
    await scheduler.advance(15 * MINUTE);
    expect(await scheduler.last()).toMatchObject({ state: "timed_out", reason: "job_timeout" });
    const failing = openScheduler(() => ({ outcome: { status: "failed", error: network } }));
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
    ["stop_condition", "failed"],
  ] as const)("calls a run that was stopped by %s %s, and keeps what was said", async (reason, state) => {
    const outcome = { status: "stopped", reason, message: "Stopped.", text: "so far" } as const;
    const scheduler = openScheduler(() => ({ outcome }));
    await scheduler.add({});
    await scheduler.runNow();
    expect(await scheduler.last()).toMatchObject({ state, output: { text: "so far" } });
  });

  it("cancels a run that goes on, one that waits, and leaves one that ended", async () => {
    const scheduler = openScheduler(() => ({ takesMs: MINUTE }));
    await scheduler.add({ trigger: at(HOUR) });
    const waiting = (await scheduler.last())?.id ?? "";
    const going = await scheduler.jobs.runNow("job");
    await scheduler.advance(1);
    await Promise.all([scheduler.jobs.cancel(going.id), scheduler.jobs.cancel(going.id)]);
    await scheduler.jobs.cancel(waiting);
    await scheduler.jobs.cancel(waiting);
    scheduler.jobs.start();
    await scheduler.advance(2 * HOUR);
    expect((await scheduler.history()).map(({ state, reason }) => [state, reason])).toEqual([
      ["cancelled", "user"],
      ["cancelled", "user"],
    ]);
    await expect(scheduler.jobs.cancel("no such")).rejects.toMatchObject({ code: "unknown_job_run" });
    await scheduler.jobs.stop();
  });

  it("goes on with other jobs when one breaks the store", async () => {
    const store = createMemoryJobStore();
    const breaking: JobStore = {
      ...bind(store),
      addRuns: (id, ...rest) => (id === "bad" ? Promise.reject(new Error("torn")) : store.addRuns(id, ...rest)),
    };
    const scheduler = openScheduler(() => ({}), { store: breaking });
    await scheduler.add({ id: "bad", trigger: { type: "every", ms: HOUR } });
    await scheduler.add({ trigger: { type: "every", ms: HOUR } });
    scheduler.jobs.start();
    await scheduler.advance(HOUR);
    expect(await scheduler.last()).toMatchObject({ state: "completed" });
    expect(scheduler.events).toContainEqual(expect.objectContaining({ type: "scheduler_failed", jobId: "bad" }));
    await scheduler.jobs.stop();
  });
});

describe("pauses", () => {
  it("waits in the state paused, runs on schedule meanwhile, and completes when somebody answers", async () => {
    const scheduler = openScheduler((_, number) => (number === 1 ? paused("s~p1") : { text: "later" }));
    await scheduler.add({ trigger: { type: "every", ms: HOUR }, delivery: "alert" });
    const first = await scheduler.runNow();
    expect(await scheduler.last()).toMatchObject({ state: "paused", pause: { id: "s~p1" }, reason: "May I?" });
    scheduler.jobs.start();
    await scheduler.advance(HOUR);
    const answered = scriptedExecutor(scheduler.clock, () => ({ text: "opened", takesMs: 1 })).execute(
      scheduler.inputs[0]!,
    );
    expect(await scheduler.jobs.resumed("s~p1", answered)).toMatchObject({ id: first.id });
    expect(await scheduler.jobs.resumed("s~p1", answered)).toBeUndefined();
    await scheduler.advance(1);
    const run = (await scheduler.history()).find(({ id }) => id === first.id);
    expect(run).toMatchObject({ state: "completed", output: { text: "opened" } });
    expect(run).not.toHaveProperty("pause");
    expect(scheduler.delivered.map(({ text }) => text)).toEqual(["later", "opened"]);
    await scheduler.jobs.stop();
  });

  it("is found by another process after a restart", async () => {
    const scheduler = openScheduler(() => paused("s~p1"));
    await scheduler.add({});
    await scheduler.runNow();
    await scheduler.jobs.stop();
    const next = openScheduler(() => ({}), { store: scheduler.store, startMs: scheduler.clock.now() });
    const handle = scriptedExecutor(next.clock, () => ({ text: "yes" })).execute(scheduler.inputs[0]!);
    await next.jobs.resumed("s~p1", handle);
    await next.advance(0);
    expect(await next.last()).toMatchObject({ state: "completed", output: { text: "yes" } });
  });

  it("is cancelled when nobody answers in time", async () => {
    const scheduler = openScheduler(() => paused("s~p1", new Date(START + HOUR).toISOString()));
    await scheduler.add({});
    await scheduler.runNow();
    scheduler.jobs.start();
    await scheduler.advance(2 * HOUR);
    expect(await scheduler.last()).toMatchObject({ state: "cancelled", reason: "pause_expired" });
    await scheduler.jobs.stop();
  });
});

describe("the conversation and the model of a job", () => {
  it("gives every run of an isolated job a conversation of its own, named after its session id", async () => {
    const scheduler = openScheduler(() => ({}));
    await scheduler.add({ session: { mode: "isolated", sessionId: "reports" } });
    await scheduler.runNow();
    await scheduler.runNow();
    const ids = scheduler.inputs.map(({ sessionId }) => sessionId);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^reports\.job_/);
  });

  it("uses the conversation of a main job as it is named", async () => {
    const scheduler = openScheduler(() => ({}));
    await scheduler.add({ session: { mode: "main", sessionId: "chat:ada@home" } });
    await scheduler.runNow();
    expect(scheduler.inputs.map(({ sessionId }) => sessionId)).toEqual(["chat:ada@home"]);
  });

  it("runs with the model of the job, and so do the actions that it makes", async () => {
    const signals = [{ name: "GENERATE_ACTIONS", data: [{ instructions: "Again." }] }];
    const scheduler = openScheduler(({ text }) => (text === "Look." ? { signals } : {}));
    await scheduler.add({ model: "small-1" });
    scheduler.jobs.start();
    await scheduler.runNow();
    await scheduler.advance(MINUTE);
    expect(scheduler.inputs.map(({ text, model }) => [text, model])).toEqual([
      ["Look.", "small-1"],
      ["Again.", "small-1"],
    ]);
    await scheduler.jobs.stop();
  });
});

describe("sub-actions", () => {
  it("SC-14 makes actions of the signal GENERATE_ACTIONS, with the parent's principal and tools", async () => {
    const count = { instructions: "Count.", schedule_time: "2026-06-01T13:00:00Z" };
    const data: Json = { actions: [count, { note: "no" }] };
    const scheduler = openScheduler(({ text }) =>
      text === "Look." ? { signals: [{ name: "GENERATE_ACTIONS", data }] } : {},
    );
    await scheduler.add({ tools: { deny: ["unlock"] }, principal: { userId: "ann" } });
    await scheduler.runNow();
    expect(await scheduler.jobs.list()).toMatchObject([
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
    scheduler.jobs.start();
    await scheduler.advance(HOUR);
    expect(scheduler.inputs.map(({ text }) => text)).toEqual(["Look.", "Count."]);
    await scheduler.jobs.stop();
  });

  it("SC-10 SC-14 reads actions as the seed writes them, and runs none before its time", async () => {
    const data: Json = [
      {
        name: "digest",
        state: "scheduled",
        scheduleTime: "2026-06-01T13:00:00Z",
        taskConfig: { instructions: "Digest." },
      },
      { schedule_time: "2026-06-01T14:00:00Z", task_config: { instructions: "Research." } },
    ];
    const scheduler = openScheduler(({ text }) =>
      text === "Look." ? { signals: [{ name: "GENERATE_ACTIONS", data }] } : {},
    );
    await scheduler.add({});
    scheduler.jobs.start();
    await scheduler.runNow();
    await scheduler.advance(MINUTE);
    expect(scheduler.inputs.map(({ text }) => text)).toEqual(["Look."]);
    await scheduler.advance(HOUR);
    expect(scheduler.inputs.map(({ text }) => text)).toEqual(["Look.", "Digest."]);
    await scheduler.advance(HOUR);
    expect(scheduler.inputs.map(({ text }) => text)).toEqual(["Look.", "Digest.", "Research."]);
    await scheduler.jobs.stop();
  });

  it.each(["tomorrow 9am", "2026-13-01", "2026-06-01T09:00:00", 1780304400000])(
    "SC-14 refuses an action for %o instead of running it at once",
    async (scheduleTime) => {
      const signals = [{ name: "GENERATE_ACTIONS", data: [{ instructions: "Later.", scheduleTime }] }];
      const scheduler = openScheduler(({ text }) => (text === "Look." ? { signals } : {}));
      await scheduler.add({});
      scheduler.jobs.start();
      await scheduler.runNow();
      await scheduler.advance(HOUR);
      expect(scheduler.inputs.map(({ text }) => text)).toEqual(["Look."]);
      const refused = scheduler.events.find((event) => event.type === "action_refused");
      expect(refused).toMatchObject({ error: { code: "bad_job", message: expect.stringContaining("ISO 8601") } });
      await scheduler.jobs.stop();
    },
  );

  it("SC-14 stops at a depth of three", async () => {
    const signals = [{ name: "GENERATE_ACTIONS", data: [{ instructions: "Again." }] }];
    const scheduler = openScheduler(() => ({ signals }));
    await scheduler.add({});
    scheduler.jobs.start();
    await scheduler.jobs.runNow("job");
    await scheduler.advance(HOUR);
    expect((await scheduler.jobs.list()).map(({ parent }) => parent?.depth ?? 0)).toEqual([0, 1, 2, 3]);
    expect(scheduler.events).toContainEqual(
      expect.objectContaining({ type: "action_refused", error: expect.objectContaining({ code: "action_depth" }) }),
    );
    await scheduler.jobs.stop();
  });

  it("SC-14 lets agents make so many a day, by the day of the zone, and makes the same one once", async () => {
    const scheduler = openScheduler(() => ({}), { actions: { maxPerDay: 2 }, timeZone: "Europe/Berlin" });
    const create = (key: string): Promise<JobSpec> =>
      scheduler.jobs.createAction({ instructions: "Look." }, { runId: "chat", principal: { userId: "u" }, key });
    const first = await create("a");
    expect(await create("a")).toEqual(first);
    expect(first.parent).toBeUndefined();
    await create("b");
    await expect(create("c")).rejects.toMatchObject({ kind: "invalid", code: "action_limit" });
    await scheduler.advance(10 * HOUR);
    await create("c");
  });

  it("SC-14 has a tool that makes actions, under the job whose run calls it", async () => {
    const scheduler = openScheduler(() => ({ takesMs: MINUTE }));
    await scheduler.add({});
    await scheduler.jobs.runNow("job");
    await scheduler.advance(1);
    const tool = createActionTool(scheduler.jobs);
    const context = { runId: "run_1", principal: { userId: "u" }, idempotencyKey: "k" } as ToolContext;
    const time = "2026-06-01T13:00:00Z";
    const output = await tool.execute({ instructions: "Count.", schedule_time: time, notify: false }, context);
    const [, made] = await scheduler.jobs.list();
    expect(output).toEqual({ action_id: made?.id, schedule_time: time });
    expect(made).toMatchObject({ parent: { jobId: "job", depth: 1 }, delivery: "store" });
    await expect(
      tool.execute({ instructions: "Count.", schedule_time: "soon" }, { ...context, idempotencyKey: "l" }),
    ).rejects.toMatchObject({ code: "bad_job" });
    await scheduler.jobs.stop();
  });
});

describe("starting and stopping", () => {
  it("does both twice, and leaves nothing behind", async () => {
    const scheduler = openScheduler(() => ({}));
    await scheduler.add({ trigger: { type: "every", ms: HOUR } });
    scheduler.jobs.start();
    scheduler.jobs.start();
    await scheduler.advance(HOUR);
    await Promise.all([scheduler.jobs.stop(), scheduler.jobs.stop()]);
    await scheduler.jobs.stop();
    expect([scheduler.inputs.length, scheduler.clock.sleepers]).toEqual([1, 0]);
    await expect(scheduler.jobs.runNow("job")).rejects.toMatchObject({ code: "jobs_stopped" });
    scheduler.jobs.start();
    await scheduler.advance(HOUR);
    expect(scheduler.inputs).toHaveLength(2);
    await scheduler.jobs.stop();
  });

  it("waits for what runs as long as it is told, then cancels it", async () => {
    for (const [graceMs, state] of [
      [2 * MINUTE, "completed"],
      [MINUTE / 2, "cancelled"],
    ] as const) {
      const scheduler = openScheduler(() => ({ takesMs: MINUTE }));
      await scheduler.add({});
      await scheduler.jobs.runNow("job");
      await scheduler.advance(1);
      const stopping = scheduler.jobs.stop(graceMs);
      await scheduler.advance(2 * MINUTE);
      await stopping;
      expect(await scheduler.last()).toMatchObject({ state });
      expect(scheduler.clock.sleepers).toBe(0);
    }
  });

  it("notices a job that is added while it naps", async () => {
    const scheduler = openScheduler(() => ({}));
    scheduler.jobs.start();
    await scheduler.advance(10);
    await scheduler.add({ trigger: at(1_000) });
    await scheduler.advance(1_000);
    expect(await scheduler.last()).toMatchObject({ state: "completed", startedAt: "2026-06-01T12:00:01.000Z" });
    await scheduler.jobs.stop();
  });

  it("keeps the place in time of a job that is stated again at every start", async () => {
    const scheduler = openScheduler(() => ({}));
    await scheduler.add({
      trigger: { type: "every", ms: HOUR },
      misfire: { policy: "run_once", graceMs: 9 * HOUR, maxCatchUp: 1 },
    });
    await scheduler.advance(90 * MINUTE);
    await scheduler.add({
      trigger: { ms: HOUR, type: "every" },
      misfire: { policy: "run_once", graceMs: 9 * HOUR, maxCatchUp: 1 },
    });
    scheduler.jobs.start();
    await scheduler.advance(1);
    expect(await scheduler.last()).toMatchObject({ state: "completed", dueAt: "2026-06-01T13:00:00.000Z" });
    await scheduler.jobs.stop();
  });

  it("removes a job with its history and cancels its run", async () => {
    const signals = [{ name: "GENERATE_ACTIONS", data: [{ instructions: "Again." }] }];
    const scheduler = openScheduler(() => ({ takesMs: MINUTE, signals }));
    await scheduler.add({});
    await scheduler.jobs.runNow("job");
    await scheduler.advance(1);
    expect([await scheduler.jobs.remove("job"), await scheduler.jobs.remove("job")]).toEqual([true, false]);
    expect([await scheduler.jobs.list(), await scheduler.history()]).toEqual([[], []]);
    expect(scheduler.log().at(-1)).toBe("run_ended cancelled");
  });
});

describe("after a crash", () => {
  it("runs again what was going on, when its lease is over and retries are left", async () => {
    const scheduler = openScheduler(() => ({ takesMs: HOUR }));
    await scheduler.add({ trigger: at(0), timeoutMs: 2 * HOUR });
    scheduler.jobs.start();
    await scheduler.advance(10);
    const next = openScheduler(() => ({ text: "again" }), { store: scheduler.store, startMs: scheduler.clock.now() });
    next.jobs.start();
    await next.advance(50_000);
    expect(next.inputs).toHaveLength(0);
    await next.advance(2 * MINUTE);
    expect(await next.last()).toMatchObject({ state: "completed", attempt: 2, output: { text: "again" } });
    await next.jobs.stop();
    // The first one was not dead after all: it finds its lease gone, and changes nothing.
    await scheduler.advance(2 * MINUTE);
    expect(scheduler.clock.sleepers).toBe(1);
    expect(await next.last()).toMatchObject({ state: "completed", output: { text: "again" } });
    await scheduler.jobs.stop();
  });

  it("says interrupted when no retries are left", async () => {
    const scheduler = openScheduler(() => ({ takesMs: HOUR }));
    await scheduler.add({ retries: { max: 0, backoffMs: 0 } });
    await scheduler.jobs.runNow("job");
    await scheduler.advance(1);
    const next = openScheduler(() => ({}), { store: scheduler.store, startMs: scheduler.clock.now() });
    next.jobs.start();
    await next.advance(5 * MINUTE);
    expect(await next.last()).toMatchObject({ state: "failed", error: { code: "interrupted" } });
    await next.jobs.stop();
  });

  it("tells an answer that was stored and not yet told, without asking the model again", async () => {
    const dying = openScheduler(() => ({ text: "Smoke!" }), { deliver: () => new Promise<void>(() => undefined) });
    await dying.add({ delivery: "alert" });
    await dying.jobs.runNow("job");
    await dying.advance(1);
    const next = openScheduler(() => ({}), { store: dying.store, startMs: dying.clock.now() });
    next.jobs.start();
    await next.advance(5 * MINUTE);
    expect(next.delivered).toMatchObject([{ text: "Smoke!" }]);
    expect(next.inputs).toHaveLength(0);
    expect(await next.last()).toMatchObject({ state: "completed", output: { text: "Smoke!" } });
    await next.jobs.stop();
  });
});

interface OpenScheduler {
  readonly jobs: Jobs;
  readonly clock: FakeClock;
  readonly store: JobStore;
  readonly events: readonly JobEvent[];
  readonly delivered: readonly JobDelivery[];
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

function openScheduler(
  script: Parameters<typeof scriptedExecutor>[1],
  { startMs = START, ...options }: Partial<JobsOptions> & { readonly startMs?: number } = {},
): OpenScheduler {
  const clock = createFakeClock(startMs);
  const executor = scriptedExecutor(clock, script);
  const store = options.store ?? createMemoryJobStore();
  const events: JobEvent[] = [];
  const delivered: JobDelivery[] = [];
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
    userId: "u",
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
    forgetOutputs: (goes) => store.forgetOutputs(goes),
    runs: (filter) => store.runs(filter),
    close: () => store.close(),
  };
}
