// pictures of a video → the last few of them as JPEGs, the newest first
import sharp from "sharp";
import type { ImageValue } from "../../frames/image-value.ts";
import type { Block } from "../block.ts";
import { imageOf, numberOr } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

const MAX_FRAMES = 64;
const MAX_SIZE = { width: 1920, height: 1080 };
const MIN_EDGE = 64;
const JPEG_QUALITY = 75;

export const imageStack: Block = {
  manifest: manifestOf("roboflow_core/image_stack@v1"),
  description: "Keeps the last pictures of a video as small JPEGs, the newest first.",
  phrase: ({ properties }) => `keeps the last ${properties.stack_size ?? 10} pictures`,
  create: ({ now }) => {
    const stacks = new Map<string, readonly Uint8Array[]>();
    return {
      async run(inputs) {
        const image = imageOf(inputs, "image");
        const { videoIdentifier } = image.videoOrDefault(now());
        const size = within(numberOr(inputs, "stack_size", 10), 1, MAX_FRAMES);
        const jpeg = await compress(image, {
          width: within(numberOr(inputs, "resolution_width", MAX_SIZE.width), MIN_EDGE, MAX_SIZE.width),
          height: within(numberOr(inputs, "resolution_height", MAX_SIZE.height), MIN_EDGE, MAX_SIZE.height),
        });
        const before = inputs.clear === true ? [] : (stacks.get(videoIdentifier) ?? []);
        const frames = [jpeg, ...before].slice(0, size);
        stacks.set(videoIdentifier, frames);
        return { frames, frames_count: frames.length };
      },
    };
  },
};

function within(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, high));
}

async function compress(
  { rgba, width, height }: ImageValue,
  limit: { readonly width: number; readonly height: number },
): Promise<Uint8Array> {
  const scale = Math.min(1, limit.width / width, limit.height / height);
  const picture = sharp(rgba, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .resize(Math.trunc(width * scale), Math.trunc(height * scale), { fit: "fill" })
    .jpeg({ quality: JPEG_QUALITY });
  return new Uint8Array(await picture.toBuffer());
}
