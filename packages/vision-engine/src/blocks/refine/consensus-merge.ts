// detections of one thing from several sources → one detection
import { inputError } from "../../errors.ts";
import { type ColumnValue, columnOf, Detections } from "../../frames/detections.ts";
import { intersectMasks, type Mask, maskArea, maskBounds, uniteMasks } from "../../frames/mask.ts";
import { areaOf } from "../../geometry/detection-geometry.ts";

export type Aggregation = "average" | "max" | "min";
export type MaskAggregation = "union" | "intersection" | "max" | "min";

export interface MergeOptions {
  readonly confidence: Aggregation;
  readonly coordinates: Aggregation;
  readonly masks: MaskAggregation;
  readonly newId: () => string;
}

/** Columns that the merged detection takes from its first member. */
const KEPT_COLUMNS = [
  "parent_id",
  "parent_coordinates",
  "parent_dimensions",
  "root_parent_id",
  "root_parent_coordinates",
  "root_parent_dimensions",
  "image_dimensions",
] as const;

/** One row out of the rows, which are the same thing seen by several models. */
export function mergeMembers(members: Detections, options: MergeOptions): Detections {
  const { name, id } = classOf(members, options.confidence);
  const mask = members.masks && mergeMasks(members.masks as readonly [Mask, ...Mask[]], options.masks);
  const data: Record<string, readonly ColumnValue[]> = {
    class_name: [name],
    detection_id: [options.newId()],
    prediction_type: ["object-detection"],
    scaling_relative_to_parent: [members.data.scaling_relative_to_parent?.[0] ?? 1],
    scaling_relative_to_root_parent: [members.data.scaling_relative_to_root_parent?.[0] ?? 1],
  };
  for (const column of KEPT_COLUMNS) data[column] = [columnOf(members, column)[0]!];
  return new Detections({
    xyxy: mask === undefined ? mergeBoxes(members, options.coordinates) : boxOfMask(mask),
    confidence: Float64Array.of(aggregate(confidencesOf(members), options.confidence)),
    classId: Int32Array.of(id),
    masks: mask && [mask],
    data,
    metadata: members.metadata,
  });
}

/** Throws for no values. */
export function aggregate(values: readonly number[], mode: Aggregation): number {
  if (values.length === 0) {
    throw inputError("There are no values to aggregate.", mode === "average" ? "StatisticsError" : "ValueError");
  }
  if (mode === "max") return Math.max(...values);
  if (mode === "min") return Math.min(...values);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of the most or least confident member; on average the class of most members, the first of several. */
export function classOf(members: Detections, mode: Aggregation): { readonly name: string; readonly id: number } {
  const names = columnOf(members, "class_name") as readonly string[];
  const ids = members.classId!;
  if (mode !== "average") {
    const confidences = confidencesOf(members);
    const row = confidences.indexOf(aggregate(confidences, mode));
    return { name: names[row]!, id: ids[row]! };
  }
  const keys = names.map((name, row) => `${ids[row]} ${name}`);
  const votes = keys.map((key) => keys.filter((other) => other === key).length);
  const row = votes.indexOf(Math.max(...votes));
  return { name: names[row]!, id: ids[row]! };
}

/** The mean box, or that of the largest or smallest member. */
export function mergeBoxes(members: Detections, mode: Aggregation): Float64Array {
  const { xyxy, length } = members;
  if (mode === "average") {
    return Float64Array.from({ length: 4 }, (_, side) =>
      aggregate(
        Array.from({ length }, (_, row) => xyxy[4 * row + side]!),
        "average",
      ),
    );
  }
  const areas = Array.from({ length }, (_, row) => areaOf(members, row));
  const row = areas.indexOf(aggregate(areas, mode));
  return xyxy.slice(4 * row, 4 * row + 4);
}

function mergeMasks(masks: readonly [Mask, ...Mask[]], mode: MaskAggregation): Mask {
  if (mode === "union") return uniteMasks(masks);
  if (mode === "intersection") return intersectMasks(masks);
  const areas = masks.map(maskArea);
  return masks[areas.indexOf(aggregate(areas, mode))]!;
}

function boxOfMask(mask: Mask): Float64Array {
  return Float64Array.from(maskBounds(mask) ?? [0, 0, 0, 0]);
}

function confidencesOf({ confidence }: Detections): readonly number[] {
  if (confidence === undefined) throw inputError("A consensus needs detections with a confidence.");
  return [...confidence];
}
