import type { WorkflowSpec, WorkflowStep } from "@vision-agent/protocol";
import { boxesStep, type DetectionOptions, detectionStep, IMAGE_INPUT } from "../backends/detection-workflow.ts";

/** What the tracker gives. */
export const TRACKED = "$steps.tracker.tracked_detections";
/** What the detector gives. */
export const DETECTED = "$steps.detection.predictions";

export interface WatchingOptions extends DetectionOptions {
  /** Steps between the detector and the tracker, and which of their outputs is followed. */
  readonly before?: { readonly steps: readonly WorkflowStep[]; readonly followed: string };
  readonly after?: readonly WorkflowStep[];
  /** Further outputs: name → selector. */
  readonly figures?: Readonly<Record<string, string>>;
}

/**
 * Follows what is found from frame to frame, so that coming and going become events.
 * Outputs `tracked_detections`, the figures and `annotated`.
 */
export function watchingWorkflow({ before, after = [], figures, ...detection }: WatchingOptions): WorkflowSpec {
  const { steps = [], followed = DETECTED } = before ?? {};
  const outputs = { tracked_detections: TRACKED, ...figures, annotated: "$steps.boxes.image" };
  return {
    version: "1.0",
    inputs: [IMAGE_INPUT],
    steps: [
      detectionStep(detection),
      ...steps,
      { type: "roboflow_core/byte_tracker@v3", name: "tracker", image: "$inputs.image", detections: followed },
      ...after,
      boxesStep(TRACKED),
    ],
    outputs: Object.entries(outputs).map(([name, selector]) => ({ type: "JsonField", name, selector })),
  };
}
