// boxes → boxes that keep their id from frame to frame
import { inputError } from "../../errors.ts";
import { createByteTrack } from "../../tracking/byte-track.ts";
import type { Tracker } from "../../tracking/tracker.ts";
import type { Block, BlockInputs } from "../block.ts";
import { numberOr, videoOf } from "../block-inputs.ts";
import { imageVideo, type TrackedVideo, trackerBlock } from "./tracker-block.ts";

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
