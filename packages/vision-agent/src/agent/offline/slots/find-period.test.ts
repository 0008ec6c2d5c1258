import { expect, it } from "vitest";
import { findPeriod, lately } from "./find-period.ts";

const clockAt = (time: string) => ({ nowMs: Date.parse(`2026-03-10T${time}:00Z`), timeZone: "UTC" });

it("takes today where nobody says when, and the evening before in the first hours of a day", () => {
  expect(lately(clockAt("14:00"))).toMatchObject({ from: "2026-03-10T00:00:00.000Z", words: "today" });
  expect(lately(clockAt("00:30"))).toEqual({
    from: "2026-03-09T18:30:00.000Z",
    to: "2026-03-10T00:30:00.000Z",
    words: "in the last 6 hours",
  });
});

it("takes a person at their word who says today", () => {
  expect(findPeriod("what happened today", clockAt("00:30"))).toMatchObject({ from: "2026-03-10T00:00:00.000Z" });
});
