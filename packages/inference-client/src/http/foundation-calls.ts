// The models that every server can have without a project of one's own, as types
import type { Embeddings, Segment } from "../wire/foundation-answers.ts";
import type { ImageSize, InferenceAnswer, PixelPoint } from "../wire/inference-answer.ts";
import type { CallOptions } from "./call-options.ts";

export type ObjectDetectionAnswer = Extract<InferenceAnswer, { readonly kind: "object_detection" }>;

/** A picture (file bytes) or a text. */
export type Comparable = Uint8Array | string;

export interface CompareRequest {
  readonly subject: Comparable;
  /** All pictures or all texts. */
  readonly prompts: readonly Comparable[];
  /** The server's default is `ViT-B-16` for CLIP and `PE-Core-L14-336` for the perception encoder. */
  readonly version?: string;
}

/** CLIP and the perception encoder speak alike. */
export interface EmbeddingCalls {
  embedImages(
    request: { readonly images: readonly Uint8Array[]; readonly version?: string },
    options?: CallOptions,
  ): Promise<Embeddings>;
  embedTexts(
    request: { readonly texts: readonly string[]; readonly version?: string },
    options?: CallOptions,
  ): Promise<Embeddings>;
  /** Cosine similarity of the subject with each prompt, in order. */
  compare(request: CompareRequest, options?: CallOptions): Promise<readonly number[]>;
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
  readonly pieces: ObjectDetectionAnswer["predictions"];
}

export interface FindByTextRequest {
  readonly image: Uint8Array;
  readonly classes: readonly string[];
  readonly confidence?: number;
  readonly version?: string;
}

export interface GroundingDinoRequest extends FindByTextRequest {
  readonly textThreshold?: number;
  readonly classAgnosticNms?: boolean;
}

export interface FindByExampleRequest {
  readonly image: Uint8Array;
  readonly examples: readonly {
    readonly image: Uint8Array;
    /** By centre, in pixels. */
    readonly boxes: readonly (PixelPoint & ImageSize & { readonly className: string; readonly negative?: boolean })[];
  }[];
  readonly confidence?: number;
  readonly version?: string;
}

/** Where to cut out: points in or out of the thing, a box by its centre, or both. */
export interface SegmentPrompt {
  readonly box?: PixelPoint & ImageSize;
  readonly points?: readonly (PixelPoint & { readonly positive: boolean })[];
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

/** Each needs a build of the server that has it: `unsupported` otherwise. */
export interface FoundationCalls {
  readonly clip: EmbeddingCalls;
  readonly perceptionEncoder: EmbeddingCalls;
  /** Vectors of a classifier of one's own (servers since 1.8). */
  embed(
    request: { readonly modelId: string; readonly image: Uint8Array; readonly output?: "feature_vector" | "logits" },
    options?: CallOptions,
  ): Promise<Embeddings>;
  readText(request: ReadTextRequest, options?: CallOptions): Promise<RecognisedText>;
  yoloWorld(request: FindByTextRequest, options?: CallOptions): Promise<ObjectDetectionAnswer>;
  groundingDino(request: GroundingDinoRequest, options?: CallOptions): Promise<ObjectDetectionAnswer>;
  owlv2(request: FindByExampleRequest, options?: CallOptions): Promise<ObjectDetectionAnswer>;
  /** Points only: the first SAM knows no boxes. */
  sam(
    request: {
      readonly image: Uint8Array;
      readonly points: NonNullable<SegmentPrompt["points"]>;
      readonly version?: string;
    },
    options?: CallOptions,
  ): Promise<readonly Segment[]>;
  sam2(request: SegmentRequest, options?: CallOptions): Promise<readonly Segment[]>;
  sam3(request: Omit<SegmentRequest, "version">, options?: CallOptions): Promise<readonly Segment[]>;
  findConcepts(request: ConceptRequest, options?: CallOptions): Promise<readonly FoundConcept[]>;
  /** A text, an object keyed by the task token (Florence-2), or boxes (Moondream2). */
  lmm(request: AskImageRequest, options?: CallOptions): Promise<InferenceAnswer>;
  depth(request: DepthRequest, options?: CallOptions): Promise<DepthMap>;
}
