// boxes → boxes that keep their id from frame to frame
import { selectRows } from "../../frames/detections.ts";
import { ImageValue } from "../../frames/image-value.ts";
import type { Tracker } from "../../tracking/tracker.ts";
import type { Block, BlockInputs, BlockOutputs } from "../block.ts";
import { detectionsOf, imageOf, numberOr } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
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
