import { describe, expect, it } from "vitest";
import { createRedactor, imagePlaceholder } from "./redact.ts";

const redactor = createRedactor({ secrets: ["sk-ant-very-secret", "abc"] });

describe("createRedactor", () => {
  it("VI-13 writes a placeholder where bytes were", () => {
    expect(imagePlaceholder("image/png", 12345)).toBe("<image image/png 12345 bytes>");
    const source = { type: "base64", media_type: "image/png", data: Buffer.alloc(300, 7).toString("base64") };
    expect(redactor.value({ content: [{ type: "image", source }] })).toEqual({
      content: [{ type: "image", source: "<image image/png 300 bytes>" }],
    });
    expect(redactor.value({ bytes: new Uint8Array(5) })).toEqual({
      bytes: "<image application/octet-stream 5 bytes>",
    });
  });

  it("VI-13 strips the bytes of data URLs inside text", () => {
    const url = `data:image/jpeg;base64,${Buffer.alloc(90, 1).toString("base64")}`;
    expect(redactor.text(`see ${url} here`)).toBe("see <image image/jpeg 90 bytes> here");
  });

  it("strips configured secrets everywhere, errors and keys included", () => {
    const leak = { "sk-ant-very-secret": new Error("401 for sk-ant-very-secret") };
    expect(JSON.stringify(redactor.value(leak))).not.toContain("very-secret");
  });

  it("ignores secrets that are too short to be any", () => {
    expect(redactor.text("abcdef")).toBe("abcdef");
  });

  it("survives cycles, functions and numbers that JSON does not know", () => {
    const cycle: Record<string, unknown> = { n: Number.NaN, f: () => 1, big: 1n };
    cycle.self = cycle;
    expect(redactor.value(cycle)).toEqual({ n: null, big: null, self: null });
  });
});
