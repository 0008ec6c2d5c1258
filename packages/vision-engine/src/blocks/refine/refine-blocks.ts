import type { Block } from "../block.ts";
import { boundingRect } from "./bounding-rect.ts";
import { classesReplacement } from "./classes-replacement.ts";
import { detectionOffset } from "./detection-offset.ts";
import { detectionsConsensus } from "./detections-consensus.ts";
import { detectionsDifference } from "./detections-difference.ts";
import { detectionsCombine, detectionsMerge } from "./detections-merge.ts";
import { detectionsStitch } from "./detections-stitch.ts";
import { detectionsFilter, detectionsTransformation } from "./detections-transformation.ts";
import { distanceMeasurement } from "./distance-measurement.ts";
import { geotagDetection } from "./geotag-detection.ts";
import { detectionsListRollup } from "./list-rollup.ts";
import { maskAreaMeasurement } from "./mask-area-measurement.ts";
import { maskEdgeSnap } from "./mask-edge-snap.ts";
import { nearestNeighbor } from "./nearest-neighbor.ts";
import { overlap } from "./overlap.ts";
import { overlapAnalysis } from "./overlap-analysis.ts";
import { perClassConfidenceFilter } from "./per-class-confidence-filter.ts";
import { sizeMeasurement } from "./size-measurement.ts";

export const REFINE_BLOCKS: readonly Block[] = [
  detectionsFilter,
  detectionsTransformation,
  detectionOffset,
  perClassConfidenceFilter,
  detectionsMerge,
  detectionsCombine,
  detectionsStitch,
  detectionsConsensus,
  detectionsDifference,
  overlapAnalysis,
  overlap,
  nearestNeighbor,
  classesReplacement,
  detectionsListRollup,
  boundingRect,
  maskAreaMeasurement,
  maskEdgeSnap,
  sizeMeasurement,
  distanceMeasurement,
  geotagDetection,
];
