// answers of the foundation models → typed values
import { z } from "zod";
import type { PixelPoint } from "./inference-answer.ts";
import { optional, parseAnswer } from "./parse-answer.ts";

const pairSchema = z.tuple([z.number(), z.number()]);
const segmentSchema = z.object({ masks: z.array(z.array(pairSchema)), confidence: z.number() });

const embeddingsSchema = z.object({
  embeddings: z.array(z.array(z.number())),
  time: optional(z.number()),
  embedding_info: optional(z.object({ space_id: optional(z.string()) })),
});
const similaritySchema = z.object({ similarity: z.array(z.number()) });
const textSchema = z.object({ result: z.string(), predictions: optional(z.array(z.unknown())) });
const samSchema = z.object({ masks: z.array(z.array(pairSchema)) });
const segmentsSchema = z.object({ predictions: z.array(segmentSchema) });
const conceptsSchema = z.object({
  prompt_results: z.array(z.object({ prompt_index: z.number(), predictions: z.array(segmentSchema) })),
});
const depthSchema = z.object({ normalized_depth: z.string() });

export interface Segment {
  readonly confidence: number;
  /** Closed outlines. */
  readonly polygons: readonly (readonly PixelPoint[])[];
}

/** One row for each picture or text. Compare only vectors of the same model. */
export interface Embeddings {
  readonly vectors: readonly (readonly number[])[];
  readonly timeS?: number;
  /** Servers since 1.8: only vectors with the same id may be compared. */
  readonly spaceId?: string;
}

export function parseEmbeddings(answer: unknown, what: string): Embeddings {
  const { embeddings, time, embedding_info: info } = parseAnswer(embeddingsSchema, answer, what);
  return { vectors: embeddings, timeS: time, spaceId: info?.space_id };
}

export function parseSimilarity(answer: unknown, what: string): readonly number[] {
  return parseAnswer(similaritySchema, answer, what).similarity;
}

/** The pieces are still raw: they are an object detection of their own. */
export function parseReadText(
  answer: unknown,
  what: string,
): { readonly text: string; readonly pieces: readonly unknown[] } {
  const { result, predictions } = parseAnswer(textSchema, answer, what);
  return { text: result, pieces: predictions ?? [] };
}

/** The first SAM gives one outline for each thing and no confidence. */
export function parseOutlines(answer: unknown, what: string): readonly Segment[] {
  const { masks } = parseAnswer(samSchema, answer, what);
  return masks.map((outline) => ({ confidence: 1, polygons: [outline.map(toPoint)] }));
}

export function parseSegments(answer: unknown, what: string): readonly Segment[] {
  return parseAnswer(segmentsSchema, answer, what).predictions.map(toSegment);
}

/** Segments of each prompt, in the order of the prompts. */
export function parseConcepts(answer: unknown, what: string, count: number): readonly (readonly Segment[])[] {
  const results = parseAnswer(conceptsSchema, answer, what).prompt_results;
  return Array.from({ length: count }, (_, at) => {
    const found = results.find(({ prompt_index: index }) => index === at);
    return found === undefined ? [] : found.predictions.map(toSegment);
  });
}

/** Base64 of a PNG. */
export function parseDepth(answer: unknown, what: string): string {
  return parseAnswer(depthSchema, answer, what).normalized_depth;
}

function toSegment({ masks, confidence }: z.infer<typeof segmentSchema>): Segment {
  return { confidence, polygons: masks.map((outline) => outline.map(toPoint)) };
}

function toPoint([x, y]: readonly [number, number]): PixelPoint {
  return { x, y };
}
