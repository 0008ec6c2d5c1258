// work for later, as a model writes it → a job; the jobs there are, listed and removed
import { createHash } from "node:crypto";
import {
  createJobSpec,
  type JobRun,
  type JobSpec,
  type Jobs,
  previewSchedule,
  type Trigger,
} from "@vision-agent/agent-core/jobs";
import type { Task } from "@vision-agent/protocol";
import { nearestName } from "@vision-agent/vision-engine";
import { formatTime } from "../workspace/format-time.ts";
import { taskEffect } from "./effects.ts";
import { parseEventTime } from "./event-times.ts";
import { type ToolArguments, visionTool } from "./graded-tool.ts";
import { ALWAYS_ASKING, LOOKING_TOOLS } from "./looking-tools.data.ts";
import { quoteWords } from "./quote-words.ts";
import { createRecentSum } from "./recent-sum.ts";
import type { ToolParts } from "./tool-parts.ts";

const DAY_MS = 24 * 3600 * 1000;
const YEAR_MS = 366 * DAY_MS;
const LONGEST_INSTRUCTIONS = 120;
/** A task that runs more often asks the model as often: that is paid for. */
const MANY_A_DAY = 24;

const SCHEDULE = {
  instructions: { type: "string", minLength: 1, maxLength: 4000 },
  at: { type: "string", description: "Once: ISO 8601, local without an offset." },
  every_minutes: { type: "number", minimum: 1, maximum: 10_080 },
  cron: { type: "string", description: "minute hour day month weekday, e.g. 0 18 * * *" },
  tools: {
    type: "array",
    items: { type: "string" },
    maxItems: 10,
    description:
      "Tools it needs to change something, e.g. pause_pipeline. Without any it only looks; its answer is sent as an alert.",
  },
} as const;
type ScheduleTaskArgs = ToolArguments<typeof SCHEDULE, "instructions">;

export function scheduleTaskTool(
  options: Pick<ToolParts, "clock" | "timeZone" | "redact" | "level" | "mayObeyText"> & {
    readonly jobs: Pick<Jobs, "upsert" | "list">;
  },
) {
  const { jobs, clock, timeZone, level, redact = (text) => text } = options;
  const planned = createRecentSum(() => clock.now());
  return visionTool({
    name: "schedule_task",
    description:
      "Schedule work for later, once or repeatedly, such as a summary at six. The run does not see this conversation: write complete instructions. To be alerted when something is seen use create_watch.",
    required: ["instructions"],
    properties: SCHEDULE,
    annotations: { idempotent: true },
    async gradeOf(args) {
      const times = timesADay(args, { timeZone, nowMs: clock.now() });
      const others = (await timesOfAll(jobs, clock.now())) + planned.sum();
      const wanted = changingTools(args.tools);
      const may = wanted.length === 0 ? "It only looks." : `It may use ${wanted.join(", ")}.`;
      const more = others === 0 ? "" : ` The other tasks run ${others} times.`;
      const often = `It runs up to ${times} times a day, each with a call to the model.${more}`;
      const question = `May I schedule a task? ${often} ${may} The assistant writes: ${quoteWords(args.instructions, 300)}.`;
      const grave = times + others > MANY_A_DAY || wanted.length > 0;
      if (!grave) planned.add(times);
      return { grade: "cost", grave, question };
    },
    async run(args, { idempotencyKey, principal }) {
      const trigger = toTrigger(args, timeZone);
      if (trigger.type === "at" && Date.parse(trigger.time) <= clock.now()) {
        throw new Error(`${trigger.time} is in the past; it is now ${new Date(clock.now()).toISOString()}.`);
      }
      // The same call made again after a crash must not schedule twice.
      const id = `task_${createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 8)}`;
      const kind = trigger.type === "at" ? "action" : "cron";
      const instructions = redact(args.instructions);
      const tools = { allow: [...LOOKING_TOOLS, ...changingTools(args.tools)] };
      await jobs.upsert(createJobSpec({ id, kind, trigger, instructions, principal, tools }));
      const stored = (await jobs.list()).find((spec) => spec.id === id);
      if (stored === undefined) throw new Error("The task was not saved. Try again.");
      const task = toTask(stored, clock.now());
      const asks = toolsThatAsk(changingTools(args.tools), options);
      return { data: { task, asks, effects: [taskEffect("scheduled", task)] } };
    },
    render: ({ task, asks }) =>
      ["Scheduled.", formatTask(task, { nowMs: clock.now(), timeZone }), ...askingWords(asks, level)].join("\n"),
  });
}

