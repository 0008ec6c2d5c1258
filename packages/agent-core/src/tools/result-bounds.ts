// parts of a result → as many as the model should read, the rest kept as an artifact
import type { ArtifactRef } from "../types/artifact.ts";
import type { ImagePart, TextPart, ToolResultPart } from "../types/message.ts";
import { toCharBoundary } from "./char-boundary.ts";

/** Default of `limits.resultTokens`: a page or four. */
export const DEFAULT_RESULT_TOKENS = 4_000;
/** Default of `limits.images`. */
export const DEFAULT_RESULT_IMAGES = 8;
/** UTF-8 bytes per token, on the safe side for prose and JSON alike. */
const BYTES_PER_TOKEN = 4;
/** The beginning tells what it is, the end how it came out. */
const HEAD_SHARE = 0.75;

export interface ResultLimits {
  readonly resultTokens: number;
  readonly images: number;
  /** Whether the model can call `read_artifact`. */
  readonly canRead: boolean;
  /** Keeps the whole text; undefined when that failed. */
  spill(text: string): Promise<ArtifactRef | undefined>;
}

export type BoundedContent = Pick<ToolResultPart, "content" | "truncated">;

/** VA-18: text above the limit is kept elsewhere and shown as head and tail; pictures above the limit are left out. */
export async function boundContent(
  content: readonly (TextPart | ImagePart)[],
  limits: ResultLimits,
): Promise<BoundedContent> {
  const parts = boundImages(content, limits.images);
  const texts = parts.filter((part) => part.type === "text");
  const text = texts.map((part) => part.text).join("\n");
  const bytes = Buffer.byteLength(text);
  const maxBytes = limits.resultTokens * BYTES_PER_TOKEN;
  if (bytes <= maxBytes) return { content: parts };
  const ref = await limits.spill(text);
  const keptChars = Math.floor((text.length * maxBytes) / bytes);
  const shown: TextPart = { type: "text", text: headAndTail(text, keptChars, limits.canRead ? ref : undefined) };
  return {
    content: [shown, ...parts.filter((part) => part.type === "image")],
    ...(ref ? { truncated: { artifactId: ref.id, originalBytes: bytes } } : {}),
  };
}

function boundImages(content: readonly (TextPart | ImagePart)[], maxImages: number): readonly (TextPart | ImagePart)[] {
  const images = content.filter((part) => part.type === "image");
  const left = images.length - maxImages;
  if (left <= 0) return content;
  const kept = new Set(images.slice(0, maxImages));
  const note: TextPart = { type: "text", text: `[${left} more pictures left out: at most ${maxImages} in one result]` };
  return [...content.filter((part) => part.type === "text" || kept.has(part)), note];
}

function headAndTail(text: string, keptChars: number, ref: ArtifactRef | undefined): string {
  const head = toCharBoundary(text, Math.ceil(keptChars * HEAD_SHARE));
  const tail = toCharBoundary(text, text.length - (keptChars - head));
  const how = ref
    ? `the whole text is kept, read on with read_artifact {"artifact_id":"${ref.id}","offset":${head}}`
    : "ask for less at once";
  const note = `\n[… ${tail - head} of ${text.length} characters left out; ${how} …]\n`;
  return text.slice(0, head) + note + text.slice(tail);
}
