/** Headers of pictures: enough to tell format and size, no pixels. */
export function jpegOf(width: number, height: number): Uint8Array {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const application = Buffer.from([0xff, 0xe0, 0, 4, 1, 2]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    application,
    frame,
    Buffer.alloc(120, 7),
    Buffer.from([0xff, 0xd9]),
  ]);
}

export function pngOf(width: number, height: number): Uint8Array {
  const bytes = Buffer.alloc(64);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]).copy(bytes);
  bytes.write("IHDR", 12, "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

export function bmpOf(width: number, height: number): Uint8Array {
  const bytes = Buffer.alloc(64);
  bytes.write("BM", 0, "latin1");
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(-height, 22);
  return bytes;
}

export function webpOf(kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Uint8Array {
  const bytes = Buffer.alloc(64);
  bytes.write("RIFF", 0, "latin1");
  bytes.write("WEBP", 8, "latin1");
  bytes.write(kind, 12, "latin1");
  if (kind === "VP8 ") {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  } else if (kind === "VP8L") bytes.writeUInt32LE(width - 1 + (height - 1) * 2 ** 14, 21);
  else {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  }
  return bytes;
}

export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
