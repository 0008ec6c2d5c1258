import { describe, expect, it } from "vitest";
import { boundaryOf, createMultipartReader, type MultipartPart } from "./multipart-reader.ts";

// A body that holds the boundary and blank lines itself, as a picture may.
const AWKWARD = new TextEncoder().encode("\r\n--frame\r\n\r\nstill the body");
const STREAM = join(part("application/json", "{}"), part("image/jpeg", AWKWARD), part("application/json", '{"a":1}'));

describe("createMultipartReader", () => {
  it("finds the same parts wherever the bytes are split", () => {
    for (let cut = 0; cut <= STREAM.length; cut += 1) {
      const reader = createMultipartReader("frame");
      const parts = [...reader.push(STREAM.subarray(0, cut)), ...reader.push(STREAM.subarray(cut))];
      expect(parts.map(toText), `cut at ${cut}`).toEqual([
        "application/json {}",
        "image/jpeg \r\n--frame\r\n\r\nstill the body",
        'application/json {"a":1}',
      ]);
    }
  });

  it("finds the same parts when every byte comes alone", () => {
    const reader = createMultipartReader("frame");
    const parts = [...STREAM].flatMap((byte) => reader.push(Uint8Array.of(byte)));
    expect(parts.map(({ contentType }) => contentType)).toEqual(["application/json", "image/jpeg", "application/json"]);
  });

  it("gives a part as soon as its last byte is there, without waiting for the next boundary", () => {
    const whole = part("image/jpeg", "abc");
    const parts = createMultipartReader("frame").push(whole.subarray(0, whole.length - 2));
    expect(parts.map(toText)).toEqual(["image/jpeg abc"]);
  });

  it("reads a part without a body", () => {
    expect(createMultipartReader("frame").push(part("text/plain", "")).map(toText)).toEqual(["text/plain "]);
  });

  it("leaves out what stands before the first boundary", () => {
    const bytes = join(new TextEncoder().encode("hello\r\n\r\n"), part("text/plain", "x"));
    expect(createMultipartReader("frame").push(bytes).map(toText)).toEqual(["text/plain x"]);
  });

  it("keeps a part apart from the chunk it came in", () => {
    const chunk = part("text/plain", "abc");
    const [found] = createMultipartReader("frame").push(chunk);
    chunk.fill(0);
    expect(toText(found!)).toBe("text/plain abc");
  });

  it("refuses a part that does not say its length", () => {
    const bytes = new TextEncoder().encode("--frame\r\nContent-Type: image/jpeg\r\n\r\n");
    expect(() => createMultipartReader("frame").push(bytes)).toThrow(expect.objectContaining({ kind: "no_length" }));
  });

  it("refuses headers without end and bodies without measure", () => {
    const endless = new Uint8Array(10_000).fill(65);
    const huge = new TextEncoder().encode("--frame\r\nContent-Length: 99999999999\r\n\r\n");
    for (const bytes of [endless, huge]) {
      expect(() => createMultipartReader("frame").push(bytes)).toThrow(expect.objectContaining({ kind: "too_large" }));
    }
  });
});

describe("boundaryOf", () => {
  it("reads the boundary with and without quotes", () => {
    expect(boundaryOf("multipart/mixed; boundary=frame")).toBe("frame");
    expect(boundaryOf('multipart/mixed; boundary="a b"; charset=x')).toBe("a b");
  });

  it("says when there is none", () => {
    expect(() => boundaryOf("image/jpeg")).toThrow(expect.objectContaining({ kind: "no_boundary" }));
    expect(() => boundaryOf(null)).toThrow(expect.objectContaining({ kind: "no_boundary" }));
  });
});

function part(type: string, body: string | Uint8Array): Uint8Array {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const header = `--frame\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  return join(new TextEncoder().encode(header), bytes, new TextEncoder().encode("\r\n"));
}

function join(...pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

function toText({ contentType, body }: MultipartPart): string {
  return `${contentType} ${new TextDecoder().decode(body)}`;
}
