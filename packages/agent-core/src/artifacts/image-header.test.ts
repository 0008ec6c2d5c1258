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
      const head = bytes.length < 24 ? 10 : 24;
      for (let length = 0; length < head; length++) expect(readImageHeader(bytes.subarray(0, length))).toBeUndefined();
    }
    expect(readImageHeader(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"))).toBeUndefined();
    expect(readImageHeader(webp("ALPH"))).toBeUndefined();
    expect(readImageHeader(Buffer.from("89504e470d0a1a0a0000000049444154000000000000", "hex"))).toBeUndefined();
  });

  it("gives the size as it is stored when EXIF says that the picture is turned", () => {
    const exif = "ffe1002245786966000049492a0008000000010012010300010000000600000000000000";
    const turned = Buffer.from(jpeg(300, 200)).toString("hex").replace("ffe000044142", exif);
    expect(readImageHeader(Buffer.from(turned, "hex"))).toMatchObject({ width: 300, height: 200 });
  });

  it("reads animated pictures like still ones", () => {
    const apng = Buffer.concat([png(300, 200), Buffer.from("0000000000000000086163544c", "hex")]);
    expect(readImageHeader(apng)).toMatchObject({ mimeType: "image/png", width: 300, height: 200 });
    expect(readImageHeader(webp("VP8X", [20, 0x02], [24, 299], [27, 199]))).toMatchObject({ width: 300, height: 200 });
  });

  it("is done at once with a large file that only begins like a picture", () => {
    const started = performance.now();
    for (const beginning of ["ffd8", "ffd8ffff", "89504e47", "52494646"]) {
      const bytes = new Uint8Array(4_000_000);
      bytes.set(Buffer.from(beginning, "hex"));
      expect(readImageHeader(bytes)).toBeUndefined();
    }
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

function png(width: number, height: number): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(24));
  bytes.setUint32(0, 0x89504e47);
  bytes.setUint32(4, 0x0d0a1a0a);
  bytes.setUint32(12, 0x49484452);
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
