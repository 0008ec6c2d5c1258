import type { SceneEvent } from "@vision-agent/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLocalTime } from "./local-time.ts";
import { rollUpEvents } from "./roll-up.ts";

const utc = createLocalTime("UTC");

describe("rollUpEvents", () => {
  it("tells per camera and class what happened how often, when it began and ended, and when most did", () => {
    const events = [
      event("12:02", { kind: "appeared", class_name: "person" }),
      event("12:21", { kind: "appeared", class_name: "person" }),
      event("12:22", { kind: "line_crossed", class_name: "person", direction: "in" }),
      event("12:23", { kind: "line_crossed", class_name: "person", direction: "out" }),
      event("12:24", { kind: "line_crossed", class_name: "person", direction: "in" }),
      event("12:40", { kind: "appeared", class_name: "car" }),
      event("12:59", { kind: "camera_down" }),
      event("12:30", { camera: "yard", kind: "stayed", class_name: "dog" }),
      event("17:00", { kind: "left", class_name: "person" }),
    ];
    expect(rollUpEvents(events.toReversed(), "hour", utc)).toEqual([
      {
        ...{ period: "hour", day: "2026-02-11", from: "12:00", camera: "gate" },
        text:
          "Summary of 12:00–13:00: camera: 1 times down; car: 1 appeared; " +
          "person: 2 appeared, 3 crossed a line (2 in, 1 out). 7 events, first 12:02, last 12:59, busiest 12:20–12:29 (4).",
      },
      {
        ...{ period: "hour", day: "2026-02-11", from: "12:00", camera: "yard" },
        text: "Summary of 12:00–13:00: dog: 1 stayed long. 1 event, at 12:30.",
      },
      {
        ...{ period: "hour", day: "2026-02-11", from: "17:00", camera: "gate" },
        text: "Summary of 17:00–18:00: person: 1 left. 1 event, at 17:00.",
      },
    ]);
    const [day] = rollUpEvents(events, "day", utc);
    expect(day).toMatchObject({ period: "day", from: "00:00", camera: "gate" });
    expect(day!.text).toMatch(
      /^Summary of the day: .* 8 events, first 12:02, last 17:00, busiest 12:00–13:00 \(7\)\.$/,
    );
  });

  it("takes hours and days in local time, also when clocks are put back", () => {
    const berlin = createLocalTime("Europe/Berlin");
    const events = ["2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"].map((timestamp) => ({
      ...event("00:00"),
      timestamp,
    }));
    const hours = rollUpEvents(events, "hour", berlin);
    expect(hours.map(({ day, from, text }) => [day, from, text.match(/(\d+) events?,/)?.[1]])).toEqual([
      ["2026-10-25", "01:00", "1"],
      ["2026-10-25", "02:00", "2"],
    ]);
  });

  it("counts every event once, in whatever order they come", () => {
    const one = fc.record({
      minute: fc.integer({ min: 0, max: 1439 }),
      camera: fc.constantFrom("a", "b"),
      kind: fc.constantFrom("appeared" as const, "left" as const, "camera_up" as const),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), (drafts) => {
        const events = drafts.map(({ minute, ...rest }) => event(clock(minute), rest));
        for (const period of ["hour", "day"] as const) {
          const rollUps = rollUpEvents(events, period, utc);
          const total = rollUps.reduce((sum, { text }) => sum + Number(/(\d+) events?, /.exec(text)?.[1]), 0);
          expect(total).toBe(events.length);
          expect(rollUpEvents(events.toReversed(), period, utc)).toEqual(rollUps);
        }
      }),
      { seed: 3, numRuns: 50 },
    );
  });
});

function clock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}

function event(time: string, more: Partial<SceneEvent> = {}): SceneEvent {
  const timestamp = `2026-02-11T${time}:00Z`;
  return {
    ...{ id: timestamp, kind: "appeared", timestamp, camera: "gate", pipeline_id: "p", frame_number: 1, text: "" },
    ...more,
  };
}
