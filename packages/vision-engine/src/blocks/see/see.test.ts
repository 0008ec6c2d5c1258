import { describe, expect, it } from "vitest";
import type { DetectionTable } from "../../frames/detections.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { modelRegistryOf } from "../../testing/index.ts";
import type { Block, BlockInputs, BlockOutputs, BlockValue } from "../block.ts";
import { backgroundSubtraction } from "./motion.ts";
import { morphologicalTransformationV1 } from "./picture-filters.ts";
import { autoRotateOnEdges, contoursDetection, templateMatching } from "./shapes.ts";

describe("see blocks", () => {
  it("outline what is not black and name the neighbours of each outline", async () => {
    const picture = paint(20, 20, (x, y) => (y > 2 && y < 8 && ((x > 2 && x < 8) || (x > 11 && x < 18)) ? 255 : 0));
    const result = await runOnce(contoursDetection, { image: picture });
    expect(result.number_contours).toBe(2);
    expect(result.hierarchy).toEqual([
      [
        [1, -1, -1, -1],
        [-1, 0, -1, -1],
      ],
    ]);
    expect((result.contours as BlockValue[][])[1]).toEqual([[[3, 3]], [[3, 7]], [[7, 7]], [[7, 3]]]);
    const { rgba } = result.image as ImageValue;
    expect([...rgba.subarray(4 * (20 * 5 + 3), 4 * (20 * 5 + 3) + 3)]).toEqual([255, 0, 255]);
  });

  it("find a template, with the picture that it was found in", async () => {
    const picture = paint(40, 30, (x, y) => (x * x * 7 + y * y * 13 + x * y) % 251);
    const template = paint(9, 7, (x, y) => ((x + 12) ** 2 * 7 + (y + 5) ** 2 * 13 + (x + 12) * (y + 5)) % 251);
    const result = await runOnce(templateMatching, { image: picture, template, matching_threshold: 0.99 });
    const { xyxy, data } = result.predictions as DetectionTable;
    expect([...xyxy]).toEqual([12, 5, 21, 12]);
    expect(data).toMatchObject({ class_name: ["template_match"], parent_id: ["image"], image_dimensions: [[30, 40]] });
    expect(result.number_of_matches).toBe(1);
  });

  it("refuse a template that is larger than the picture", async () => {
    const small = paint(4, 4, () => 9);
    await expect(runOnce(templateMatching, { image: small, template: paint(9, 9, () => 9) })).rejects.toThrow("larger");
  });

  it("straighten leaning stripes and leave a flat picture alone", async () => {
    const lean = Math.tan((10 * Math.PI) / 180);
    const stripes = paint(200, 160, (x, y) => 128 + 90 * Math.sin((x + y * lean) / 3));
    const { angle, image } = await runOnce(autoRotateOnEdges, { image: stripes });
    expect(Math.abs(angle as number)).toBeGreaterThan(9);
    expect(Math.abs(angle as number)).toBeLessThan(11);
    expect((image as ImageValue).width).toBeGreaterThan(200);
    const flat = paint(50, 50, () => 128);
    expect(await runOnce(autoRotateOnEdges, { image: flat })).toEqual({ image: flat, angle: 0 });
  });

  it("subtract one background over all frames", async () => {
    const run = await open(backgroundSubtraction);
    const still = paint(8, 8, () => 100);
    for (let frame = 0; frame < 20; frame++) await run({ image: still });
    const { image } = await run({ image: paint(8, 8, (x) => (x === 3 ? 240 : 100)) });
    const { rgba, channels } = image as ImageValue;
    expect(channels).toBe(3);
    expect([rgba[4 * 2], rgba[4 * 3]]).toEqual([0, 255]);
  });

  it("give a grey picture from the first morphology and refuse a grey one", async () => {
    const picture = paint(10, 10, (x, y) => (x === 5 && y === 5 ? 255 : 0));
    const { image } = await runOnce(morphologicalTransformationV1, {
      image: picture,
      operation: "Dilation",
      kernel_size: 3,
    });
    expect((image as ImageValue).channels).toBe(1);
    expect((image as ImageValue).rgba[4 * 44]).toBe(255);
    const grey = picture.withChannels(1);
    await expect(runOnce(morphologicalTransformationV1, { image: grey })).rejects.toMatchObject({ type: "error" });
  });
});

function paint(width: number, height: number, levelAt: (x: number, y: number) => number): ImageValue {
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let at = 0; at < width * height; at++)
    rgba.fill(levelAt(at % width, Math.floor(at / width)), 4 * at, 4 * at + 3);
  return new ImageValue({ width, height, rgba });
}

type Given = Readonly<Record<string, BlockValue>>;

async function runOnce(block: Block, given: Given): Promise<BlockOutputs> {
  return (await open(block))(given);
}

/** Runs a block with the defaults of its manifest. */
async function open(block: Block): Promise<(given: Given) => Promise<BlockOutputs>> {
  const instance = await block.create({
    step: { name: "see", properties: {} },
    models: modelRegistryOf([]),
    newId: () => "id",
    now: () => 0,
    random: () => 0.5,
    effects: {},
    memory: new Map(),
  });
  const properties = block.manifest.properties.map(({ name, default: value = null }) => [name, value as BlockValue]);
  const defaults: BlockInputs = Object.fromEntries(properties);
  return async (given) => (await instance.run({ ...defaults, ...given })) as BlockOutputs;
}
