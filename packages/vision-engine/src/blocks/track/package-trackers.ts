// boxes → boxes that keep their id, by the algorithms of the `trackers` package
import { inputError } from "../../errors.ts";
import { createBotSort } from "../../tracking/bot-sort.ts";
import { createByteTrackCorners } from "../../tracking/byte-track-corners.ts";
import { type CameraMotion, createCameraMotion } from "../../tracking/camera-motion/camera-motion.ts";
import { createOcSort } from "../../tracking/oc-sort.ts";
import { createSort } from "../../tracking/sort.ts";
import type { Tracker } from "../../tracking/tracker.ts";
import type { Block, BlockInputs } from "../block.ts";
import { numberOr } from "../block-inputs.ts";
import { imageVideo, trackerBlock } from "./tracker-block.ts";

export const byteTrackBlock = packageTracker(
  "bytetrack",
  "Follows objects from frame to frame (ByteTrack): weak detections keep a track alive but begin none.",
  (inputs, fps) =>
    createByteTrackCorners({
      minimumIou: numberOr(inputs, "minimum_iou_threshold", 0.1),
      minimumConsecutiveFrames: numberOr(inputs, "minimum_consecutive_frames", 2),
      lostTrackBuffer: numberOr(inputs, "lost_track_buffer", 30),
      activationThreshold: numberOr(inputs, "track_activation_threshold", 0.7),
      highConfidence: numberOr(inputs, "high_conf_det_threshold", 0.6),
      fps,
    }),
);

export const sortBlock = packageTracker(
  "sort",
  "Follows objects from frame to frame (SORT): the simplest and cheapest, by position alone.",
  (inputs, fps) =>
    createSort({
      minimumIou: numberOr(inputs, "minimum_iou_threshold", 0.3),
      minimumConsecutiveFrames: numberOr(inputs, "minimum_consecutive_frames", 3),
      lostTrackBuffer: numberOr(inputs, "lost_track_buffer", 30),
      activationThreshold: numberOr(inputs, "track_activation_threshold", 0.25),
      fps,
    }),
);

export const ocSortBlock = packageTracker(
  "ocsort",
  "Follows objects from frame to frame (OC-SORT): good with occlusions and turns.",
  (inputs, fps) =>
    createOcSort({
      minimumIou: numberOr(inputs, "minimum_iou_threshold", 0.3),
      minimumConsecutiveFrames: numberOr(inputs, "minimum_consecutive_frames", 3),
      lostTrackBuffer: numberOr(inputs, "lost_track_buffer", 30),
      highConfidence: numberOr(inputs, "high_conf_det_threshold", 0.6),
      directionWeight: numberOr(inputs, "direction_consistency_weight", 0.2),
      deltaT: numberOr(inputs, "delta_t", 3),
      fps,
    }),
);

export const botSortBlock = packageTracker(
  "botsort",
  "Follows objects from frame to frame (BoT-SORT): three rounds of matching, sure detections first.",
  (inputs, fps) => {
    return createBotSort({
      minimumIouFirst: numberOr(inputs, "minimum_iou_threshold_first_assoc", 0.2),
      minimumIouSecond: numberOr(inputs, "minimum_iou_threshold_second_assoc", 0.5),
      minimumIouUnconfirmed: numberOr(inputs, "minimum_iou_threshold_unconfirmed_assoc", 0.3),
      minimumConsecutiveFrames: numberOr(inputs, "minimum_consecutive_frames", 2),
      lostTrackBuffer: numberOr(inputs, "lost_track_buffer", 30),
      activationThreshold: numberOr(inputs, "track_activation_threshold", 0.7),
      highConfidence: numberOr(inputs, "high_conf_det_threshold", 0.6),
      instantFirstFrame: inputs.instant_first_frame_activation === true,
      fps,
      ...(inputs.enable_cmc === true ? { camera: cameraOf(inputs) } : {}),
    });
  },
);

function cameraOf(inputs: BlockInputs): CameraMotion {
  if (inputs.cmc_method !== "sparseOptFlow") {
    throw inputError(
      `The camera motion "${inputs.cmc_method}" is not available in the direct backend: take "sparseOptFlow".`,
      "NotImplementedError",
    );
  }
  return createCameraMotion({ downscale: numberOr(inputs, "cmc_downscale", 2) });
}

function packageTracker(
  name: string,
  description: string,
  createTracker: (inputs: BlockInputs, fps: number) => Tracker,
): Block {
  return trackerBlock({
    type: `roboflow_core/trackers_${name}@v1`,
    description,
    videoOfFrame: imageVideo,
    createTracker: (inputs, fps) => createTracker(inputs, fps > 0 ? fps : 30),
  });
}
