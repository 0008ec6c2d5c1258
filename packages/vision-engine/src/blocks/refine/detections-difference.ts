// detections before and after → what went, what stayed, what came

import { isDeepStrictEqual } from "node:util";
import { inputError } from "../../errors.ts";
import { type DetectionTable, emptyDetections, selectRows, withColumns } from "../../frames/detections.ts";
import { isAnchor } from "../../geometry/boxes.ts";
import { anchorPoints, boxOverlaps } from "../../geometry/overlap.ts";
import { distance, type Point } from "../../geometry/polygons.ts";
import { type BlockInputs, block, detectionsOf, numberOf, numberOr, textOf } from "../block.ts";

export interface PairCostOptions {
  /** How much the places count. */
  readonly spatialWeight: number;
  /** Added when the classes differ. */
  readonly classMismatchPenalty: number;
  /** Different classes are never a pair. */
  readonly classStrict: boolean;
}

export const detectionsDifference = block({
  type: "roboflow_core/detections_difference@v1",
  description: "Compares two sets of detections: which were removed, which stayed and which are new.",
  phrase: "tells what was removed and what is new",
  run: (inputs) => {
    const reference = detectionsOf(inputs, "reference_predictions");
    const candidate = detectionsOf(inputs, "candidate_predictions");
    const costs = pairCosts(reference, candidate, {
      spatialWeight: numberOf(inputs, "spatial_weight"),
      classMismatchPenalty: numberOf(inputs, "class_mismatch_penalty"),
      classStrict: inputs.class_strict === true,
    });
    const pairs = matchGreedily(costs, numberOf(inputs, "reject_cost"));
    const removed = rowsWithout(reference, new Set(pairs.map(([row]) => row)));
    const matched = new Set(pairs.map(([, row]) => row));
    const fresh = rowsWithout(candidate, matched);
    return {
      removed_detections: pick(reference, removed),
      persisted_detections: pick(
        candidate,
        [...matched].sort((a, b) => a - b),
      ),
      new_detections: pick(candidate, fresh),
      removed_count: removed.length,
      new_count: fresh.length,
      verified: reference.length > 0 && removed.length >= numberOf(inputs, "min_removed_to_verify"),
    };
  },
});

/** For each reference a row of costs, one for each candidate. Boxes that do not overlap cost more than any that do. */
export function pairCosts(
  reference: DetectionTable,
  candidate: DetectionTable,
  options: PairCostOptions,
): readonly number[][] {
  const { values, columns } = boxOverlaps(reference.xyxy, candidate.xyxy);
  const [from, to] = [anchorPoints(reference, "CENTER"), anchorPoints(candidate, "CENTER")];
  const [ownLabels, otherLabels] = comparableLabels(reference, candidate);
  return from.map((center, row) =>
    to.map((other, column) => {
      const overlap = values[row * columns + column]!;
      const spatial =
        overlap > 0
          ? 1 - overlap
          : 1 + shareOf(distance(center, other), diagonalAround(reference, row, candidate, column));
      const differs = ownLabels?.[row] !== otherLabels?.[column];
      if (differs && options.classStrict) return Number.POSITIVE_INFINITY;
      return options.spatialWeight * spatial + (differs ? options.classMismatchPenalty : 0);
    }),
  );
}

/** The cheapest pair, then the cheapest of what is left, until the cheapest costs more than the limit. */
export function matchGreedily(
  costs: readonly (readonly number[])[],
  rejectCost: number,
): readonly (readonly [row: number, column: number])[] {
  const all = costs.flatMap((row, at) => row.map((cost, column) => ({ row: at, column, cost })));
  const affordable = all.filter(({ cost }) => Number.isFinite(cost) && cost <= rejectCost);
  const [rows, columns] = [new Set<number>(), new Set<number>()];
  const pairs: (readonly [number, number])[] = [];
  for (const { row, column } of affordable.sort((a, b) => a.cost - b.cost)) {
    if (rows.has(row) || columns.has(column)) continue;
    rows.add(row);
    columns.add(column);
    pairs.push([row, column]);
  }
  return pairs;
}

/** Names where both sides have them, else numbers, else nothing that could be compared. */
function comparableLabels(a: DetectionTable, b: DetectionTable): readonly [ArrayLike<unknown>?, ArrayLike<unknown>?] {
  if (a.data.class_name !== undefined && b.data.class_name !== undefined) return [a.data.class_name, b.data.class_name];
  return a.classId !== undefined && b.classId !== undefined ? [a.classId, b.classId] : [];
}

function diagonalAround(one: DetectionTable, row: number, other: DetectionTable, column: number): number {
  const side = (low: number): number =>
    Math.max(one.xyxy[4 * row + low + 2]!, other.xyxy[4 * column + low + 2]!) -
    Math.min(one.xyxy[4 * row + low]!, other.xyxy[4 * column + low]!);
  return Math.hypot(side(0), side(1));
}

function shareOf(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

function rowsWithout({ length }: DetectionTable, taken: ReadonlySet<number>): readonly number[] {
  return Array.from({ length }, (_, row) => row).filter((row) => !taken.has(row));
}

function pick(detections: DetectionTable, rows: readonly number[]): DetectionTable {
  return rows.length === 0 ? emptyDetections() : selectRows(detections, rows);
}

/** Targets this much farther away than the nearest count as equally near. */
const TIE_PIXELS = 1;
const MOST_DETECTIONS = 1000;
const MOST_PAIRS = 10_000;
/** A pair with masks is far larger. */
const MOST_PAIRS_WITH_MASKS = 100;

export const nearestNeighbor = block({
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

/** The nearest targets and the distance to them, which is absent when there are none. */
function nearestTargets(
  from: Point | undefined,
  targets: readonly (Point | undefined)[],
  isAllowed: (column: number) => boolean,
  limit: number,
) {
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
  detections: DetectionTable,
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
