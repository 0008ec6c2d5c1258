// pictures and words → the foundation models of a server, which it has without a project of one's own → typed values
import { z } from "zod";
import { clientError } from "../errors.ts";
import { decodeImage, encodeImage, type ImageSize } from "../wire/image-file.ts";
import { optional } from "../wire/parse-answer.ts";
import { type DetectedObject, type InferenceAnswer, parseInferenceAnswer } from "../wire/parse-inference-answer.ts";
import { canonicalModelId } from "../wire/workflow-request.ts";
import type { WarmModels } from "./model-calls.ts";
import type { CallOptions, Transport } from "./transport.ts";

const pointSchema = z.tuple([z.number(), z.number()]).transform(([x, y]) => ({ x, y }));
type PixelPoint = z.output<typeof pointSchema>;
const segmentSchema = z
  .object({ masks: z.array(z.array(pointSchema)), confidence: z.number() })
  .transform(({ masks: polygons, confidence }) => ({ confidence, polygons }));
/** Closed outlines. */
export type Segment = z.output<typeof segmentSchema>;

const embeddingsSchema = z
  .object({
    embeddings: z.array(z.array(z.number())),
    time: optional(z.number()),
    embedding_info: optional(z.object({ space_id: optional(z.string()) })),
  })
  .transform(({ embeddings: vectors, time: timeS, embedding_info }) => ({
    vectors,
    timeS,
    /** Servers since 1.8: only vectors with the same id may be compared. */
    spaceId: embedding_info?.space_id,
  }));
/** One row for each picture or text. Compare only vectors of the same model. */
export type Embeddings = z.output<typeof embeddingsSchema>;

const textSchema = z.object({ result: z.string(), predictions: optional(z.array(z.unknown())) });
const conceptsSchema = z.object({
  prompt_results: z.array(z.object({ prompt_index: z.number(), predictions: z.array(segmentSchema) })),
});
const similaritySchema = z.object({ similarity: z.array(z.number()) }).transform(({ similarity }) => similarity);
const segmentsSchema = z.object({ predictions: z.array(segmentSchema) }).transform(({ predictions }) => predictions);
const depthSchema = z.object({ normalized_depth: z.string().transform(decodeImage) });
/** The first SAM gives one outline for each thing and no confidence. */
const outlinesSchema = z
  .object({ masks: z.array(z.array(pointSchema)) })
  .transform(({ masks }) => masks.map((outline): Segment => ({ confidence: 1, polygons: [outline] })));

/** A picture (file bytes) or a text. */
export type Comparable = Uint8Array | string;

export interface CompareRequest {
  readonly subject: Comparable;
  /** All pictures or all texts. */
  readonly prompts: readonly Comparable[];
  /** The server's default is `ViT-B-16` for CLIP and `PE-Core-L14-336` for the perception encoder. */
  readonly version?: string;
}

export type TextReader = "doctr" | "easy_ocr" | "trocr" | "pp_ocr";

export interface ReadTextRequest {
  readonly reader: TextReader;
  readonly image: Uint8Array;
  readonly version?: string;
  /** EasyOCR only, for example `["en"]`. */
  readonly languages?: readonly string[];
  /** docTR only tells where words stand when asked. Default false. */
  readonly withBoxes?: boolean;
}

export interface RecognisedText {
  readonly text: string;
  /** Where each piece stands, with its text as `className`; empty for readers that do not say. */
  readonly pieces: readonly DetectedObject[];
}

/** Where to cut out: points in or out of the thing, a box by its centre, or both. */
export interface SegmentPrompt {
  readonly box?: PixelPoint & ImageSize;
  readonly points?: readonly (PixelPoint & { readonly positive: boolean })[];
}

interface SamRequest {
  readonly image: Uint8Array;
  readonly points: NonNullable<SegmentPrompt["points"]>;
  readonly version?: string;
}

export interface SegmentRequest {
  readonly image: Uint8Array;
  readonly prompts: readonly SegmentPrompt[];
  readonly version?: string;
  /** Several guesses for each prompt. The server's default is true. */
  readonly multimask?: boolean;
}

export interface ConceptRequest {
  readonly image: Uint8Array;
  /** At most 16 concepts in words. */
  readonly concepts: readonly string[];
  readonly confidence?: number;
}

export interface FoundConcept {
  readonly concept: string;
  readonly segments: readonly Segment[];
}

