import type { ImagePart, ToolContext } from "@vision-agent/agent-core";
import type { Picture } from "@vision-agent/vision-engine";
import { PICTURE_EDGE, type Resized, type ResizeOptions } from "./resize-picture.ts";

export interface ShowPictureOptions {
  readonly resize: (bytes: Uint8Array, options: ResizeOptions) => Promise<Resized>;
  readonly context: Pick<ToolContext, "putImage">;
  /** Longest side in pixels. Default `PICTURE_EDGE`. */
  readonly maxEdge?: number | undefined;
}

/** The part that shows a picture, made smaller where it is too large. `alt`: what is on it. */
export async function showPicture(
  { jpeg, width, height }: Pick<Picture, "jpeg" | "width" | "height">,
  alt: string,
  { resize, context, maxEdge = PICTURE_EDGE }: ShowPictureOptions,
): Promise<ImagePart> {
  const fits = Math.max(width, height) <= maxEdge;
  const bytes = fits ? jpeg : (await resize(jpeg, { maxEdge })).bytes;
  return context.putImage(bytes, { mimeType: "image/jpeg", alt });
}
