// job → one line for people and models
import { type JobRun, type JobSpec, previewSchedule, type Trigger } from "@vision-agent/agent-core/jobs";

const YEAR_MS = 366 * 24 * 3600 * 1000;
const LONGEST_INSTRUCTIONS = 120;

/** e.g. `task_1f0c: every day … Next: 2026-01-02T18:00:00.000Z. "Summarise the day."` */
export function formatTask(spec: JobSpec, nowMs: number, last?: JobRun): string {
  const [next] = previewSchedule(spec, new Date(nowMs), new Date(nowMs + YEAR_MS));
  const { instructions } = spec.taskConfig;
  const words =
    instructions.length > LONGEST_INSTRUCTIONS ? `${instructions.slice(0, LONGEST_INSTRUCTIONS)}…` : instructions;
  const ran = last === undefined ? "" : ` Last run: ${last.state} (due ${last.dueAt}${whyOf(last)}).`;
  const due = next === undefined ? "No further run." : `Next: ${next.toISOString()}.`;
  return `${spec.id}: ${formatTrigger(spec.trigger)}. ${due}${ran} "${words.replaceAll("\n", " ")}"`;
}

function whyOf({ reason, error }: JobRun): string {
  const why = reason ?? error?.message;
  return why === undefined ? "" : `: ${why.replaceAll(/\s+/g, " ")}`;
}

function formatTrigger(trigger: Trigger): string {
  switch (trigger.type) {
    case "manual":
      return "when somebody says so";
    case "at":
      return `once at ${trigger.time}`;
    case "every":
      return `every ${trigger.ms / 60_000} minutes`;
    case "cron":
      return `cron ${trigger.expression} (${trigger.timeZone})`;
  }
}
