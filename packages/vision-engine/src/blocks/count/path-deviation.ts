// tracked boxes → tracked boxes that know how far their path is from the wanted one
import { isDeepStrictEqual } from "node:util";
import { inputError } from "../../errors.ts";
import { withColumns } from "../../frames/detections.ts";
import { anchorX, anchorY } from "../../geometry/boxes.ts";
import { distance, type Point } from "../../geometry/points.ts";
import type { Block, BlockInputs, BlockOutputs } from "../block.ts";
import { imageOf, videoOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { trackedDetectionsOf } from "../track/track-ids.ts";
import { anchorOf, toPoints } from "./zone-points.ts";

/**
 * Discrete Fréchet distance of a growing path to a fixed one. Of the table that defines it only the last row is kept:
 * the distance of the path so far to each beginning of the reference.
 */
interface PathState {
  readonly reference: readonly Point[];
  readonly row: Float64Array;
}

export const pathDeviationV1 = pathDeviation("v1", (inputs) => videoOf(inputs, "metadata").videoIdentifier);
export const pathDeviationV2 = pathDeviation(
  "v2",
  (inputs) => imageOf(inputs, "image").videoOrDefault(0).videoIdentifier,
);

function pathDeviation(version: string, videoIdOf: (inputs: BlockInputs) => string): Block {
  return {
    manifest: manifestOf(`roboflow_core/path_deviation_analytics@${version}`),
    description: "Measures how far the path of each tracked object strays from a wanted path, in pixels.",
    phrase: () => "measures how far they stray from the path",
    create: () => {
      const videos = new Map<string, Map<number, PathState>>();
      return {
        run(inputs): BlockOutputs {
          const detections = trackedDetectionsOf(inputs, "detections");
          const anchor = anchorOf(inputs, "triggering_anchor");
          const reference = referenceOf(inputs);
          const videoId = videoIdOf(inputs);
          const paths = videos.get(videoId) ?? new Map<number, PathState>();
          videos.set(videoId, paths);
          const deviations = Array.from(detections.trackerId, (id, row) => {
            const point: Point = [anchorX(anchor, detections.xyxy, row), anchorY(anchor, detections.xyxy, row)];
            const path = extendPath(paths.get(id), reference, point);
            paths.set(id, path);
            return path.row.at(-1)!;
          });
          return { path_deviation_detections: withColumns(detections, { path_deviation: deviations }) };
        },
      };
    },
  };
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
