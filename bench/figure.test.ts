import { describe, expect, it } from "vitest";
import { percentile, round } from "./figure.ts";

describe("figures", () => {
  it("takes the sample at or below which the share lies", () => {
    const samples = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile(samples, 0.5)).toBe(50);
    expect(percentile(samples, 0.99)).toBe(99);
    expect(percentile(samples, 1)).toBe(100);
    expect(percentile([7], 0.01)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it("rounds to the digits asked for", () => {
    expect(round(1.23456)).toBe(1.23);
    expect(round(1.23456, 1)).toBe(1.2);
  });
});
