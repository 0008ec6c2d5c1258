// image → model → boxes
import type { Block } from "../block.ts";
import { detectionBlock } from "./detection-block.ts";

export const OBJECT_DETECTION_MODELS: readonly Block[] = ["v1", "v2", "v3"].map((version) =>
  detectionBlock({
    type: `roboflow_core/roboflow_object_detection_model@${version}`,
    task: "object-detection",
    description: "Finds objects in a picture with a detection model: a box, a class name and a confidence each.",
    verb: "detects",
  }),
);
