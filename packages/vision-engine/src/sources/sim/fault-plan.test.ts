import { describe, expect, it } from "vitest";
import { activeWindow, parseDuration, parseWindow } from "./sim-address.ts";

describe("fault windows", () => {
  it("reads durations and windows", () => {
    expect(["500ms", "10s", "1.5m", "2h"].map(parseDuration)).toEqual([500, 10_000, 90_000, 7_200_000]);
    expect(parseWindow("10s@1m")).toEqual({ beginMs: 60_000, durationMs: 10_000 });
    expect(parseWindow("10s")).toEqual({ beginMs: 0, durationMs: 10_000 });
    expect(["10", "s", "-3s", "10 s", ""].map(parseDuration)).toEqual(Array(5).fill(undefined));
    expect(["@3s", "1s@", "1s@2s@3s"].map(parseWindow)).toEqual(Array(3).fill(undefined));
  });

  it("is active from its beginning to just before its end", () => {
    const window = { beginMs: 30_000, durationMs: 10_000 };
    expect(activeWindow(window, 0, 29_999)).toBeUndefined();
    expect(activeWindow(window, 0, 30_000)).toEqual({ sinceMs: 30_000, untilMs: 40_000 });
    expect(activeWindow(window, 0, 39_999)).toEqual({ sinceMs: 30_000, untilMs: 40_000 });
    expect(activeWindow(window, 0, 40_000)).toBeUndefined();
    expect(activeWindow(undefined, 0, 35_000)).toBeUndefined();
  });

  it("comes again when it repeats", () => {
    const window = { beginMs: 5_000, durationMs: 1_000 };
    expect(activeWindow(window, 60_000, 65_500)).toEqual({ sinceMs: 65_000, untilMs: 66_000 });
    expect(activeWindow(window, 60_000, 66_500)).toBeUndefined();
  });
});
