import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createVp8Assembler, toVp8Payloads, type Vp8Frame, type Vp8Packet } from "./vp8-rtp.ts";

describe("createVp8Assembler", () => {
  it("gives back the frames that were cut, across both wraps", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 20 }), (sizes) => {
        const { frames, assembler } = collect();
        const sent = sizes.map((size, at) => frameOf(size, at % 5 === 0));
        for (const packet of toPackets(sent, { sequenceNumber: 65_530, timestamp: 0xffffffff - 9000 }))
          assembler(packet);
        expect(frames.map(({ bytes }) => bytes)).toEqual(sent);
      }),
    );
  });

  it("waits for packets that are sent again", () => {
    const { frames, losses, assembler } = collect();
    const packets = toPackets([frameOf(3000, true), frameOf(3000, false)]);
    for (const at of [0, 2, 3, 5, 1, 4]) assembler(packets[at]!);
    expect(frames).toHaveLength(2);
    expect(losses()).toBe(0);
  });

  it("asks for a key frame after a loss and gives nothing before it comes", () => {
    const { frames, losses, assembler } = collect();
    const sent = [true, false, false, true, false].map((key) => frameOf(100, key));
    for (const packet of toPackets(sent).filter((_, at) => at !== 1)) assembler(packet);
    expect(frames.map(({ key, timestamp }) => [key, timestamp])).toEqual([
      [true, 0],
      [true, 3 * 9000],
      [false, 4 * 9000],
    ]);
    expect(losses()).toBe(1);
  });

  it("starts with a key frame", () => {
    const { frames, assembler } = collect();
    for (const packet of toPackets([false, false, true].map((key) => frameOf(10, key)))) assembler(packet);
    expect(frames.map(({ key }) => key)).toEqual([true]);
  });

  it("gives up a frame that never becomes whole and holds a bounded number", () => {
    const { frames, losses, assembler } = collect();
    const sent = Array.from({ length: 60 }, (_, at) => frameOf(2000, at % 10 === 0));
    for (const packet of toPackets(sent).filter((_, at) => at !== 2)) assembler(packet);
    expect(losses()).toBe(1);
    expect(frames[0]?.timestamp).toBe(0);
    expect(frames[1]).toMatchObject({ key: true, timestamp: 10 * 9000 });
  });

  it("reads any bytes without throwing", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 12 })), (payloads) => {
        const { assembler } = collect();
        for (const [at, payload] of payloads.entries())
          assembler({ sequenceNumber: at, timestamp: at, marker: true, payload: Buffer.from(payload) });
      }),
    );
  });
});

function collect() {
  const frames: Vp8Frame[] = [];
  let lost = 0;
  const assembler = createVp8Assembler({ onFrame: (frame) => frames.push(frame), onLoss: () => (lost += 1) });
  return { frames, assembler, losses: () => lost };
}

/** The lowest bit of a VP8 frame says that it is no key frame. */
function frameOf(size: number, key: boolean): Buffer {
  const bytes = Buffer.from(Uint8Array.from({ length: size }, (_, at) => at * 7));
  bytes[0] = key ? 0x10 : 0x11;
  return bytes;
}

function toPackets(frames: readonly Buffer[], start = { sequenceNumber: 0, timestamp: 0 }): readonly Vp8Packet[] {
  let { sequenceNumber } = start;
  return frames.flatMap((frame, at) => {
    const payloads = toVp8Payloads(frame, at);
    return payloads.map((payload, part) => ({
      sequenceNumber: sequenceNumber++ & 0xffff,
      timestamp: (start.timestamp + at * 9000) >>> 0,
      marker: part === payloads.length - 1,
      payload,
    }));
  });
}
