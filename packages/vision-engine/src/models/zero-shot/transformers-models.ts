// ids of CLIP, of detectors by words and of Florence-2 → models through @huggingface/transformers

import { DetectionTable } from "../../frames/detections.ts";
import type { Frame } from "../../frames/frame.ts";
import { toUnitLength } from "../cosine-similarity.ts";
import { Candidates, suppressOverlaps } from "../heads/candidates.ts";
import type {
  CaptioningModel,
  CaptionStyle,
  DetectionModel,
  DetectOptions,
  EmbeddingModel,
  ModelsByTask,
  ModelTask,
  ZeroShotModel,
} from "../model.ts";
import type { ModelFamily } from "../model-registry.ts";
import {
  closeOnce,
  type FlorenceProcessor,
  fromHub,
  type LoadTransformers,
  loadTransformers,
  MODEL_OPTIONS,
  type TransformersBox,
  type TransformersTensor,
  toTransformersImage,
} from "./transformers.ts";

/** Repositories of CLIP by the version that a step names. The RN versions have no export. */
const CLIP_REPOSITORIES: Readonly<Record<string, string>> = {
  "clip/ViT-B-16": "Xenova/clip-vit-base-patch16",
  "clip/ViT-B-32": "Xenova/clip-vit-base-patch32",
  "clip/ViT-L-14": "Xenova/clip-vit-large-patch14",
  "clip/ViT-L-14-336px": "Xenova/clip-vit-large-patch14-336",
};

const FLORENCE_REPOSITORIES: Readonly<Record<string, string>> = {
  "florence-2-base": "onnx-community/Florence-2-base-ft",
  "florence-2-large": "onnx-community/Florence-2-large-ft",
};

const WORD_DETECTOR = "Xenova/owlv2-base-patch16-ensemble";

/** Any repository can be named with this before it. */
const HUB_PREFIX = "huggingface/";

/** `clip/VERSION`, `yolo_world/VERSION`, `florence-2-base`, `florence-2-large`, and any repository as `huggingface/OWNER/NAME`. */
export function createTransformersModels(load: LoadTransformers): ModelFamily {
  return {
    ids: [...Object.keys(CLIP_REPOSITORIES), "yolo_world/v2-s", ...Object.keys(FLORENCE_REPOSITORIES)],
    open<T extends ModelTask>(id: string, task: T): Promise<ModelsByTask[T]> | undefined {
      return opening(id, task, load) as Promise<ModelsByTask[T]> | undefined;
    },
  };
}

function opening(id: string, task: ModelTask, load: LoadTransformers): Promise<ModelsByTask[ModelTask]> | undefined {
  const named = id.startsWith(HUB_PREFIX) ? id.slice(HUB_PREFIX.length) : undefined;
  if (task === "embedding") {
    const hubId = named ?? CLIP_REPOSITORIES[id];
    return hubId === undefined ? undefined : openClip({ id, hubId, load });
  }
  if (task === "captioning") {
    const hubId = named ?? FLORENCE_REPOSITORIES[id];
    return hubId === undefined ? undefined : openCaptioner({ id, hubId, load });
  }
  if (task !== "zero-shot-detection") return undefined;
  if (named !== undefined) return openZeroShotDetector({ id, hubId: named, load });
  if (!id.startsWith("yolo_world/")) return undefined;
  const note = `YOLO-World does not run here: OWLv2 stands in for "${id}", with other confidences.`;
  return openZeroShotDetector({ id, hubId: WORD_DETECTOR, load, note });
}

interface OpeningOptions {
  /** Id that was asked for. */
  readonly id: string;
  /** Repository on huggingface.co. */
  readonly hubId: string;
  readonly load: LoadTransformers;
  /** Said with every result. */
  readonly note?: string;
}

/** Steps compare with the same words on every frame, so the last vectors of texts are kept. */
const KEPT_TEXTS = 500;

/** Throws `EngineError` kind `model` when the package is not installed or the model cannot be had. */
async function openClip({ id, hubId, load }: OpeningOptions): Promise<EmbeddingModel> {
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
  return Array.from({ length: data.length / size }, (_, row) => toUnitLength(data.slice(row * size, (row + 1) * size)));
}

