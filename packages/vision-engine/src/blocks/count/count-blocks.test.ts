import type { Json } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import type { DetectionTable } from "../../frames/detections.ts";
import { detectionsOf } from "../../testing/index.ts";
import type { Block } from "../block.ts";
import { imageOf, openBlock } from "../track/__fixtures__/open-block.ts";
import { dataAggregator } from "./data-aggregator.ts";
import { pathDeviationV2, velocity } from "./movement.ts";
import { lineCounterV2, timeInZoneV2, timeInZoneV3, toPolygons } from "./zones.ts";

const LEFT_HALF = [
  [0, 0],
  [31, 0],
  [31, 47],
  [0, 47],
];

describe("shapes", () => {
  it("tell lines and zones that are written into the step, and nothing of selectors", () => {
    expect(shapesOf(lineCounterV2, { line_segment: LEFT_HALF.slice(0, 2) })).toMatchObject([
      { kind: "line", step: "s" },
    ]);
    expect(shapesOf(timeInZoneV3, { zone: LEFT_HALF })).toEqual([{ kind: "zone", step: "s", points: LEFT_HALF }]);
    expect(shapesOf(timeInZoneV3, { zone: [LEFT_HALF, LEFT_HALF] })).toHaveLength(2);
    expect(shapesOf(timeInZoneV3, { zone: "$steps.zones.zones" })).toEqual([]);
  });

  it("refuse zones of two points and points of three numbers", () => {
    expect(() => toPolygons(LEFT_HALF.slice(0, 2))).toThrow("3 points");
    expect(() => toPolygons([[[0, 0, 0]]])).toThrow("3 points");
  });
});

describe("time in zone", () => {
  it.each([
    [{ remove_out_of_zone_detections: true, reset_out_of_zone_detections: true }, [0, 0.1, undefined, 0]],
    [{ remove_out_of_zone_detections: true, reset_out_of_zone_detections: false }, [0, 0.1, undefined, 0.3]],
    [{ remove_out_of_zone_detections: false, reset_out_of_zone_detections: false }, [0, 0.1, 0, 0]],
  ])("counts from the entry on with %o", async (options, expected) => {
    const run = await openBlock(timeInZoneV2);
    const times: (number | undefined)[] = [];
    for (const [at, x] of [5, 8, 50, 9].entries()) {
      const detections = detectionsOf([{ box: [x, 10, x + 4, 14], trackerId: 1 }]);
      const outputs = await run({ image: imageOf({ frameNumber: at + 1 }), detections, zone: LEFT_HALF, ...options });
      times.push((outputs.timed_detections as DetectionTable).data.time_in_zone![0] as number | undefined);
    }
    expect(times.map((time) => time && Math.round(time * 10) / 10)).toEqual(expected);
  });
});

describe("velocity", () => {
  it("measures metres per second and leaves the input as it was", async () => {
    const run = await openBlock(velocity);
    const step = async (frameNumber: number, x: number) => {
      const detections = detectionsOf([{ box: [x, 0, x + 10, 10], trackerId: 1 }]);
      const outputs = await run({ image: imageOf({ frameNumber }), detections, pixels_per_meter: 10 });
      expect(detections.data.speed).toBeUndefined();
      return (outputs.velocity_detections as DetectionTable).data.speed![0] as number;
    };
    expect(await step(1, 0)).toBe(0);
    expect(await step(2, 5)).toBeCloseTo(5, 3);
  });
});

describe("path deviation", () => {
  it("begins anew when the wanted path changes", async () => {
    const run = await openBlock(pathDeviationV2);
    const step = async (x: number, y: number, wanted: number[][]) => {
      const detections = detectionsOf([{ box: [x - 1, y - 1, x + 1, y + 1], trackerId: 1 }]);
      const outputs = await run({ image: imageOf(), detections, reference_path: wanted });
      return (outputs.path_deviation_detections as DetectionTable).data.path_deviation![0];
    };
    const straight = [
      [0, 0],
      [10, 0],
    ];
    expect([await step(0, 5, straight), await step(10, 0, straight)]).toEqual([Math.hypot(10, 5), 5]);
    expect(await step(20, 0, [[20, 0]])).toBe(0);
  });
});

describe("data aggregator", () => {
  const inputs = { data: { people: 3 }, aggregation_mode: { people: ["sum", "avg"] }, interval: 10 };

  it("gives nothing until the interval is over by the wall clock, then starts afresh", async () => {
    const clock = { now: 0 };
    const run = await openBlock(dataAggregator, clock);
    expect(await run(inputs)).toEqual({ people_sum: null, people_avg: null });
    clock.now = 10_000;
    expect(await run(inputs)).toEqual({ people_sum: 6, people_avg: 3 });
    clock.now = 15_000;
    expect(await run(inputs)).toEqual({ people_sum: null, people_avg: null });
  });

  it("counts rows of detections, takes operations and tells distinct values", async () => {
    const run = await openBlock(dataAggregator);
    const people = detectionsOf([{ box: [0, 0, 1, 1] }, { box: [0, 0, 1, 1] }]);
    const outputs = await run({
      data: { people, length: people },
      data_operations: { length: [{ type: "SequenceLength" }] },
      aggregation_mode: { people: ["count"], length: ["max", "distinct", "values_counts"] },
      interval_unit: "runs",
      interval: 1,
    });
    expect(outputs).toEqual({ people_count: 2, length_max: 2, length_distinct: [2], length_values_counts: { 2: 1 } });
  });

  it("names its outputs after values and modes", () => {
    expect(dataAggregator.outputs?.({ name: "s", properties: inputs })).toEqual([
      { name: "people_sum", kinds: ["float", "integer"] },
      { name: "people_avg", kinds: ["float", "integer"] },
    ]);
  });
});

function shapesOf(block: Block, properties: Readonly<Record<string, Json>>) {
  return block.shapes?.({ name: "s", properties });
}
