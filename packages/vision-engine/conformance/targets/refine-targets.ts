import { leadingClassOf } from "../../src/blocks/refine/classes-replacement.ts";
import {
  type Aggregation,
  aggregate,
  agreeOn,
  bestMatches,
  classOf,
  consensusFor,
  type MaskAggregation,
  mergeBoxes,
  mergeMembers,
  ofClasses,
  presenceOf,
  type RequiredObjects,
} from "../../src/blocks/refine/detections-consensus.ts";
import { matchGreedily, pairCosts } from "../../src/blocks/refine/detections-difference.ts";
import { filterByClassConfidence } from "../../src/blocks/refine/filters.ts";
import { boxAround, offsetBoxes } from "../../src/blocks/refine/joined-boxes.ts";
import { geotag, measureAreas, pixelToPlace } from "../../src/blocks/refine/measurements.ts";
import { type DetectionTable, emptyDetections } from "../../src/frames/detections.ts";
import { boxIou } from "../../src/geometry/boxes.ts";
import { decodeValue } from "../decode-value.ts";
import type { Driver, Drivers, Recorded, RecordedObject, VectorRecord } from "../vector-record.ts";

const decoded = (value: Recorded | undefined): Promise<unknown> => decodeValue(value ?? null);
const detectionsOf = async (value: Recorded | undefined): Promise<DetectionTable> =>
  (await decoded(value)) as DetectionTable;
const sourcesOf = async (value: Recorded | undefined): Promise<readonly DetectionTable[]> =>
  (await decoded(value)) as readonly DetectionTable[];
/** Texts that the peer's tests put in the place of random ids. */
const FIXED_IDS = ["xxx", "some_uuid"];
const newIdFor =
  ({ expected }: VectorRecord) =>
  (): string =>
    FIXED_IDS.find((id) => JSON.stringify(expected).includes(`"${id}"`)) ?? "id";

function onDetections(
  read: (detections: DetectionTable, input: RecordedObject, record: VectorRecord) => unknown,
): Driver {
  return async (input, record) => read(await detectionsOf(input.detections), input, record);
}

const box = (mode: Aggregation): Driver => onDetections((members) => mergeBoxes(members, mode));
const classTuple =
  (mode: Aggregation): Driver =>
  async ({ detections }) => {
    const { name, id } = classOf(await detectionsOf(detections), mode);
    return [name, id];
  };

function mergeOptionsOf(input: RecordedObject, record: VectorRecord) {
  return {
    confidence: (input.confidence_aggregation_mode ?? input.detections_merge_confidence_aggregation) as Aggregation,
    coordinates: (input.boxes_aggregation_mode ?? input.detections_merge_coordinates_aggregation) as Aggregation,
    masks: (input.mask_aggregation_mode ?? input.detections_merge_mask_aggregation ?? "union") as MaskAggregation,
    newId: newIdFor(record),
  };
}

function consensusOptionsOf(input: RecordedObject, record: VectorRecord) {
  return {
    requiredVotes: input.required_votes as number,
    classAware: input.class_aware as boolean,
    iouThreshold: input.iou_threshold as number,
    confidence: input.confidence as number,
    merge: mergeOptionsOf(input, record),
  };
}

const usedOf = async (value: Recorded | undefined): Promise<Set<unknown>> =>
  new Set((await decoded(value)) as readonly unknown[]);

