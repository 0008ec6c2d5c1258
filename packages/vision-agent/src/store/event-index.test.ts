import type { SceneEvent } from "@vision-agent/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryEvents, type MemoryEvents } from "../testing/memory-events.ts";

const T0 = Date.UTC(2026, 2, 28, 12);
const HOUR_MS = 3_600_000;

describe("counting events", () => {
  it("counts all of them, however many there are", () => {
    const log = createMemoryEvents(Array.from({ length: 2500 }, (_, at) => event(at, { at: at * 1000 })));
    expect(log.count({}).total).toBe(2500);
    expect(log.count({ kind: "appeared" }, ["class"])).toEqual({
      total: 2500,
      groups: [{ class: "person", count: 2500 }],
      groups_left_out: 0,
    });
  });

  it("groups by days of the time zone, also where the clocks change", () => {
    // In Berlin the 29th of March 2026 has 23 hours.
    const hours = Array.from({ length: 48 }, (_, at) => event(at, { at: at * HOUR_MS }));
    expect(createMemoryEvents(hours, "Europe/Berlin").count({}, ["day"]).groups).toEqual([
      { day: "2026-03-28", count: 11 },
      { day: "2026-03-29", count: 23 },
      { day: "2026-03-30", count: 14 },
    ]);
    const night = createMemoryEvents(hours, "Europe/Berlin").count({}, ["hour"]).groups;
    expect(night.slice(11, 15).map(({ hour }) => hour)).toEqual([
      ...["2026-03-29T00:00", "2026-03-29T01:00", "2026-03-29T03:00", "2026-03-29T04:00"],
    ]);
  });

  it("knows zones that are half an hour off", () => {
    const log = createMemoryEvents([event(1, { at: 6.4 * HOUR_MS }), event(2, { at: 6.6 * HOUR_MS })], "Asia/Kolkata");
    expect(log.count({}, ["day"]).groups).toEqual([
      { day: "2026-03-28", count: 1 },
      { day: "2026-03-29", count: 1 },
    ]);
  });

  it("leaves out a key that events lack, and takes two at a time", () => {
    const log = createMemoryEvents([
      event(1, { direction: "in", kind: "line_crossed" }),
      event(2, { direction: "in", kind: "line_crossed", camera: "dock" }),
      event(3, {}),
    ]);
    expect(log.count({}, ["camera", "direction"]).groups).toEqual([
      { camera: "dock", direction: "in", count: 1 },
      { camera: "street", count: 1 },
      { camera: "street", direction: "in", count: 1 },
    ]);
  });

  it("agrees with counting by hand, for any filter and any two groups", () => {
    const group = fc.constantFrom("hour", "day", "class", "direction", "camera", "kind", "visit", "watch", "area");
    const some = fc.record({
      at: fc.integer({ min: 0, max: 30 * HOUR_MS }),
      camera: fc.constantFrom("street", "dock"),
      class_name: fc.constantFrom("person", "car", undefined),
      kind: fc.constantFrom("appeared", "line_crossed", "left"),
      direction: fc.constantFrom("in", "out", undefined),
      visit_id: fc.constantFrom("v1", "v2", undefined),
      area: fc.constantFrom("line 1", undefined),
    });
    const asked = fc.record(
      {
        camera: fc.constantFrom("Street", "DOCK"),
        className: fc.constantFrom("Person", "car"),
        kind: fc.constantFrom("appeared", "left"),
        direction: fc.constantFrom("in", "out"),
        visit: fc.constantFrom("v1", "v2"),
        from: fc.integer({ min: 0, max: 20 * HOUR_MS }).map((ms) => new Date(T0 + ms).toISOString()),
        to: fc.integer({ min: 10 * HOUR_MS, max: 30 * HOUR_MS }).map((ms) => new Date(T0 + ms).toISOString()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.array(some, { maxLength: 40 }),
        asked,
        fc.uniqueArray(group, { maxLength: 2 }),
        (things, query, by) => {
          const events = things.map((one, at) => event(at, one as Parameters<typeof event>[1]));
          const log = createMemoryEvents(events, "Europe/Berlin");
          const fitting = events.filter((one) => fits(one, query));
          const listed = log.list({ ...query, order: "oldest", limit: 1000 });
          expect(listed.map(({ id }) => id).sort()).toEqual(fitting.map(({ id }) => id).sort());
          const { total, groups } = log.count(query, by);
          expect(total).toBe(fitting.length);
          const visits = by.includes("visit") ? fitting.filter((one) => one.visit_id !== undefined) : fitting;
          if (by.length > 0) expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(visits.length);
          if (by.includes("camera"))
            for (const camera of ["street", "dock"])
              expect(groups.reduce((sum, one) => sum + (one.camera === camera ? one.count : 0), 0)).toBe(
                visits.filter((one) => one.camera === camera).length,
              );
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("listing events", () => {
  it("pages from both ends without a gap or a repetition, also within one millisecond", () => {
    const log = createMemoryEvents(Array.from({ length: 25 }, (_, at) => event(at, { at: Math.floor(at / 5) })));
    const pages = (order: "newest" | "oldest"): readonly string[] => {
      const ids: string[] = [];
      for (let cursor: string | undefined; ; cursor = ids.at(-1)) {
        const page = log.list({ limit: 7, order, cursor });
        if (page.length === 0) return ids;
        ids.push(...page.map(({ id }) => id));
      }
    };
    const all = Array.from({ length: 25 }, (_, at) => `ev_${at}`);
    expect(pages("oldest")).toEqual(all);
    expect(pages("newest")).toEqual(all.toReversed());
  });

  it("gives events back as they were, and finds those that hold all words", () => {
    const whole = event(1, { watch_id: "w", count: 3, confidence: 0.5, box_xyxy: [1, 2, 3, 4], text: "Ärger am Tor" });
    const log = createMemoryEvents([whole, event(2, {})]);
    expect(log.get("ev_1")).toEqual(whole);
    expect(log.list({ q: "TOR ärger" })).toEqual([whole]);
    expect(log.list({ q: "tor nothing" })).toEqual([]);
    expect(log.list({ watch: "w" })).toHaveLength(1);
  });

  it("finds few among many", () => {
    const many = Array.from({ length: 3000 }, (_, at) =>
      event(at, { at, camera: at % 1000 === 0 ? "yard" : "street", text: `Text ${at % 50}.` }),
    );
    const ids = (filter: Parameters<MemoryEvents["list"]>[0]) =>
      createMemoryEvents(many)
        .list(filter)
        .map(({ id }) => id);
    expect(ids({ camera: "yard" })).toEqual(["ev_2000", "ev_1000", "ev_0"]);
    expect(ids({ camera: "street", limit: 2 })).toEqual(["ev_2999", "ev_2998"]);
    expect(ids({ camera: "yard", order: "oldest", limit: 2 })).toEqual(["ev_0", "ev_1000"]);
  });
});

describe("crossings", () => {
  it("are counted by day and direction, with how many things crossed", () => {
    const crossed = (number: number, visit: string | undefined, more: Parameters<typeof event>[1]): SceneEvent =>
      event(number, { kind: "line_crossed", direction: "in", area: "line a", visit_id: visit, ...more });
    const log = createMemoryEvents(
      [
        crossed(1, "v1", {}),
        crossed(2, "v1", { direction: "out", at: 1000 }),
        crossed(3, "v2", { at: 2000 }),
        crossed(4, "v2", { at: 24 * HOUR_MS }),
        crossed(5, undefined, { at: 25 * HOUR_MS }),
        crossed(6, "v9", { at: 25 * HOUR_MS, area: "line b" }),
        crossed(7, "v9", { at: 25 * HOUR_MS, camera: "dock" }),
      ],
      "Europe/Berlin",
    );
    expect(log.countCrossings({ camera: "street", area: "line a" })).toEqual({
      ...{ in: 4, out: 1, visits: 2, untracked: 1 },
      days: [
        { day: "2026-03-28", in: 2, out: 1, visits: 2, untracked: 0 },
        { day: "2026-03-29", in: 2, out: 0, visits: 1, untracked: 1 },
      ],
    });
    const from = new Date(T0 + 3000).toISOString();
    expect(log.countCrossings({ from })).toMatchObject({ in: 4, visits: 2, days: [{ day: "2026-03-29" }] });
    expect(log.countCrossings({ camera: "nowhere" })).toEqual({ in: 0, out: 0, visits: 0, untracked: 0, days: [] });
  });
});

function event(number: number, { at = 0, ...more }: Partial<SceneEvent> & { readonly at?: number }): SceneEvent {
  const defined = Object.entries(more).filter(([, value]) => value !== undefined);
  const isWithout = "class_name" in more && more.class_name === undefined;
  return {
    id: `ev_${number}`,
    kind: "appeared",
    timestamp: new Date(T0 + at).toISOString(),
    camera: "street",
    pipeline_id: "pipe_1",
    frame_number: number,
    ...(isWithout ? {} : { class_name: "person" }),
    text: "It happened.",
    ...Object.fromEntries(defined),
  };
}

function fits(one: SceneEvent, query: Parameters<MemoryEvents["count"]>[0]): boolean {
  const { camera, className, kind, direction, visit, from, to } = query;
  return (
    (camera === undefined || one.camera === camera.toLowerCase()) &&
    (className === undefined || one.class_name === className.toLowerCase()) &&
    (kind === undefined || one.kind === kind) &&
    (direction === undefined || one.direction === direction) &&
    (visit === undefined || one.visit_id === visit) &&
    (from === undefined || one.timestamp >= from) &&
    (to === undefined || one.timestamp < to)
  );
}
