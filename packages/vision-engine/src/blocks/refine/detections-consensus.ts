// detections of several models → those on which enough of them agree
import { inputError } from "../../errors.ts";
import {
  type ColumnValue,
  classNamesOf,
  columnOf,
  DetectionTable,
  emptyDetections,
  filterRows,
  mergeDetections,
  selectRows,
} from "../../frames/detections.ts";
import { intersectMasks, type Mask, maskArea, maskBounds, uniteMasks } from "../../frames/mask.ts";
import { boxIou } from "../../geometry/boxes.ts";
import { areaOf } from "../../geometry/overlap.ts";
import { type BlockInputs, type BlockOutputs, block, numberOf, textsOf } from "../block.ts";

export interface ConsensusOptions {
  readonly requiredVotes: number;
  readonly classAware: boolean;
  /** Boxes must overlap by more to be one thing. */
  readonly iouThreshold: number;
  /** A merged detection below it is dropped. */
  readonly confidence: number;
  readonly merge: MergeOptions;
}

/** How many things must be there: in all, or of each class. */
export type RequiredObjects = number | Readonly<Record<string, number>>;

export interface Presence {
  readonly present: boolean;
  /** By class, or `any_object`; empty when not present. */
  readonly confidence: Readonly<Record<string, number>>;
}

export const detectionsConsensus = block({
  type: "roboflow_core/detections_consensus@v1",
  description: "Keeps what several models agree on, merged into one detection each.",
  phrase: "keeps what the models agree on",
  run: (inputs, { newId }) => {
    const all = sourcesOf(inputs);
    if (all.every(({ length }) => length === 0)) return outputs(emptyDetections(), { present: false, confidence: {} });
    requireOneParent(all);
    const sources = ofClasses(all, textsOf(inputs, "classes_to_consider"));
    const agreed = agreeOn(sources, {
      requiredVotes: numberOf(inputs, "required_votes"),
      classAware: inputs.class_aware === true,
      iouThreshold: numberOf(inputs, "iou_threshold"),
      confidence: numberOf(inputs, "confidence"),
      merge: {
        confidence: inputs.detections_merge_confidence_aggregation as Aggregation,
        coordinates: inputs.detections_merge_coordinates_aggregation as Aggregation,
        masks: inputs.detections_merge_mask_aggregation as MaskAggregation,
        newId,
      },
    });
    const presence = presenceOf(agreed, {
      required: (inputs.required_objects ?? 0) as RequiredObjects,
      classAware: inputs.class_aware === true,
      aggregation: inputs.presence_confidence_aggregation as Aggregation,
    });
    return outputs(agreed, presence);
  },
});

function outputs(predictions: DetectionTable, { present, confidence }: Presence): BlockOutputs {
  return { predictions, object_present: present, presence_confidence: confidence };
}

function sourcesOf({ predictions_batches: sources }: BlockInputs): readonly DetectionTable[] {
  if (Array.isArray(sources)) return sources.filter((source) => source instanceof DetectionTable);
  throw inputError(`"predictions_batches" must be a list of detections.`);
}

function requireOneParent(sources: readonly DetectionTable[]): void {
  const parents = new Set(sources.flatMap((source) => (source.length === 0 ? [] : columnOf(source, "parent_id"))));
  if (parents.size > 1) throw inputError("A consensus needs detections of the same picture; these come from several.");
}

/** Without names all detections stay. */
export function ofClasses(
  sources: readonly DetectionTable[],
  names: readonly string[] | undefined,
): readonly DetectionTable[] {
  if (names === undefined || names.length === 0) return sources;
  return sources.map((source) => {
    const classes = classNamesOf(source);
    return filterRows(source, (row) => names.includes(classes[row]!));
  });
}

/** Goes through all detections of all sources; one that was merged is not looked at again. */
export function agreeOn(sources: readonly DetectionTable[], options: ConsensusOptions): DetectionTable {
  const merged: DetectionTable[] = [];
  const used = new Set<unknown>();
  for (const [at, source] of sources.entries()) {
    for (let row = 0; row < source.length; row++) {
      const found = consensusFor(selectRows(source, [row]), { sources, own: at, used, ...options });
      if (found !== undefined) merged.push(found);
    }
  }
  return mergeDetections(merged);
}