/** Nobody is there when the task runs: which of its tools wait for a yes. A task looks first, so what it then changes is asked about. */
function toolsThatAsk(
  tools: readonly string[],
  { level, mayObeyText }: Pick<ToolParts, "level" | "mayObeyText">,
): string[] {
  const asksAll = level === "advisory" || (level === "supervised" && mayObeyText);
  return tools.filter((name) => asksAll || ALWAYS_ASKING.includes(name));
}

function askingWords(asks: readonly string[], level: ToolParts["level"]): readonly string[] {
  if (asks.length === 0) return [];
  const why = `It will wait for a yes before ${asks.join(", ")} (agent.autonomy is ${level}).`;
  return [`${why} Somebody must answer then, in the dashboard or with vision-agent pauses: tell the person.`];
}

function changingTools(names: readonly string[] = []): readonly string[] {
  return names.filter((name) => /^[a-z_]+$/.test(name) && !LOOKING_TOOLS.includes(name));
}

function toTrigger({ at, every_minutes, cron }: ScheduleTaskArgs, timeZone: string): Trigger {
  if ([at, every_minutes, cron].filter((one) => one !== undefined).length !== 1) {
    throw new Error("Give exactly one of at, every_minutes and cron.");
  }
  if (at !== undefined) return { type: "at", time: parseEventTime(at, timeZone) };
  if (every_minutes !== undefined) return { type: "every", ms: Math.round(every_minutes * 60_000) };
  return { type: "cron", expression: cron ?? "", timeZone };
}

/** Times on the busiest of the next days; none for a time that cannot be read, which the call itself refuses with the reason. */
function timesADay(args: ScheduleTaskArgs, at: { readonly timeZone: string; readonly nowMs: number }): number {
  try {
    const trigger = toTrigger(args, at.timeZone);
    return busiestDay({ trigger }, at.nowMs);
  } catch {
    return 0;
  }
}

/** A month has every day of the week and of the month. */
const DAYS_LOOKED_AT = 31;

function busiestDay(spec: { readonly trigger: Trigger }, nowMs: number): number {
  let most = 0;
  for (let day = 0; day < DAYS_LOOKED_AT && most <= MANY_A_DAY; day += 1) {
    const fromMs = nowMs + day * DAY_MS;
    most = Math.max(most, previewSchedule(spec, new Date(fromMs), new Date(fromMs + DAY_MS)).length);
  }
  return most;
}

/** Of all tasks there are, on the busiest of their days. */
async function timesOfAll(jobs: Pick<Jobs, "list">, nowMs: number): Promise<number> {
  const specs = (await jobs.list()).filter(({ kind, enabled }) => kind !== "heartbeat" && enabled);
  return specs.reduce((sum, spec) => sum + busiestDay(spec, nowMs), 0);
}

export function listTasksTool(
  options: Pick<ToolParts, "clock" | "timeZone"> & { readonly jobs: Pick<Jobs, "list" | "history"> },
) {
  return visionTool({
    name: "list_tasks",
    deferLoading: true,
    description: "List scheduled tasks: when they run next and how the last run ended.",
    properties: {},
    annotations: { readOnly: true },
    async run() {
      const specs = await options.jobs.list();
      const tasks = specs.map(async (spec) => {
        const [last] = await options.jobs.history(spec.id, 1);
        return toTask(spec, options.clock.now(), last);
      });
      return { data: { tasks: await Promise.all(tasks) } };
    },
    render: ({ tasks }) => {
      const now = { nowMs: options.clock.now(), timeZone: options.timeZone };
      return tasks.map((task) => formatTask(task, now)).join("\n") || "No tasks scheduled.";
    },
  });
}

