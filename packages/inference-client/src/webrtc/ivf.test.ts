import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createIvfReader, ivfFrameHeader, ivfHeader } from "./ivf.ts";

describe("createIvfReader", () => {
  it("gives the frames that were written, however the bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), fc.integer({ min: 1, max: 60 }), (frames, step) => {
        const stream = Buffer.concat([
          ivfHeader({ fourcc: "VP80", width: 64, height: 48, fps: 10 }),
          ...frames.flatMap((bytes, number) => [ivfFrameHeader({ number, bytes: bytes.length }), bytes]),
        ]);
        const read: { number: number; bytes: Uint8Array }[] = [];
        const reader = createIvfReader(10, ({ number, bytes }) => read.push({ number, bytes: Uint8Array.from(bytes) }));
        for (let at = 0; at < stream.length; at += step) reader(stream.subarray(at, at + step));
        expect(read).toEqual(frames.map((bytes, number) => ({ number, bytes })));
      }),
    );
  });

  it("counts frames whatever unit the writer chose for their numbers", () => {
    const numbers: number[] = [];
    const reader = createIvfReader(10, ({ number }) => numbers.push(number));
    reader(ivfHeader({ fourcc: "VP80", width: 64, height: 48, fps: 1000 }));
    for (const number of [0, 100, 300]) reader(ivfFrameHeader({ number, bytes: 0 }));
    expect(numbers).toEqual([0, 1, 3]);
  });
});
