import type { PipelineStatus } from "@vision-agent/protocol";
import type { ActiveState } from "./active-state.ts";
import { countingWorkflow } from "./counting-workflow.ts";
import type { PipelineRegistry } from "./pipeline-registry.ts";

/** Counts what passes the middle of the demo street (960 × 540) and tells of each crossing; only where nothing ever ran. */
export async function startDemo(options: {
  readonly pipelines: PipelineRegistry;
  readonly state: ActiveState;
  /** A model that knows the demo scene. */
  readonly modelId: string;
}): Promise<PipelineStatus | undefined> {
  const { pipelines, state, modelId } = options;
  if (await state.exists()) return undefined;
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
