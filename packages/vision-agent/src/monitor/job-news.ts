// what becomes of a task → what a person is told, besides its answer
import type { JobEvent } from "@vision-agent/agent-core/jobs";
import type { AlertRouter } from "../alerts/route-alert.ts";

const LONGEST_INSTRUCTIONS = 120;

/** Undefined when nobody needs to know. A heartbeat that fails is tried again soon by itself. */
export function toJobNews(event: JobEvent): Parameters<AlertRouter["tell"]>[0] | undefined {
  if (event.type === "run_paused") {
    const { reason = "", pause } = event.run;
    const how = pause ? ` Answer it in the dashboard, or with: vision-agent pauses answer ${pause.id} yes` : "";
    return { text: `A task waits for your yes. ${reason}${how}`, severity: "warning" };
  }
  if (event.type !== "run_ended" || event.job.kind === "heartbeat") return undefined;
  const { state, error, reason } = event.run;
  if (state !== "failed" && state !== "timed_out") return undefined;
  const { instructions } = event.job.taskConfig;
  const words =
    instructions.length > LONGEST_INSTRUCTIONS ? `${instructions.slice(0, LONGEST_INSTRUCTIONS)}…` : instructions;
  const why = error?.message ?? reason ?? "It gave no reason.";
  return { text: `The task "${words}" was not done. ${why}`, severity: "warning" };
}
