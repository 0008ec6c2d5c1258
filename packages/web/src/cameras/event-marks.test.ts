import type { SceneEvent } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { STRIP_MS, stripWindow, toMarks, toTicks } from "./event-marks.ts";

const NOW = 1_000_000_003;

describe("stripWindow", () => {
  it.each([340, 390, 700, 1000])("makes marks at least 24 px wide on a strip of %i px", (width) => {
    const { markMs } = stripWindow(NOW, width);
    expect((width * markMs) / STRIP_MS).toBeGreaterThanOrEqual(24);
  });

  it("holds the last ten minutes and moves by whole marks", () => {
    const window = stripWindow(NOW, 1000);
    expect(window.endMs - window.startMs).toBe(STRIP_MS);
    expect(window.endMs).toBeGreaterThan(NOW);
    expect(window.endMs % window.markMs).toBe(0);
    expect(stripWindow(NOW + 1, 1000)).toEqual(window);
  });
});

describe("toMarks", () => {
  const window = stripWindow(NOW, 1000);

  it("gathers events of one span under one mark, newest first", () => {
    const marks = toMarks([event("b", window.startMs + 900), event("a", window.startMs + 100)], window);
    expect(marks).toHaveLength(1);
    expect(marks[0]?.events.map(({ id }) => id)).toEqual(["b", "a"]);
  });

  it("orders marks by time and leaves out what is older", () => {
    const marks = toMarks(
      [event("late", window.endMs - 1), event("early", window.startMs), event("old", window.startMs - 1)],
      window,
    );
    expect(marks.map(({ events }) => events[0]?.id)).toEqual(["early", "late"]);
  });
});

describe("toTicks", () => {
  const startMs = 600_000;

  it("draws one bar where much happened at once, the taller the more", () => {
    const crowd = Array.from({ length: 20 }, (_, index) => event(`c${index}`, startMs + 5100 + index));
    const ticks = toTicks({ startMs, events: [...crowd, event("first", startMs)] }, 15_000);
    expect(ticks.map(({ offset }) => offset)).toEqual([0, 2 / 6]);
    expect(ticks[0]?.height).toBeCloseTo(1 / 3);
    expect(ticks[1]?.height).toBe(1);
  });

  it("marks trouble with a camera", () => {
    const down = { ...event("down", startMs), kind: "camera_down" as const };
    expect(toTicks({ startMs, events: [event("seen", startMs), down] }, 15_000)).toMatchObject([{ isTrouble: true }]);
  });
});

function event(id: string, atMs: number): SceneEvent {
  const timestamp = new Date(atMs).toISOString();
  return { id, kind: "appeared", timestamp, camera: "street", pipeline_id: "p1", frame_number: 1, text: id };
}
