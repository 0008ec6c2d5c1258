import { describe, expect, it } from "vitest";
import { isAwake } from "./active-hours.ts";

describe("active hours", () => {
  it.each([
    [undefined, "12:00", true],
    [{ from: "08:00", to: "18:00" }, "08:00", true],
    [{ from: "08:00", to: "18:00" }, "18:00", false],
    [{ from: "22:00", to: "06:00" }, "23:30", true],
    [{ from: "22:00", to: "06:00" }, "05:59", true],
    [{ from: "22:00", to: "06:00" }, "12:00", false],
    [{ from: "00:00", to: "00:00" }, "12:00", true],
  ])("%j at %s: %s", (hours, time, awake) => {
    const [hour = 0, minute = 0] = time.split(":").map(Number);
    expect(isAwake(hours, hour * 60 + minute)).toBe(awake);
  });
});
