import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { prepareZXingModule, writeBarcode } from "zxing-wasm/writer";
import { DetectionTable } from "../../frames/detections.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { maskFromBits } from "../../frames/mask.ts";
import type {
  CaptioningModel,
  ClassificationModel,
  DetectionModel,
  DetectOptions,
  EmbeddingModel,
  ModelRegistry,
  ModelTask,
  TextReadingModel,
} from "../../models/model.ts";
import { createModelRegistry } from "../../models/model-registry.ts";
import { createTransformersModels } from "../../models/zero-shot/transformers-models.ts";
import { BlockBatch, type BlockContext, type BlockOutputs, type BlockValue } from "../block.ts";
import { BLOCK_FAMILIES } from "../block-catalog.ts";

describe("detection models", () => {
  it("tell the model everything that the step says", async () => {
    const asked: DetectOptions[] = [];
    const settings = { iou_threshold: 0.6, class_agnostic_nms: true, max_detections: 7, max_candidates: 70 };
    await run("roboflow_object_detection_model@v1", { ...settings, model_id: "m", confidence: 0.2 }, { asked });
    await run("roboflow_object_detection_model@v3", { model_id: "m" }, { asked });
    await run("roboflow_object_detection_model@v3", { model_id: "m", confidence_mode: "default" }, { asked });
    await run("roboflow_keypoint_detection_model@v3", { model_id: "m", keypoint_confidence: 0.3 }, { asked });
    const mask = { mask_decode_mode: "tradeoff", tradeoff_factor: 0.5 };
    await run("roboflow_instance_segmentation_model@v2", { model_id: "m", ...mask }, { asked });
    expect(asked[0]).toEqual({
      confidence: 0.2,
      iouThreshold: 0.6,
      classAgnostic: true,
      maxDetections: 7,
      maxCandidates: 70,
    });
    expect(asked[1]).toEqual({
      iouThreshold: 0.3,
      classAgnostic: false,
      maxDetections: 300,
      maxCandidates: 3000,
    });
    expect(asked[2]).toEqual(asked[1]);
    expect(asked[3]).toMatchObject({ keypointConfidence: 0.3 });
    expect(asked[4]).toMatchObject({ confidence: 0.4, maskDecoding: "tradeoff", maskTradeoff: 0.5 });
  });

  it("note ids, origin and what the model has to say", async () => {
    const outputs = await run(
      "roboflow_object_detection_model@v2",
      { model_id: "m" },
      { note: "Another one stands in." },
    );
    expect(outputs).toMatchObject({ model_id: "m", inference_id: expect.stringMatching(/^id-/) });
    const { data, metadata } = outputs.predictions as DetectionTable;
    expect(metadata).toMatchObject({
      model_note: "Another one stands in.",
      parent_id: "image",
      image_dimensions: [48, 64],
    });
    expect(data.prediction_type).toEqual(["object-detection", "object-detection"]);
    expect(new Set(data.detection_id).size).toBe(2);
    expect(data.inference_id).toEqual([outputs.inference_id, outputs.inference_id]);
  });

  it("keep the classes that are wanted", async () => {
    const { predictions } = await run("roboflow_object_detection_model@v3", { model_id: "m", class_filter: ["dog"] });
    expect((predictions as DetectionTable).data.class_name).toEqual(["dog"]);
  });

  it("hand masks on in the form of COCO from version 4 on", async () => {
    const third = await run("roboflow_instance_segmentation_model@v3", { model_id: "m" });
    const fourth = await run("roboflow_instance_segmentation_model@v4", { model_id: "m" });
    expect((third.predictions as DetectionTable).data).not.toHaveProperty("rle_mask");
    expect((fourth.predictions as DetectionTable).data.rle_mask).toMatchObject([
      { size: [48, 64] },
      { size: [48, 64] },
    ]);
  });
});

