// picture → Florence-2 → sentences that say what is on it
import type { CaptioningModel, CaptionStyle } from "../model.ts";
import {
  closeOnce,
  type FlorenceProcessor,
  fromHub,
  type LoadTransformers,
  loadTransformers,
  MODEL_OPTIONS,
  toTransformersImage,
} from "./transformers.ts";

/** What Florence-2 is asked. */
const TASKS: Readonly<Record<CaptionStyle, string>> = {
  short: "<CAPTION>",
  detailed: "<DETAILED_CAPTION>",
  longest: "<MORE_DETAILED_CAPTION>",
};

/** More than the longest captions have. */
const MOST_TOKENS = 256;

export interface CaptionerOptions {
  /** Id that was asked for. */
  readonly id: string;
  /** Repository of a Florence-2 on huggingface.co. */
  readonly hubId: string;
  readonly load: LoadTransformers;
}

/** Throws `EngineError` kind `model` when the package is not installed or the model cannot be had. */
export async function openCaptioner({ id, hubId, load }: CaptionerOptions): Promise<CaptioningModel> {
  const transformers = await loadTransformers(load, "Captioning");
  const { AutoProcessor, Florence2ForConditionalGeneration } = transformers;
  const [processor, model] = await fromHub(
    hubId,
    Promise.all([
      AutoProcessor.from_pretrained<FlorenceProcessor>(hubId),
      Florence2ForConditionalGeneration.from_pretrained(hubId, MODEL_OPTIONS),
    ]),
  );
  return {
    id,
    description: `Says in sentences what is on a picture (${hubId}).`,
    async caption(frame, style) {
      const inputs = await processor(toTransformersImage(transformers, frame), TASKS[style]);
      const answers = await model.generate({ ...inputs, max_new_tokens: MOST_TOKENS });
      return processor.batch_decode(answers, { skip_special_tokens: true })[0]?.trim() ?? "";
    },
    close: closeOnce([model]),
  };
}
