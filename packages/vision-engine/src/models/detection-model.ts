import type { Detections } from "../frames/detections.ts";
import type { Frame } from "../frames/frame.ts";

/** What a model is told with each picture. What is left out takes the model's own value. */
export interface DetectOptions {
  /** Boxes below are left out. */
  readonly confidence?: number;
  /** Without a confidence: the thresholds that an evaluation of the model recommends, where there are any. Default false. */
  readonly recommended?: boolean;
  /** Overlap from which the weaker of two boxes goes. Default 0.3. */
  readonly iouThreshold?: number;
  /** Boxes of different classes also push each other out. Default false. */
  readonly classAgnostic?: boolean;
  /** Most boxes given back, the most confident ones. Default 300. */
  readonly maxDetections?: number;
  /** Most boxes looked at before overlaps are sorted out. Default 3000. */
  readonly maxCandidates?: number;
  /** How masks are made, for models that have them. Default "accurate". */
  readonly maskDecoding?: "accurate" | "tradeoff" | "fast";
  /** 0 to 1, for `tradeoff`. Default 0. */
  readonly maskTradeoff?: number;
  /** Keypoints below are left out. Default 0. */
  readonly keypointConfidence?: number;
}

/**
 * A picture in, boxes out, with masks or keypoints where the model makes them. The detections have `class_name`, and
 * `keypoints_…` columns for keypoints; where the picture comes from is noted by the block.
 */
export interface DetectionModel {
  readonly id: string;
  /** Says in one sentence what this is, so that a simulated model is never taken for a real one. */
  readonly description: string;
  /** Said with every result: for example that another model stands in for the one that was asked for. */
  readonly note?: string;
  readonly classNames: readonly string[];
  /** Looking costs next to nothing: nobody need spare it. */
  readonly cheap?: true;
  detect(frame: Frame, options: DetectOptions): Promise<Detections>;
  close(): Promise<void>;
}
