import { describe, expect, it } from "vitest";
import { durationWords, relativeTime } from "./times.tsx";

describe("relativeTime", () => {
  it.each([
    [0, "just now"],
    [-5000, "just now"],
    [999, "just now"],
    [1000, "1 s ago"],
    [59_999, "59 s ago"],
    [60_000, "1 min ago"],
    [3_599_999, "59 min ago"],
    [3_600_000, "1 h ago"],
    [86_399_999, "23 h ago"],
    [86_400_000, "1 day ago"],
    [172_800_000, "2 days ago"],
  ])("calls %i ms past %s", (past, words) => {
    expect(relativeTime(1_000_000_000 - past, 1_000_000_000)).toBe(words);
  });
});

describe("durationWords", () => {
  it.each([
    [12.4, "12 ms"],
    [412, "0.4 s"],
    [9949, "9.9 s"],
    [12_400, "12 s"],
    [125_000, "2 min 5 s"],
  ])("calls %i ms %s", (ms, words) => {
    expect(durationWords(ms)).toBe(words);
  });
});