export interface Search extends ConsensusOptions {
  readonly sources: readonly DetectionTable[];
  /** Source of the detection itself. */
  readonly own: number;
  /** Ids of detections that are part of a consensus; those found here are added. */
  readonly used: Set<unknown>;
}

/** One detection merged with its best matches, when enough sources have one. */
export function consensusFor(detection: DetectionTable, search: Search): DetectionTable | undefined {
  const id = columnOf(detection, "detection_id")[0];
  if (search.used.has(id)) return undefined;
  const matches = bestMatches(detection, search);
  if (matches.size < search.requiredVotes - 1) return undefined;
  const members = mergeDetections([detection, ...[...matches.values()].map((match) => match.detection)]);
  const merged = mergeMembers(members, search.merge);
  if (merged.confidence![0]! < search.confidence) return undefined;
  for (const member of columnOf(members, "detection_id")) search.used.add(member);
  return merged;
}

/** For each other source the detection that overlaps most, if any overlaps enough. */
export function bestMatches(
  detection: DetectionTable,
  { sources, own, used, iouThreshold, classAware }: Omit<Search, "requiredVotes" | "confidence" | "merge">,
): ReadonlyMap<number, { readonly detection: DetectionTable; readonly iou: number }> {
  const best = new Map<number, { detection: DetectionTable; iou: number }>();
  const [name] = classNamesOf(detection);
  for (const [at, source] of sources.entries()) {
    const rows = at === own ? [] : Array.from({ length: source.length }, (_, row) => row);
    const isCandidate = (row: number): boolean =>
      !used.has(columnOf(source, "detection_id")[row]) && (!classAware || classNamesOf(source)[row] === name);
    for (const row of rows.filter(isCandidate)) {
      const iou = boxIou(detection.xyxy, 0, source.xyxy, row);
      if (iou <= iouThreshold || iou <= (best.get(at)?.iou ?? 0)) continue;
      best.set(at, { detection: selectRows(source, [row]), iou });
    }
  }
  return best;
}

/** Whether everything that is required is there, and how sure that is. */
export function presenceOf(
  detections: DetectionTable,
  options: { readonly required: RequiredObjects; readonly classAware: boolean; readonly aggregation: Aggregation },
): Presence {
  const { required, classAware, aggregation } = options;
  const absent: Presence = { present: false, confidence: {} };
  const byClass = new Map<string, number[]>();
  for (const [row, name] of classNamesOf(detections).entries()) {
    byClass.set(name, [...(byClass.get(name) ?? []), detections.confidence![row]!]);
  }
  const perClass = typeof required === "number" ? {} : required;
  const inAll =
    typeof required === "number" ? required : Object.values(required).reduce((sum, count) => sum + count, 0);
  if (detections.length === 0) return absent;
  if ((typeof required === "number" || !classAware) && detections.length < inAll) return absent;
  if (!classAware)
    return { present: true, confidence: { any_object: aggregate([...detections.confidence!], aggregation) } };
  for (const name in perClass) if ((byClass.get(name)?.length ?? 0) < perClass[name]!) return absent;
  const confidence = Object.fromEntries([...byClass].map(([name, values]) => [name, aggregate(values, aggregation)]));
  return { present: true, confidence };
}

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
export function mergeMembers(members: DetectionTable, options: MergeOptions): DetectionTable {
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
  return new DetectionTable({
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
export function classOf(members: DetectionTable, mode: Aggregation): { readonly name: string; readonly id: number } {
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
export function mergeBoxes(members: DetectionTable, mode: Aggregation): Float64Array {
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

function confidencesOf({ confidence }: DetectionTable): readonly number[] {
  if (confidence === undefined) throw inputError("A consensus needs detections with a confidence.");
  return [...confidence];
}
