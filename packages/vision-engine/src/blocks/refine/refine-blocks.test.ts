import { describe, expect, it } from "vitest";
import { DetectionTable } from "../../frames/detections.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { type Mask, maskArea, maskBounds } from "../../frames/mask.ts";
import { polygonToMask } from "../../geometry/fill-polygon.ts";
import { boxToMask, modelRegistryOf } from "../../testing/index.ts";
import { type Block, BlockBatch, type BlockInputs, type BlockValue } from "../block.ts";
import { detectionsFilter } from "./filters.ts";
import { boundingRect } from "./joined-boxes.ts";
import { detectionsListRollup } from "./list-rollup.ts";
import { maskEdgeSnap } from "./mask-edge-snap.ts";
import { overlapAnalysis, sizeMeasurement } from "./measurements.ts";

/** A rectangle that stands on its corner: 40 along one side, 20 along the other. */
const SLANTED = polygonToMask(
  [
    [30, 10],
    [58, 38],
    [44, 52],
    [16, 24],
  ],
  80,
  60,
);

describe("a bounding rectangle", () => {
  it("lies tight around a slanted mask", async () => {
    const { detections_with_rect: result } = (await run(boundingRect, { predictions: masked([SLANTED]) })) as {
      detections_with_rect: DetectionTable;
    };
    expect(Number(result.data.angle![0])).toBeCloseTo(45, 0);
    expect([Number(result.data.width![0]), Number(result.data.height![0])].map(Math.round)).toEqual([40, 20]);
    expect([...result.xyxy].map(Math.round)).toEqual([16, 10, 58, 52]);
  });

  it("needs masks", async () => {
    await expect(run(boundingRect, { predictions: boxes([0, 0, 5, 5]) })).rejects.toThrow(/masks/);
  });
});

describe("a size", () => {
  it("is measured along the sides of the thing, not of the picture", async () => {
    const { dimensions } = (await run(sizeMeasurement, {
      object_predictions: masked([SLANTED]),
      reference_predictions: boxes([0, 0, 10, 10]),
      reference_dimensions: [5, 5],
    })) as { dimensions: readonly [{ longer: number; shorter: number }] };
    expect(dimensions[0].longer).toBeCloseTo(20, 0);
    expect(dimensions[0].shorter).toBeCloseTo(10, 0);
  });
});

describe("an overlap", () => {
  it("is that of the masks where there are any", async () => {
    const { overlaps } = (await run(overlapAnalysis, {
      reference_predictions: masked([boxToMask([0, 0, 10, 10], 0, 40, 40)]),
      candidate_predictions: boxes([5, 0, 30, 30]),
      min_overlap: 0.1,
    })) as { overlaps: readonly [{ overlap_ratio: number }] };
    expect(overlaps[0].overlap_ratio).toBeCloseTo(0.5);
  });
});

describe("findings of two crops", () => {
  it("become one where their masks touch", async () => {
    const parent = boxes([0, 0, 10, 10], [10, 0, 20, 10]).with({
      data: {
        root_parent_dimensions: [
          [20, 30],
          [20, 30],
        ],
      },
    });
    const { rolled_up_detections: result } = (await run(detectionsListRollup, {
      parent_detection: parent,
      child_detections: [masked([boxToMask([4, 2, 9, 5], 0, 10, 10)]), masked([boxToMask([0, 2, 3, 5], 0, 10, 10)])],
      confidence_strategy: "max",
      overlap_threshold: 0,
      keypoint_merge_threshold: 10,
    })) as { rolled_up_detections: DetectionTable };
    expect([...result.xyxy]).toEqual([4, 2, 14, 6]);
    expect(maskArea(result.masks![0]!)).toBe(40);
  });
});

describe("a filter", () => {
  const operations = [
    {
      type: "DetectionsFilter",
      filter_operation: {
        type: "StatementGroup",
        statements: [
          {
            type: "BinaryStatement",
            left_operand: {
              type: "DynamicOperand",
              operations: [{ type: "ExtractDetectionProperty", property_name: "confidence" }],
            },
            comparator: { type: "(Number) >=" },
            right_operand: { type: "DynamicOperand", operand_name: "least" },
          },
        ],
      },
    },
  ];

  it("sees its parameters, one for all elements or one for each", async () => {
    const predictions = new BlockBatch([boxes([0, 0, 1, 1]), boxes([0, 0, 1, 1])]);
    const results = (await run(detectionsFilter, {
      predictions,
      operations,
      operations_parameters: { least: new BlockBatch([0.5, 0.95]) },
    })) as readonly { predictions: DetectionTable }[];
    expect(results.map((result) => result.predictions.length)).toEqual([1, 0]);
  });

  it("refuses the reserved name and a result that is no detections", async () => {
    const predictions = new BlockBatch([boxes([0, 0, 1, 1])]);
    await expect(run(detectionsFilter, { predictions, operations, operations_parameters: { _: 1 } })).rejects.toThrow(
      /name/,
    );
    const count = [{ type: "SequenceLength" }];
    await expect(run(detectionsFilter, { predictions, operations: count, operations_parameters: {} })).rejects.toThrow(
      /detections/,
    );
  });
});

describe("a mask near an edge", () => {
  it("moves its border onto the edge", async () => {
    const image = whiteSquare(100, 30, 70);
    const rough = boxToMask([34, 34, 65, 65], 0, 100, 100);
    const { refined_segmentation: refined } = (await run(maskEdgeSnap, {
      image,
      segmentation: masked([rough]),
      pixel_tolerance: 10,
      sigma: 1,
      min_contour_area: 50,
      dilation_iterations: 1,
      boundary_band_width: 15,
      adaptive_window_size: 41,
    })) as { refined_segmentation: DetectionTable };
    const [left, top, right, bottom] = maskBounds(refined.masks![0]!)!;
    for (const side of [left - 29, top - 29, 70 - right, 70 - bottom]) expect(Math.abs(side)).toBeLessThanOrEqual(1);
  });
});

function boxes(...rows: readonly (readonly number[])[]): DetectionTable {
  return new DetectionTable({
    xyxy: Float64Array.from(rows.flat()),
    confidence: new Float64Array(rows.length).fill(0.9),
    classId: new Int32Array(rows.length),
  });
}

function masked(masks: readonly Mask[]): DetectionTable {
  return boxes(...masks.map((mask) => [...maskBounds(mask)!])).with({ masks });
}

function whiteSquare(size: number, from: number, to: number): ImageValue {
  const rgba = new Uint8ClampedArray(4 * size * size).fill(255);
  for (let pixel = 0; pixel < size * size; pixel++) {
    const [x, y] = [pixel % size, Math.floor(pixel / size)];
    const level = x >= from && x < to && y >= from && y < to ? 255 : 0;
    rgba.fill(level, 4 * pixel, 4 * pixel + 3);
  }
  return new ImageValue({ width: size, height: size, rgba });
}

async function run(block: Block, inputs: Readonly<Record<string, unknown>>): Promise<unknown> {
  const instance = await block.create({
    step: { name: "step", properties: {} },
    models: modelRegistryOf([]),
    newId: () => "id",
    now: () => 0,
    random: () => 0.5,
    effects: {},
    memory: new Map<string, Map<string, BlockValue>>(),
  });
  return instance.run(inputs as BlockInputs);
}