describe("classification models", () => {
  it("list the likely classes, the best first", async () => {
    const { predictions } = await run("roboflow_classification_model@v1", { model_id: "m", confidence: 0.15 });
    expect(predictions).toMatchObject({
      top: "dog",
      confidence: 0.7,
      predictions: [
        { class: "dog", class_id: 1, confidence: 0.7 },
        { class: "cat", class_id: 0, confidence: 0.2 },
      ],
      image: { width: 64, height: 48 },
      parent_id: "image",
      root_parent_id: "image",
      prediction_type: "classification",
    });
    const unsure = await run("roboflow_classification_model@v1", { model_id: "m", confidence: 0.9 });
    expect(unsure.predictions).toMatchObject({ top: "", confidence: 0, predictions: [] });
  });

  it("give every class of several, and the names of those that hold", async () => {
    const { predictions } = await run("roboflow_multi_label_classification_model@v3", { model_id: "m" });
    expect(predictions).toMatchObject({ predicted_classes: ["dog"] });
    expect((predictions as { predictions: object }).predictions).toHaveProperty("cow.class_id", 2);
  });
});

describe("text readers", () => {
  it("give the lines as boxes, and say when PP-OCR stands in", async () => {
    const plain = await run("pp_ocr@v1", {});
    expect(plain).toMatchObject({ result: "Exit\n7B", prediction_type: "ocr", parent_id: "image" });
    expect((plain.predictions as DetectionTable).data.class_name).toEqual(["Exit", "7B"]);
    expect([...(plain.predictions as DetectionTable).xyxy.subarray(0, 4)]).toEqual([1, 2, 11, 6]);
    const other = await run("easy_ocr@v1", {});
    expect(other.result).toBe("Exit 7B");
    expect((other.predictions as DetectionTable).metadata.model_note).toContain("PP-OCR stands in for EasyOCR");
  });
});

describe("CLIP", () => {
  it("compares pictures with texts", async () => {
    expect(await run("clip_comparison@v1", { texts: ["x", "y"] })).toMatchObject({
      similarity: [1, 0],
      prediction_type: "classification",
      root_parent_id: "image",
    });
    expect(await run("clip_comparison@v2", { classes: ["y", "x"] })).toMatchObject({
      max_similarity: 1,
      most_similar_class: "x",
      least_similar_class: "y",
      classification_predictions: { top: "x", confidence: 1 },
    });
    await expect(run("clip_comparison@v2", { classes: [] })).rejects.toThrow("at least one text");
  });

  it("gives vectors of pictures and texts", async () => {
    expect(await runPlain("clip@v1", { data: image() })).toEqual({ embedding: [1, 0] });
    expect(await runPlain("clip@v1", { data: "y" })).toEqual({ embedding: [0, 1] });
    const { embedding_info } = await run("embedding_model@v1", { data: new BlockBatch([image()]), model_id: "m" });
    expect(embedding_info).toMatchObject({ model_id: "m", dimension: 2 });
  });
});

describe("Florence-2", () => {
  it("captions as long as the task wants it", async () => {
    expect(await run("florence_2@v1", { task_type: "caption" })).toEqual({
      raw_output: '"a short caption"',
      parsed_output: null,
      classes: [],
    });
    const longest = await run("florence_2@v2", { task_type: "more-detailed-caption", classes: ["car"] });
    expect(longest).toMatchObject({ raw_output: '"a longest caption"', classes: ["car"] });
  });

  it("says which of its tasks run here", () => {
    const { problems } = BLOCK_FAMILIES.detect.find(({ manifest }) => manifest.type === "roboflow_core/florence_2@v2")!;
    const step = (task_type: string) => ({ name: "step", properties: { task_type } });
    expect(problems!(step("detailed-caption"))).toEqual([]);
    expect(problems!(step("region-proposal"))).toMatchObject([{ property: "task_type" }]);
  });

  it("tells at the start what has to be installed", async () => {
    const block = BLOCK_FAMILIES.detect.find(({ manifest }) => manifest.type === "roboflow_core/florence_2@v2")!;
    const models = createTransformersModels(() => Promise.reject(new Error("no '@huggingface/transformers'")));
    const step = { name: "step", properties: { task_type: "caption", model_id: "florence-2-base" } };
    const creating = async () => block.create({ ...contextOf({}), models: createModelRegistry([models]), step });
    await expect(creating()).rejects.toThrow('which is not installed: run "npm install @huggingface/transformers"');
  });
});

describe("code readers", () => {
  it("finds a QR code and reads it", async () => {
    const picture = await qrCode("door 7");
    const { predictions } = await run("qr_code_detector@v1", { images: new BlockBatch([picture]) });
    const { data, xyxy, length } = predictions as DetectionTable;
    expect(length).toBe(1);
    expect(data).toMatchObject({ data: ["door 7"], class_name: ["qr_code"], prediction_type: ["qrcode-detection"] });
    expect(xyxy[2]! - xyxy[0]!).toBeGreaterThan(0.5 * picture.width);
    const barcodes = await run("barcode_detector@v1", { images: new BlockBatch([image()]) });
    expect((barcodes.predictions as DetectionTable).length).toBe(0);
  });
});

