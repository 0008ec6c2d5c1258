import { describe, expect, it } from "vitest";
import { frameOf } from "../../testing/index.ts";
import type { Transformers, TransformersPart, TransformersTensor } from "./transformers.ts";
import { createTransformersModels } from "./transformers-models.ts";

describe("models through @huggingface/transformers", () => {
  it("says how to get the package where it is missing", async () => {
    const models = createTransformersModels(() =>
      Promise.reject(new Error("Cannot find package '@huggingface/transformers'")),
    );
    await expect(models.open("clip/ViT-B-32", "embedding")).rejects.toMatchObject({
      kind: "model",
      message: expect.stringContaining('is not installed: run "npm install @huggingface/transformers"'),
    });
  });

  it("says why the package does not load where it is installed", async () => {
    const models = createTransformersModels(() => Promise.reject(new Error("libstdc++ is too old")));
    await expect(models.open("florence-2-base", "captioning")).rejects.toThrow("does not load (libstdc++ is too old)");
  });

  it("leaves ids of others alone", () => {
    const models = createTransformersModels(async () => fake());
    expect(models.open("coco/3", "zero-shot-detection")).toBeUndefined();
    expect(models.open("clip/RN50", "embedding")).toBeUndefined();
    expect(models.open("clip/ViT-B-32", "object-detection")).toBeUndefined();
    expect(models.open("florence-2-huge", "captioning")).toBeUndefined();
  });

  it("makes unit vectors with CLIP and asks for each text once", async () => {
    const asked: unknown[] = [];
    const model = (await createTransformersModels(async () => fake(asked)).open("clip/ViT-B-16", "embedding"))!;
    expect([...(await model.embedImage(frameOf()))].map((value) => value.toFixed(1))).toEqual(["0.6", "0.8"]);
    expect((await model.embedTexts!(["a", "b"])).map(([first]) => first)).toEqual([1, 1]);
    await model.embedTexts!(["b"]);
    expect(asked).toEqual([["a", "b"]]);
  });

  it("finds what words describe, and says what stands in", async () => {
    const model = (await createTransformersModels(async () => fake()).open("yolo_world/v2-s", "zero-shot-detection"))!;
    expect(model.note).toContain("OWLv2 stands in");
    const found = await model.withClasses(["cat", "red car"]).detect(frameOf(), { confidence: 0.2 });
    expect(found.data.class_name).toEqual(["red car", "cat"]);
    expect([...found.classId!]).toEqual([1, 0]);
    expect([...found.xyxy]).toEqual([0, 0, 32, 24, 32, 12, 64, 48]);
  });

  it("tells why a model cannot be had", async () => {
    const broken: Transformers = {
      ...fake(),
      pipeline: () => Promise.reject(new Error("it is of an unknown kind\nat …")),
    };
    const opening = createTransformersModels(async () => broken).open("huggingface/a/b", "zero-shot-detection");
    await expect(opening).rejects.toThrow('The model "a/b" cannot be opened: it is of an unknown kind');
  });

  it("asks Florence-2 for as many words as are wanted", async () => {
    const model = (await createTransformersModels(async () => fake()).open("florence-2-large", "captioning"))!;
    expect(await model.caption(frameOf(), "short")).toBe("<CAPTION>");
    expect(await model.caption(frameOf(), "longest")).toBe("<MORE_DETAILED_CAPTION>");
  });
});

class FakeImage {
  readonly channels: number;
  constructor(_data: Uint8ClampedArray, _width: number, _height: number, channels: number) {
    this.channels = channels;
  }
  rgb(): FakeImage {
    return new FakeImage(new Uint8ClampedArray(0), 0, 0, 3);
  }
}

/** In shares of the picture; one reaches beyond its edge, one lies outside. */
const BOXES = [
  { score: 0.3, label: "cat", box: { xmin: 0.5, ymin: 0.25, xmax: 1.1, ymax: 1 } },
  { score: 0.9, label: "red car", box: { xmin: -0.1, ymin: 0, xmax: 0.5, ymax: 0.5 } },
  { score: 0.4, label: "red car", box: { xmin: 0, ymin: 0, xmax: 0.45, ymax: 0.5 } },
  { score: 0.8, label: "cat", box: { xmin: 1.1, ymin: 0, xmax: 1.2, ymax: 1 } },
];

/** Texts asked for are put into `asked`. */
function fake(asked: unknown[] = []): Transformers {
  const loaded = (part: TransformersPart) => ({ from_pretrained: async () => part });
  const rows = (values: readonly number[]): TransformersTensor => ({
    dims: [values.length / 2, 2],
    data: Float32Array.from(values),
  });
  return {
    RawImage: FakeImage,
    pipeline: async () => async () => BOXES,
    AutoProcessor: { from_pretrained: async <T>() => fakeProcessor() as T },
    Florence2ForConditionalGeneration: {
      from_pretrained: async () => ({ generate: async (inputs) => inputs as never }),
    },
    AutoTokenizer: loaded(async (texts) => {
      asked.push(texts);
      return { input_ids: rows((texts as string[]).flatMap(() => [1, 0])) };
    }),
    CLIPVisionModelWithProjection: loaded(async () => ({ image_embeds: rows([3, 4]) })),
    CLIPTextModelWithProjection: loaded(async (input) => ({
      text_embeds: (input as { input_ids: TransformersTensor }).input_ids,
    })),
  };
}

/** Its answer is the task that it was given. */
function fakeProcessor(): unknown {
  const call = async (_image: FakeImage, task?: string) => ({ task });
  const batch_decode = ({ task }: { task: string }) => [` ${task}`];
  return Object.assign(call, { batch_decode });
}
