import { describe, expect, it } from "vitest";
import type { Detections } from "../frames/detections.ts";
import { ImageValue } from "../frames/image-value.ts";
import { detectionsOf, frameOf, modelRegistryOf, truthModel } from "../testing.ts";
import { toCssColor } from "./annotate/palette.ts";
import type { BlockOutputs, BlockValue } from "./block.ts";
import { BLOCKS } from "./block-list.ts";

const PEOPLE = [
  { box: [5, 5, 20, 20], confidence: 0.5 },
  { box: [30, 5, 50, 20], confidence: 0.9 },
  { box: [5, 25, 30, 45], confidence: 0.7, className: "car" },
] as const;

describe("object detection", () => {
  it.each(["v1", "v2", "v3"])("%s gives what the model finds, and its id", async (version) => {
    const outputs = await run(`roboflow_core/roboflow_object_detection_model@${version}`, {
      images: image(),
      model_id: "fake/truth",
    });
    expect((outputs.predictions as Detections).length).toBe(3);
    expect(outputs).toMatchObject({ inference_id: "id", model_id: "fake/truth" });
  });

  it("keeps wanted classes of the strongest, and sure ones", async () => {
    const type = "roboflow_core/roboflow_object_detection_model@v3";
    const found = async (more: Record<string, BlockValue>) => {
      const { predictions } = await run(type, { images: image(), model_id: "fake/truth", ...more });
      return [...(predictions as Detections).confidence].map((value) => value.toFixed(1));
    };
    expect(await found({ class_filter: ["car"] })).toEqual(["0.7"]);
    expect(await found({ class_filter: [] })).toEqual(["0.5", "0.9", "0.7"]);
    expect(await found({ confidence_mode: "custom", custom_confidence: 0.8 })).toEqual(["0.9"]);
    expect(await found({ max_detections: 2 })).toEqual(["0.9", "0.7"]);
    expect(await found({ max_detections: 1, class_filter: ["car"] })).toEqual([]);
  });
});

describe("byte tracker v3", () => {
  it("tells newcomers from those seen before", async () => {
    const instance = await create("roboflow_core/byte_tracker@v3");
    const step = async (boxes: typeof PEOPLE | []) => {
      const outputs = await instance({ image: image(), detections: detectionsOf([...boxes]) });
      return [outputs.new_instances, outputs.already_seen_instances].map((rows) => (rows as Detections).length);
    };
    expect(await step(PEOPLE)).toEqual([3, 0]);
    expect(await step(PEOPLE)).toEqual([0, 3]);
    expect(await step([])).toEqual([0, 0]);
  });
});

describe("drawing blocks", () => {
  it.each([
    ["roboflow_core/bounding_box_visualization@v1", { predictions: detectionsOf(PEOPLE) }],
    ["roboflow_core/label_visualization@v1", { predictions: detectionsOf(PEOPLE), text: "Class and Confidence" }],
    [
      "roboflow_core/line_counter_visualization@v1",
      {
        zone: [
          [0, 20],
          [60, 20],
        ],
        count_in: 3,
      },
    ],
  ])("%s draws on a copy", async (type, inputs) => {
    const before = image();
    const { image: drawn } = await run(type, { image: before, ...inputs });
    expect(drawn).toBeInstanceOf(ImageValue);
    expect((drawn as ImageValue).rgba).not.toEqual(before.rgba);
    expect(before.rgba).toEqual(frameOf().rgba);
  });

  it("refuse a palette that is not here, and tracks that are not there", async () => {
    const type = "roboflow_core/bounding_box_visualization@v1";
    const inputs = { image: image(), predictions: detectionsOf(PEOPLE) };
    await expect(run(type, { ...inputs, color_palette: "Matplotlib Viridis" })).rejects.toThrow("not available");
    await expect(run(type, { ...inputs, color_axis: "TRACK" })).rejects.toThrow("tracker");
  });

  it("paint unknown classes grey", async () => {
    const predictions = detectionsOf([{ box: [10, 10, 40, 40], className: "ufo" }]);
    const { image: drawn } = await run("roboflow_core/bounding_box_visualization@v1", { image: image(), predictions });
    const at = 4 * (10 * 64 + 20);
    // The picture itself is half transparent, so that its own grey is not taken for the drawn one.
    expect([...(drawn as ImageValue).rgba.subarray(at, at + 4)]).toEqual([128, 128, 128, 255]);
  });
});

describe("toCssColor", () => {
  it.each([
    ["#5bb573", "#5bb573"],
    ["rgb(1, 2, 3)", "rgb(1, 2, 3)"],
    ["bgr(1, 2, 3)", "rgb(3, 2, 1)"],
    ["white", "#FFFFFF"],
  ])("reads %s", (written, css) => expect(toCssColor(written)).toBe(css));

  it("says how to write a colour", () => {
    expect(() => toCssColor("reddish")).toThrow("#RRGGBB");
  });
});

describe("block list", () => {
  it("has every name once", () => {
    const names = BLOCKS.flatMap(({ manifest }) => [manifest.type, ...(manifest.aliases ?? [])]);
    expect(new Set(names).size).toBe(names.length);
  });
});

async function run(type: string, inputs: Record<string, BlockValue>): Promise<BlockOutputs> {
  return (await create(type))(inputs);
}

async function create(type: string): Promise<(inputs: Record<string, BlockValue>) => Promise<BlockOutputs>> {
  const block = BLOCKS.find(({ manifest }) => manifest.type === type)!;
  const defaults = Object.fromEntries(
    block.manifest.properties.map(({ name, default: value = null }) => [name, value]),
  );
  const step = { name: "step", properties: defaults };
  const instance = await block.create({ step, models: modelRegistryOf([truthModel()]), newId: () => "id" });
  return async (inputs) => instance.run({ ...defaults, ...inputs });
}

function image(): ImageValue {
  return new ImageValue(frameOf({ objects: PEOPLE }));
}
