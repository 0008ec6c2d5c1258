import { boundingBoxVisualization } from "./annotate/bounding-box-visualization.ts";
import { labelVisualization } from "./annotate/label-visualization.ts";
import { lineCounterVisualization } from "./annotate/line-counter-visualization.ts";
import type { Block } from "./block.ts";
import { lineCounterV1, lineCounterV2 } from "./count/line-counter.ts";
import {
  objectDetectionModelV1,
  objectDetectionModelV2,
  objectDetectionModelV3,
} from "./detect/object-detection-model.ts";
import { byteTrackerV1, byteTrackerV2, byteTrackerV3 } from "./track/byte-tracker.ts";

/** Every block that runs here. A new block is one line more. */
export const BLOCKS: readonly Block[] = [
  objectDetectionModelV1,
  objectDetectionModelV2,
  objectDetectionModelV3,
  byteTrackerV1,
  byteTrackerV2,
  byteTrackerV3,
  lineCounterV1,
  lineCounterV2,
  boundingBoxVisualization,
  labelVisualization,
  lineCounterVisualization,
];
