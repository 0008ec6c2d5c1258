import { wrapText } from "../../src/blocks/annotate/text.ts";
import {
  type Columns,
  type ColumnValue,
  type DetectionTable,
  mergeColumns,
  mergeDetections,
  mergeMetadata,
} from "../../src/frames/detections.ts";
import { type Mask, maskArea, maskCentroid, maskFromBits, maskToBits, moveMask } from "../../src/frames/mask.ts";
import { type BoxAnchor, CORNERS, moveBoxes } from "../../src/geometry/boxes.ts";
import { fillHoles, maskParts } from "../../src/geometry/mask-shapes.ts";
import { anchorPoints, boxGroups, boxNms, boxOverlap, boxOverlaps, mergePair } from "../../src/geometry/overlap.ts";
import { type Point, type Polygon, polygonCentroid, roundHalfEven } from "../../src/geometry/polygons.ts";
import { createLineZone, createPolygonZone } from "../../src/geometry/zones.ts";
import { toText } from "../../src/query/python-text.ts";
import { boxToMask } from "../../src/testing/index.ts";
import { decodeDetections, decodeValue } from "../decode-value.ts";
import {
  clipBoxes,
  denormalizeBoxes,
  filterPolygonsByArea,
  parseOverlapMetric,
  scaleBoxes,
  xcycwhToXyxy,
  xywhToXyxy,
  xyxyToXcycarh,
  xyxyToXywh,
} from "../recorded-only/supervision-boxes.ts";
import type { Driver, Drivers, Recorded, RecordedObject } from "../vector-record.ts";

type Rows = readonly (readonly number[])[];

/** Drivers take what is recorded under a name, with its tags decoded. */
const decoded = (value: Recorded | undefined): Promise<unknown> => decodeValue(value ?? null);
const rowsOf = async (value: Recorded | undefined): Promise<Rows> => (await decoded(value)) as Rows;
const flat = (rows: Rows): Float64Array => Float64Array.from(rows.flat());
const toRows = (flatRows: ArrayLike<number>, columns = 4): Rows =>
  Array.from({ length: flatRows.length / columns }, (_, row) =>
    Array.from({ length: columns }, (_, column) => flatRows[row * columns + column]!),
  );

function onBoxes(move: (xyxy: Float64Array, input: RecordedObject) => Float64Array | Promise<Float64Array>): Driver {
  return async (input) => {
    const rows = await rowsOf(input.xyxy ?? input.xywh ?? input.xcycwh);
    return toRows(await move(flat(rows), input));
  };
}

const sizeOf = ({ resolution_wh }: RecordedObject): { width: number; height: number } => {
  const [width, height] = resolution_wh as [number, number];
  return { width, height };
};

async function masksOf(value: Recorded | undefined): Promise<readonly Mask[]> {
  const masks = (await decoded(value)) as readonly (readonly (readonly (number | boolean)[])[])[];
  return masks.map((rows) => maskFromBits(Uint8Array.from(rows.flat(), Number), rows[0]?.length ?? 0, rows.length));
}

const toBooleans = (mask: Mask): readonly (readonly boolean[])[] =>
  toRows(maskToBits(mask), mask.width).map((row) => row.map((bit) => bit === 1));

async function scoredOf(input: RecordedObject) {
  const rows = await rowsOf(input.predictions);
  return {
    xyxy: flat(rows.map((row) => row.slice(0, 4))),
    confidence: rows.map((row) => row[4]!),
    classId: rows.some((row) => row.length > 5) ? rows.map((row) => row[5]!) : undefined,
  };
}

async function nmsOptionsOf(input: RecordedObject) {
  return {
    threshold: input.iou_threshold as number,
    metric: parseOverlapMetric(input.overlap_metric as string),
    masks: input.masks === undefined ? undefined : await masksOf(input.masks),
  };
}

const suppress: Driver = async (input, record) => {
  const boxes = await scoredOf(input);
  const kept = boxNms(boxes, await nmsOptionsOf(input));
  const flags = boxes.confidence.map((_, row) => kept.includes(row));
  return asExpected(record.expected, { keep: flags, kept }, flags);
};

