// size → the bytes of a plain grey JPEG; bytes of a picture → its size

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

const QUANTISATION = [0xff, 0xdb, 0x00, 0x43, 0x00, ...new Array<number>(64).fill(16)];
/** One code of one bit in both tables: difference 0, end of block. A grey block is then two bits. */
const HUFFMAN = [0x00, 0x10].flatMap((id) => [0xff, 0xc4, 0x00, 0x14, id, 1, ...new Array<number>(15).fill(0), 0]);
const SCAN = [0xff, 0xda, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3f, 0x00];
const COMMENT_BYTES = 65_000;

/** A baseline JPEG of even grey. */
export function greyJpeg(size: PictureSize, padding = 0): Uint8Array {
  const { width, height } = size;
  const frame = [0xff, 0xc0, 0x00, 0x0b, 0x08, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0];
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const parts = [
    Buffer.from([0xff, 0xd8]),
    ...noiseComments(padding),
    Buffer.from([...QUANTISATION, ...frame, ...HUFFMAN, ...SCAN]),
    Buffer.alloc(Math.ceil((blocks * 2) / 8)),
    Buffer.from([0xff, 0xd9]),
  ];
  return Buffer.concat(parts);
}

/** The JPEG with so many bytes of noise in comments. */
export function padJpeg(jpeg: Uint8Array, padding: number): Uint8Array {
  return Buffer.concat([jpeg.subarray(0, 2), ...noiseComments(padding), jpeg.subarray(2)]);
}

/** The size of a JPEG, PNG, WebP or BMP; `undefined` for anything else. */
export function readPictureSize(bytes: Uint8Array): PictureSize | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < 12) return undefined;
  if (view[0] === 0xff && view[1] === 0xd8) return readJpegSize(view);
  if (view.readUInt32BE(0) === 0x89504e47 && view.length >= 24) {
    return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) };
  }
  if (view.toString("latin1", 0, 2) === "BM" && view.length >= 26) {
    return { width: view.readInt32LE(18), height: Math.abs(view.readInt32LE(22)) };
  }
  if (view.toString("latin1", 8, 12) === "WEBP" && view.length >= 30) return readWebpSize(view);
  return undefined;
}

function readJpegSize(view: Buffer): PictureSize | undefined {
  let at = 2;
  while (at + 9 < view.length && view[at] === 0xff) {
    const marker = view[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: view.readUInt16BE(at + 5), width: view.readUInt16BE(at + 7) };
    at += 2 + view.readUInt16BE(at + 2);
  }
  return undefined;
}

function readWebpSize(view: Buffer): PictureSize | undefined {
  const chunk = view.toString("latin1", 12, 16);
  if (chunk === "VP8X") return { width: view.readUIntLE(24, 3) + 1, height: view.readUIntLE(27, 3) + 1 };
  if (chunk === "VP8 ") return { width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff };
  if (chunk !== "VP8L") return undefined;
  const bits = view.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}

function noiseComments(bytes: number): Buffer[] {
  const comments: Buffer[] = [];
  let noise = 12_345;
  for (let left = bytes; left > 0; left -= COMMENT_BYTES) {
    const length = Math.min(left, COMMENT_BYTES);
    const comment = Buffer.alloc(length + 4);
    comment.writeUInt16BE(0xfffe, 0);
    comment.writeUInt16BE(length + 2, 2);
    for (let index = 4; index < comment.length; index++) {
      noise = (Math.imul(noise, 1_103_515_245) + 12_345) >>> 0;
      comment[index] = noise >>> 24;
    }
    comments.push(comment);
  }
  return comments;
}
