import type { Jobs } from "@vision-agent/agent-core/jobs";
import { nearestName } from "@vision-agent/vision-engine";
import type { GradedTool } from "./autonomy.ts";

export function createCancelTaskTool(options: {
  readonly jobs: Pick<Jobs, "list" | "remove">;
}): GradedTool<{ readonly task_id: string }> {
  return {
    name: "cancel_task",
    description: "Remove a scheduled task; a run that is going on is ended.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["task_id"],
      properties: { task_id: { type: "string" } },
    },
    annotations: { destructive: true, idempotent: true },
    effectOf: ({ task_id }) => ({ grade: "change", grave: true, question: `Remove the task ${task_id}?` }),
    async execute({ task_id }) {
      const specs = await options.jobs.list();
      const spec = specs.find(({ id }) => id === task_id);
      if (spec?.kind === "heartbeat") {
        throw new Error("The heartbeat is set in config.yaml (heartbeat.enabled), not here.");
      }
      if (spec !== undefined && (await options.jobs.remove(task_id))) return `Removed ${task_id}.`;
      const ids = specs.map(({ id }) => id);
      const nearest = nearestName(task_id, ids);
      const hint = nearest === undefined ? `Tasks: ${ids.join(", ") || "none"}.` : `Did you mean "${nearest}"?`;
      throw new Error(`There is no task ${task_id}. ${hint}`);
    },
  };
}
