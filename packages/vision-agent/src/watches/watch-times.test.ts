import { describe, expect, it } from "vitest";
import { sunTimes } from "./sun-times.ts";
import { isAwake, quietReason, timesInWords } from "./watch-times.ts";

const UTC = { timeZone: "UTC", mode: "home" };
const BERLIN = { timeZone: "Europe/Berlin", mode: "home", location: { latitude: 52.52, longitude: 13.405 } };

describe("active hours", () => {
  it.each([
    [{ from: "08:00", to: "18:00" }, "08:00", true],
    [{ from: "08:00", to: "18:00" }, "18:00", false],
    [{ from: "22:00", to: "06:00" }, "23:30", true],
    [{ from: "22:00", to: "06:00" }, "05:59", true],
    [{ from: "22:00", to: "06:00" }, "12:00", false],
    [{ from: "22:00", to: "06:00" }, "00:00", true],
    [{ from: "00:00", to: "00:00" }, "12:00", true],
  ])("%j at %s: %s", (hours, time, awake) => {
    expect(isAwake(hours, Date.parse(`2026-01-01T${time}Z`), UTC)).toBe(awake);
  });

  it("are those of the zone that is asked for", () => {
    const noon = Date.parse("2026-01-01T12:00Z");
    expect(isAwake({ from: "21:00", to: "22:00" }, noon, { timeZone: "Asia/Tokyo" })).toBe(true);
    expect(isAwake({ from: "21:00", to: "22:00" }, noon, UTC)).toBe(false);
  });

  it("follow the sun, with an offset in minutes", () => {
    const night = { from: "sunset", to: "sunrise" };
    const at = (time: string) => isAwake(night, Date.parse(`2026-06-21T${time}+02:00`), BERLIN);
    // Sunset 21:33, sunrise 04:43.
    expect([at("21:25"), at("21:40"), at("04:35"), at("04:50"), at("12:00")]).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    const later = { from: "sunset+60", to: "sunrise-30" };
    expect(isAwake(later, Date.parse("2026-06-21T22:00+02:00"), BERLIN)).toBe(false);
    expect(isAwake(later, Date.parse("2026-06-21T22:45+02:00"), BERLIN)).toBe(true);
    expect(isAwake(later, Date.parse("2026-06-21T04:30+02:00"), BERLIN)).toBe(false);
  });

  it("are always or never night where the sun does not rise or set", () => {
    const tromso = { timeZone: "Europe/Oslo", location: { latitude: 69.65, longitude: 18.96 } };
    const night = { from: "sunset", to: "sunrise" };
    const day = { from: "sunrise", to: "sunset" };
    const [winter, summer] = [Date.parse("2026-12-21T12:00Z"), Date.parse("2026-06-21T00:00Z")];
    expect([isAwake(night, winter, tromso), isAwake(day, winter, tromso)]).toEqual([true, false]);
    expect([isAwake(night, summer, tromso), isAwake(day, summer, tromso)]).toEqual([false, true]);
  });
});

describe("sunrise and sunset", () => {
  it.each([
    ["2026-06-21", 52.52, 13.405, "02:43", "19:33"],
    ["2026-12-21", 52.52, 13.405, "07:15", "14:54"],
    ["2026-03-20", 51.5, -0.13, "06:03", "18:13"],
    ["2026-01-15", -33.87, 151.21, "18:58", "09:08"],
  ])("on %s at %d, %d are at %s and %s UTC, within three minutes", (day, latitude, longitude, rise, set) => {
    const sun = sunTimes(day, { latitude, longitude });
    if (typeof sun === "string") throw new Error(sun);
    const minutes = (ms: number) => (((ms / 60_000) % 1440) + 1440) % 1440;
    const wanted = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
    const apart = (ms: number, time: string) => Math.abs(minutes(ms) - wanted(time));
    expect(apart(sun.sunriseMs, rise)).toBeLessThanOrEqual(3);
    expect(apart(sun.sunsetMs, set)).toBeLessThanOrEqual(3);
  });
});

describe("the times of a watch", () => {
  it("say which part of them keeps it quiet", () => {
    // A Thursday.
    const at = Date.parse("2026-01-01T12:00Z");
    expect(quietReason({}, at, UTC)).toBeUndefined();
    expect(
      quietReason({ days: ["thu"], dates: { from: "2026-01-01", to: "2026-01-01" }, modes: ["home"] }, at, UTC),
    ).toBeUndefined();
    expect(quietReason({ days: ["mon", "fri"] }, at, UTC)).toEqual({ gate: "days", text: "only on mon, fri" });
    expect(quietReason({ dates: { from: "2026-02-01" } }, at, UTC)?.gate).toBe("dates");
    expect(quietReason({ dates: { to: "2025-12-31" } }, at, UTC)?.gate).toBe("dates");
    expect(quietReason({ active_hours: { from: "13:00", to: "14:00" } }, at, UTC)?.gate).toBe("hours");
    expect(quietReason({ modes: ["away", "night"] }, at, UTC)).toEqual({
      gate: "mode",
      text: "only in the mode away or night, and it is home",
    });
  });

  it("give the hours after midnight to the day on which they began", () => {
    const fridayNight = { active_hours: { from: "22:00", to: "06:00" }, days: ["fri" as const] };
    const told = (time: string) => quietReason(fridayNight, Date.parse(time), UTC) === undefined;
    expect(told("2026-01-02T23:00Z")).toBe(true);
    expect(told("2026-01-03T03:00Z")).toBe(true);
    expect(told("2026-01-02T03:00Z")).toBe(false);
    expect(told("2026-01-03T23:00Z")).toBe(false);
  });

  it("are told in words", () => {
    expect(timesInWords({})).toBe("always");
    const all = { active_hours: { from: "sunset", to: "06:00" }, days: ["sat" as const], modes: ["away"] };
    expect(timesInWords(all)).toBe("from sunset to 06:00 on sat in the mode away");
  });
});
