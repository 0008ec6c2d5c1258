// boxes of a video → the same boxes with tracker ids

import { inputError } from "../../errors.ts";
import { type DetectionTable, emptyDetections, selectRows } from "../../frames/detections.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { createBotSort } from "../../tracking/bot-sort.ts";
import { createByteTrack } from "../../tracking/byte-track.ts";
import { type CameraMotion, createCameraMotion } from "../../tracking/camera-motion.ts";
import { createByteTrackCorners, createSort } from "../../tracking/corner-trackers.ts";
import { createOcSort } from "../../tracking/oc-sort.ts";
import type { TrackedRows, Tracker } from "../../tracking/tracker.ts";
import {
  type Block,
  type BlockInputs,
  type BlockOutputs,
  block,
  detectionsOf,
  frameVideoOf,
  manifestOf,
  numberOr,
  type TrackedDetections,
} from "../block.ts";

/** Called with the options of the first frame of a video, which hold for all of it. */
type CreateTracker = (inputs: BlockInputs, fps: number) => Tracker;

/** A block that follows what is in each video with a tracker of its own. */
function trackerBlock(type: string, description: string, createTracker: CreateTracker): Block {
  const tellsNewcomers = manifestOf(type).outputs.some(({ name }) => name === "new_instances");
  return block({
    type,
    description,
    phrase: "tracks them",
    start: () => {
      const videos = new Map<string, { readonly tracker: Tracker; readonly seen: Set<number> }>();
      return (inputs) => {
        const { videoIdentifier, fps } = frameVideoOf(inputs);
        const video = videos.get(videoIdentifier) ?? { tracker: createTracker(inputs, fps), seen: new Set() };
        videos.set(videoIdentifier, video);
        const detections = detectionsOf(inputs, "detections");
        const picture = inputs.image instanceof ImageValue ? inputs.image : undefined;
        const tracked = withTrackIds(detections, video.tracker.update(detections, picture));
        if (!tellsNewcomers) return { tracked_detections: tracked };
        return { tracked_detections: tracked, ...splitNewcomers(video.seen, tracked, inputs) };
      };
    },
  });
}

/** The rows that have an id, in the order of the tracker. */
export function withTrackIds(detections: DetectionTable, { rows, ids, isBlank }: TrackedRows): TrackedDetections {
  if (isBlank) return emptyDetections().with({ trackerId: new Int32Array(0) }) as TrackedDetections;
  const shown = rows.map((row, at) => ({ row, id: ids[at]! })).filter(({ id }) => id >= 0);
  const tracked = selectRows(
    detections,
    shown.map(({ row }) => row),
  );
  return tracked.with({ trackerId: Int32Array.from(shown, ({ id }) => id) }) as TrackedDetections;
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

export const byteTrackerV1 = byteTracker("v1");
export const byteTrackerV2 = byteTracker("v2");
export const byteTrackerV3 = byteTracker("v3");

function byteTracker(version: "v1" | "v2" | "v3"): Block {
  const description = "Follows objects from frame to frame and gives each a number that stays.";
  return trackerBlock(`roboflow_core/byte_tracker@${version}`, description, (inputs, fps) => {
    if (version === "v1" && !(fps > 0)) {
      throw inputError(`"metadata" names no frame rate, and byte_tracker@v1 needs one.`);
    }
    return createByteTrack({
      activationThreshold: numberOr(inputs, "track_activation_threshold", 0.25),
      lostTrackBuffer: numberOr(inputs, "lost_track_buffer", 30),
      matchingThreshold: numberOr(inputs, "minimum_matching_threshold", 0.8),
      minimumConsecutiveFrames: numberOr(inputs, "minimum_consecutive_frames", 1),
      fps,
    });
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
  (inputs, fps) =>
    createBotSort({
      minimumIouFirst: numberOr(inputs, "minimum_iou_threshold_first_assoc", 0.2),
      minimumIouSecond: numberOr(inputs, "minimum_iou_threshold_second_assoc", 0.5),
      minimumIouUnconfirmed: numberOr(inputs, "minimum_iou_threshold_unconfirmed_assoc", 0.3),
      minimumConsecutiveFrames: numberOr(inputs, "minimum_consecutive_frames", 2),
      lostTrackBuffer: numberOr(inputs, "lost_track_buffer", 30),
      activationThreshold: numberOr(inputs, "track_activation_threshold", 0.7),
      highConfidence: numberOr(inputs, "high_conf_det_threshold", 0.6),
      instantFirstFrame: inputs.instant_first_frame_activation === true,
      fps,
      camera: inputs.enable_cmc === true ? cameraOf(inputs) : undefined,
    }),
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

function packageTracker(name: string, description: string, createTracker: CreateTracker): Block {
  return trackerBlock(`roboflow_core/trackers_${name}@v1`, description, (inputs, fps) =>
    createTracker(inputs, fps > 0 ? fps : 30),
  );
}