const group: Driver = async (input, record) => {
  const groups = boxGroups(await scoredOf(input), await nmsOptionsOf(input));
  return asExpected(record.expected, { groups }, groups);
};

/** Generated records name their results, recorded ones do not. */
function asExpected(expected: Recorded, named: Readonly<Record<string, unknown>>, plain: unknown): unknown {
  if (typeof expected !== "object" || expected === null || Array.isArray(expected)) return plain;
  const names = Object.keys(expected).filter((name) => name in named);
  return names.length === 0 ? plain : Object.fromEntries(names.map((name) => [name, named[name]]));
}

const detectionsOf = async (value: Recorded | undefined): Promise<DetectionTable> =>
  (await decoded(value)) as DetectionTable;

const anchors: Driver = async ({ self, xyxy, anchor }) => {
  const detections = self === undefined ? await decodeDetections({ xyxy: xyxy! }) : await detectionsOf(self);
  return anchorPoints(detections, anchor as BoxAnchor);
};

const inPolygon: Driver = async (input) => {
  const { polygon, triggering_anchor, triggering_anchors, xyxy } = input;
  const zone = createPolygonZone({
    polygon: (await rowsOf(polygon)) as Polygon,
    anchors: triggering_anchor
      ? [triggering_anchor as BoxAnchor]
      : ((triggering_anchors as BoxAnchor[] | undefined) ?? CORNERS),
  });
  return zone(await decodeDetections({ xyxy: xyxy! }));
};

const polygonZone: Driver = async (input, { expected }) => {
  const flags = (await inPolygon(input, { expected } as never)) as readonly boolean[];
  const { in_zone_supervision_0_27 } = expected as RecordedObject;
  return { in_zone: flags, count: flags.filter(Boolean).length, in_zone_supervision_0_27 };
};

/** Frames of the generated form, or calls with whole detections. */
const lineZone: Driver = async (input) => {
  const { start, end, triggering_anchors, minimum_crossing_threshold } = (input.init ?? input) as RecordedObject;
  const line = createLineZone({
    start: toPoint(start!),
    end: toPoint(end!),
    anchors: (triggering_anchors as BoxAnchor[] | null | undefined) ?? CORNERS,
    minimumCrossingFrames: (minimum_crossing_threshold ?? 1) as number,
  });
  const trigger = (detections: DetectionTable) => {
    const { crossedIn, crossedOut } = line.trigger(detections);
    const flags = (rows: readonly number[]) =>
      Array.from({ length: detections.length }, (_, row) => rows.includes(row));
    return {
      crossed_in: flags(crossedIn),
      crossed_out: flags(crossedOut),
      in_count: line.countIn,
      out_count: line.countOut,
    };
  };
  if (Array.isArray(input.frames)) {
    const frames = await Promise.all(
      input.frames.map((frame) => decodeDetections({ xyxy_dtype: "float32", ...(frame as RecordedObject) })),
    );
    return {
      frames: frames.map(trigger),
      in_count_per_class: line.countInByClass,
      out_count_per_class: line.countOutByClass,
    };
  }
  const calls = await Promise.all((input.calls as RecordedObject[]).map(({ detections }) => detectionsOf(detections)));
  return { results: calls.map(trigger).map(({ crossed_in, crossed_out }) => [crossed_in, crossed_out]) };
};

function toPoint(value: Recorded): Point {
  return Array.isArray(value)
    ? (value as unknown as Point)
    : [(value as { x: number }).x, (value as unknown as { y: number }).y];
}

