// file bytes of a picture → what it is, how large it is, how it travels
import { ClientError } from "../errors.ts";
import type { ImageSize } from "./inference-answer.ts";

export type ImageMimeType = "image/jpeg" | "image/png" | "image/webp" | "image/bmp";

/** A picture as it stands in a request. */
export interface EncodedImage {
  readonly type: "base64";
  readonly value: string;
}

/** By the first bytes, whatever the file is called; undefined for anything that servers do not take. */
export function mimeTypeOf(image: Uint8Array): ImageMimeType | undefined {
  if (startsWith(image, [0xff, 0xd8, 0xff])) return "image/jpeg";
  if (startsWith(image, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  if (ascii(image, 0, 4) === "RIFF" && ascii(image, 8, 12) === "WEBP") return "image/webp";
  return ascii(image, 0, 2) === "BM" && image.length > 26 ? "image/bmp" : undefined;
}

/** Base64 of the file as it is. Throws `invalid` for what is no picture, which servers explain badly. */
export function encodeImage(image: Uint8Array): EncodedImage {
  if (mimeTypeOf(image) === undefined) {
    throw new ClientError({
      kind: "invalid",
      message: `The picture (${image.length} bytes) is neither JPEG, PNG, WebP nor BMP. Send the bytes of such a file.`,
    });
  }
  return { type: "base64", value: bufferOf(image).toString("base64") };
}

/** Accepts a `data:` prefix. */
export function decodeImage(base64: string): Uint8Array {
  const comma = base64.startsWith("data:") ? base64.indexOf(",") + 1 : 0;
  return Buffer.from(base64.slice(comma), "base64");
}

/** Read from the header; undefined when it cannot be told. JPEG orientation is not applied. */
export function imageSizeOf(image: Uint8Array): ImageSize | undefined {
  const bytes = bufferOf(image);
  switch (mimeTypeOf(image)) {
    case "image/jpeg":
      return jpegSize(bytes);
    case "image/png":
      return bytes.length < 24 ? undefined : sizeOf(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
    case "image/webp":
      return webpSize(bytes);
    case "image/bmp":
      return sizeOf(bytes.readInt32LE(18), Math.abs(bytes.readInt32LE(22)));
    case undefined:
      return undefined;
  }
}

/** Walks the segments to the start of frame (C0 to CF without C4, C8 and CC), which holds height and width. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  let at = 2;
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return sizeOf(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    at += isAlone ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined;
  switch (ascii(bytes, 12, 16)) {
    case "VP8 ":
      return sizeOf(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case "VP8L": {
      const packed = bytes.readUInt32LE(21);
      return sizeOf((packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1);
    }
    case "VP8X":
      return sizeOf(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    default:
      return undefined;
  }
}

function sizeOf(width: number, height: number): ImageSize | undefined {
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, at) => bytes[at] === byte);
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
