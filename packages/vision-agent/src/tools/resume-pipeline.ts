import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import type { GradedTool } from "./autonomy.ts";
import { formatPipelineLine } from "./pipeline-lines.ts";

interface ResumePipelineArgs {
  readonly pipeline_id: string;
}

export function createResumePipelineTool(options: {
  readonly pipelines: Pick<PipelineRegistry, "resume" | "get">;
}): GradedTool<ResumePipelineArgs> {
  return {
    name: "resume_pipeline",
    description: "Go on with a paused pipeline.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["pipeline_id"],
      properties: { pipeline_id: { type: "string", description: "Id or name." } },
    },
    effectOf: ({ pipeline_id }) => ({ grade: "change", question: `Go on with ${pipeline_id}?` }),
    async execute({ pipeline_id }) {
      await options.pipelines.resume(pipeline_id);
      const status = options.pipelines.get(pipeline_id);
      if (status.status === "paused") throw new Error(`${status.name} was told to go on but is still paused.`);
      return `Resumed.\n${formatPipelineLine(status)}`;
    },
  };
}