export interface AskImageRequest {
  readonly modelId: string;
  readonly image: Uint8Array;
  /** A question, or a task token such as `<CAPTION>` for Florence-2. */
  readonly prompt: string;
  readonly maxNewTokens?: number;
  readonly enableThinking?: boolean;
}

export interface DepthRequest {
  readonly image: Uint8Array;
  readonly modelId?: string;
  /** Bits of a pixel of the map. Default 16. */
  readonly bits?: 8 | 16;
}

export interface DepthMap {
  /** PNG; bright is near. */
  readonly png: Uint8Array;
  readonly bits: 8 | 16;
}

interface Question<Schema extends z.ZodType> {
  readonly path: string;
  readonly body: object;
  readonly answer: Schema;
  /** Tells first calls, which load weights, from later ones. */
  readonly model?: string;
}
type Ask = <Schema extends z.ZodType>(asked: Question<Schema>, options?: CallOptions) => Promise<z.infer<Schema>>;

const DEFAULT_DEPTH_MODEL = "depth-anything-v2/small";

export type FoundationCalls = ReturnType<typeof createFoundationCalls>;

/** Each needs a build of the server that has it: `unsupported` otherwise. */
export function createFoundationCalls(transport: Transport, warm: WarmModels) {
  const ask: Ask = async ({ path, model = "", ...question }, options) => {
    const keys = [`${path} ${model}`];
    const call = { method: "POST", path, route: path, key: "body", repeats: true, isHeavy: true } as const;
    const answer = await transport.send({ ...call, ...question, timeout: warm.timeoutFor(keys) }, options);
    warm.note(keys);
    return answer;
  };
  return {
    clip: createEmbeddingCalls(ask, "/clip", "clip_version_id"),
    perceptionEncoder: createEmbeddingCalls(ask, "/perception_encoder", "perception_encoder_version_id"),
    /** Vectors of a classifier of one's own (servers since 1.8). */
    async embed(
      { modelId, image, output }: { modelId: string; image: Uint8Array; output?: "feature_vector" | "logits" },
      options?: CallOptions,
    ): Promise<Embeddings> {
      const model = canonicalModelId(modelId);
      const body = { model_id: model, image: encodeImage(image), output_type: output };
      return ask({ path: "/infer/embeddings", body, answer: embeddingsSchema, model }, options);
    },
    async readText({ reader, image, ...request }: ReadTextRequest, options?: CallOptions): Promise<RecognisedText> {
      const { path, settings } = TEXT_READERS[reader];
      const { version: model } = request;
      const body = { image: encodeImage(image), [`${reader}_version_id`]: model, ...settings?.(request) };
      const { result, predictions = [] } = await ask({ path, body, answer: textSchema, model }, options);
      return { text: result, pieces: toPieces(predictions, `POST ${path}`) };
    },
    ...createSegmentCalls(ask),
    /** A text, an object keyed by the task token (Florence-2), or boxes (Moondream2). */
    async lmm(
      { modelId, image, prompt, maxNewTokens, enableThinking }: AskImageRequest,
      options?: CallOptions,
    ): Promise<InferenceAnswer> {
      const path = "/infer/lmm";
      const model = canonicalModelId(modelId);
      const picture = { model_id: model, image: encodeImage(image) };
      const body = { ...picture, prompt, max_new_tokens: maxNewTokens, enable_thinking: enableThinking };
      const answer = await ask({ path, body, answer: z.unknown(), model }, options);
      return parseInferenceAnswer(answer, { what: `POST ${path}` });
    },
    async depth(
      { image, modelId = DEFAULT_DEPTH_MODEL, bits = 16 }: DepthRequest,
      options?: CallOptions,
    ): Promise<DepthMap> {
      const model = canonicalModelId(modelId);
      // As numbers in JSON the same map is up to a hundred times larger.
      const body = { model_id: model, image: encodeImage(image), depth_map_format: `png${bits}` };
      const answer = await ask({ path: "/infer/depth-estimation", body, answer: depthSchema, model }, options);
      return { png: answer.normalized_depth, bits };
    },
  };
}

