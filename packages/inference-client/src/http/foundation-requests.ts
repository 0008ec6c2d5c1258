// pictures and words → the foundation models of a server
import { ClientError } from "../errors.ts";
import {
  parseConcepts,
  parseDepth,
  parseEmbeddings,
  parseOutlines,
  parseReadText,
  parseSegments,
  parseSimilarity,
} from "../wire/foundation-answers.ts";
import { decodeImage, encodeImage, imageSizeOf } from "../wire/image-file.ts";
import { parseInferenceAnswer } from "../wire/parse-inference-answer.ts";
import { canonicalModelId } from "../wire/workflow-request.ts";
import type {
  Comparable,
  EmbeddingCalls,
  FoundationCalls,
  ObjectDetectionAnswer,
  ReadTextRequest,
  SegmentRequest,
} from "./foundation-calls.ts";
import type { CallOptions } from "./inference-client.ts";
import type { WarmModels } from "./model-calls.ts";
import type { Transport } from "./transport.ts";

/** Asks one path and hands back its JSON. `model` tells first calls, which load weights, from later ones. */
type Ask = (path: string, body: object, options?: CallOptions, model?: string) => Promise<unknown>;

const DEFAULT_DEPTH_MODEL = "depth-anything-v2/small";

export function createFoundationCalls(transport: Transport, warm: WarmModels): FoundationCalls {
  const ask: Ask = async (path, body, options, model) => {
    const keys = [`${path} ${model ?? ""}`];
    const call = { method: "POST", path, route: path, body, key: "body", repeat: "idempotent", isHeavy: true } as const;
    const { json } = await transport.send({ ...call, timeout: warm.timeoutFor(keys) }, options);
    warm.note(keys);
    return json;
  };
  return {
    clip: createEmbeddingCalls(ask, "/clip", "clip_version_id"),
    perceptionEncoder: createEmbeddingCalls(ask, "/perception_encoder", "perception_encoder_version_id"),
    async embed({ modelId, image, output }, options) {
      const model = canonicalModelId(modelId);
      const body = { model_id: model, image: encodeImage(image), output_type: output };
      return parseEmbeddings(await ask("/infer/embeddings", body, options, model), "POST /infer/embeddings");
    },
    async readText(request, options) {
      const { path, body } = readTextCall(request);
      const { text, pieces } = parseReadText(await ask(path, body, options, request.version), `POST ${path}`);
      return { text, pieces: toBoxes({ predictions: pieces }, request.image, path).predictions };
    },
    ...createSegmentCalls(ask),
    ...createFindCalls(ask),
    async lmm({ modelId, image, prompt, maxNewTokens, enableThinking }, options) {
      const model = canonicalModelId(modelId);
      const body = {
        model_id: model,
        image: encodeImage(image),
        prompt,
        max_new_tokens: maxNewTokens,
        enable_thinking: enableThinking,
      };
      return parseInferenceAnswer(await ask("/infer/lmm", body, options, model), { what: "POST /infer/lmm" });
    },
    async depth({ image, modelId = DEFAULT_DEPTH_MODEL, bits = 16 }, options) {
      const path = "/infer/depth-estimation";
      const model = canonicalModelId(modelId);
      // As numbers in JSON the same map is up to a hundred times larger.
      const body = { model_id: model, image: encodeImage(image), depth_map_format: `png${bits}` };
      return { png: decodeImage(parseDepth(await ask(path, body, options, model), `POST ${path}`)), bits };
    },
  };
}

function createEmbeddingCalls(ask: Ask, root: string, versionField: string): EmbeddingCalls {
  const send = (word: string, body: object, version?: string, options?: CallOptions): Promise<unknown> =>
    ask(`${root}/${word}`, { ...body, [versionField]: version }, options, version);
  return {
    async embedImages({ images, version }, options) {
      const body = { image: images.map(encodeImage) };
      return parseEmbeddings(await send("embed_image", body, version, options), `POST ${root}/embed_image`);
    },
    async embedTexts({ texts, version }, options) {
      return parseEmbeddings(await send("embed_text", { text: texts }, version, options), `POST ${root}/embed_text`);
    },
    async compare({ subject, prompts, version }, options) {
      const kinds = new Set(prompts.map(kindOf));
      const [promptType] = kinds;
      if (promptType === undefined || kinds.size > 1) {
        throw new ClientError({ kind: "invalid", message: "Prompts must be all pictures or all texts, one at least." });
      }
      const body = {
        subject: toWire(subject),
        subject_type: kindOf(subject),
        prompt: prompts.map(toWire),
        prompt_type: promptType,
      };
      return parseSimilarity(await send("compare", body, version, options), `POST ${root}/compare`);
    },
  };
}

