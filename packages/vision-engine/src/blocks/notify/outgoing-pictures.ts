// inputs of a sink → the pictures in them → may they leave?
import { createHash } from "node:crypto";
import { inputError } from "../../errors.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { encodeJpegSync } from "../../frames/jpeg.ts";
import { type BlockInputs, isDictionary } from "../block.ts";
import type { Effects, OutgoingPicture } from "../effects.ts";

type FoundPicture = Pick<OutgoingPicture, "camera" | "bytes" | "sha256">;

/** The beginnings of JPEG, PNG, GIF, WebP and AVIF, as bytes and in base64. */
const PICTURE_BYTES = /^(?:\xff\xd8\xff|\x89PNG|GIF8|RIFF....WEBP|....ftyp)/s;
const PICTURE_TEXT = /\/9j\/|iVBORw0KGgo|R0lGOD|UklGR|AAAA.{4}ZnR5c/;

/** Pictures, and bytes and texts that hold one, wherever they are in the inputs of a step. */
function picturesIn(value: unknown): readonly FoundPicture[] {
  if (value instanceof ImageValue) return [toFound(encodeJpegSync(value, 95), value.video?.videoIdentifier)];
  if (value instanceof Uint8Array) {
    return PICTURE_BYTES.test(Buffer.from(value.subarray(0, 16)).toString("latin1")) ? [toFound(value)] : [];
  }
  if (typeof value === "string") return PICTURE_TEXT.test(value) ? [toFound(Buffer.from(value))] : [];
  if (Array.isArray(value)) return value.flatMap(picturesIn);
  return isDictionary(value as BlockInputs[string]) ? Object.values(value as BlockInputs).flatMap(picturesIn) : [];
}

/** All that is not a picture by its form, taken for one. */
function textOf(inputs: BlockInputs): FoundPicture {
  const texts = Object.values(inputs).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return toFound(Buffer.from(texts.join("\n")));
}

function toFound(content: Uint8Array, camera?: string): FoundPicture {
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { bytes: content.length, sha256, ...(camera !== undefined && { camera }) };
}

/**
 * The same work, begun only when every picture among the inputs may leave. The inputs are read at once: their pixels
 * are gone when a background task runs. The work rejects with a sentence when a picture may not.
 */
export function askingFirst<T>(
  { allowPicture, takesPictureText }: Pick<Effects, "allowPicture" | "takesPictureText">,
  inputs: BlockInputs,
  target: Pick<OutgoingPicture, "sink" | "destination">,
  work: () => Promise<T>,
): () => Promise<T> {
  if (allowPicture === undefined) return work;
  const found = picturesIn(inputs);
  const pictures = takesPictureText === true && found.length === 0 ? [textOf(inputs)] : found;
  return async () => {
    for (const picture of pictures) {
      if (await allowPicture({ ...picture, ...target })) continue;
      const whose = picture.camera === undefined ? "This picture" : `A picture of ${picture.camera}`;
      throw inputError(`${whose} may not be sent to ${target.destination}: nobody has allowed it.`);
    }
    return work();
  };
}
