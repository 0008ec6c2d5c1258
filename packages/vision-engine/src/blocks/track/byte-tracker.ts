// boxes → boxes that keep their id from frame to frame

import { EngineError } from "../../errors.ts";
import type { Detections } from "../../frames/detections.ts";
import { selectRows } from "../../frames/select-rows.ts";
import { type ByteTrack, createByteTrack } from "../../tracking/byte-track.ts";
import type { Block, BlockInputs, BlockOutputs } from "../block.ts";
import { detectionsOf, imageOf, numberOr } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { videoOf } from "../video-metadata.ts";

interface Video {
  readonly id: string;
  readonly fps: number;
}

/** One tracked video: the tracker and the ids that were shown before. */
interface TrackedVideo {
  readonly tracker: ByteTrack;
  readonly seen: Set<number>;
}

export const byteTrackerV1 = trackerBlock("v1", (inputs) => {
  const video = videoOf(inputs, "metadata");
  if (video.fps > 0) return video;
  throw new EngineError({ kind: "input", message: `"metadata" names no frame rate, and byte_tracker@v1 needs one.` });
});
export const byteTrackerV2 = trackerBlock("v2", imageVideo);
export const byteTrackerV3 = trackerBlock("v3", imageVideo);

function trackerBlock(version: string, videoOfFrame: (inputs: BlockInputs) => Video): Block {
  const manifest = manifestOf(`roboflow_core/byte_tracker@${version}`);
  const tellsNewcomers = manifest.outputs.some(({ name }) => name === "new_instances");
  return {
    manifest,
    description: "Follows objects from frame to frame and gives each a number that stays.",
    phrase: () => "tracks them",
    create: () => {
      const videos = new Map<string, TrackedVideo>();
      return {
        run(inputs): BlockOutputs {
          const frame = videoOfFrame(inputs);
          const video = videos.get(frame.id) ?? startTracking(inputs, frame.fps);
          videos.set(frame.id, video);
          const tracked = track(video.tracker, detectionsOf(inputs, "detections"));
          if (!tellsNewcomers) return { tracked_detections: tracked };
          return { tracked_detections: tracked, ...splitNewcomers(video.seen, tracked, inputs) };
        },
      };
    },
  };
}

function imageVideo(inputs: BlockInputs): Video {
  const { source_id, fps } = imageOf(inputs, "image").metadata;
  return { id: source_id, fps };
}

/** The options of the first frame hold for the whole video. */
function startTracking(inputs: BlockInputs, fps: number): TrackedVideo {
  const tracker = createByteTrack({
    activationThreshold: numberOr(inputs, "track_activation_threshold", 0.25),
    lostTrackBuffer: numberOr(inputs, "lost_track_buffer", 30),
    matchingThreshold: numberOr(inputs, "minimum_matching_threshold", 0.8),
    minimumConsecutiveFrames: numberOr(inputs, "minimum_consecutive_frames", 1),
    fps,
  });
  return { tracker, seen: new Set() };
}

function track(tracker: ByteTrack, detections: Detections): Detections {
  const trackerId = tracker.update(detections);
  const rows = [...trackerId.keys()].filter((row) => trackerId[row]! >= 0);
  return selectRows({ ...detections, trackerId }, rows);
}

function splitNewcomers(seen: Set<number>, tracked: Detections, inputs: BlockInputs): BlockOutputs {
  const capacity = numberOr(inputs, "instances_cache_size", 16384);
  const newcomers: number[] = [];
  const others: number[] = [];
  for (const [row, id] of (tracked.trackerId ?? []).entries()) {
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
