// a picture as stored → a picture that a model takes
import { type AgentError, agentError } from "../types/errors.ts";
import { readImageHeader } from "./image-header.ts";

/** What a picture must keep to. */
export interface ImageLimits {
  /** VA-12: longest side in pixels; 640 does for the result of a tool. */
  readonly maxEdge: number;
  readonly maxBytes: number;
  /** Types that are taken, e.g. `image/jpeg`. */
  readonly allow: readonly string[];
}

/** A picture whose size is known. */
export interface PreparedImage {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
}

/** VA-12: makes pictures smaller. Given by the host: this package decodes none. */
export interface ImagePreparer {
  /** Keeps the proportions, never enlarges, and gives one that fits back as it is. Throws when it cannot decode the bytes. */
  prepare(bytes: Uint8Array, options: ImageLimits & { readonly mimeType: string }): Promise<PreparedImage>;
}

/**
 * The picture itself when it keeps to the limits, else what the preparer makes of it.
 * Throws `AgentError` kind `invalid`, code `image_type_unsupported` or `image_too_large` when it cannot be made to fit.
 */
export async function fitImage(
  bytes: Uint8Array,
  limits: ImageLimits,
  preparer: ImagePreparer | undefined,
): Promise<PreparedImage> {
  const header = readImageHeader(bytes);
  if (!header) {
    throw agentError(
      "invalid",
      "image_type_unsupported",
      "The bytes are no PNG, JPEG, GIF or WebP picture: convert them to one.",
    );
  }
  const image: PreparedImage = { bytes, ...header };
  const problem = problemOf(image, limits);
  if (!problem) return image;
  const prepared = await preparer?.prepare(bytes, { ...limits, mimeType: header.mimeType });
  const left = prepared ? problemOf(prepared, limits) : problem;
  if (left) throw left;
  return prepared ?? image;
}

function problemOf({ bytes, mimeType, width, height }: PreparedImage, limits: ImageLimits): AgentError | undefined {
  if (!limits.allow.includes(mimeType)) {
    return agentError(
      "invalid",
      "image_type_unsupported",
      `${mimeType} is not taken: convert it to ${limits.allow.join(" or ")}.`,
    );
  }
  if (bytes.byteLength <= limits.maxBytes && Math.max(width, height) <= limits.maxEdge) return undefined;
  const has = `${width}×${height} pixels, ${bytes.byteLength} bytes`;
  const may = `${limits.maxEdge} pixels on its longest side and ${limits.maxBytes} bytes`;
  return agentError("invalid", "image_too_large", `The picture has ${has}; at most ${may} are taken. Make it smaller.`);
}
