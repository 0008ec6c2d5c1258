// detections before and after → what went, what stayed, what came
import { type Detections, emptyDetections, selectRows } from "../../frames/detections.ts";
import { anchorPoints } from "../../geometry/detection-geometry.ts";
import { boxOverlaps } from "../../geometry/overlap.ts";
import { distance } from "../../geometry/points.ts";
import { detectionsOf, numberOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";

export interface PairCostOptions {
  /** How much the places count. */
  readonly spatialWeight: number;
  /** Added when the classes differ. */
  readonly classMismatchPenalty: number;
  /** Different classes are never a pair. */
  readonly classStrict: boolean;
}

export const detectionsDifference = statelessBlock({
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
export function pairCosts(reference: Detections, candidate: Detections, options: PairCostOptions): readonly number[][] {
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
function comparableLabels(a: Detections, b: Detections): readonly [ArrayLike<unknown>?, ArrayLike<unknown>?] {
  if (a.data.class_name !== undefined && b.data.class_name !== undefined) return [a.data.class_name, b.data.class_name];
  return a.classId !== undefined && b.classId !== undefined ? [a.classId, b.classId] : [];
}

function diagonalAround(one: Detections, row: number, other: Detections, column: number): number {
  const side = (low: number): number =>
    Math.max(one.xyxy[4 * row + low + 2]!, other.xyxy[4 * column + low + 2]!) -
    Math.min(one.xyxy[4 * row + low]!, other.xyxy[4 * column + low]!);
  return Math.hypot(side(0), side(1));
}

function shareOf(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

function rowsWithout({ length }: Detections, taken: ReadonlySet<number>): readonly number[] {
  return Array.from({ length }, (_, row) => row).filter((row) => !taken.has(row));
}

function pick(detections: Detections, rows: readonly number[]): Detections {
  return rows.length === 0 ? emptyDetections() : selectRows(detections, rows);
}
