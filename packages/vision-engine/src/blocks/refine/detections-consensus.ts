// detections of several models → those on which enough of them agree
import { inputError } from "../../errors.ts";
import { classNamesOf, columnOf, Detections, emptyDetections, selectRows } from "../../frames/detections.ts";
import { mergeDetections } from "../../frames/merge-detections.ts";
import { boxIou } from "../../geometry/boxes.ts";
import type { BlockInputs, BlockOutputs } from "../block.ts";
import { numberOf, textsOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";
import {
  type Aggregation,
  aggregate,
  type MaskAggregation,
  type MergeOptions,
  mergeMembers,
} from "./consensus-merge.ts";

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

export const detectionsConsensus = statelessBlock({
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

function outputs(predictions: Detections, { present, confidence }: Presence): BlockOutputs {
  return { predictions, object_present: present, presence_confidence: confidence };
}

function sourcesOf({ predictions_batches: sources }: BlockInputs): readonly Detections[] {
  if (Array.isArray(sources)) return sources.filter((source) => source instanceof Detections);
  throw inputError(`"predictions_batches" must be a list of detections.`);
}

function requireOneParent(sources: readonly Detections[]): void {
  const parents = new Set(sources.flatMap((source) => (source.length === 0 ? [] : columnOf(source, "parent_id"))));
  if (parents.size > 1) throw inputError("A consensus needs detections of the same picture; these come from several.");
}

/** Without names all detections stay. */
export function ofClasses(sources: readonly Detections[], names: readonly string[] | undefined): readonly Detections[] {
  if (names === undefined || names.length === 0) return sources;
  return sources.map((source) => {
    const classes = classNamesOf(source);
    return selectRows(
      source,
      [...classes.keys()].filter((row) => names.includes(classes[row]!)),
    );
  });
}

/** Goes through all detections of all sources; one that was merged is not looked at again. */
export function agreeOn(sources: readonly Detections[], options: ConsensusOptions): Detections {
  const merged: Detections[] = [];
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
  readonly sources: readonly Detections[];
  /** Source of the detection itself. */
  readonly own: number;
  /** Ids of detections that are part of a consensus; those found here are added. */
  readonly used: Set<unknown>;
}

/** One detection merged with its best matches, when enough sources have one. */
export function consensusFor(detection: Detections, search: Search): Detections | undefined {
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
  detection: Detections,
  { sources, own, used, iouThreshold, classAware }: Omit<Search, "requiredVotes" | "confidence" | "merge">,
): ReadonlyMap<number, { readonly detection: Detections; readonly iou: number }> {
  const best = new Map<number, { detection: Detections; iou: number }>();
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
  detections: Detections,
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
