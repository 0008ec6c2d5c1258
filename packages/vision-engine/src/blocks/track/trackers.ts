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
  numberOf,
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
    return createByteTrack({ ...optionsOf(inputs), fps });
  });
}

export const byteTrackBlock = packageTracker(
  "bytetrack",
  "Follows objects from frame to frame (ByteTrack): weak detections keep a track alive but begin none.",
  createByteTrackCorners,
);

export const sortBlock = packageTracker(
  "sort",
  "Follows objects from frame to frame (SORT): the simplest and cheapest, by position alone.",
  createSort,
);

export const ocSortBlock = packageTracker(
  "ocsort",
  "Follows objects from frame to frame (OC-SORT): good with occlusions and turns.",
  createOcSort,
);

export const botSortBlock = packageTracker(
  "botsort",
  "Follows objects from frame to frame (BoT-SORT): three rounds of matching, sure detections first.",
  (options, inputs) =>
    createBotSort({
      ...options,
      instantFirstFrame: inputs.instant_first_frame_activation === true,
      camera: inputs.enable_cmc === true ? cameraOf(inputs) : undefined,
    }),
);

/** Numbers that steps tell trackers, by the option that takes them; what a step leaves out takes the tracker's default. */
const TRACKER_NUMBERS = {
  activationThreshold: "track_activation_threshold",
  highConfidence: "high_conf_det_threshold",
  minimumIou: "minimum_iou_threshold",
  minimumIouFirst: "minimum_iou_threshold_first_assoc",
  minimumIouSecond: "minimum_iou_threshold_second_assoc",
  minimumIouUnconfirmed: "minimum_iou_threshold_unconfirmed_assoc",
  matchingThreshold: "minimum_matching_threshold",
  minimumConsecutiveFrames: "minimum_consecutive_frames",
  lostTrackBuffer: "lost_track_buffer",
  directionWeight: "direction_consistency_weight",
  deltaT: "delta_t",
} as const;

type TrackerNumbers = { readonly [Option in keyof typeof TRACKER_NUMBERS]?: number };

function optionsOf(inputs: BlockInputs): TrackerNumbers {
  const told = Object.entries(TRACKER_NUMBERS).filter(([, property]) => (inputs[property] ?? null) !== null);
  return Object.fromEntries(told.map(([option, property]) => [option, numberOf(inputs, property)]));
}

function cameraOf(inputs: BlockInputs): CameraMotion {
  if (inputs.cmc_method !== "sparseOptFlow") {
    throw inputError(
      `The camera motion "${inputs.cmc_method}" is not available in the direct backend: take "sparseOptFlow".`,
      "NotImplementedError",
    );
  }
  return createCameraMotion(numberOr(inputs, "cmc_downscale", 2));
}

function packageTracker(
  name: string,
  description: string,
  createTracker: (options: TrackerNumbers & { readonly fps: number }, inputs: BlockInputs) => Tracker,
): Block {
  return trackerBlock(`roboflow_core/trackers_${name}@v1`, description, (inputs, fps) =>
    createTracker({ ...optionsOf(inputs), fps: fps > 0 ? fps : 30 }, inputs),
  );
}
