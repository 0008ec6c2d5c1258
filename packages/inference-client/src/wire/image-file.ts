// file bytes of a picture → what it is, how large it is, how it travels
import { imageSize } from "image-size";
import { clientError } from "../errors.ts";

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export type ImageMimeType = "image/jpeg" | "image/png" | "image/webp" | "image/bmp";

/** The size of a PNG, WebP or BMP stands within so many bytes. */
const HEADER_BYTES = 64 * 1024;

/** By the first bytes, whatever the file is called; undefined for anything that servers do not take. */
export function mimeTypeOf(image: Uint8Array): ImageMimeType | undefined {
  if (startsWith(image, [0xff, 0xd8, 0xff])) return "image/jpeg";
  if (startsWith(image, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  if (ascii(image, 0, 4) === "RIFF" && ascii(image, 8, 12) === "WEBP") return "image/webp";
  return ascii(image, 0, 2) === "BM" && image.length > 26 ? "image/bmp" : undefined;
}

/** A picture as it stands in a request: base64 of the file as it is. Throws `invalid` for what is no picture, which servers explain badly. */
export function encodeImage(image: Uint8Array): { readonly type: "base64"; readonly value: string } {
  if (mimeTypeOf(image) === undefined) {
    throw clientError(
      "invalid",
      `The picture (${image.length} bytes) is neither JPEG, PNG, WebP nor BMP. Send the bytes of such a file.`,
    );
  }
  return { type: "base64", value: Buffer.from(image.buffer, image.byteOffset, image.byteLength).toString("base64") };
}

/** Accepts a `data:` prefix. */
export function decodeImage(base64: string): Uint8Array {
  const comma = base64.startsWith("data:") ? base64.indexOf(",") + 1 : 0;
  return Buffer.from(base64.slice(comma), "base64");
}

/** Read from the header; undefined when it cannot be told. JPEG orientation is not applied. */
export function imageSizeOf(image: Uint8Array): ImageSize | undefined {
  if (mimeTypeOf(image) === undefined) return undefined;
  if (image[0] === 0xff) return jpegSizeOf(new DataView(image.buffer, image.byteOffset, image.byteLength));
  try {
    // A copy, because the library reads past the end of a view.
    const { width, height } = imageSize(new Uint8Array(image.subarray(0, HEADER_BYTES)));
    return width > 0 && height > 0 ? { width, height } : undefined;
  } catch {
    // A header that is cut off or broken tells no size.
    return undefined;
  }
}

/** From marker to marker. Ours: the library's time grows with the square of a damaged JPEG. */
function jpegSizeOf(view: DataView): ImageSize | undefined {
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isSize = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isSize) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    // Fill bytes stand alone; every other part says how long it is.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, at) => bytes[at] === byte);
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