/** What Florence-2 is asked. */
const TASKS: Readonly<Record<CaptionStyle, string>> = {
  short: "<CAPTION>",
  detailed: "<DETAILED_CAPTION>",
  longest: "<MORE_DETAILED_CAPTION>",
};

/** More than the longest captions have. */
const MOST_TOKENS = 256;

/** Throws `EngineError` kind `model` when the package is not installed or the model cannot be had. */
async function openCaptioner({ id, hubId, load }: OpeningOptions): Promise<CaptioningModel> {
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

const DEFAULT_CONFIDENCE = 0.1;

/** Knows pictures that were filled up to a square; the package would stretch them. */
const SQUARE_MODEL = "owlv2";

/** Of the part that is filled up. */
const GREY = 128;

/** Throws `EngineError` kind `model` when the package is not installed or the model cannot be had. */
async function openZeroShotDetector({ id, hubId, load, note }: OpeningOptions): Promise<ZeroShotModel> {
  const transformers = await loadTransformers(load, "Detection by words");
  const detector = await fromHub(hubId, transformers.pipeline("zero-shot-object-detection", hubId, MODEL_OPTIONS));
  const isSquare = detector.model?.config.model_type === SQUARE_MODEL;
  const description = `Finds what words describe (${hubId}).`;
  return {
    id,
    description,
    note,
    withClasses: (classNames): DetectionModel => ({
      id,
      description,
      note,
      classNames,
      async detect(frame, options) {
        const threshold = options.confidence ?? DEFAULT_CONFIDENCE;
        const seen = isSquare ? toSquare(frame) : frame;
        const image = toTransformersImage(transformers, seen);
        const found = await detector(image, [...classNames], { threshold, percentage: true });
        const boxes = toPixels(found as readonly TransformersBox[], seen, frame);
        return toDetections(boxes, classNames, options);
      },
      // The detector belongs to the model that these classes were asked of.
      close: async () => undefined,
    }),
    close: closeOnce([detector]),
  };
}

/** The same picture in the left top of a grey square. */
function toSquare({ rgba, metadata }: Frame): Frame {
  const { width, height } = metadata;
  const side = Math.max(width, height);
  const square = new Uint8ClampedArray(4 * side * side).fill(GREY);
  for (let row = 0; row < height; row++) {
    square.set(rgba.subarray(4 * row * width, 4 * (row + 1) * width), 4 * row * side);
  }
  return { rgba: square, metadata: { ...metadata, width: side, height: side } };
}

/** From shares of what was seen to pixels, cut off at the edges of the frame; what lies outside is left out. */
function toPixels(found: readonly TransformersBox[], seen: Frame, { metadata }: Frame): readonly TransformersBox[] {
  const { width, height } = seen.metadata;
  const x = (share: number): number => Math.min(Math.max(share * width, 0), metadata.width);
  const y = (share: number): number => Math.min(Math.max(share * height, 0), metadata.height);
  return found
    .map(({ box: { xmin, ymin, xmax, ymax }, ...rest }) => ({
      ...rest,
      box: { xmin: x(xmin), ymin: y(ymin), xmax: x(xmax), ymax: y(ymax) },
    }))
    .filter(({ box }) => box.xmin < box.xmax && box.ymin < box.ymax);
}

function toDetections(
  found: readonly TransformersBox[],
  classNames: readonly string[],
  options: DetectOptions,
): DetectionTable {
  const candidates = new Candidates();
  for (const [at, { score, label, box }] of found.entries()) {
    candidates.add(at, classNames.indexOf(label), score);
    candidates.setBox(box.xmin, box.ymin, box.xmax, box.ymax);
  }
  const rows = suppressOverlaps(candidates, {
    iouThreshold: options.iouThreshold ?? 0.3,
    classAgnostic: options.classAgnostic ?? false,
    maxCandidates: options.maxCandidates ?? 3000,
    maxDetections: options.maxDetections ?? 300,
  });
  return new DetectionTable({
    xyxy: Float64Array.from(rows.flatMap((row) => [...candidates.xyxy.subarray(4 * row, 4 * row + 4)])),
    confidence: Float64Array.from(rows, (row) => candidates.scores[row]!),
    classId: Int32Array.from(rows, (row) => candidates.classId[row]!),
    data: { class_name: rows.map((row) => found[candidates.source[row]!]!.label) },
  });
}
