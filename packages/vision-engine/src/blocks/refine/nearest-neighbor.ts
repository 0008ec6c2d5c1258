// detections → for each the nearest of another set
import { isDeepStrictEqual } from "node:util";
import { inputError } from "../../errors.ts";
import { type Detections, selectRows, withColumns } from "../../frames/detections.ts";
import { isAnchor } from "../../geometry/boxes.ts";
import { anchorPoints } from "../../geometry/detection-geometry.ts";
import { distance, type Point } from "../../geometry/points.ts";
import type { BlockInputs } from "../block.ts";
import { detectionsOf, numberOr, textOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";

/** Targets this much farther away than the nearest count as equally near. */
const TIE_PIXELS = 1;
const MOST_DETECTIONS = 1000;
const MOST_PAIRS = 10_000;
/** A pair with masks is far larger. */
const MOST_PAIRS_WITH_MASKS = 100;

interface Match {
  /** To the nearest target; absent when there is none. */
  readonly nearest: number | undefined;
  readonly targets: readonly number[];
}

export const nearestNeighbor = statelessBlock({
  type: "roboflow_core/detections_nearest_neighbor@v1",
  description: "Finds for each detection the nearest one of another set, with the distance in pixels.",
  phrase: "finds the nearest neighbours",
  run: (inputs) => {
    const query = detectionsOf(inputs, "query_predictions");
    const target = detectionsOf(inputs, "target_predictions");
    const queryPoints = pointsOf(inputs, "query", query);
    const targetPoints = pointsOf(inputs, "target", target);
    requireAtMost(MOST_DETECTIONS, Math.max(query.length, target.length), "detections in a set");
    const limit = numberOr(inputs, "max_distance", Number.POSITIVE_INFINITY);
    const matches = queryPoints.map((point, row) => {
      const isOther = (column: number): boolean =>
        query.data.detection_id === undefined || query.data.detection_id[row] !== target.data.detection_id?.[column];
      return nearestTargets(point, targetPoints, (column) => isOther(column), limit);
    });
    const pairs = matches.flatMap(({ targets }, row) => targets.map((column) => [row, column] as const));
    const masked = query.masks !== undefined || target.masks !== undefined;
    requireAtMost(masked ? MOST_PAIRS_WITH_MASKS : MOST_PAIRS, pairs.length, "matched pairs");
    const measured = withColumns(query, { nearest_target_distance: matches.map(({ nearest }) => nearest ?? null) });
    // Of a set compared with itself the targets are measured too.
    const targets = isDeepStrictEqual(query, target) ? measured : target;
    return {
      query_predictions: measured,
      matched_query_detections: selectRows(
        measured,
        pairs.map(([row]) => row),
      ),
      matched_target_detections: selectRows(
        targets,
        pairs.map(([, column]) => column),
      ),
    };
  },
});

function nearestTargets(
  from: Point | undefined,
  targets: readonly (Point | undefined)[],
  isAllowed: (column: number) => boolean,
  limit: number,
): Match {
  const within: { column: number; away: number }[] = [];
  for (const [column, to] of targets.entries()) {
    const away = from && to && isAllowed(column) ? distance(from, to) : Number.NaN;
    if (away <= limit) within.push({ column, away });
  }
  const nearest = Math.min(...within.map(({ away }) => away));
  const targetsNear = within.filter(({ away }) => away <= nearest + TIE_PIXELS).map(({ column }) => column);
  return { nearest: within.length === 0 ? undefined : nearest, targets: targetsNear };
}

/** Anchors, or a keypoint by name: absent where a detection lacks it. */
function pointsOf(
  inputs: BlockInputs,
  role: "query" | "target",
  detections: Detections,
): readonly (Point | undefined)[] {
  const point = textOf(inputs, `${role}_point`);
  if (point !== "KEYPOINT") {
    if (isAnchor(point)) return anchorPoints(detections, point);
    throw inputError(`"${role}_point" knows no "${point}".`);
  }
  const name = inputs[`${role}_keypoint_name`];
  if (typeof name !== "string" || name === "") {
    throw inputError(`"${role}_keypoint_name" must name a keypoint when "${role}_point" is KEYPOINT.`);
  }
  const { keypoints_xy, keypoints_class_name } = detections.data;
  if (keypoints_xy === undefined || keypoints_class_name === undefined) {
    throw inputError(
      `"${role}_predictions" have no keypoints: take those of a keypoint model, or another "${role}_point".`,
    );
  }
  return keypoints_xy.map((points, row) => {
    const at = (keypoints_class_name[row] as readonly string[]).indexOf(name);
    return (points as unknown as readonly Point[])[at];
  });
}

function requireAtMost(most: number, count: number, what: string): void {
  if (count > most) throw inputError(`There are ${count} ${what}, more than ${most}: filter the detections first.`);
}
