import type { Clock } from "@vision-agent/agent-core";
import type { Jobs } from "@vision-agent/agent-core/jobs";
import { type GradedTool, lookOnly } from "./autonomy.ts";
import { formatTask } from "./task-lines.ts";

export function createListTasksTool(options: {
  readonly jobs: Pick<Jobs, "list" | "history">;
  readonly clock: Pick<Clock, "now">;
}): GradedTool {
  return lookOnly({
    name: "list_tasks",
    description: "List scheduled tasks: when they run next and how the last run ended.",
    parameters: { type: "object", additionalProperties: false, properties: {} },
    annotations: { readOnly: true },
    async execute() {
      const specs = await options.jobs.list();
      const lines = specs.map(async (spec) => {
        const [last] = await options.jobs.history(spec.id, 1);
        return formatTask(spec, options.clock.now(), last);
      });
      return (await Promise.all(lines)).join("\n") || "No task is scheduled.";
    },
  });
}
