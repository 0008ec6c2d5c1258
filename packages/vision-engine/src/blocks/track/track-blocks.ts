import type { Block } from "../block.ts";
import { byteTrackerV1, byteTrackerV2, byteTrackerV3 } from "./byte-tracker.ts";
import { botSortBlock, byteTrackBlock, ocSortBlock, sortBlock } from "./package-trackers.ts";
import { stabilizeDetections } from "./stabilize-detections.ts";
import { trackClassLock } from "./track-class-lock.ts";

/** Who is who from frame to frame. */
export const TRACK_BLOCKS: readonly Block[] = [
  byteTrackerV1,
  byteTrackerV2,
  byteTrackerV3,
  byteTrackBlock,
  sortBlock,
  ocSortBlock,
  botSortBlock,
  stabilizeDetections,
  trackClassLock,
];
