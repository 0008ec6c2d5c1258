import { describe, expect, it } from "vitest";
import { type Columns, DetectionTable } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { detectionsOf } from "../../testing/index.ts";
import { BLOCK_MANIFESTS, type Block, type BlockValue } from "../block.ts";
import { BLOCK_FAMILIES } from "../block-catalog.ts";
import { imageOf, openBlock } from "../track/__fixtures__/open-block.ts";
import { parseColor } from "./color.ts";
import { HeatField } from "./heatmap-visualizations.ts";
import { keypointVisualization } from "./keypoint-visualization.ts";
import { labelsOf } from "./label-visualizations.ts";
import { boundingBoxVisualization, traceVisualization } from "./outline-visualizations.ts";
import { wrapText } from "./text.ts";

const PEOPLE = detectionsOf([
  { box: [5, 5, 20, 20], trackerId: 1 },
  { box: [30, 5, 50, 20], trackerId: 2, className: "car" },
]);

/** What blocks need besides an image and detections. */
const MORE: Readonly<Record<string, Record<string, BlockValue>>> = {
  "roboflow_core/line_counter_visualization@v1": {
    zone: [
      [0, 20],
      [60, 20],
    ],
  },
  "roboflow_core/polygon_zone_visualization@v1": {
    zone: [
      [0, 0],
      [40, 0],
      [40, 40],
    ],
  },
  "roboflow_core/reference_path_visualization@v1": {
    reference_path: [
      [0, 0],
      [40, 40],
    ],
  },
  "roboflow_core/text_display@v1": { text: "{{ $parameters.n }} people", text_parameters: { n: 2 } },
  "roboflow_core/anomaly_heatmap_visualization@v1": { anomaly_map: [[0, 2]], anomaly_threshold: 1 },
  "roboflow_core/heatmap_visualization@v1": { ignore_stationary: false },
  "roboflow_core/model_comparison_visualization@v1": { predictions_a: PEOPLE, predictions_b: PEOPLE },
  "roboflow_core/keypoint_visualization@v1": {
    predictions: skeleton([
      [5, 5],
      [30, 30],
    ]),
    edges: [[1, 2]],
  },
  "roboflow_core/classification_label_visualization@v1": {
    predictions: { image: { width: 64, height: 48 }, predictions: [{ class: "cat", class_id: 0, confidence: 0.9 }] },
  },
};
/** On a picture of one colour these change nothing, or nothing at the first frame. */
const UNSEEN = /blur|pixelate|trace|halo_visualization@v2|mask_|polygon_visualization@v2|crop|grid/;

describe("visualisations", () => {
  it("are all of the catalogue", () => {
    const wanted = BLOCK_MANIFESTS.filter(({ family }) => family === "visualization").map(({ type }) => type);
    expect(BLOCK_FAMILIES.annotate.map(({ manifest }) => manifest.type).sort()).toEqual([...wanted].sort());
  });

  it.each(BLOCK_FAMILIES.annotate.map((block) => [block.manifest.type, block] as const))(
    "%s leaves the picture it was given as it is",
    async (type, block) => {
      const before = imageOf();
      const drawn = await draw(block, before, MORE[type]);
      expect(before.rgba).toEqual(imageOf().rgba);
      if (!UNSEEN.test(type)) expect(drawn.rgba).not.toEqual(before.rgba);
    },
  );

  it("draw boxes in the colour of their class", async () => {
    const drawn = await draw(boundingBoxVisualization, imageOf(), { thickness: 1 });
    expect(pixel(drawn, 12, 5)).toEqual([163, 81, 251]);
  });
});

describe("palettes", () => {
  it.each([
    ["by class", {}, [255, 64, 64]],
    ["by position", { color_axis: "INDEX" }, [255, 64, 64]],
    [
      "by track, from a ramp",
      { color_axis: "TRACK", color_palette: "Matplotlib Viridis", palette_size: 3 },
      [253, 231, 36],
    ],
    ["from own colours", { color_palette: "CUSTOM", custom_colors: ["#000102", "rgb(9, 8, 7)"] }, [9, 8, 7]],
  ])("colour %s", async (_, options, expected) => {
    const drawn = await draw(boundingBoxVisualization, imageOf(), { thickness: 1, ...options });
    expect(pixel(drawn, 40, 5)).toEqual(expected);
  });

  it("paint unknown classes grey, and say what they lack", async () => {
    const ufo = detectionsOf([{ box: [10, 10, 40, 40], className: "ufo" }]);
    const opaque = imageOf();
    expect(pixel(await draw(boundingBoxVisualization, opaque, { predictions: ufo, thickness: 1 }), 20, 10)).toEqual([
      128, 128, 128,
    ]);
    const fail = (options: Record<string, BlockValue>) =>
      draw(boundingBoxVisualization, opaque, { predictions: ufo, ...options });
    await expect(fail({ color_axis: "TRACK" })).rejects.toThrow("tracker");
    await expect(fail({ color_palette: "Rainbow" })).rejects.toThrow("DEFAULT");
    await expect(fail({ color_palette: "CUSTOM", custom_colors: [] })).rejects.toThrow("custom_colors");
  });

  it("read colours in every notation, and refuse others", () => {
    expect([parseColor("#0f8"), parseColor("bgr(1, 2, 3)"), parseColor("white")]).toEqual([
      { r: 0, g: 255, b: 136 },
      { r: 3, g: 2, b: 1 },
      { r: 255, g: 255, b: 255 },
    ]);
    expect(() => parseColor("reddish")).toThrow("#RRGGBB");
  });
});

