// pictures and texts → CLIP → vectors that can be compared
import type { EmbeddingModel } from "../model.ts";
import {
  closeOnce,
  fromHub,
  type LoadTransformers,
  loadTransformers,
  MODEL_OPTIONS,
  type TransformersTensor,
  toTransformersImage,
} from "./transformers.ts";

/** Steps compare with the same words on every frame, so the last vectors of texts are kept. */
const KEPT_TEXTS = 500;

export interface ClipOptions {
  /** Id that was asked for. */
  readonly id: string;
  /** Repository on huggingface.co. */
  readonly hubId: string;
  readonly load: LoadTransformers;
}

/** Throws `EngineError` kind `model` when the package is not installed or the model cannot be had. */
export async function openClip({ id, hubId, load }: ClipOptions): Promise<EmbeddingModel> {
  const transformers = await loadTransformers(load, "CLIP");
  const { AutoProcessor, AutoTokenizer, CLIPVisionModelWithProjection, CLIPTextModelWithProjection } = transformers;
  const [process, vision, tokenize, text] = await fromHub(
    hubId,
    Promise.all([
      AutoProcessor.from_pretrained(hubId),
      CLIPVisionModelWithProjection.from_pretrained(hubId, MODEL_OPTIONS),
      AutoTokenizer.from_pretrained(hubId),
      CLIPTextModelWithProjection.from_pretrained(hubId, MODEL_OPTIONS),
    ]),
  );
  const known = new Map<string, Float32Array>();
  return {
    id,
    description: `Pictures and texts as vectors that can be compared (${hubId}).`,
    async embedImage(frame) {
      const { image_embeds } = await vision(await process(toTransformersImage(transformers, frame)));
      return unitRows(image_embeds!)[0]!;
    },
    async embedTexts(texts) {
      const unknown = [...new Set(texts)].filter((each) => !known.has(each));
      if (unknown.length > 0) {
        const { text_embeds } = await text(await tokenize(unknown, { padding: true, truncation: true }));
        for (const [at, vector] of unitRows(text_embeds!).entries()) known.set(unknown[at]!, vector);
      }
      const vectors = texts.map((each) => known.get(each)!);
      if (known.size > KEPT_TEXTS) known.clear();
      return vectors;
    },
    close: closeOnce([vision, text]),
  };
}

/** Rows of a table as vectors of length 1. */
function unitRows({ dims, data }: TransformersTensor): readonly Float32Array[] {
  const size = dims.at(-1)!;
  return Array.from({ length: data.length / size }, (_, row) => {
    const vector = data.slice(row * size, (row + 1) * size);
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  });
}