export const GEOMETRY_DRIVERS: Drivers = {
  "sv.box_iou": async ({ box_true, box_detection, overlap_metric }) =>
    boxOverlap(
      { xyxy: (await decoded(box_true)) as number[], row: 0 },
      { xyxy: (await decoded(box_detection)) as number[], row: 0 },
      parseOverlapMetric(overlap_metric as string),
    ),
  "sv.box_iou_batch": async ({ boxes_true, boxes_detection, overlap_metric }) => {
    const [first, second] = await Promise.all([rowsOf(boxes_true), rowsOf(boxes_detection)]);
    const { values, columns } = boxOverlaps(flat(first), flat(second), parseOverlapMetric(overlap_metric as string));
    return first.map((_, row) => values.subarray(row * columns, (row + 1) * columns));
  },
  "sv.box_non_max_suppression": suppress,
  "sv.mask_non_max_suppression": suppress,
  "sv._group_overlapping_boxes": group,
  "sv.box_non_max_merge": group,
  "sv.mask_non_max_merge": group,
  "sv.Detections.merge": async ({ detections_list }) =>
    mergeDetections((await decoded(detections_list)) as DetectionTable[]),
  "sv.Detections.get_anchors_coordinates": anchors,
  "sv.merge_inner_detection_object_pair": async ({ detections_1, detections_2 }) =>
    mergePair(await detectionsOf(detections_1), await detectionsOf(detections_2)),
  "sv.merge_data": async ({ data_list }) => mergeColumns((await decoded(data_list)) as Columns[]),
  "sv.merge_metadata": async ({ metadata_list }) =>
    mergeMetadata((await decoded(metadata_list)) as Readonly<Record<string, ColumnValue>>[]),
  "sv.clip_boxes": onBoxes((xyxy, input) => clipBoxes(xyxy, sizeOf(input).width, sizeOf(input).height)),
  "sv.move_boxes": onBoxes(async (xyxy, { offset }) => moveBoxes(xyxy, (await decoded(offset)) as [number, number])),
  "sv.scale_boxes": onBoxes((xyxy, { factor }) => scaleBoxes(xyxy, factor as number)),
  "sv.denormalize_boxes": onBoxes((xyxy, input) =>
    denormalizeBoxes(xyxy, { ...sizeOf(input), whole: input.normalization_factor as number }),
  ),
  "sv.xywh_to_xyxy": onBoxes(xywhToXyxy),
  "sv.xyxy_to_xywh": onBoxes(xyxyToXywh),
  "sv.xyxy_to_xcycarh": onBoxes(xyxyToXcycarh),
  "sv.xcycwh_to_xyxy": onBoxes(xcycwhToXyxy),
  "sv.xyxy_to_mask": async (input) => {
    const boxes = flat(await rowsOf(input.boxes));
    const { width, height } = sizeOf(input);
    return toRows(boxes).map((_, row) => toBooleans(boxToMask(boxes, row, width, height)));
  },
  "sv.move_masks": async (input) => {
    const { width, height } = sizeOf(input);
    const offset = (await decoded(input.offset)) as [number, number];
    return (await masksOf(input.masks)).map((mask) => toBooleans(moveMask(mask, offset, width, height)));
  },
  "sv.calculate_masks_centroids": async ({ masks }) => (await masksOf(masks)).map(maskCentroid),
  "sv.contains_holes": async ({ mask }) => {
    const [whole] = await masksOf([mask!]);
    return maskArea(fillHoles(whole!)) > maskArea(whole!);
  },
  "sv.contains_multiple_segments": async ({ mask, connectivity }) =>
    maskParts((await masksOf([mask!]))[0]!, connectivity as 4 | 8).length > 1,
  "sv.filter_polygons_by_area": async ({ polygons, min_area, max_area }) =>
    filterPolygonsByArea((await decoded(polygons)) as Polygon[], {
      minArea: (min_area ?? undefined) as number | undefined,
      maxArea: (max_area ?? undefined) as number | undefined,
    }),
  "sv.get_polygon_center": async ({ polygon }) => {
    const [x, y] = polygonCentroid((await rowsOf(polygon)) as Polygon)!;
    return { x: roundHalfEven(x), y: roundHalfEven(y) };
  },
  "sv.wrap_text": ({ text, max_line_length }) => {
    const most = (max_line_length ?? Number.POSITIVE_INFINITY) as number;
    return wrapText(text === null ? "" : toText(text), most).split("\n");
  },
  "PolygonZone.trigger": polygonZone,
  "sv.PolygonZone.trigger": async ({ init, calls }, record) => ({
    results: await Promise.all(
      (calls as RecordedObject[]).map((call) => {
        const { $detections } = call.detections as { readonly $detections: RecordedObject };
        return inPolygon({ ...(init as RecordedObject), xyxy: $detections.xyxy! }, record);
      }),
    ),
  }),
  "sv.LineZone.trigger": lineZone,
};
