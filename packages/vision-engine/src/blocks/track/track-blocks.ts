import type { Block } from "../block.ts";
import { stabilizeDetections } from "./stabilize-detections.ts";
import { trackClassLock } from "./track-class-lock.ts";
import {
  botSortBlock,
  byteTrackBlock,
  byteTrackerV1,
  byteTrackerV2,
  byteTrackerV3,
  ocSortBlock,
  sortBlock,
} from "./trackers.ts";

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
