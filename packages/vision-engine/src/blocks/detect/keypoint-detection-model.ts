// image → model → boxes with keypoints
import type { Block } from "../block.ts";
import { numberOr } from "../block-inputs.ts";
import { detectionBlock } from "./detection-block.ts";

export const KEYPOINT_DETECTION_MODELS: readonly Block[] = ["v1", "v2", "v3"].map((version) =>
  detectionBlock({
    type: `roboflow_core/roboflow_keypoint_detection_model@${version}`,
    task: "keypoint-detection",
    description: "Finds objects and their keypoints, such as the joints of a person, with a pose model.",
    verb: "finds the keypoints of",
    moreOptions: (inputs) => ({ keypointConfidence: numberOr(inputs, "keypoint_confidence", 0) }),
  }),
);
