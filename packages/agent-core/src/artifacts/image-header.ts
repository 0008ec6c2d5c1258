// first bytes of a picture → what it is and how large
import { GIF } from "image-size/types/gif";
import { PNG } from "image-size/types/png";
import { WEBP } from "image-size/types/webp";

/** What the first bytes tell. */
export interface ImageHeader {
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** As stored: an EXIF orientation turns nothing. */
  readonly width: number;
  readonly height: number;
}

/** Each with the bytes in which it tells its size. */
const FORMATS = [
  ["image/png", PNG, 24],
  ["image/gif", GIF, 10],
  ["image/webp", WEBP, 30],
] as const;

/** Undefined when the bytes are none of png, jpeg, gif and webp, or end before their size is told. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  for (const [mimeType, format, headBytes] of FORMATS) {
    const head = bytes.subarray(0, headBytes);
    if (head.length < headBytes) continue;
    try {
      if (!format.validate(head)) continue;
      const { width, height } = format.calculate(head);
      return { mimeType, width, height };
    } catch {
      // The beginning of this format and then something else: no picture.
      return undefined;
    }
  }
  return readJpeg(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** Walks from marker to marker until one that tells the size. Ours: image-size stumbles over fill bytes, and its time grows with the square of a damaged file. */
function readJpeg(view: DataView): ImageHeader | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 < view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
    } else if (isSizeMarker(marker)) {
      return { mimeType: "image/jpeg", height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    } else {
      at += 2 + view.getUint16(at + 2);
    }
  }
  return undefined;
}

/** SOF0 to SOF15, less the three of that range that mean something else. */
function isSizeMarker(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
