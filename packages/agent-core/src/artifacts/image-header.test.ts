import { describe, expect, it } from "vitest";
import { readImageHeader } from "./image-header.ts";

describe("readImageHeader", () => {
  it.each([
    ["image/png", png(300, 200)],
    ["image/gif", gif(300, 200)],
    ["image/jpeg", jpeg(300, 200)],
    ["image/webp", webp("VP8 ", [26, 300], [28, 200])],
    ["image/webp", webp("VP8L", [21, (299 | (199 << 14)) & 0xffff], [23, (199 << 14) >>> 16])],
    ["image/webp", webp("VP8X", [24, 299], [27, 199])],
  ])("reads the size of %s", (mimeType, bytes) => {
    expect(readImageHeader(bytes)).toEqual({ mimeType, width: 300, height: 200 });
  });

  it("reads from the middle of a larger buffer", () => {
    const padded = Buffer.concat([Buffer.alloc(7), png(3, 4)]);
    expect(readImageHeader(padded.subarray(7))).toMatchObject({ width: 3, height: 4 });
  });

  it("gives nothing for what is cut short or something else", () => {
    for (const bytes of [png(3, 4), gif(3, 4), jpeg(3, 4), webp("VP8X")]) {
      for (let length = 0; length < 10; length++) expect(readImageHeader(bytes.subarray(0, length))).toBeUndefined();
    }
    expect(readImageHeader(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"))).toBeUndefined();
    expect(readImageHeader(webp("ALPH"))).toBeUndefined();
  });
});

function png(width: number, height: number): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(24));
  bytes.setUint32(0, 0x89504e47);
  bytes.setUint32(4, 0x0d0a1a0a);
  bytes.setUint32(16, width);
  bytes.setUint32(20, height);
  return new Uint8Array(bytes.buffer);
}

function gif(width: number, height: number): Uint8Array {
  const bytes = Buffer.from("GIF89a\0\0\0\0");
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

/** With a fill byte and a table before the size. */
function jpeg(width: number, height: number): Uint8Array {
  const bytes = Buffer.from("ffd8ffe000044142ffffdb00034affc00011080000000003012200", "hex");
  bytes.writeUInt16BE(height, 19);
  bytes.writeUInt16BE(width, 21);
  return bytes;
}

/** Each field is a place and a 16-bit number. */
function webp(kind: string, ...fields: (readonly [at: number, value: number])[]): Uint8Array {
  const bytes = Buffer.alloc(30);
  bytes.write("RIFF", 0);
  bytes.write("WEBP", 8);
  bytes.write(kind, 12);
  for (const [at, value] of fields) bytes.writeUInt16LE(value, at);
  return bytes;
}
