import type { BlockValue } from "../../src/blocks/block.ts";
import { nestingDepth } from "../../src/blocks/count/zones.ts";
import { withTrackIds } from "../../src/blocks/track/trackers.ts";
import { assignWithin } from "../../src/tracking/assignment.ts";
import { createBotSort } from "../../src/tracking/bot-sort.ts";
import { createByteTrack } from "../../src/tracking/byte-track.ts";
import { createByteTrackCorners, createSort } from "../../src/tracking/corner-trackers.ts";
import {
  type BoxFilter,
  CENTRE_ASPECT_HEIGHT,
  createBoxFilter,
  predictBox,
  updateBox,
} from "../../src/tracking/kalman.ts";
import { createOcSort } from "../../src/tracking/oc-sort.ts";
import type { Tracker } from "../../src/tracking/tracker.ts";
import { decodeDetections, decodeValue } from "../decode-value.ts";
import type { Driver, Drivers, Recorded, RecordedObject } from "../vector-record.ts";

/** Names of the peer's constructor → ours; `frame_rate` means the same to all. */
const OPTION_NAMES: Readonly<Record<string, string>> = {
  frame_rate: "fps",
  lost_track_buffer: "lostTrackBuffer",
  track_activation_threshold: "activationThreshold",
  minimum_matching_threshold: "matchingThreshold",
  minimum_consecutive_frames: "minimumConsecutiveFrames",
  minimum_iou_threshold: "minimumIou",
  minimum_iou_threshold_first_assoc: "minimumIouFirst",
  minimum_iou_threshold_second_assoc: "minimumIouSecond",
  minimum_iou_threshold_unconfirmed_assoc: "minimumIouUnconfirmed",
  high_conf_det_threshold: "highConfidence",
  direction_consistency_weight: "directionWeight",
  delta_t: "deltaT",
  instant_first_frame_activation: "instantFirstFrame",
};

export const TRACKING_DRIVERS: Drivers = {
  "sv.ByteTrack.update_with_detections": trackerDriver(createByteTrack),
  "trackers.ByteTrackTracker.update": trackerDriver(createByteTrackCorners),
  "trackers.SORTTracker.update": trackerDriver(createSort),
  "trackers.OCSORTTracker.update": trackerDriver(createOcSort),
  "trackers.BoTSORTTracker.update": trackerDriver(createBotSort),
  "sv KalmanFilter(xyah)": filterSteps,
  "sv.byte_tracker.matching.linear_assignment": assignment,
  "time_in_zone.calculate_nesting_depth": async ({ zone, max_depth }) =>
    nestingDepth((await decodeValue(zone!)) as BlockValue, max_depth as number),
};

function trackerDriver(create: (options: Record<string, number>) => Tracker): Driver {
  return async ({ init, frames, calls }) => {
    const named = Object.entries(init as Record<string, number>).flatMap(([name, value]) => {
      const known = OPTION_NAMES[name];
      return known === undefined ? [] : [[known, value] as const];
    });
    const tracker = create(Object.fromEntries(named));
    if (calls !== undefined) return { results: await trackCalls(tracker, calls as readonly RecordedObject[]) };
    return { frames: (frames as readonly number[][][]).map((rows) => trackFrame(tracker, rows)) };
  };
}

function trackFrame(tracker: Tracker, boxes: readonly (readonly number[])[]) {
  const { rows, ids } = tracker.update({
    length: boxes.length,
    xyxy: Float32Array.from(boxes.flatMap((row) => row.slice(0, 4))),
    confidence: Float32Array.from(boxes, (row) => row[4]!),
  });
  return { index: rows, tracker_id: ids };
}

async function trackCalls(tracker: Tracker, calls: readonly RecordedObject[]) {
  const results = [];
  for (const { detections } of calls) {
    const given = await decodeDetections((detections as RecordedObject).$detections as RecordedObject);
    results.push(withTrackIds(given, tracker.update(given)));
  }
  return results;
}

function filterSteps({ initial_xyah, measurements }: RecordedObject, record: { expected: Recorded }) {
  const filter = createBoxFilter(CENTRE_ASPECT_HEIGHT, initial_xyah as number[]);
  let measured = 0;
  const { steps } = record.expected as unknown as { steps: readonly { op: string; cov?: unknown }[] };
  return {
    steps: steps.map(({ op, cov }) => {
      if (op === "predict") predictBox(filter);
      if (op === "update") updateBox(filter, (measurements as number[][])[measured++]!);
      const matrix = toMatrix(filter);
      const spread = cov === undefined ? { cov_diag: matrix.map((row, at) => row[at]!) } : { cov: matrix };
      return { op, mean: [...filter.mean], ...spread };
    }),
  };
}

/** The 8 × 8 matrix whose non-zero blocks the filter keeps. */
function toMatrix({ covariance }: BoxFilter): number[][] {
  const matrix = Array.from({ length: 8 }, () => new Array<number>(8).fill(0));
  for (let i = 0; i < 4; i++) {
    matrix[i]![i] = covariance[3 * i]!;
    matrix[i]![i + 4] = covariance[3 * i + 1]!;
    matrix[i + 4]![i] = covariance[3 * i + 1]!;
    matrix[i + 4]![i + 4] = covariance[3 * i + 2]!;
  }
  return matrix;
}

function assignment({ cost, thresh }: RecordedObject) {
  const matrix = cost as readonly number[][];
  const { columnOfRow, rowOfColumn } = assignWithin(
    { cost: Float64Array.from(matrix.flat()), rows: matrix.length, columns: matrix[0]?.length ?? 0 },
    thresh as number,
  );
  const matches = [...columnOfRow.entries()].filter(([, column]) => column >= 0);
  return { matches, unmatched_a: withoutPartner(columnOfRow), unmatched_b: withoutPartner(rowOfColumn) };
}

function withoutPartner(partners: Int32Array): number[] {
  return [...partners.keys()].filter((at) => partners[at] === -1);
}
