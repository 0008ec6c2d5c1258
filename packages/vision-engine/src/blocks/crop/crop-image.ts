// part of a picture → a picture that knows where it was cut
import { ImageValue } from "../../frames/image-value.ts";
import type { VideoMetadata } from "../../frames/video-metadata.ts";

/** Whole pixels; right and bottom are just beyond. */
export interface CropRect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Cut at the borders of the picture; nothing when nothing is left. Belongs to no video unless one is given. */
export function cropImage(
  image: ImageValue,
  rect: CropRect,
  id: string,
  video?: VideoMetadata,
): ImageValue | undefined {
  const left = Math.max(0, rect.left);
  const top = Math.max(0, rect.top);
  const width = Math.min(image.width, rect.right) - left;
  const height = Math.min(image.height, rect.bottom) - top;
  if (width <= 0 || height <= 0) return undefined;
  const { root } = image;
  return new ImageValue({
    width,
    height,
    rgba: cutPixels(image, { left, top, width, height }),
    channels: image.channels,
    parent: { id, x: left, y: top, width: image.width, height: image.height },
    root: { ...root, x: root.x + left, y: root.y + top },
    video,
  });
}

/** A fixed part of a camera's picture is a video of its own. */
export function videoOfCrop({ video }: ImageValue, id: string): VideoMetadata | undefined {
  return video && { ...video, videoIdentifier: `${video.videoIdentifier} | crop: ${id}` };
}

function cutPixels(
  image: ImageValue,
  {
    left,
    top,
    width,
    height,
  }: { readonly left: number; readonly top: number; readonly width: number; readonly height: number },
): Uint8ClampedArray {
  const { rgba } = image;
  const cut = new Uint8ClampedArray(4 * width * height);
  for (let row = 0; row < height; row++) {
    const from = 4 * ((top + row) * image.width + left);
    cut.set(rgba.subarray(from, from + 4 * width), 4 * row * width);
  }
  return cut;
}
