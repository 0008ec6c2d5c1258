// tracked boxes → how fast they are, and how far from the path they should take

import { isDeepStrictEqual } from "node:util";
import { inputError } from "../../errors.ts";
import { withColumns } from "../../frames/detections.ts";
import { videoSeconds } from "../../frames/frame.ts";
import { anchorPoint } from "../../geometry/boxes.ts";
import { distance, type Point } from "../../geometry/polygons.ts";
import { type Block, type BlockInputs, block, frameVideoOf, numberOf, trackedDetectionsOf } from "../block.ts";
import { anchorOf, toPoints } from "./zones.ts";

/** Last sighting of a track, in pixels and seconds. */
interface Sighting {
  readonly centre: Point;
  readonly seconds: number;
  /** Pixels per second. */
  readonly smoothed: Point;
}

export const velocity = block({
  type: "roboflow_core/velocity@v1",
  description: "Measures speed and direction of tracked objects. Needs detections from a tracker.",
  phrase: "measures their speed",
  start: (context) => {
    const videos = new Map<string, Map<number, Sighting>>();
    return (inputs) => {
      const detections = trackedDetectionsOf(inputs, "detections");
      const { alpha, scale } = optionsOf(inputs);
      const video = frameVideoOf(inputs, context.now());
      const seconds = videoSeconds(video);
      const tracks = videos.get(video.videoIdentifier) ?? new Map<number, Sighting>();
      videos.set(video.videoIdentifier, tracks);
      const speeds = Array.from(detections.trackerId, (id, row) => {
        const centre = anchorPoint(detections.xyxy, "CENTER", row);
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
    };
  },
});

function optionsOf(inputs: BlockInputs): { readonly alpha: number; readonly scale: number } {
  const alpha = numberOf(inputs, "smoothing_alpha");
  if (!(alpha > 0 && alpha <= 1)) throw inputError(`"smoothing_alpha" must be above 0 and at most 1, not ${alpha}.`);
  const scale = numberOf(inputs, "pixels_per_meter");
  if (!(scale > 0)) throw inputError(`"pixels_per_meter" must be above 0, not ${scale}.`);
  return { alpha, scale };
}

function speedSince(before: Sighting | undefined, centre: Point, seconds: number): Point {
  if (before === undefined || seconds <= before.seconds) return [0, 0];
  const moved: Point = [centre[0] - before.centre[0], centre[1] - before.centre[1]];
  return times(moved, 1 / (seconds - before.seconds));
}

function blend([x, y]: Point, [beforeX, beforeY]: Point, alpha: number): Point {
  return [alpha * x + (1 - alpha) * beforeX, alpha * y + (1 - alpha) * beforeY];
}

function times([x, y]: Point, factor: number): Point {
  return [x * factor, y * factor];
}

/**
 * Discrete Fréchet distance of a growing path to a fixed one. Of the table that defines it only the last row is kept:
 * the distance of the path so far to each beginning of the reference.
 */
interface PathState {
  readonly reference: readonly Point[];
  readonly row: Float64Array;
}

export const pathDeviationV1 = pathDeviation("v1");
export const pathDeviationV2 = pathDeviation("v2");

function pathDeviation(version: string): Block {
  return block({
    type: `roboflow_core/path_deviation_analytics@${version}`,
    description: "Measures how far the path of each tracked object strays from a wanted path, in pixels.",
    phrase: "measures how far they stray from the path",
    start: () => {
      const videos = new Map<string, Map<number, PathState>>();
      return (inputs) => {
        const detections = trackedDetectionsOf(inputs, "detections");
        const anchor = anchorOf(inputs, "triggering_anchor");
        const reference = referenceOf(inputs);
        const { videoIdentifier } = frameVideoOf(inputs);
        const paths = videos.get(videoIdentifier) ?? new Map<number, PathState>();
        videos.set(videoIdentifier, paths);
        const deviations = Array.from(detections.trackerId, (id, row) => {
          const path = extendPath(paths.get(id), reference, anchorPoint(detections.xyxy, anchor, row));
          paths.set(id, path);
          return path.row.at(-1)!;
        });
        return { path_deviation_detections: withColumns(detections, { path_deviation: deviations }) };
      };
    },
  });
}

function referenceOf(inputs: BlockInputs): readonly Point[] {
  const points = toPoints(inputs.reference_path);
  if (points !== undefined && points.length > 0) return points;
  throw inputError(`"reference_path" must be a list of points: [[x, y], [x, y], …].`, "TypeError");
}

/** A path measured against another reference begins anew. */
function extendPath(path: PathState | undefined, reference: readonly Point[], point: Point): PathState {
  const before = path !== undefined && isDeepStrictEqual(path.reference, reference) ? path.row : undefined;
  const row = new Float64Array(reference.length);
  for (let at = 0; at < row.length; at++) {
    const ways = [before?.[at], at > 0 ? before?.[at - 1] : undefined, at > 0 ? row[at - 1] : undefined];
    const shortest = Math.min(...ways.filter((way) => way !== undefined));
    const away = distance(point, reference[at]!);
    row[at] = Number.isFinite(shortest) ? Math.max(shortest, away) : away;
  }
  return { reference, row };
}
