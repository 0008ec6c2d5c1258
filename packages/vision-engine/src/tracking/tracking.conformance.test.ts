import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assignWithin } from "./assignment.ts";
import { createByteTrack } from "./byte-track.ts";
import { type BoxFilter, createBoxFilter, predictBox, updateBox } from "./kalman.ts";

const VECTORS = join(process.env.VISION_AGENT_SHARED ?? "../shared", "vectors");

describe.runIf(existsSync(VECTORS))("recorded tracker vectors", () => {
  it.each(["bytetrack-generated", "bytetrack-edge-generated"])("follows every recorded sequence of %s", (topic) => {
    const records = load<TrackRecord>(topic);
    for (const { source, input, expected } of records) {
      expect(replay(input), source).toEqual(expected.frames);
    }
    report(topic, records.length);
  });

  it("predicts and corrects as the recorded filter does", () => {
    const records = load<KalmanRecord>("bytetrack-kalman-generated");
    for (const { input, expected } of records) expectSteps(input, expected.steps);
    report("bytetrack-kalman-generated", records.length);
  });

  it("pairs as the recorded assignments do", () => {
    const records = load<AssignmentRecord>("linear-assignment-generated");
    for (const { input, expected } of records) {
      const { columnOfRow } = assignWithin(
        { cost: Float64Array.from(input.cost.flat()), rows: input.cost.length, columns: input.cost[0]!.length },
        input.thresh,
      );
      const matches = [...columnOfRow.entries()].filter(([, column]) => column >= 0);
      expect(matches).toEqual(expected.matches);
    }
    report("linear-assignment-generated", records.length);
  });
});

describe.skipIf(existsSync(VECTORS))("without the recorded vectors", () => {
  it("is left out", () => process.stdout.write(`tracker vectors are not at ${VECTORS}: left out\n`));
});

interface TrackRecord {
  source: string;
  input: { init: { [name: string]: number }; frames: number[][][] };
  expected: { frames: { index: number[]; tracker_id: number[] }[] };
}

interface KalmanRecord {
  input: { initial_xyah: number[]; measurements: number[][] };
  expected: { steps: KalmanStep[] };
}

interface KalmanStep {
  op: "initiate" | "predict" | "update";
  mean: number[];
  cov?: number[][];
  cov_diag?: number[];
}

interface AssignmentRecord {
  input: { cost: number[][]; thresh: number };
  expected: { matches: number[][] };
}

function load<Entry>(topic: string): Entry[] {
  return JSON.parse(readFileSync(join(VECTORS, `${topic}.json`), "utf8"));
}

function report(topic: string, count: number): void {
  process.stdout.write(`${topic}: ${count} of ${count} records\n`);
}

function replay({ init, frames }: TrackRecord["input"]): TrackRecord["expected"]["frames"] {
  const tracker = createByteTrack({
    activationThreshold: init.track_activation_threshold,
    lostTrackBuffer: init.lost_track_buffer,
    matchingThreshold: init.minimum_matching_threshold,
    minimumConsecutiveFrames: init.minimum_consecutive_frames,
    fps: init.frame_rate,
  });
  return frames.map((rows) => {
    const ids = tracker.update({
      length: rows.length,
      xyxy: Float32Array.from(rows.flatMap((row) => row.slice(0, 4))),
      confidence: Float32Array.from(rows.map((row) => row[4]!)),
    });
    const index = [...ids.keys()].filter((row) => ids[row]! >= 0);
    return { index, tracker_id: index.map((row) => ids[row]!) };
  });
}

function expectSteps(input: KalmanRecord["input"], steps: KalmanStep[]): void {
  let filter = createBoxFilter(input.initial_xyah);
  let measured = 0;
  for (const step of steps) {
    if (step.op === "initiate") filter = createBoxFilter(input.initial_xyah);
    if (step.op === "predict") predictBox(filter);
    if (step.op === "update") updateBox(filter, input.measurements[measured++]!);
    expectClose([...filter.mean], step.mean);
    const matrix = toMatrix(filter);
    if (step.cov) expectClose(matrix.flat(), step.cov.flat());
    if (step.cov_diag) {
      expectClose(
        matrix.map((row, i) => row[i]!),
        step.cov_diag,
      );
    }
  }
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

function expectClose(actual: number[], expected: number[]): void {
  expect(actual).toHaveLength(expected.length);
  for (const [i, value] of expected.entries()) expect(actual[i]).toBeCloseTo(value, 9);
}
