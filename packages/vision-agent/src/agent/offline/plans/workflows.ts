// what is to be found → workflows beside those of the pipelines folder
import type { WorkflowSpec } from "@vision-agent/protocol";
import { DETECTED, watchingWorkflow } from "../../../pipelines/watching-workflow.ts";

/** How much larger a box is made on each axis before two of them count as near, in percent. */
const REACH_PERCENT = 50;
const OTHER = "near-this";

export interface Followed {
  readonly modelId: string;
  readonly classes: readonly string[];
}

/** Follows things of some classes while their widened boxes overlap the widened box of another; `near`: beside what they have to be. */
export function nearWorkflow({
  modelId,
  classes,
  near,
}: Followed & { readonly near: readonly string[] }): WorkflowSpec {
  const renamed = Object.fromEntries(near.map((name) => [name, OTHER]));
  const steps = [
    {
      type: "roboflow_core/detections_transformation@v1",
      name: "named",
      predictions: DETECTED,
      operations: [{ type: "DetectionsRename", class_map: renamed, strict: false }],
    },
    {
      type: "roboflow_core/detection_offset@v1",
      name: "widened",
      predictions: "$steps.named.predictions",
      offset_width: REACH_PERCENT,
      offset_height: REACH_PERCENT,
      units: "Percent (%)",
    },
    {
      type: "roboflow_core/overlap@v1",
      name: "near",
      predictions: "$steps.widened.predictions",
      overlap_class_name: OTHER,
      overlap_type: "Any Overlap",
    },
  ];
  const before = { steps, followed: "$steps.near.overlaps" };
  return watchingWorkflow({ modelId, classes: [...new Set([...classes, ...near])], before });
}
