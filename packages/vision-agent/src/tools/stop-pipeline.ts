// a name → the pipeline stopped, and what is still running, read back
import type { Tool } from "@vision-agent/agent-core";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { NO_PIPELINES } from "./list-pipelines.ts";

interface StopPipelineArgs {
  readonly pipeline_id: string;
}

export function createStopPipelineTool(options: { readonly pipelines: PipelineRegistry }): Tool<StopPipelineArgs> {
  return {
    name: "stop_pipeline",
    description: "Stop a pipeline for good. Answers with what is still running afterwards.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["pipeline_id"],
      properties: { pipeline_id: { type: "string", description: "Id or name of the pipeline." } },
    },
    annotations: { destructive: true },
    async execute({ pipeline_id }) {
      const stopped = await options.pipelines.stop(pipeline_id);
      const left = options.pipelines.list();
      if (left.some((status) => status.pipeline_id === stopped.pipeline_id)) {
        throw new Error(`${stopped.name} was told to stop but is still listed as ${stopped.status}. Try again.`);
      }
      const running = left.map(({ name }) => name).join(", ");
      return `Stopped ${stopped.name} (${stopped.pipeline_id}). ${running === "" ? NO_PIPELINES : `Still running: ${running}.`}`;
    },
  };
}