interface Wishes {
  readonly asked?: DetectOptions[];
  readonly note?: string;
}

/** Runs a block once on one image, defaults filled in. */
async function run(type: string, inputs: Record<string, BlockValue>, wishes: Wishes = {}): Promise<BlockOutputs> {
  const [first] = (await runPlain(
    type,
    { images: new BlockBatch([image()]), ...inputs },
    wishes,
  )) as unknown as BlockOutputs[];
  return first!;
}

async function runPlain(type: string, inputs: Record<string, BlockValue>, wishes: Wishes = {}): Promise<BlockOutputs> {
  const block = BLOCK_FAMILIES.detect.find(({ manifest }) => manifest.type === `roboflow_core/${type}`)!;
  const defaults = block.manifest.properties.map(({ name, default: value = null }) => [name, value]);
  const instance = await block.create(contextOf(wishes));
  const result = await instance.run({ ...Object.fromEntries(defaults), ...inputs });
  await instance.close?.();
  await instance.close?.();
  return result as BlockOutputs;
}

function contextOf(wishes: Wishes): BlockContext {
  let ids = 0;
  return {
    step: { name: "step", properties: {} },
    models: registry(wishes),
    newId: () => `id-${++ids}`,
    now: () => 0,
    random: () => 0.5,
    effects: {},
    memory: new Map(),
  };
}

function image(): ImageValue {
  return new ImageValue({ width: 64, height: 48, rgba: new Uint8ClampedArray(64 * 48 * 4).fill(128) });
}

function registry({ asked = [], note }: Wishes): ModelRegistry {
  const text = { id: "m", description: "fake", close: async () => undefined, note };
  const classNames = ["cat", "dog", "cow"];
  const detector: DetectionModel = {
    ...text,
    classNames,
    async detect(_, options) {
      asked.push(options);
      return twoAnimals();
    },
  };
  const classifier: ClassificationModel = {
    ...text,
    classNames,
    multiLabel: false,
    classify: async () => Float32Array.of(0.2, 0.7, 0.1),
  };
  const embedder: EmbeddingModel = {
    ...text,
    embedImage: async () => Float32Array.of(1, 0),
    embedTexts: async (texts) => texts.map((each) => (each === "x" ? Float32Array.of(1, 0) : Float32Array.of(0, 1))),
  };
  const reader: TextReadingModel = { ...text, read: async () => [line("Exit", 1, 2), line("7B", 1, 20)] };
  const captioner: CaptioningModel = { ...text, caption: async (_, style) => `a ${style} caption` };
  const models: Partial<Record<ModelTask, unknown>> = {
    captioning: captioner,
    classification: classifier,
    embedding: embedder,
    "text-reading": reader,
  };
  return { open: async (_, task) => (models[task] ?? detector) as never };
}

function twoAnimals(): DetectionTable {
  const mask = maskFromBits(new Uint8Array(64 * 48).fill(1, 100, 120), 64, 48);
  return new DetectionTable({
    xyxy: Float64Array.of(1, 1, 9, 9, 20, 20, 30, 30),
    confidence: Float64Array.of(0.9, 0.8),
    classId: Int32Array.of(0, 1),
    masks: [mask, mask],
    data: { class_name: ["cat", "dog"] },
  });
}

function line(text: string, x: number, y: number) {
  const corners = [
    [x, y],
    [x + 10, y],
    [x + 10, y + 4],
    [x, y + 4],
  ] as const;
  return { text, confidence: 0.9, corners };
}

async function qrCode(text: string): Promise<ImageValue> {
  const file = createRequire(import.meta.url).resolve("zxing-wasm/writer/zxing_writer.wasm");
  await prepareZXingModule({
    overrides: { wasmBinary: new Uint8Array(readFileSync(file)).buffer },
    fireImmediately: true,
  });
  const { symbol } = await writeBarcode(text, { format: "QRCode", scale: 4 });
  const { width, height, data } = symbol;
  const rgba = Uint8ClampedArray.from({ length: 4 * width * height }, (_, at) => (at % 4 === 3 ? 255 : data[at >> 2]!));
  return new ImageValue({ width, height, rgba });
}
