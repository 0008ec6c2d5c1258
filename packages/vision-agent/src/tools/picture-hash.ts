// a picture and the thing in it → a few bits that stay the same while it looks the same
import type { SceneEvent } from "@vision-agent/protocol";

/** Of the whole picture, and of the thing in it: a small thing changes little of the whole. */
export interface PictureHash {
  readonly whole: bigint;
  readonly thing: bigint;
}

const [COLUMNS, ROWS] = [9, 8];
/** Of 64 bits. */
const MOST_DIFFERENT = 5;

/** Each bit says whether a cell is brighter than the one to its right. Rejects when the bytes are no picture. */
export async function hashPicture(jpeg: Uint8Array, box: SceneEvent["box_xyxy"]): Promise<PictureHash> {
  const { default: sharp } = await import("sharp");
  const { width = 0, height = 0 } = await sharp(jpeg).metadata();
  const bitsOf = async (image: ReturnType<typeof sharp>): Promise<bigint> => {
    const cells = await image.greyscale().resize(COLUMNS, ROWS, { fit: "fill" }).raw().toBuffer();
    let bits = 0n;
    for (let row = 0; row < ROWS; row += 1) {
      for (let column = 0; column + 1 < COLUMNS; column += 1) {
        const at = row * COLUMNS + column;
        bits = (bits << 1n) | ((cells[at] ?? 0) > (cells[at + 1] ?? 0) ? 1n : 0n);
      }
    }
    return bits;
  };
  const whole = await bitsOf(sharp(jpeg));
  const [left, top, right, bottom] = (box ?? [0, 0, width, height]).map(Math.round) as [number, number, number, number];
  const [x, y] = [Math.min(Math.max(0, left), width - 1), Math.min(Math.max(0, top), height - 1)];
  const size = { width: Math.max(1, Math.min(width, right) - x), height: Math.max(1, Math.min(height, bottom) - y) };
  return { whole, thing: await bitsOf(sharp(jpeg).extract({ left: x, top: y, ...size })) };
}

export function isAlike(one: PictureHash, other: PictureHash): boolean {
  return (["whole", "thing"] as const).every((part) => bitsIn(one[part] ^ other[part]) <= MOST_DIFFERENT);
}

function bitsIn(bits: bigint): number {
  return bits.toString(2).replaceAll("0", "").length;
}
