import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClientError } from "../errors.ts";
import { parseUploadChunk, toResultChunks } from "../testing/server-framing.ts";
import { CHUNK_BYTES, countUploadChunks, createReassembly, createUploadChunk, toMessageText } from "./framing.ts";

describe("toResultChunks", () => {
  it("writes three little-endian numbers of four bytes before the payload", () => {
    const [chunk] = toResultChunks(0x01020304, Buffer.from("ab"));
    expect(chunk?.toString("hex")).toBe("040302010000000001000000" + "6162");
  });

  it("S000-2.3.8 cuts at 48 KiB", () => {
    const chunks = toResultChunks(1, Buffer.alloc(CHUNK_BYTES + 1));
    expect(chunks.map(({ length }) => length)).toEqual([CHUNK_BYTES + 12, 13]);
  });
});

describe("createReassembly", () => {
  it("gives back what was cut, whatever the order of the chunks", () => {
    fc.assert(
      fc.property(
        fc.nat(0xffffffff),
        fc.integer({ min: 0, max: 4 * CHUNK_BYTES }),
        fc.infiniteStream(fc.nat()),
        (frameId, size, picks) => {
          const payload = Buffer.from(Uint8Array.from({ length: size }, (_, at) => at * 31));
          const chunks = shuffled(toResultChunks(frameId, payload), picks);
          const reassembly = createReassembly();
          const given = chunks.map((chunk) => reassembly.add(chunk));
          expect(given.slice(0, -1).every(({ kind }) => kind === "partial")).toBe(true);
          const last = given.at(-1);
          expect(last).toMatchObject({ kind: "message", frameId });
          expect(last?.kind === "message" && last.payload.equals(payload)).toBe(true);
          expect(reassembly.heldBytes).toBe(0);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("puts frames together whose chunks are mixed", () => {
    const reassembly = createReassembly();
    const [a, b] = [1, 2].map((frameId) => toResultChunks(frameId, Buffer.alloc(CHUNK_BYTES + frameId, frameId)));
    expect(reassembly.add(a![0]!).kind).toBe("partial");
    expect(reassembly.add(b![0]!).kind).toBe("partial");
    expect(reassembly.add(b![1]!)).toMatchObject({ kind: "message", frameId: 2 });
    expect(reassembly.add(a![1]!)).toMatchObject({ kind: "message", frameId: 1 });
  });

  it("says what is wrong with any bytes, and never throws", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (messages) => {
        const reassembly = createReassembly();
        for (const bytes of messages)
          expect(["message", "partial", "bad"]).toContain(reassembly.add(Buffer.from(bytes)).kind);
      }),
    );
  });

  it.each([
    ["too short", "0100000000000000010000"],
    ["no chunks at all", "010000000000000000000000"],
    ["a chunk behind the last", "010000000200000002000000"],
    ["more chunks than any message has", "0100000000000000ffffffff"],
  ])("refuses %s", (_, hex) => {
    expect(createReassembly().add(Buffer.from(hex, "hex")).kind).toBe("bad");
  });

  it("refuses a chunk that comes twice and keeps the rest of its frame", () => {
    const reassembly = createReassembly();
    const [first, second] = toResultChunks(7, Buffer.alloc(CHUNK_BYTES + 1));
    reassembly.add(first!);
    expect(reassembly.add(first!).kind).toBe("bad");
    expect(reassembly.add(second!).kind).toBe("message");
  });

  it("forgets a frame that changes its number of chunks", () => {
    const reassembly = createReassembly();
    reassembly.add(toResultChunks(7, Buffer.alloc(CHUNK_BYTES + 1))[0]!);
    expect(reassembly.add(toResultChunks(7, Buffer.alloc(3 * CHUNK_BYTES))[0]!).kind).toBe("bad");
    expect(reassembly.heldBytes).toBe(0);
  });

  it("holds no more than eight incomplete frames, the latest", () => {
    const reassembly = createReassembly();
    const frames = Array.from({ length: 200 }, (_, at) => toResultChunks(at, Buffer.alloc(CHUNK_BYTES + 1)));
    for (const [first] of frames) reassembly.add(first!);
    expect(reassembly.heldBytes).toBe(8 * CHUNK_BYTES);
    expect(reassembly.add(frames[191]![1]!).kind).toBe("partial");
    expect(reassembly.add(frames[199]![1]!).kind).toBe("message");
  });

  it("holds no more bytes than it is told", () => {
    const reassembly = createReassembly(2 * CHUNK_BYTES);
    for (let frameId = 0; frameId < 5; frameId++)
      reassembly.add(toResultChunks(frameId, Buffer.alloc(2 * CHUNK_BYTES))[0]!);
    expect(reassembly.heldBytes).toBeLessThanOrEqual(2 * CHUNK_BYTES);
  });
});

describe("toMessageText", () => {
  it("reads plain and packed text alike", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(toMessageText(gzipSync(text))).toBe(text);
        expect(toMessageText(Buffer.from(`{${text}`))).toBe(`{${text}`);
      }),
    );
  });

  it("refuses what unpacks to more than is allowed", () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    expect(() => toMessageText(bomb, 10_000)).toThrow(ClientError);
  });

  it.each([
    ["damaged gzip", "1f8b0800ffff"],
    ["no text", "ff00fe"],
  ])("refuses %s", (_, hex) => {
    expect(() => toMessageText(Buffer.from(hex, "hex"))).toThrow(expect.objectContaining({ kind: "protocol" }));
  });
});

describe("upload chunks", () => {
  it("carry index and total, little-endian, and the bytes of the file", () => {
    const { bytes, payload } = createUploadChunk({ index: 22, total: 23, payloadBytes: 3 });
    payload.set([1, 2, 3]);
    expect(bytes.toString("hex")).toBe("1600000017000000010203");
    expect(parseUploadChunk(bytes)).toEqual({ index: 22, total: 23, payload: Buffer.from([1, 2, 3]) });
  });

  it("are as many as the file needs", () => {
    expect([1, CHUNK_BYTES, CHUNK_BYTES + 1].map(countUploadChunks)).toEqual([1, 1, 2]);
  });

  it.each([
    ["a keep-alive", "00"],
    ["an empty chunk", "0000000001000000"],
    ["a chunk behind the last", "010000000100000000"],
  ])("are not %s", (_, hex) => {
    expect(parseUploadChunk(Buffer.from(hex, "hex"))).toBeUndefined();
  });
});

function shuffled<T>(items: readonly T[], picks: Iterator<number>): readonly T[] {
  const left = [...items];
  return items.map(() => left.splice(picks.next().value % left.length, 1)[0]!);
}