describe("labels", () => {
  it.each([
    ["Class and Confidence", ["person 0.90", "car 0.90"]],
    ["Dimensions", ["12, 12 15x15", "40, 12 20x15"]],
    ["Area", ["225", "300"]],
    ["Tracker Id", ["1", "2"]],
    ["Time In Zone", ["In zone: N/A", "In zone: 2.5s"]],
    ["Area (mask)", ["Area (mask): N/A", "Area (mask): N/A"]],
    ["note", ["hello", ""]],
  ])("tell %s", (kind, expected) => {
    const data = { ...PEOPLE.data, time_in_zone: [0, 2.5], note: ["hello", null] };
    expect(labelsOf(PEOPLE.with({ data }), kind)).toEqual(expected);
  });

  it("refuse a text that is neither a kind nor a column", () => {
    expect(() => labelsOf(PEOPLE, "Shoe size")).toThrow("Tracker Id");
  });

  it("break lines between words and cut what is longer", () => {
    expect(wrapText("a long label", 6)).toBe("a long\nlabel");
    expect(wrapText("indivisible", 4)).toBe("indi\nvisi\nble");
  });
});

describe("trace", () => {
  it("draws the way of each video apart", async () => {
    const run = await openBlock(traceVisualization);
    const step = async (sourceId: string, x: number) => {
      const predictions = detectionsOf([{ box: [x, 20, x + 2, 22], trackerId: 1 }]);
      return (await run({ image: imageOf({ sourceId }), predictions })).image as ImageValue;
    };
    await step("one", 0);
    const other = await step("other", 60);
    const moved = await step("one", 40);
    expect(pixel(other, 20, 21)).toEqual([128, 128, 128]);
    expect(pixel(moved, 20, 21)).not.toEqual([128, 128, 128]);
  });
});

describe("keypoints", () => {
  it("are put at their place in the skeleton when some are missing", async () => {
    const predictions = skeleton(
      [
        [40, 40],
        [10, 10],
      ],
      { ids: [2, 0], names: ["knee", "head"] },
    );
    const drawn = await draw(keypointVisualization, imageOf(), { predictions, edges: [[1, 3]], thickness: 1 });
    expect(pixel(drawn, 25, 25)).not.toEqual([128, 128, 128]);
  });
});

describe("HeatField", () => {
  it("counts discs of one frame once, and frames up to the one that is looked at", () => {
    const field = new HeatField({ width: 8, height: 8, radius: 1 });
    const first = field.add([
      [3, 3],
      [3, 3],
      [4, 3],
    ]);
    const second = field.add([[3, 3]]);
    expect(field.upTo(first)[3 * 8 + 3]).toBe(1);
    expect(field.upTo(second)[3 * 8 + 3]).toBe(2);
    expect(field.upTo(second)[0]).toBe(0);
  });

  it("takes discs that lie partly outside", () => {
    const field = new HeatField({ width: 4, height: 4, radius: 2 });
    expect(field.upTo(field.add([[-1, 4]]))[3 * 4]).toBe(1);
  });
});

async function draw(block: Block, image: ImageValue, more: Record<string, BlockValue> = {}): Promise<ImageValue> {
  const run = await openBlock(block);
  return (await run({ image, images: [image], icon: imageOf({ width: 8, height: 8 }), predictions: PEOPLE, ...more }))
    .image as ImageValue;
}

function skeleton(points: number[][], { ids, names }: { ids?: number[]; names?: string[] } = {}): DetectionTable {
  const columns: Columns = ids === undefined ? {} : { keypoints_class_id: [ids], keypoints_class_name: [names!] };
  return new DetectionTable({ xyxy: Float64Array.of(0, 0, 50, 40), data: { keypoints_xy: [points], ...columns } });
}

function pixel({ rgba, width }: ImageValue, x: number, y: number): number[] {
  return [...rgba.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)];
}
