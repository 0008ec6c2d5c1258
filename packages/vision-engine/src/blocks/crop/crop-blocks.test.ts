import { describe, expect, it } from "vitest";
import { DetectionTable } from "../../frames/detections.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { modelRegistryOf } from "../../testing/index.ts";
import { type Block, BlockBatch, type BlockInputs, type BlockOutputs, type BlockValue } from "../block.ts";
import { readCodes } from "../detect/readers.ts";
import { cropImage, dynamicCrop, startsFromZero, startsWithin } from "./crops.ts";
import { cameraCalibration, perspectiveCorrection } from "./perspective-correction.ts";
import { qrCodeGenerator } from "./qr-code-generator.ts";

describe("a crop", () => {
  it("knows its place in the picture it was cut from and in the first one", () => {
    const crop = cropImage(gradient(20, 10), [5, 2, 15, 9], "outer")!;
    const inner = cropImage(crop, [3, -4, 99, 4], "inner")!;
    expect([inner.width, inner.height]).toEqual([7, 4]);
    expect(inner.parent).toEqual({ id: "inner", x: 3, y: 0, width: 10, height: 7 });
    expect(inner.root).toEqual({ id: "image", x: 8, y: 2, width: 20, height: 10 });
    expect(inner.rgba.slice(0, 2)).toEqual(Uint8ClampedArray.of(8, 2));
  });

  it("is nothing outside the picture", () => {
    expect(cropImage(gradient(4, 4), [4, 0, 8, 4], "x")).toBeUndefined();
  });

  it("of a detection that leaves the picture keeps the part inside, with coordinates that fit", async () => {
    const detections = new DetectionTable({ xyxy: Float64Array.of(-3, 1, 4, 5), data: { detection_id: ["a"] } });
    const [[crop]] = (await run(dynamicCrop, {
      images: new BlockBatch([gradient(10, 10)]),
      predictions: new BlockBatch([detections]),
      mask_opacity: 0,
    })) as [[{ crops: ImageValue; predictions: DetectionTable }]];
    expect([crop.crops.width, crop.crops.height]).toEqual([4, 4]);
    expect([...crop.predictions.xyxy]).toEqual([-3, 0, 4, 4]);
  });
});

describe("tiles", () => {
  it("are cut at the border by the first version and moved back by the second", () => {
    expect(startsFromZero({ length: 100, tile: 40, overlap: 0.2 })).toEqual([0, 32, 64, 96]);
    expect(startsWithin({ length: 100, tile: 40, overlap: 0.2 })).toEqual([0, 32, 60]);
    expect(startsWithin({ length: 30, tile: 40, overlap: 0.2 })).toEqual([0]);
  });
});

describe("the view from above", () => {
  it("of an upright rectangle is that part of the picture", async () => {
    const image = gradient(100, 80);
    const [{ warped_image: warped }] = (await run(perspectiveCorrection, {
      images: new BlockBatch([image]),
      predictions: null,
      perspective_polygons: [
        [20, 49],
        [20, 10],
        [59, 10],
        [59, 49],
      ],
      transformed_rect_width: 40,
      transformed_rect_height: 40,
      warp_image: true,
    })) as [{ warped_image: ImageValue }];
    expect([warped.width, warped.height]).toEqual([40, 40]);
    expect(warped.rgba.slice(0, 2)).toEqual(Uint8ClampedArray.of(20, 10));
    expect(warped.rgba.slice(-4, -2)).toEqual(Uint8ClampedArray.of(59, 49));
  });
});

describe("a lens without distortion", () => {
  it("leaves the picture as it is", async () => {
    const image = gradient(30, 20);
    const lens = { fx: 25, fy: 25, cx: 15, cy: 10, k1: 0, k2: 0, k3: 0, p1: 0, p2: 0 };
    const { calibrated_image: result } = (await run(cameraCalibration, { image, ...lens })) as {
      calibrated_image: ImageValue;
    };
    expect(result.rgba).toEqual(image.rgba);
  });
});

describe("a QR code", () => {
  it("holds the text that was given", async () => {
    const { qr_code: code } = (await run(qrCodeGenerator, {
      text: "gate 7",
      error_correct: "High (~30% word recovery / lowest data capacity)",
      border: 4,
      fill_color: "(20, 40, 60)",
      back_color: "WHITE",
    })) as { qr_code: ImageValue };
    expect(code.width).toBe((21 + 8) * 10);
    expect((await readCodes(code, ["QRCode"])).map(({ text }) => text)).toEqual(["gate 7"]);
  });
});

/** Red tells the column, green the row. */
function gradient(width: number, height: number): ImageValue {
  const rgba = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    rgba[4 * pixel] = pixel % width;
    rgba[4 * pixel + 1] = Math.floor(pixel / width);
  }
  return new ImageValue({ width, height, rgba });
}

async function run(block: Block, inputs: Readonly<Record<string, BlockValue>>): Promise<unknown> {
  const instance = await block.create({
    step: { name: "step", properties: {} },
    models: modelRegistryOf([]),
    newId: () => "id",
    now: () => 0,
    random: () => 0.5,
    effects: {},
    memory: new Map(),
  });
  return (await instance.run(inputs as BlockInputs)) as BlockOutputs;
}
