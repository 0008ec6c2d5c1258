// work for later, as a model writes it → a job
import { createHash } from "node:crypto";
import type { Clock } from "@vision-agent/agent-core";
import { createJobSpec, type Jobs, previewSchedule, type Trigger } from "@vision-agent/agent-core/jobs";
import type { GradedTool } from "./autonomy.ts";
import { parseEventTime } from "./event-times.ts";
import { formatTask } from "./task-lines.ts";

export interface ScheduleTaskOptions {
  readonly jobs: Pick<Jobs, "upsert" | "list">;
  readonly clock: Pick<Clock, "now">;
  /** IANA name; cron times are times of this zone. */
  readonly timeZone: string;
}

interface ScheduleTaskArgs {
  readonly instructions: string;
  readonly at?: string;
  readonly every_minutes?: number;
  readonly cron?: string;
}

const DAY_MS = 24 * 3600 * 1000;
/** A task that runs more often asks the model as often: that is paid for. */
const MANY_A_DAY = 24;

export function createScheduleTaskTool(options: ScheduleTaskOptions): GradedTool<ScheduleTaskArgs> {
  const { jobs, clock, timeZone } = options;
  return {
    name: "schedule_task",
    description:
      "Have work done later or again and again, such as a summary at six. Whoever does it sees nothing of this conversation: write complete instructions. To be told when something is seen use create_watch.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["instructions"],
      properties: {
        instructions: { type: "string", minLength: 1, maxLength: 4000 },
        at: { type: "string", description: "Once: ISO 8601, local without an offset." },
        every_minutes: { type: "number", minimum: 1, maximum: 10_080 },
        cron: { type: "string", description: "minute hour day month weekday, e.g. 0 18 * * *" },
      },
    },
    annotations: { idempotent: true },
    effectOf(args) {
      const times = timesADay(args, { timeZone, nowMs: clock.now() });
      const question = `Schedule "${args.instructions}"? It runs ${times} times in the next day, and each run asks the model.`;
      return { grade: "cost", grave: times > MANY_A_DAY, question };
    },
    async execute(args, { idempotencyKey, principal }) {
      const trigger = toTrigger(args, timeZone);
      if (trigger.type === "at" && Date.parse(trigger.time) <= clock.now()) {
        throw new Error(`${trigger.time} has passed; it is ${new Date(clock.now()).toISOString()} now.`);
      }
      // The same call made again after a crash must not schedule twice.
      const id = `task_${createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 8)}`;
      const kind = trigger.type === "at" ? "action" : "cron";
      const { instructions } = args;
      await jobs.upsert(createJobSpec({ id, kind, trigger, instructions, principal, delivery: "alert" }));
      const stored = (await jobs.list()).find((spec) => spec.id === id);
      if (stored === undefined) throw new Error("The task was not kept. Try again.");
      return `Scheduled.\n${formatTask(stored, clock.now())}`;
    },
  };
}

function toTrigger({ at, every_minutes, cron }: ScheduleTaskArgs, timeZone: string): Trigger {
  if ([at, every_minutes, cron].filter((one) => one !== undefined).length !== 1) {
    throw new Error("Give one of at, every_minutes and cron.");
  }
  if (at !== undefined) return { type: "at", time: parseEventTime(at) };
  if (every_minutes !== undefined) return { type: "every", ms: Math.round(every_minutes * 60_000) };
  return { type: "cron", expression: cron ?? "", timeZone };
}

/** Times in the next day; none for a time that cannot be read, which the call itself refuses with the reason. */
function timesADay(args: ScheduleTaskArgs, at: { readonly timeZone: string; readonly nowMs: number }): number {
  try {
    const trigger = toTrigger(args, at.timeZone);
    return previewSchedule({ trigger }, new Date(at.nowMs), new Date(at.nowMs + DAY_MS)).length;
  } catch {
    return 0;
  }
}
