import type { Block } from "../block.ts";
import { classesReplacement } from "./classes-replacement.ts";
import { detectionsConsensus } from "./detections-consensus.ts";
import { detectionsDifference, nearestNeighbor } from "./detections-difference.ts";
import { detectionsFilter, detectionsTransformation, overlap, perClassConfidenceFilter } from "./filters.ts";
import { geotagDetection } from "./geotag-detection.ts";
import { boundingRect, detectionOffset, detectionsCombine, detectionsMerge, detectionsStitch } from "./joined-boxes.ts";
import { detectionsListRollup } from "./list-rollup.ts";
import { maskEdgeSnap } from "./mask-edge-snap.ts";
import { distanceMeasurement, maskAreaMeasurement, overlapAnalysis, sizeMeasurement } from "./measurements.ts";

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
