// pictures as they should not be, and as they seldom are
import { crc32 } from "node:zlib";
import sharp, { type Sharp } from "sharp";

/** A PNG that says it is so large and has next to nothing in it. */
export function declaredPng(width: number, height: number): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = Buffer.from([0x78, 0x9c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01]);
  return Buffer.concat([
    signature,
    pngChunk("IHDR", header),
    pngChunk("IDAT", data),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** An orange picture. */
export function plainPicture(width: number, height: number): Sharp {
  return sharp({ create: { width, height, channels: 3, background: { r: 200, g: 120, b: 40 } } });
}

/** A picture of `channels` numbers of 16 bits a pixel. */
export function deepPicture(width: number, height: number, channels: 1 | 3 | 4): Promise<Uint8Array> {
  const numbers = Uint16Array.from({ length: width * height * channels }, (_, at) => (at * 257) % 65_536);
  return sharp(numbers, { raw: { width, height, channels } })
    .toColourspace(channels === 1 ? "grey16" : "rgb16")
    .png()
    .toBuffer();
}
