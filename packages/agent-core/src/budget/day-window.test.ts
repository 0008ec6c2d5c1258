import { describe, expect, it } from "vitest";
import { createDayWindows } from "./day-window.ts";

const HOUR_MS = 3_600_000;

describe("createDayWindows", () => {
  it.each([
    ["Europe/Berlin", "2026-01-14T23:00:00Z", "2026-01-15", 24],
    ["Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29", 23],
    ["Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25", 25],
    // Midnight itself does not exist on this day.
    ["America/Santiago", "2026-09-06T04:00:00Z", "2026-09-06", 23],
    // The hour before midnight happens twice.
    ["America/Sao_Paulo", "2018-02-17T02:00:00Z", "2018-02-17", 25],
    ["Australia/Lord_Howe", "2026-04-04T13:00:00Z", "2026-04-05", 24.5],
    ["Asia/Kathmandu", "2026-05-01T18:15:00Z", "2026-05-02", 24],
    // The next day is left out altogether.
    ["Pacific/Apia", "2011-12-29T10:00:00Z", "2011-12-29", 24],
  ])("VA-22 a day in %s that begins at %s is %s and has %s hours", (timeZone, begin, day, hours) => {
    const startMs = Date.parse(begin);
    const dayAt = createDayWindows(timeZone);
    expect(dayAt(startMs)).toMatchObject({ day, endsAtMs: startMs + hours * HOUR_MS });
    expect(dayAt(startMs + hours * HOUR_MS - 1).day).toBe(day);
    expect(dayAt(startMs + hours * HOUR_MS).day).not.toBe(day);
    expect(dayAt(startMs - 1).day).not.toBe(day);
  });

  it("refuses a zone that there is not", () => {
    expect(() => createDayWindows("Mars/Olympus")).toThrow(RangeError);
  });
});
