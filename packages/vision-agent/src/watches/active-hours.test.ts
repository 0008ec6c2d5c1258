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
    [{ from: "22:00", to: "06:00" }, "00:00", true],
    [{ from: "00:00", to: "00:00" }, "12:00", true],
  ])("%j at %s: %s", (hours, time, awake) => {
    expect(isAwake(hours, Date.parse(`2026-01-01T${time}Z`), "UTC")).toBe(awake);
  });

  it("are those of the zone that is asked for", () => {
    const noon = Date.parse("2026-01-01T12:00Z");
    expect(isAwake({ from: "21:00", to: "22:00" }, noon, "Asia/Tokyo")).toBe(true);
    expect(isAwake({ from: "21:00", to: "22:00" }, noon, "UTC")).toBe(false);
  });
});