/** CLIP and the perception encoder speak alike. */
function createEmbeddingCalls(ask: Ask, root: string, versionField: string) {
  const send: Ask = ({ path, body, ...question }, options) =>
    ask({ path: `${root}/${path}`, body: { ...body, [versionField]: question.model }, ...question }, options);
  return {
    async embedImages(
      { images, version: model }: { readonly images: readonly Uint8Array[]; readonly version?: string },
      options?: CallOptions,
    ): Promise<Embeddings> {
      const body = { image: images.map(encodeImage) };
      return send({ path: "embed_image", body, answer: embeddingsSchema, model }, options);
    },
    async embedTexts(
      { texts, version: model }: { readonly texts: readonly string[]; readonly version?: string },
      options?: CallOptions,
    ): Promise<Embeddings> {
      return send({ path: "embed_text", body: { text: texts }, answer: embeddingsSchema, model }, options);
    },
    /** Cosine similarity of the subject with each prompt, in order. */
    async compare(
      { subject, prompts, version: model }: CompareRequest,
      options?: CallOptions,
    ): Promise<readonly number[]> {
      const kinds = new Set(prompts.map(kindOf));
      const [promptType] = kinds;
      if (promptType === undefined || kinds.size > 1) {
        throw clientError("invalid", "Prompts must be all pictures or all texts, one at least.");
      }
      const body = {
        subject: toWire(subject),
        subject_type: kindOf(subject),
        prompt: prompts.map(toWire),
        prompt_type: promptType,
      };
      return send({ path: "compare", body, answer: similaritySchema, model }, options);
    },
  };
}

function createSegmentCalls(ask: Ask) {
  return {
    /** Points only: the first SAM knows no boxes. */
    async sam({ image, points, version: model }: SamRequest, options?: CallOptions): Promise<readonly Segment[]> {
      const body = {
        image: encodeImage(image),
        point_coords: points.map(({ x, y }) => [x, y]),
        point_labels: points.map(({ positive }) => (positive ? 1 : -1)),
        format: "json",
        sam_version_id: model,
      };
      return ask({ path: "/sam/segment_image", body, answer: outlinesSchema, model }, options);
    },
    async sam2({ version: model, ...request }: SegmentRequest, options?: CallOptions): Promise<readonly Segment[]> {
      const body = { ...segmentBody(request), sam2_version_id: model };
      return ask({ path: "/sam2/segment_image", body, answer: segmentsSchema, model }, options);
    },
    async sam3(request: Omit<SegmentRequest, "version">, options?: CallOptions): Promise<readonly Segment[]> {
      return ask({ path: "/sam3/visual_segment", body: segmentBody(request), answer: segmentsSchema }, options);
    },
    async findConcepts(
      { image, concepts, confidence }: ConceptRequest,
      options?: CallOptions,
    ): Promise<readonly FoundConcept[]> {
      const body = {
        image: encodeImage(image),
        prompts: concepts.map((text) => ({ type: "text", text })),
        output_prob_thresh: confidence,
        format: "polygon",
      };
      const answer = await ask({ path: "/sam3/concept_segment", body, answer: conceptsSchema }, options);
      return concepts.map((concept, at) => {
        const found = answer.prompt_results.find(({ prompt_index: index }) => index === at);
        return { concept, segments: found?.predictions ?? [] };
      });
    },
  };
}

function segmentBody({ image, prompts, multimask }: Omit<SegmentRequest, "version">): object {
  return { image: encodeImage(image), prompts, multimask_output: multimask, format: "json" };
}

interface ReaderCall {
  readonly path: string;
  readonly settings?: (request: Pick<ReadTextRequest, "languages" | "withBoxes">) => object;
}

const TEXT_READERS: Readonly<Record<TextReader, ReaderCall>> = {
  doctr: { path: "/doctr/ocr", settings: ({ withBoxes = false }) => ({ generate_bounding_boxes: withBoxes }) },
  easy_ocr: { path: "/easy_ocr/ocr", settings: ({ languages }) => ({ language_codes: languages }) },
  trocr: { path: "/ocr/trocr" },
  pp_ocr: { path: "/ocr/pp-ocr" },
};

/** They are an object detection of their own. */
function toPieces(predictions: readonly unknown[], what: string): RecognisedText["pieces"] {
  const parsed = parseInferenceAnswer({ predictions }, { what });
  if (parsed.kind === "object_detection") return parsed.predictions;
  throw clientError("protocol", `${what}: boxes were expected, ${parsed.kind} came.`);
}

function kindOf(thing: Comparable): "text" | "image" {
  return typeof thing === "string" ? "text" : "image";
}

function toWire(thing: Comparable): unknown {
  return typeof thing === "string" ? thing : encodeImage(thing);
}
