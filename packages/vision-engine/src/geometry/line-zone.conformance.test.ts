import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Anchor } from "./boxes.ts";
import { anchorX, anchorY, CORNERS } from "./boxes.ts";
import { createLineZone, type Point } from "./line-zone.ts";

const VECTORS = join(process.env.VISION_AGENT_SHARED ?? "../shared", "vectors");

describe.runIf(existsSync(VECTORS))("recorded geometry vectors", () => {
  it.each(["line-zone-generated", "line-zone-history-generated"])("counts as %s", (topic) => {
    const records = load<LineRecord>(topic);
    for (const { source, input, expected } of records) expect(replay(input), source).toEqual(expected.frames);
    report(topic, records.length);
  });

  it("counts as sv-line-zone", () => {
    const records = load<CallRecord>("sv-line-zone");
    for (const { source, input, expected } of records) {
      const { start, end, triggering_anchors, minimum_crossing_threshold } = input.init;
      const frames = replay({
        start: [start.x, start.y],
        end: [end.x, end.y],
        triggering_anchors: triggering_anchors ?? null,
        minimum_crossing_threshold: minimum_crossing_threshold ?? 1,
        frames: input.calls.map(({ detections }) => detections.$detections),
      });
      const crossings = frames.map((frame) => [frame.crossed_in, frame.crossed_out]);
      expect(crossings, source).toEqual(expected.results.map((pair) => pair.map(({ $ndarray }) => $ndarray)));
    }
    report("sv-line-zone", records.length);
  });

  it("finds the anchors of a box", () => {
    const records = load<AnchorRecord>("anchors-generated");
    for (const { input, expected } of records) {
      const points = input.xyxy.map((_, row) => [
        anchorX(input.anchor, input.xyxy.flat(), row),
        anchorY(input.anchor, input.xyxy.flat(), row),
      ]);
      expect(points, input.anchor).toEqual(expected);
    }
    report("anchors-generated", records.length);
  });
});

describe.skipIf(existsSync(VECTORS))("without the recorded vectors", () => {
  it("is left out", () => process.stdout.write(`geometry vectors are not at ${VECTORS}: left out\n`));
});

interface AnchorRecord {
  input: { xyxy: number[][]; anchor: Anchor };
  expected: number[][];
}

interface CallRecord {
  source: string;
  input: {
    init: {
      start: { x: number; y: number };
      end: { x: number; y: number };
      triggering_anchors?: Anchor[];
      minimum_crossing_threshold?: number;
    };
    calls: { detections: { $detections: { xyxy: number[][]; tracker_id: number[] | null } } }[];
  };
  expected: { results: { $ndarray: boolean[] }[][] };
}

interface LineRecord {
  source: string;
  input: {
    start: Point;
    end: Point;
    triggering_anchors: Anchor[] | null;
    minimum_crossing_threshold: number;
    frames: { xyxy: number[][]; tracker_id: number[] | null }[];
  };
  expected: { frames: { crossed_in: boolean[]; crossed_out: boolean[]; in_count: number; out_count: number }[] };
}

function load<Entry>(topic: string): Entry[] {
  return JSON.parse(readFileSync(join(VECTORS, `${topic}.json`), "utf8"));
}

function report(topic: string, count: number): void {
  process.stdout.write(`${topic}: ${count} of ${count} records\n`);
}

function replay(input: LineRecord["input"]): LineRecord["expected"]["frames"] {
  const line = createLineZone({
    start: input.start,
    end: input.end,
    anchors: input.triggering_anchors ?? CORNERS,
    minimumCrossingFrames: input.minimum_crossing_threshold,
  });
  return input.frames.map(({ xyxy, tracker_id }) => {
    const { crossedIn, crossedOut } = line.trigger({
      length: xyxy.length,
      xyxy: Float32Array.from(xyxy.flat()),
      ...(tracker_id === null ? {} : { trackerId: tracker_id }),
    });
    return {
      crossed_in: xyxy.map((_, row) => crossedIn.includes(row)),
      crossed_out: xyxy.map((_, row) => crossedOut.includes(row)),
      in_count: line.countIn,
      out_count: line.countOut,
    };
  });
}
