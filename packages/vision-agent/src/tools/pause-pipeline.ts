import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import type { GradedTool } from "./autonomy.ts";
import { formatPipelineLine } from "./pipeline-lines.ts";

interface PausePipelineArgs {
  readonly pipeline_id: string;
}

export function createPausePipelineTool(options: {
  readonly pipelines: Pick<PipelineRegistry, "pause" | "get">;
}): GradedTool<PausePipelineArgs> {
  return {
    name: "pause_pipeline",
    description: "Pause a running pipeline; resume_pipeline goes on with it.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["pipeline_id"],
      properties: { pipeline_id: { type: "string", description: "Id or name." } },
    },
    effectOf: ({ pipeline_id }) => ({ grade: "change", question: `Pause ${pipeline_id}?` }),
    async execute({ pipeline_id }) {
      await options.pipelines.pause(pipeline_id);
      const status = options.pipelines.get(pipeline_id);
      if (status.status !== "paused") throw new Error(`${status.name} was told to pause but is ${status.status}.`);
      return `Paused.\n${formatPipelineLine(status)}`;
    },
  };
}
