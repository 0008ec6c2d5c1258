import { describe, expect, it } from "vitest";
import { isMoment, toMoment } from "./instruction.ts";

const NOW = new Date(2026, 4, 10, 12, 30).getTime();

describe("toMoment", () => {
  it.each([
    ["-90s", new Date(2026, 4, 10, 12, 28, 30)],
    ["-3h", new Date(2026, 4, 10, 9, 30)],
    ["-2d", new Date(2026, 4, 8, 12, 30)],
    ["today 08:05", new Date(2026, 4, 10, 8, 5)],
    ["yesterday 14:10", new Date(2026, 4, 9, 14, 10)],
    ["-10d 23:59", new Date(2026, 3, 30, 23, 59)],
    ["2026-01-02T03:04:05Z", new Date("2026-01-02T03:04:05Z")],
  ])("reads %s", (text, expected) => {
    expect(isMoment(text)).toBe(true);
    expect(new Date(toMoment(text, NOW))).toEqual(expected);
  });

  it("refuses what is no moment", () => {
    expect(["soon", "-3w", "tomorrow 10:00", ""].filter(isMoment)).toEqual([]);
  });
});