export function cancelTaskTool(options: Pick<ToolParts, "clock"> & { readonly jobs: Pick<Jobs, "list" | "remove"> }) {
  const { jobs, clock } = options;
  return visionTool({
    name: "cancel_task",
    deferLoading: true,
    description: "Cancel a scheduled task; a run in progress is stopped.",
    required: ["task_id"],
    properties: { task_id: { type: "string" } },
    annotations: { destructive: true, idempotent: true },
    async gradeOf({ task_id }) {
      const spec = (await jobs.list()).find(({ id }) => id === task_id);
      const what = spec === undefined ? quoteWords(task_id) : quoteWords(spec.taskConfig.instructions);
      return { grade: "change", always: true, question: `May I cancel the task ${what}?` };
    },
    async run({ task_id }) {
      const specs = await jobs.list();
      const spec = specs.find(({ id }) => id === task_id);
      if (spec?.kind === "heartbeat") {
        throw new Error("The heartbeat is set in config.yaml (heartbeat.enabled), not here.");
      }
      if (spec !== undefined && (await jobs.remove(task_id))) {
        const task = toTask(spec, clock.now());
        return { data: { task, effects: [taskEffect("cancelled", task)] } };
      }
      const ids = specs.map(({ id }) => id);
      const nearest = nearestName(task_id, ids);
      const hint = nearest === undefined ? `Tasks: ${ids.join(", ") || "none"}.` : `Did you mean "${nearest}"?`;
      throw new Error(`There is no task ${task_id}. ${hint}`);
    },
    render: ({ task }) => `Removed ${task.id}.`,
  });
}

export function toTask(spec: JobSpec, nowMs: number, last?: JobRun): Task {
  const [next] = previewSchedule(spec, new Date(nowMs), new Date(nowMs + YEAR_MS));
  return {
    id: spec.id,
    kind: spec.kind,
    schedule: describeTrigger(spec.trigger),
    instructions: spec.taskConfig.instructions,
    next_at: next?.toISOString(),
    last: last && { state: last.state, due_at: last.dueAt, reason: last.reason ?? last.error?.message },
  };
}

/** When it runs, for people. */
export function describeTrigger(trigger: Trigger): string {
  switch (trigger.type) {
    case "manual":
      return "when asked";
    case "at":
      return `once at ${trigger.time}`;
    case "every":
      return `every ${trigger.ms / 60_000} minutes`;
    case "cron": {
      const [, minute = "", hour] = /^(\d{1,2}) (\d{1,2}) \* \* \*$/.exec(trigger.expression) ?? [];
      if (hour !== undefined)
        return `every day at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")} (${trigger.timeZone})`;
      return `cron ${trigger.expression} (${trigger.timeZone})`;
    }
  }
}

/** e.g. `task_1f0c: every day at 18:00 (UTC). Next: tomorrow 18:00. "Summarise the day."` */
export function formatTask(
  { id, schedule, instructions, next_at, last }: Task,
  now: Parameters<typeof formatTime>[1],
): string {
  const words =
    instructions.length > LONGEST_INSTRUCTIONS ? `${instructions.slice(0, LONGEST_INSTRUCTIONS)}…` : instructions;
  const why = last?.reason === undefined ? "" : `: ${last.reason.replaceAll(/\s+/g, " ")}`;
  const ran = last === undefined ? "" : ` Last run: ${last.state} (due ${formatTime(last.due_at, now)}${why}).`;
  const due = next_at === undefined ? "No further run." : `Next: ${formatTime(next_at, now)}.`;
  return `${id}: ${schedule}. ${due}${ran} "${words.replaceAll("\n", " ")}"`;
}
