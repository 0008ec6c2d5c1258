// tracked boxes → tracked boxes that know how fast they move
import { inputError } from "../../errors.ts";
import { withColumns } from "../../frames/detections.ts";
import { videoSeconds } from "../../frames/video-metadata.ts";
import type { Block, BlockInputs, BlockOutputs } from "../block.ts";
import { imageOf, numberOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { trackedDetectionsOf } from "../track/track-ids.ts";

type Vector = readonly [x: number, y: number];

/** Last sighting of a track, in pixels and seconds. */
interface Sighting {
  readonly centre: Vector;
  readonly seconds: number;
  /** Pixels per second. */
  readonly smoothed: Vector;
}

export const velocity: Block = {
  manifest: manifestOf("roboflow_core/velocity@v1"),
  description: "Measures speed and direction of tracked objects. Needs detections from a tracker.",
  phrase: () => "measures their speed",
  create: (context) => {
    const videos = new Map<string, Map<number, Sighting>>();
    return {
      run(inputs): BlockOutputs {
        const detections = trackedDetectionsOf(inputs, "detections");
        const { alpha, scale } = optionsOf(inputs);
        const video = imageOf(inputs, "image").videoOrDefault(context.now());
        const seconds = videoSeconds(video);
        const tracks = videos.get(video.videoIdentifier) ?? new Map<number, Sighting>();
        videos.set(video.videoIdentifier, tracks);
        const speeds = Array.from(detections.trackerId, (id, row) => {
          const centre = centreOf(detections.xyxy, row);
          const before = tracks.get(id);
          const current = speedSince(before, centre, seconds);
          const smoothed = before === undefined ? current : blend(current, before.smoothed, alpha);
          tracks.set(id, { centre, seconds, smoothed });
          return { current: times(current, 1 / scale), smoothed: times(smoothed, 1 / scale) };
        });
        const columns = {
          velocity: speeds.map(({ current }) => current),
          speed: speeds.map(({ current }) => Math.hypot(...current)),
          smoothed_velocity: speeds.map(({ smoothed }) => smoothed),
          smoothed_speed: speeds.map(({ smoothed }) => Math.hypot(...smoothed)),
        };
        return { velocity_detections: withColumns(detections, columns) };
      },
    };
  },
};

function optionsOf(inputs: BlockInputs): { readonly alpha: number; readonly scale: number } {
  const alpha = numberOf(inputs, "smoothing_alpha");
  if (!(alpha > 0 && alpha <= 1)) throw inputError(`"smoothing_alpha" must be above 0 and at most 1, not ${alpha}.`);
  const scale = numberOf(inputs, "pixels_per_meter");
  if (!(scale > 0)) throw inputError(`"pixels_per_meter" must be above 0, not ${scale}.`);
  return { alpha, scale };
}

function speedSince(before: Sighting | undefined, centre: Vector, seconds: number): Vector {
  if (before === undefined || seconds <= before.seconds) return [0, 0];
  const moved: Vector = [centre[0] - before.centre[0], centre[1] - before.centre[1]];
  return times(moved, 1 / (seconds - before.seconds));
}

function centreOf(xyxy: Float64Array, row: number): Vector {
  return [(xyxy[4 * row]! + xyxy[4 * row + 2]!) / 2, (xyxy[4 * row + 1]! + xyxy[4 * row + 3]!) / 2];
}

function blend([x, y]: Vector, [beforeX, beforeY]: Vector, alpha: number): Vector {
  return [alpha * x + (1 - alpha) * beforeX, alpha * y + (1 - alpha) * beforeY];
}

function times([x, y]: Vector, factor: number): Vector {
  return [x * factor, y * factor];
}
