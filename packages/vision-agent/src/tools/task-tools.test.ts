import { createJobs, createMemoryJobStore, type Jobs } from "@vision-agent/agent-core/jobs";
import { createCountingIds, createFakeClock, scriptedExecutor } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { fakeContext as context, textOf } from "../testing/fake-app.ts";
import { LOOKING_TOOLS } from "./looking-tools.data.ts";
import { cancelTaskTool, listTasksTool, scheduleTaskTool } from "./task-tools.ts";
import type { ToolParts } from "./tool-parts.ts";

describe("schedule_task", () => {
  it("S000-4.5.7 plans work for a time of day and reads it back with the next time", async () => {
    const { jobs, schedule } = setUp();
    const text = textOf(await schedule.execute({ instructions: "Summarise the day.", cron: "0 18 * * *" }, context()));
    expect(text).toMatch(
      /^Scheduled\.\ntask_[0-9a-f]{8}: every day at 18:00 \(UTC\)\. Next: 18:00\. "Summarise the day\."$/,
    );
    expect(await jobs.list()).toMatchObject([{ kind: "cron", delivery: "alert", principal: { userId: "owner" } }]);
  });

  it("lets a task only look, unless it is said what else it needs", async () => {
    const { jobs, schedule } = setUp();
    const times = { instructions: "Look.", every_minutes: 90 };
    await schedule.execute(times, { ...context(), idempotencyKey: "a" });
    const more = { ...times, tools: ["resume_pipeline"] };
    await schedule.execute(more, { ...context(), idempotencyKey: "b" });
    const allowed = (await jobs.list()).map(({ tools }) => tools?.allow ?? []);
    expect(allowed.map((names) => names.filter((name) => !LOOKING_TOOLS.includes(name)))).toEqual([
      [],
      ["resume_pipeline"],
    ]);
    expect(await schedule.gradeOf(times, context())).toMatchObject({ question: expect.stringContaining("only looks") });
    expect(await schedule.gradeOf(more, context())).toMatchObject({
      question: expect.stringContaining("It may use resume_pipeline."),
    });
  });

  it("asks before a task that may change something, and before tasks that together ask the model often", async () => {
    const { schedule } = setUp();
    const rare = { instructions: "Look.", every_minutes: 90 };
    const graveOf = async (args: object) => (await schedule.gradeOf({ ...rare, ...args }, context())).grave;
    expect(await graveOf({})).toBe(false);
    expect(await graveOf({ tools: ["stop_pipeline"] })).toBe(true);
    expect(await graveOf({ every_minutes: undefined, cron: "* * 18-31 * *" })).toBe(true);
    await schedule.execute(rare, { ...context(), idempotencyKey: "a" });
    expect(await graveOf({})).toBe(true);
  });

  it("says before which of its tools it would wait for somebody", async () => {
    const times = { instructions: "Look.", every_minutes: 90, tools: ["pause_pipeline", "remove_watch", "recall"] };
    const asks = async (parts: Parameters<typeof setUp>[0]) =>
      (await setUp(parts).schedule.execute(times, context())).data;
    expect(await asks({ level: "advisory" })).toMatchObject({ asks: ["pause_pipeline", "remove_watch"] });
    expect(await asks({ level: "supervised" })).toMatchObject({ asks: ["pause_pipeline", "remove_watch"] });
    // The offline interpreter does not do what pictures say, so it need not ask after looking.
    expect(await asks({ level: "supervised", mayObeyText: false })).toMatchObject({ asks: ["remove_watch"] });
    expect(await asks({ level: "autonomous" })).toMatchObject({ asks: ["remove_watch"] });
    const text = textOf(await setUp({ level: "supervised" }).schedule.execute(times, context()));
    expect(text).toContain(
      "It will wait for a yes before pause_pipeline, remove_watch (agent.autonomy is supervised).",
    );
    expect(await asks({ level: "supervised" })).not.toMatchObject({ asks: ["recall"] });
  });

  it("counts the calls of one step together", async () => {
    const { schedule } = setUp();
    const hourly = { instructions: "Look.", every_minutes: 120 };
    const grades = await Promise.all([1, 2, 3].map(async () => schedule.gradeOf(hourly, context())));
    expect(grades.map(({ grave }) => grave)).toEqual([false, false, true]);
  });

  it("plans once and at intervals", async () => {
    const { schedule, jobs } = setUp();
    await schedule.execute(
      { instructions: "Look.", at: "2026-01-01T09:00:00Z" },
      { ...context(), idempotencyKey: "a" },
    );
    await schedule.execute({ instructions: "Look.", every_minutes: 90 }, { ...context(), idempotencyKey: "b" });
    expect((await jobs.list()).map(({ kind, trigger }) => [kind, trigger.type])).toEqual([
      ["action", "at"],
      ["cron", "every"],
    ]);
  });

  it("does not plan twice when the same call is made again after a crash", async () => {
    const { schedule, jobs } = setUp();
    await schedule.execute({ instructions: "Look.", every_minutes: 60 }, context());
    await schedule.execute({ instructions: "Look.", every_minutes: 60 }, context());
    expect(await jobs.list()).toHaveLength(1);
  });

  it.each<[string, object, RegExp]>([
    ["no time", {}, /one of at, every_minutes and cron/],
    ["two times", { cron: "0 1 * * *", every_minutes: 5 }, /one of at, every_minutes and cron/],
    ["a time that has passed", { at: "2020-01-01T00:00:00Z" }, /is in the past; it is now 2026/],
    ["a cron line that is none", { cron: "at six" }, /The job "task_/],
  ])("says what is wrong with %s", async (_what, times, message) => {
    await expect(setUp().schedule.execute({ instructions: "Look.", ...times }, context())).rejects.toThrow(message);
  });

  it("is costly when it runs more than once an hour", async () => {
    const { schedule } = setUp();
    const effect = (times: object) => schedule.gradeOf({ instructions: "Look.", ...times }, context());
    expect(await effect({ every_minutes: 60 })).toMatchObject({ grade: "cost", grave: false });
    expect(await effect({ every_minutes: 5 })).toMatchObject({
      grave: true,
      question: expect.stringContaining("288 times"),
    });
    expect(await effect({ cron: "nonsense" })).toMatchObject({ grave: false });
  });
});

describe("list_tasks and cancel_task", () => {
  it("lists what is planned until it is cancelled", async () => {
    const { jobs, clock, schedule } = setUp();
    const list = listTasksTool({ jobs, clock, timeZone: "UTC" });
    const cancel = cancelTaskTool({ jobs, clock });
    expect(textOf(await list.execute({}, context()))).toBe("No tasks scheduled.");
    await schedule.execute({ instructions: "Look.", every_minutes: 60 }, context());
    const [id = ""] = /task_\w+/.exec(textOf(await list.execute({}, context()))) ?? [];
    await expect(cancel.execute({ task_id: `${id}x` }, context())).rejects.toThrow(`Did you mean "${id}"?`);
    expect(textOf(await cancel.execute({ task_id: id }, context()))).toBe(`Removed ${id}.`);
    expect(textOf(await list.execute({}, context()))).toBe("No tasks scheduled.");
  });
});

function setUp({ level = "supervised", mayObeyText = true }: Partial<Pick<ToolParts, "level" | "mayObeyText">> = {}) {
  const clock = createFakeClock();
  const jobs: Jobs = createJobs({
    executor: scriptedExecutor(clock, () => ({})),
    store: createMemoryJobStore(),
    clock,
    ids: createCountingIds(),
  });
  return { jobs, clock, schedule: scheduleTaskTool({ jobs, clock, timeZone: "UTC", level, mayObeyText }) };
}
