// /clip, /sam, /ocr, … → answers in the shape of each family
import type { Json } from "@vision-agent/protocol";
import { type FakeRoute, failure, ok } from "./answer.ts";
import {
  anything,
  dictionary,
  type FieldCheck,
  type FieldChecks,
  isObject,
  type JsonMap,
  list,
  number,
  oneOf,
  optional,
  takeBody,
  text,
} from "./check-body.ts";
import { evenPng, findThings } from "./find-things.ts";
import { inferenceImage } from "./infer.ts";
import { loadImage } from "./load-image.ts";
import type { PictureSize } from "./picture-bytes.ts";
import { toBase64, toInferenceAnswer } from "./to-inference-answer.ts";
import type { World } from "./world.ts";

interface Family {
  readonly fields: FieldChecks;
  answer(world: World, body: JsonMap): Json;
}

const textOrTexts = oneOf({ str: text, "list[str]": list(text) });
const IMAGE: FieldChecks = { "image!": inferenceImage, api_key: optional(text) };
const EMBEDDING: Json = [0.6, 0.8, 0];

/** Paths of the foundation models, without the first slash. */
export function foundationRoutes(world: World): Readonly<Record<string, FakeRoute>> {
  const routes = Object.entries(FAMILIES).map(([path, family]): [string, FakeRoute] => [
    path,
    (request) => ok(family.answer(world, takeBody(request, family.fields))),
  ]);
  const gone = { feature: "gaze", removal_release: "1.5", replacement: null, reason: "removed" };
  return {
    ...Object.fromEntries(routes),
    "gaze/gaze_detection": () => failure(410, "Gaze detection was removed.", gone),
  };
}

const boxes: Family["answer"] = (world, body) => {
  const classes = Array.isArray(body.text) ? body.text.map(String) : ["object"];
  return toInferenceAnswer(world, { task: "object-detection", classes }, sizeOf(world, body.image), body);
};

const embedding = (fields: FieldChecks): Family => ({
  fields,
  answer: (world, body) => {
    const items = body.text === undefined ? sizesOf(world, body.image) : [body.text].flat();
    return { embeddings: items.map(() => EMBEDDING), time: 0.01, inference_id: null, frame_id: null };
  },
});

const compare: Family = {
  fields: { "subject!": anything, "prompt!": anything, subject_type: text, prompt_type: text },
  answer: (_, body) => {
    const { prompt } = body;
    const isMap = isObject(prompt) && prompt.type === undefined;
    const similarity = isMap
      ? Object.fromEntries(Object.keys(prompt).map((key, index) => [key, 0.3 - index * 0.1]))
      : [prompt ?? null].flat().map((_item, index) => 0.3 - index * 0.1);
    return { similarity, time: 0.01, parent_id: null };
  },
};

const ocr = (withBoxes: boolean, fields: FieldChecks = {}): Family => ({
  fields: { ...IMAGE, ...fields },
  answer: (world, body) => {
    const answers = sizesOf(world, body.image).map((size) =>
      readWords(size, withBoxes || body.generate_bounding_boxes === true),
    );
    return Array.isArray(body.image) ? answers : answers[0]!;
  },
});

const masks = (path: "sam" | "sam2"): Family => ({
  fields: { ...IMAGE, image_id: optional(text), format: text },
  answer: (world, body): Json => {
    const outline = outlineIn(sizeOf(world, body.image));
    if (path === "sam") return { masks: [outline], low_res_masks: [outline], time: 0.1 };
    return { predictions: [maskOf(body, sizeOf(world, body.image))], time: 0.1 };
  },
});

const concept: Family = {
  fields: { ...IMAGE, "prompts!": list(dictionary), output_prob_thresh: number, format: text },
  answer: (world, body) => {
    const prompts = Array.isArray(body.prompts) ? body.prompts : [];
    const results = prompts.map((prompt, index) => {
      const words = isObject(prompt) ? (prompt.text ?? null) : null;
      const echo = { prompt_index: index, type: words === null ? "visual" : "text", text: words, num_boxes: 0 };
      return { prompt_index: index, echo, predictions: [maskOf(body, sizeOf(world, body.image))] };
    });
    return { prompt_results: results, time: 0.1 };
  },
};

