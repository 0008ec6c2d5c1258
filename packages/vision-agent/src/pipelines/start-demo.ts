import type { PipelineStatus } from "@vision-agent/protocol";
import { countingWorkflow } from "./counting-workflow.ts";
import type { PipelineRegistry } from "./pipeline-registry.ts";

/** Counts what passes the middle of the demo street (960 × 540) and tells of each crossing. `modelId` knows the scene. */
export function startDemo(pipelines: Pick<PipelineRegistry, "start">, modelId: string): Promise<PipelineStatus> {
  return pipelines.start({
    videoReference: "street",
    name: "street-count",
    spec: countingWorkflow({
      modelId,
      line: [
        [480, 40],
        [480, 520],
      ],
    }),
    alertOn: ["line_crossed"],
  });
}
