import { describe, expect, it } from "vitest";
import { createCaptureTimes } from "./server-feed.ts";

const HOUR = 3_600_000;

describe("when frames were taken", () => {
  it("takes the fastest frame as the measure, whatever zone the server's clock is in", () => {
    const { at } = live();
    expect(at(10_000, HOUR)).toBe(10_000);
    // Taken 100 ms later, here 400 ms later: it was held up.
    expect(at(10_400, HOUR + 100)).toBe(10_100);
    // Quicker than the first: the measure is corrected.
    expect(at(10_500, HOUR + 600)).toBe(10_500);
  });

  it("never goes back", () => {
    const { at } = live();
    expect(at(10_000, 0)).toBe(10_000);
    expect(at(10_200, 200)).toBe(10_200);
    expect(at(10_250, 400)).toBe(10_250);
    expect(at(10_300, 410)).toBe(10_260);
    expect(at(10_301, 405)).toBe(10_260);
  });

  it("follows a server whose clock is set back", () => {
    const { at } = live();
    expect(at(HOUR, 2 * HOUR)).toBe(HOUR);
    expect(at(HOUR + 100, HOUR)).toBe(HOUR + 100);
  });

  it("dates the frames of a file by the video, however fast they come", () => {
    let now = 50_000;
    const times = createCaptureTimes({ isFile: true, now: () => now });
    expect(times(0)).toBe(50_000);
    now = 50_010;
    expect(times(1000)).toBe(51_000);
    expect(times(2000)).toBe(52_000);
  });
});

function live() {
  let now = 0;
  const times = createCaptureTimes({ isFile: false, now: () => now });
  const at = (nowMs: number, stampMs: number): number => {
    now = nowMs;
    return times(stampMs);
  };
  return { at };
}
