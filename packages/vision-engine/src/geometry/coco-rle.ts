// run lengths as COCO writes them ↔ mask
import { type Mask, maskFromBits, maskToBits } from "../frames/mask.ts";

/** A mask as COCO writes it: runs of clear and set pixels in turn, column by column, packed into text. */
export interface CocoRle {
  readonly size: readonly [height: number, width: number];
  /** Packed text, or the plain lengths. */
  readonly counts: string | readonly number[];
}

/** Absent when the runs do not fill the picture exactly. */
export function maskFromCocoRle({ size: [height, width], counts }: CocoRle): Mask | undefined {
  const lengths = typeof counts === "string" ? unpackCounts(counts) : counts;
  if (lengths === undefined || lengths.reduce((sum, length) => sum + length, 0) !== width * height) return undefined;
  if (lengths.some((length) => length < 0)) return undefined;
  const bits = new Uint8Array(width * height);
  let at = 0;
  for (const [index, length] of lengths.entries()) {
    for (const end = at + length; at < end; at++) {
      if (index % 2 === 1) bits[(at % height) * width + Math.floor(at / height)] = 1;
    }
  }
  return maskFromBits(bits, width, height);
}

export function maskToCocoRle(mask: Mask): CocoRle {
  const { width, height } = mask;
  const bits = maskToBits(mask);
  const lengths: number[] = [];
  let current = 0;
  let length = 0;
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) {
      if (bits[y * width + x] !== current) {
        lengths.push(length);
        current = 1 - current;
        length = 0;
      }
      length += 1;
    }
  }
  lengths.push(length);
  return { size: [height, width], counts: packCounts(lengths) };
}

/** Each number is the change against the last but one, in groups of 5 bits from the lowest, with a bit for "more". */
function packCounts(lengths: readonly number[]): string {
  let text = "";
  for (const [index, length] of lengths.entries()) {
    let rest = index > 2 ? length - lengths[index - 2]! : length;
    for (let more = true; more; ) {
      const group = rest & 0x1f;
      rest >>= 5;
      more = (group & 0x10) === 0 ? rest !== 0 : rest !== -1;
      text += String.fromCharCode(48 + (more ? group | 0x20 : group));
    }
  }
  return text;
}

/** Absent when the text ends inside a number. */
function unpackCounts(text: string): readonly number[] | undefined {
  const lengths: number[] = [];
  for (let at = 0; at < text.length; ) {
    let value = 0;
    let bits = 0;
    for (let more = true; more; ) {
      if (at >= text.length) return undefined;
      const group = text.charCodeAt(at) - 48;
      at += 1;
      value |= (group & 0x1f) << bits;
      bits += 5;
      more = (group & 0x20) !== 0;
      if (!more && (group & 0x10) !== 0) value |= -1 << bits;
    }
    lengths.push(lengths.length > 2 ? value + lengths.at(-2)! : value);
  }
  return lengths;
}
