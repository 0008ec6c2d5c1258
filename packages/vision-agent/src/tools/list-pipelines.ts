import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { type GradedTool, lookOnly } from "./autonomy.ts";
import { formatPipelineLine } from "./pipeline-lines.ts";

export const NO_PIPELINES = "No pipeline is running.";

export function createListPipelinesTool(options: { readonly pipelines: PipelineRegistry }): GradedTool {
  return lookOnly({
    name: "list_pipelines",
    description:
      "List all pipelines that were started and not stopped: name, id, camera, state, figures, what they do.",
    parameters: { type: "object", additionalProperties: false, properties: {} },
    annotations: { readOnly: true },
    async execute() {
      return options.pipelines.list().map(formatPipelineLine).join("\n") || NO_PIPELINES;
    },
  });
}
