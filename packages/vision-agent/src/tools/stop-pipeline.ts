// a name, or all → the pipelines stopped, and what is still running, read back
import type { PipelineStatus } from "@vision-agent/protocol";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import type { GradedTool } from "./autonomy.ts";
import { NO_PIPELINES } from "./list-pipelines.ts";

interface StopPipelineArgs {
  readonly pipeline_id: string;
}

const ALL = "all";

export function createStopPipelineTool(options: {
  readonly pipelines: Pick<PipelineRegistry, "stop" | "list">;
}): GradedTool<StopPipelineArgs> {
  const { pipelines } = options;
  const isAll = (pipelineId: string): boolean =>
    pipelineId === ALL && pipelines.list().every(({ name }) => name !== ALL);
  return {
    name: "stop_pipeline",
    description: "Stop a pipeline for good, or all of them. Answers with what is still running afterwards.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["pipeline_id"],
      properties: { pipeline_id: { type: "string", description: "Id or name, or all." } },
    },
    annotations: { destructive: true },
    effectOf({ pipeline_id }) {
      if (!isAll(pipeline_id)) return { grade: "change", question: `Stop ${pipeline_id}?` };
      return { grade: "change", grave: true, question: `Stop all pipelines (${namesOf(pipelines.list())})?` };
    },
    async execute({ pipeline_id }) {
      const wanted = isAll(pipeline_id) ? pipelines.list().map((status) => status.pipeline_id) : [pipeline_id];
      if (wanted.length === 0) return NO_PIPELINES;
      const stopped: PipelineStatus[] = [];
      for (const id of wanted) stopped.push(await pipelines.stop(id));
      const left = pipelines.list();
      const stubborn = left.filter(({ pipeline_id: id }) => stopped.some((one) => one.pipeline_id === id));
      if (stubborn.length > 0) {
        throw new Error(`${namesOf(stubborn)} was told to stop but is still listed. Try again.`);
      }
      const names = stopped.map((one) => `${one.name} (${one.pipeline_id})`).join(", ");
      return `Stopped ${names}. ${left.length === 0 ? NO_PIPELINES : `Still running: ${namesOf(left)}.`}`;
    },
  };
}

function namesOf(pipelines: readonly PipelineStatus[]): string {
  return pipelines.map(({ name }) => name).join(", ");
}