const imageId: Family = {
  fields: { ...IMAGE, image_id: optional(text) },
  answer: (world, body) => {
    sizeOf(world, body.image);
    return { image_id: body.image_id ?? crypto.randomUUID(), time: 0.1 };
  },
};

const lmm: Family = {
  fields: { ...IMAGE, "model_id!": text, prompt: optional(text) },
  answer: (world, body) => {
    const words = String(body.prompt ?? "");
    const response = words.startsWith("<") ? { [words.replace(/>.*$/, ">")]: "a street" } : "a street";
    return { response, image: { ...sizeOf(world, body.image) }, inference_id: crypto.randomUUID(), time: 0.5 };
  },
};

const depth: Family = {
  fields: { ...IMAGE, "model_id!": text, depth_map_format: text },
  answer: (world, body) => {
    const size = sizeOf(world, body.image);
    const format = String(body.depth_map_format ?? "json");
    const png = toBase64(evenPng(size, 128));
    const rows = Array.from({ length: size.height }, () => new Array<number>(size.width).fill(0.5));
    return { normalized_depth: format === "json" ? rows : png, depth_map_format: format, image: png };
  },
};

const VERSIONED: FieldChecks = { ...IMAGE, confidence: number };
const examples: FieldCheck = list(dictionary);
const FAMILIES: Readonly<Record<string, Family>> = {
  "yolo_world/infer": { fields: { ...VERSIONED, "text!": list(text) }, answer: boxes },
  "grounding_dino/infer": { fields: { ...VERSIONED, "text!": list(text), box_threshold: number }, answer: boxes },
  "owlv2/infer": { fields: { ...VERSIONED, "training_data!": examples }, answer: boxes },
  "clip/embed_image": embedding(IMAGE),
  "clip/embed_text": embedding({ "text!": textOrTexts }),
  "clip/compare": compare,
  "perception_encoder/embed_image": embedding(IMAGE),
  "perception_encoder/embed_text": embedding({ "text!": textOrTexts }),
  "perception_encoder/compare": compare,
  "doctr/ocr": ocr(false),
  "easy_ocr/ocr": ocr(true, { language_codes: list(text) }),
  "ocr/trocr": ocr(false),
  "ocr/pp-ocr": ocr(true),
  "sam/embed_image": { ...embedding(IMAGE), answer: () => ({ embeddings: [[[[0.1, 0.2]]]], time: 0.1 }) },
  "sam/segment_image": masks("sam"),
  "sam2/embed_image": imageId,
  "sam2/segment_image": masks("sam2"),
  "sam3/embed_image": imageId,
  "sam3/visual_segment": masks("sam2"),
  "sam3/concept_segment": concept,
  "infer/lmm": lmm,
  "infer/depth-estimation": depth,
};

function sizesOf(world: World, image: Json | undefined): readonly PictureSize[] {
  return [image ?? null].flat().map((item) => loadImage(item, world.settings.offline));
}

function sizeOf(world: World, image: Json | undefined): PictureSize {
  return sizesOf(world, image)[0]!;
}

function readWords(size: PictureSize, withBoxes: boolean): Json {
  const words = findThings({ task: "object-detection", classes: ["HELLO", "WORLD"] }, size, 0);
  const facts = { result: words.map((word) => word.className).join(" "), time: 0.2, parent_id: null };
  if (!withBoxes) return facts;
  const predictions = words.map(({ x, y, width, height, confidence, className, classId, detectionId }) => ({
    x,
    y,
    width,
    height,
    confidence,
    class: className,
    class_id: classId,
    detection_id: detectionId,
  }));
  return { ...facts, image: { ...size }, predictions };
}

function maskOf(body: JsonMap, size: PictureSize): Json {
  if (body.format !== "rle") return { masks: [outlineIn(size)], confidence: 0.98, format: "polygon" };
  return { masks: { size: [size.height, size.width], counts: "0" }, confidence: 0.98, format: "rle" };
}

function outlineIn({ width, height }: PictureSize): Json {
  return [
    [0, 0],
    [width - 1, 0],
    [width - 1, height - 1],
    [0, height - 1],
  ];
}
