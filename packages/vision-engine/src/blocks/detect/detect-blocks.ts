import type { Block } from "../block.ts";
import { CLASSIFICATION_MODELS } from "./classification-model.ts";
import { CLIP, EMBEDDING_MODEL } from "./clip.ts";
import { CLIP_COMPARISONS } from "./clip-comparison.ts";
import { CODE_DETECTORS } from "./code-detectors.ts";
import { FLORENCES } from "./florence.ts";
import { INSTANCE_SEGMENTATION_MODELS } from "./instance-segmentation-model.ts";
import { KEYPOINT_DETECTION_MODELS } from "./keypoint-detection-model.ts";
import { OBJECT_DETECTION_MODELS } from "./object-detection-model.ts";
import { TEXT_READERS } from "./text-readers.ts";
import { YOLO_WORLD } from "./yolo-world.ts";

/** Models, text and codes: what looks at pixels and says what is there. */
export const DETECT_BLOCKS: readonly Block[] = [
  ...OBJECT_DETECTION_MODELS,
  ...INSTANCE_SEGMENTATION_MODELS,
  ...KEYPOINT_DETECTION_MODELS,
  ...CLASSIFICATION_MODELS,
  ...TEXT_READERS,
  ...CODE_DETECTORS,
  ...CLIP_COMPARISONS,
  CLIP,
  EMBEDDING_MODEL,
  YOLO_WORLD,
  ...FLORENCES,
];
