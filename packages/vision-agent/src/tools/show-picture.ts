import type { ImagePart, ToolContext } from "@vision-agent/agent-core";
import type { Picture } from "@vision-agent/vision-engine";
import { PICTURE_EDGE, type Resized, type ResizeOptions } from "./resize-picture.ts";

export interface ShowPictureOptions {
  readonly resize: (bytes: Uint8Array, options: ResizeOptions) => Promise<Resized>;
  readonly context: Pick<ToolContext, "putImage">;
}

/** The part that shows a picture, at most `PICTURE_EDGE` on its longer side. `alt`: what is on it. */
export async function showPicture(
  { jpeg, width, height }: Pick<Picture, "jpeg" | "width" | "height">,
  alt: string,
  { resize, context }: ShowPictureOptions,
): Promise<ImagePart> {
  const fits = Math.max(width, height) <= PICTURE_EDGE;
  const bytes = fits ? jpeg : (await resize(jpeg, { maxEdge: PICTURE_EDGE })).bytes;
  return context.putImage(bytes, { mimeType: "image/jpeg", alt });
}