function createFindCalls(ask: Ask): Pick<FoundationCalls, "yoloWorld" | "groundingDino" | "owlv2"> {
  return {
    async yoloWorld({ image, classes, confidence, version }, options) {
      const path = "/yolo_world/infer";
      const body = { image: encodeImage(image), text: classes, confidence, yolo_world_version_id: version };
      return toBoxes(await ask(path, body, options, version), image, path);
    },
    async groundingDino({ image, classes, confidence, textThreshold, classAgnosticNms, version }, options) {
      const path = "/grounding_dino/infer";
      const body = {
        image: encodeImage(image),
        text: classes,
        box_threshold: confidence,
        text_threshold: textThreshold,
        class_agnostic_nms: classAgnosticNms,
        grounding_dino_version_id: version,
      };
      return toBoxes(await ask(path, body, options, version), image, path);
    },
    async owlv2({ image, examples, confidence, version }, options) {
      const path = "/owlv2/infer";
      const training = examples.map((example) => ({
        image: encodeImage(example.image),
        boxes: example.boxes.map(({ x, y, width, height, className, negative }) => {
          return { x, y, w: width, h: height, cls: className, negative: negative ?? false };
        }),
      }));
      const body = { image: encodeImage(image), training_data: training, confidence, owlv2_version_id: version };
      return toBoxes(await ask(path, body, options, version), image, path);
    },
  };
}

function createSegmentCalls(ask: Ask): Pick<FoundationCalls, "sam" | "sam2" | "sam3" | "findConcepts"> {
  return {
    async sam({ image, points, version }, options) {
      const path = "/sam/segment_image";
      const body = {
        image: encodeImage(image),
        point_coords: points.map(({ x, y }) => [x, y]),
        point_labels: points.map(({ positive }) => (positive ? 1 : -1)),
        format: "json",
        sam_version_id: version,
      };
      return parseOutlines(await ask(path, body, options, version), `POST ${path}`);
    },
    async sam2({ version, ...request }, options) {
      const path = "/sam2/segment_image";
      const body = { ...segmentBody(request), sam2_version_id: version };
      return parseSegments(await ask(path, body, options, version), `POST ${path}`);
    },
    async sam3(request, options) {
      const path = "/sam3/visual_segment";
      return parseSegments(await ask(path, segmentBody(request), options), `POST ${path}`);
    },
    async findConcepts({ image, concepts, confidence }, options) {
      const path = "/sam3/concept_segment";
      const body = {
        image: encodeImage(image),
        prompts: concepts.map((text) => ({ type: "text", text })),
        output_prob_thresh: confidence,
        format: "polygon",
      };
      const found = parseConcepts(await ask(path, body, options), `POST ${path}`, concepts.length);
      return concepts.map((concept, at) => ({ concept, segments: found[at]! }));
    },
  };
}

function segmentBody({ image, prompts, multimask }: Omit<SegmentRequest, "version">): object {
  return { image: encodeImage(image), prompts, multimask_output: multimask, format: "json" };
}

function readTextCall({ reader, image, version, languages, withBoxes }: ReadTextRequest): {
  path: string;
  body: object;
} {
  const picture = { image: encodeImage(image) };
  switch (reader) {
    case "doctr":
      return {
        path: "/doctr/ocr",
        body: { ...picture, doctr_version_id: version, generate_bounding_boxes: withBoxes ?? false },
      };
    case "easy_ocr":
      return { path: "/easy_ocr/ocr", body: { ...picture, easy_ocr_version_id: version, language_codes: languages } };
    case "trocr":
      return { path: "/ocr/trocr", body: { ...picture, trocr_version_id: version } };
    case "pp_ocr":
      return { path: "/ocr/pp-ocr", body: { ...picture, pp_ocr_version_id: version } };
  }
}

function toBoxes(answer: unknown, image: Uint8Array, path: string): ObjectDetectionAnswer {
  const parsed = parseInferenceAnswer(answer, { what: `POST ${path}` });
  if (parsed.kind !== "object_detection") {
    throw new ClientError({ kind: "protocol", message: `POST ${path}: boxes were expected, ${parsed.kind} came.` });
  }
  return { ...parsed, image: parsed.image ?? imageSizeOf(image) };
}

function kindOf(thing: Comparable): "text" | "image" {
  return typeof thing === "string" ? "text" : "image";
}

function toWire(thing: Comparable): unknown {
  return typeof thing === "string" ? thing : encodeImage(thing);
}
