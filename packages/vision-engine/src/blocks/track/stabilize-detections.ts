// tracked boxes → tracked boxes that move smoothly and bridge short gaps
import { type Detections, selectRows } from "../../frames/detections.ts";
import { mergeDetections } from "../../frames/merge-detections.ts";
import type { Block, BlockOutputs } from "../block.ts";
import { detectionsOf, imageOf, numberOr } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { trackedDetectionsOf } from "./track-ids.ts";
import { VelocityFilter } from "./velocity-filter.ts";

/** What is known of the tracks of one video. */
interface SteadyVideo {
  readonly window: number;
  /** The last sighting of each track, or where it was carried on to. */
  readonly last: Map<number, Detections>;
  /** How tracks move that have been seen twice. */
  readonly velocities: Map<number, VelocityFilter>;
}

export const stabilizeDetections: Block = {
  manifest: manifestOf("roboflow_core/stabilize_detections@v1"),
  description:
    "Smooths the boxes of tracked objects and carries an object on for a few frames when it is not detected.",
  phrase: () => "steadies them",
  create: () => {
    const videos = new Map<string, SteadyVideo>();
    return {
      run(inputs): BlockOutputs {
        const detections = detectionsOf(inputs, "detections");
        if (detections.length > 0) trackedDetectionsOf(inputs, "detections");
        const { videoIdentifier } = imageOf(inputs, "image").videoOrDefault(0);
        const window = numberOr(inputs, "smoothing_window_size", 3);
        const video = videos.get(videoIdentifier) ?? { window, last: new Map(), velocities: new Map() };
        videos.set(videoIdentifier, video);
        const weight = numberOr(inputs, "bbox_smoothing_coefficient", 0.2);
        const shown = new Map<number, Detections>();
        for (let row = 0; row < detections.length; row++) {
          const id = detections.trackerId![row]!;
          shown.set(id, see(video, id, selectRows(detections, [row]).with({ metadata: {} }), weight));
        }
        carryOn(video, shown, weight);
        const steady = mergeDetections([...shown.values()]);
        const trackerId = steady.trackerId ?? new Int32Array(steady.length);
        return { tracked_detections: steady.with({ trackerId, metadata: detections.metadata }) };
      },
    };
  },
};

/** Takes a sighting and answers the smoothed one. */
function see({ window, last, velocities }: SteadyVideo, id: number, current: Detections, weight: number): Detections {
  const before = last.get(id)?.xyxy;
  last.set(id, current);
  if (before === undefined) return current;
  const moved = [current.xyxy[2]! - before[2]!, current.xyxy[3]! - before[3]!] as const;
  const known = velocities.get(id);
  known?.measure(moved);
  const velocity = known ?? new VelocityFilter(moved, window);
  velocity.predict();
  velocities.set(id, velocity);
  return current.with({ xyxy: current.xyxy.map((side, at) => weight * side + (1 - weight) * before[at]!) });
}

/** Moves the tracks that were not seen on, and forgets those that have been gone too long. */
function carryOn({ last, velocities }: SteadyVideo, shown: Map<number, Detections>, weight: number): void {
  for (const [id, velocity] of velocities) {
    if (shown.has(id)) continue;
    velocity.predict();
    const before = last.get(id)!;
    const carried = before.with({ xyxy: before.xyxy.map((side, at) => side + weight * velocity.value[at % 2]!) });
    last.set(id, carried);
    shown.set(id, carried);
    if (!velocity.fade()) velocities.delete(id);
  }
  for (const id of last.keys()) if (!shown.has(id)) last.delete(id);
}
