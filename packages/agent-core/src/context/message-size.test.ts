import { describe, expect, it } from "vitest";
import { estimateImageTokens } from "./message-size.ts";

describe("estimateImageTokens", () => {
  it.each([
    [1280, 720, 1_196],
    [1920, 1080, 2_691],
    [512, 512, 361],
    [640, 360, 299],
    [1, 1, 1],
    [8_000, 8_000, 4_096],
  ])("VI-16 takes %d×%d for %d tokens", (width, height, tokens) => {
    expect(estimateImageTokens({ width, height })).toBe(tokens);
  });

  it("VI-16 VI-23 takes a picture of unknown size for the largest", () => {
    expect(estimateImageTokens()).toBe(4_096);
  });
});
