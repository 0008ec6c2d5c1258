import { describe, expect, it } from "vitest";
import { createRateMeter } from "./thread-pipeline.ts";

describe("createRateMeter", () => {
  it("counts over its window", () => {
    let now = 0;
    const meter = createRateMeter({ windowMs: 3000, now: () => now });
    for (now = 0; now <= 10_000; now += 100) meter.mark();
    expect(meter.rate()).toBeCloseTo(10, 0);
    now += 10_000;
    expect(meter.rate()).toBe(0);
  });

  it("is right before the window is full", () => {
    let now = 0;
    const meter = createRateMeter({ windowMs: 3000, now: () => now });
    meter.mark();
    now = 5;
    expect(meter.rate()).toBe(0);
    for (now = 50; now <= 1000; now += 50) meter.mark();
    now = 1000;
    expect(meter.rate()).toBeCloseTo(20);
  });

  it("is 0 before anything happened", () => {
    expect(createRateMeter({ windowMs: 3000, now: () => 5 }).rate()).toBe(0);
  });
});
