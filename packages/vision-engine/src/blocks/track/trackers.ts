// boxes of a video → the same boxes with tracker ids

import { inputError } from "../../errors.ts";
import { selectRows } from "../../frames/detections.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { createBotSort } from "../../tracking/bot-sort.ts";
import { createByteTrack } from "../../tracking/byte-track.ts";
import { type CameraMotion, createCameraMotion } from "../../tracking/camera-motion.ts";
import { createByteTrackCorners, createSort } from "../../tracking/corner-trackers.ts";
import { createOcSort } from "../../tracking/oc-sort.ts";
import type { Tracker } from "../../tracking/tracker.ts";
import {
  type Block,
  type BlockInputs,
  type BlockOutputs,
  detectionsOf,
  imageOf,
  manifestOf,
  numberOr,
  videoOf,
} from "../block.ts";
import { type TrackedDetections, withTrackIds } from "./track-ids.ts";

/** The video that a frame belongs to. */
export interface TrackedVideo {
  readonly id: string;
  /** 0 when unknown. */
  readonly fps: number;
}

export interface TrackerBlockOptions {
  readonly type: string;
  readonly description: string;
  readonly videoOfFrame: (inputs: BlockInputs) => TrackedVideo;
  /** Called with the options of the first frame of a video, which hold for all of it. */
  readonly createTracker: (inputs: BlockInputs, fps: number) => Tracker;
}

/** A block that follows what is in each video with a tracker of its own. */
export function trackerBlock({ type, description, videoOfFrame, createTracker }: TrackerBlockOptions): Block {
  const manifest = manifestOf(type);
  const tellsNewcomers = manifest.outputs.some(({ name }) => name === "new_instances");
  return {
    manifest,
    description,
    phrase: () => "tracks them",
    create: () => {
      const videos = new Map<string, { readonly tracker: Tracker; readonly seen: Set<number> }>();
      return {
        run(inputs): BlockOutputs {
          const { id, fps } = videoOfFrame(inputs);
          const video = videos.get(id) ?? { tracker: createTracker(inputs, fps), seen: new Set() };
          videos.set(id, video);
          const detections = detectionsOf(inputs, "detections");
          const tracked = withTrackIds(detections, video.tracker.update(detections, pictureIn(inputs)));
          if (!tellsNewcomers) return { tracked_detections: tracked };
          return { tracked_detections: tracked, ...splitNewcomers(video.seen, tracked, inputs) };
        },
      };
    },
  };
}

function pictureIn({ image }: BlockInputs): ImageValue | undefined {
  return image instanceof ImageValue ? image : undefined;
}

export function imageVideo(inputs: BlockInputs): TrackedVideo {
  const { videoIdentifier, fps } = imageOf(inputs, "image").videoOrDefault(0);
  return { id: videoIdentifier, fps };
}

function splitNewcomers(seen: Set<number>, tracked: TrackedDetections, inputs: BlockInputs): BlockOutputs {
  const capacity = Math.max(1, numberOr(inputs, "instances_cache_size", 16384));
  const newcomers: number[] = [];
  const others: number[] = [];
  for (const [row, id] of tracked.trackerId.entries()) {
    (seen.has(id) ? others : newcomers).push(row);
    seen.add(id);
    forgetOldest(seen, capacity);
  }
  return { new_instances: selectRows(tracked, newcomers), already_seen_instances: selectRows(tracked, others) };
}

function forgetOldest(seen: Set<number>, capacity: number): void {
  for (const id of seen) {
    if (seen.size <= capacity) return;
    seen.delete(id);
  }
}

export const byteTrackerV1 = byteTracker("v1", (inputs) => {
  const { videoIdentifier, fps } = videoOf(inputs, "metadata");
  if (fps > 0) return { id: videoIdentifier, fps };
  throw inputError(`"metadata" names no frame rate, and byte_tracker@v1 needs one.`);
});
export const byteTrackerV2 = byteTracker("v2", imageVideo);
export const byteTrackerV3 = byteTracker("v3", imageVideo);

function byteTracker(version: string, videoOfFrame: (inputs: BlockInputs) => TrackedVideo): Block {
  return trackerBlock({
    type: `roboflow_core/byte_tracker@${version}`,
    description: "Follows objects from frame to frame and gives each a number that stays.",
    videoOfFrame,
    createTracker,
  });
}

function createTracker(inputs: BlockInputs, fps: number): Tracker {
  return createByteTrack({
    activationThreshold: numberOr(inputs, "track_activation_threshold", 0.25),
    lostTrackBuffer: numberOr(inputs, "lost_track_buffer", 30),
    matchingThreshold: numberOr(inputs, "minimum_matching_threshold", 0.8),
    minimumConsecutiveFrames: numberOr(inputs, "minimum_consecutive_frames", 1),
    fps,
  });
}

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