export const REFINE_DRIVERS: Drivers = {
  "detection_offset.offset_detections": onDetections((detections, input) =>
    offsetBoxes(detections, {
      width: input.offset_width as number,
      height: input.offset_height as number,
      percent: input.use_percentage as boolean,
      newId: () => "00000000-0000-4000-8000-000000000000",
    }),
  ),
  "detections_merge.calculate_union_bbox": onDetections((detections) => [boxAround(detections)]),
  "per_class_confidence_filter.filter_detections_by_class_confidence": onDetections((detections, input) =>
    filterByClassConfidence(
      detections,
      input.class_thresholds as Record<string, number>,
      input.default_threshold as number,
    ),
  ),
  "detections_difference.greedy_match": async ({ cost_matrix, reject_cost }) =>
    matchGreedily((await decoded(cost_matrix)) as number[][], reject_cost as number),
  "detections_difference.compute_pairwise_costs": async (input) =>
    pairCosts(await detectionsOf(input.reference), await detectionsOf(input.candidate), {
      spatialWeight: input.spatial_weight as number,
      classMismatchPenalty: input.class_mismatch_penalty as number,
      classStrict: input.class_strict as boolean,
    }),
  "mask_area_measurement.compute_detection_areas": onDetections(measureAreas),
  "geotag_detection._pixel_to_gps": (input) => {
    const { latitude, longitude } = pixelToPlace(input.px as number, input.py as number, {
      imageWidth: input.image_w as number,
      imageHeight: input.image_h as number,
      latitude: input.camera_lat as number,
      longitude: input.camera_lon as number,
      altitude: input.camera_alt as number,
      fieldOfView: input.fov_h as number,
      heading: input.heading_deg as number,
    });
    return [latitude, longitude];
  },
  "geotag_detection.project_detections": async (input) => {
    const { records, features } = geotag(await detectionsOf(input.predictions), {
      imageWidth: input.image_w as number,
      imageHeight: input.image_h as number,
      latitude: input.latitude as number,
      longitude: input.longitude as number,
      altitude: input.altitude as number,
      fieldOfView: input.horizontal_fov as number,
      heading: input.heading as number,
    });
    return [records, features];
  },
  "detections_classes_replacement.extract_leading_class_from_prediction": async (input) => {
    const { fallback_class_name: name, fallback_class_id: id } = input;
    const fallback = name ? { name: name as string, id: id as number, confidence: 0 } : undefined;
    const found = leadingClassOf((await decoded(input.prediction)) as string, fallback);
    return found === undefined ? null : [found.name, found.id, found.confidence];
  },
  "detections_consensus.aggregate_field_values": onDetections((detections, { field, aggregation_mode }) => {
    const values =
      field === "confidence" ? [...detections.confidence!] : ((detections.data[field as string] ?? []) as number[]);
    return aggregate(values, aggregation_mode as Aggregation);
  }),
  "detections_consensus.get_largest_bounding_box": box("max"),
  "detections_consensus.get_smallest_bounding_box": box("min"),
  "detections_consensus.get_average_bounding_box": box("average"),
  "detections_consensus.get_class_of_most_confident_detection": classTuple("max"),
  "detections_consensus.get_class_of_least_confident_detection": classTuple("min"),
  "detections_consensus.merge_detections": onDetections((members, input, record) =>
    mergeMembers(members, mergeOptionsOf(input, record)),
  ),
  "detections_consensus.calculate_iou": async ({ detection_a, detection_b }) =>
    boxIou((await detectionsOf(detection_a)).xyxy, 0, (await detectionsOf(detection_b)).xyxy, 0),
  "detections_consensus.get_detections_from_different_sources_with_max_overlap": async (input) => {
    const matches = bestMatches(await detectionsOf(input.detection), {
      sources: await sourcesOf(input.detections_from_sources),
      own: input.source as number,
      used: await usedOf(input.detections_already_considered),
      iouThreshold: input.iou_threshold as number,
      classAware: input.class_aware as boolean,
    });
    return new Map([...matches].map(([source, { detection, iou }]) => [source, [detection, iou]]));
  },
  "detections_consensus.filter_predictions": async ({ predictions, classes_to_consider }) =>
    ofClasses(await sourcesOf(predictions), (classes_to_consider ?? undefined) as string[] | undefined),
  "detections_consensus.get_consensus_for_single_detection": async (input, record) => {
    const used = await usedOf(input.detections_already_considered);
    const found = consensusFor(await detectionsOf(input.detection), {
      ...consensusOptionsOf(input, record),
      sources: await sourcesOf(input.detections_from_sources),
      own: input.source_id as number,
      used,
    });
    return [found === undefined ? [] : [found], used];
  },
  "detections_consensus.check_objects_presence_in_consensus_detections": async (input) => {
    const { present, confidence } = presenceOf(await detectionsOf(input.consensus_detections), {
      required: (input.required_objects ?? 0) as RequiredObjects,
      classAware: input.class_aware as boolean,
      aggregation: input.aggregation_mode as Aggregation,
    });
    return [present, confidence];
  },
  "detections_consensus.agree_on_consensus_for_all_detections_sources": async (input, record) => {
    const sources = await sourcesOf(input.detections_from_sources);
    const [parent] = sources.flatMap(({ data }) => data.parent_id ?? []);
    if (parent === undefined) return ["undefined", false, {}, emptyDetections()];
    const agreed = agreeOn(
      ofClasses(sources, (input.classes_to_consider ?? undefined) as string[] | undefined),
      consensusOptionsOf(input, record),
    );
    const { present, confidence } = presenceOf(agreed, {
      required: (input.required_objects ?? 0) as RequiredObjects,
      classAware: input.class_aware as boolean,
      aggregation: input.presence_confidence_aggregation as Aggregation,
    });
    return [parent, present, confidence, agreed];
  },
};
