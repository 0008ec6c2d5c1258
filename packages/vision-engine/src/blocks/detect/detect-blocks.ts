import type { Block } from "../block.ts";
import { CLIP, CLIP_COMPARISONS, EMBEDDING_MODEL } from "./clip.ts";
import { FLORENCES } from "./florence.ts";
import {
  CLASSIFICATION_MODELS,
  INSTANCE_SEGMENTATION_MODELS,
  KEYPOINT_DETECTION_MODELS,
  OBJECT_DETECTION_MODELS,
  YOLO_WORLD,
} from "./model-blocks.ts";
import { CODE_DETECTORS, TEXT_READERS } from "./readers.ts";

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
