// encoded picture → smaller encoded picture

/** Longest side in pixels of what a model is shown, unless somebody sets less. */
export const PICTURE_EDGE = 640;

export interface ResizeOptions {
  /** Longest side in pixels. A smaller picture keeps its size. */
  readonly maxEdge?: number;
  /** Width in pixels. A narrower picture keeps its size. */
  readonly width?: number;
}

export interface Resized {
  readonly bytes: Uint8Array;
  readonly mimeType: "image/jpeg";
}

/** Takes what sharp can decode; the orientation of the camera is applied. Rejects when the bytes are no picture. */
export async function resizePicture(bytes: Uint8Array, options: ResizeOptions): Promise<Resized> {
  // Loaded on first use: it costs a tenth of a second that a start does not have.
  const { default: sharp } = await import("sharp");
  const image = sharp(bytes, { limitInputPixels: 100_000_000 })
    .rotate()
    .resize({
      width: options.width ?? options.maxEdge,
      height: options.maxEdge,
      fit: "inside",
      withoutEnlargement: true,
    })
    .jpeg({ quality: 80 });
  return { bytes: await image.toBuffer(), mimeType: "image/jpeg" };
}
