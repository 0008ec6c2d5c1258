import { expect, it } from "vitest";
import { formatDateTime, formatMoment, formatTime } from "./format-time.ts";

const now = { nowMs: Date.parse("2026-03-10T15:30:00Z"), timeZone: "Europe/Berlin" };

it.each([
  ["2026-03-10T13:05:59Z", "14:05", "at 14:05"],
  ["2026-03-09T21:30:00Z", "yesterday 22:30", "yesterday at 22:30"],
  // Local midnight, not that of Greenwich.
  ["2026-03-09T23:30:00Z", "00:30", "at 00:30"],
  ["2026-03-11T07:00:00Z", "tomorrow 08:00", "tomorrow at 08:00"],
  ["2026-02-28T07:00:00Z", "28 Feb 08:00", "28 Feb at 08:00"],
  ["2025-12-31T07:00:00Z", "31 Dec 2025 08:00", "31 Dec 2025 at 08:00"],
])("writes %s as people do", (instant, time, moment) => {
  expect(formatTime(instant, now)).toBe(time);
  expect(formatMoment(Date.parse(instant), now)).toBe(moment);
});

it("writes the whole date where it is read later", () => {
  expect(formatDateTime("2026-03-10T23:05:00Z", "Europe/Berlin")).toBe("11 Mar 2026 00:05");
});
