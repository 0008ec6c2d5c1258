import { describe, expect, it } from "vitest";
import type { z } from "zod";
import type { AlertDecision } from "./alert-decision.ts";
import { openWatchCounts, type storedCountsSchema } from "./watch-counts.ts";

describe("what a watch saw and sent", () => {
  it("is counted for today and in all, and goes on after a restart", async () => {
    const app = setup();
    const counts = await app.open([]);
    counts.note(decision("event_1", { alert_id: "alert_1" }));
    counts.note(decision("event_2", { gate: "cooldown" }));
    counts.note({ ...decision("event_3", {}), kind: "condition_false" });
    await counts.close();
    const both = { seen: 2, suppressed: 1, sent: 1 };
    expect(counts.of("watch_1")).toEqual({ today: both, total: both });
    expect(counts.of("watch_9").total).toEqual({ seen: 0, suppressed: 0, sent: 0 });
    app.day = "2026-01-02";
    const next = await app.open([]);
    expect(next.of("watch_1")).toEqual({ today: { seen: 0, suppressed: 0, sent: 0 }, total: both });
    next.note({ ...decision("event_4", { alert_id: "alert_2" }), timestamp: "2026-01-02T01:00:00.000Z" });
    expect(next.of("watch_1")).toEqual({
      today: { seen: 1, suppressed: 0, sent: 1 },
      total: { seen: 3, suppressed: 1, sent: 2 },
    });
  });

  it("counts after a kill what was decided and not yet stored, once", async () => {
    const app = setup();
    const counts = await app.open([]);
    counts.note(decision("event_1", { alert_id: "alert_1" }));
    await counts.close();
    const log = ["event_1", "event_2", "event_3"].map((id) => decision(id, { gate: "muted" }));
    expect((await app.open(log)).of("watch_1").total).toEqual({ seen: 3, suppressed: 2, sent: 1 });
    expect((await app.open(log.slice(2))).of("watch_1").total).toEqual({ seen: 1, suppressed: 0, sent: 1 });
    app.stored.length = 0;
    expect((await app.open(log)).of("watch_1").total.seen).toBe(3);
  });

  it("is told when it cannot be stored, and goes on", async () => {
    const app = setup();
    const counts = await app.open([]);
    app.fail = true;
    counts.note(decision("event_1", {}));
    await counts.close();
    expect(app.problems.join()).toContain("disk");
    expect(counts.of("watch_1").total.seen).toBe(1);
  });
});

function decision(event_id: string, more: Partial<AlertDecision>): AlertDecision {
  const timestamp = "2026-01-01T12:00:00.000Z";
  return {
    event_id,
    camera: "street",
    kind: "condition_true",
    timestamp,
    watch_id: "watch_1",
    reason: "",
    failures: [],
    ...more,
  };
}

function setup() {
  const app = {
    stored: [] as z.infer<typeof storedCountsSchema>[],
    problems: [] as string[],
    day: "2026-01-01",
    fail: false,
    open: (decisions: readonly AlertDecision[]) =>
      openWatchCounts(
        {
          timeZone: "UTC",
          now: () => Date.parse(`${app.day}T13:00:00Z`),
          onProblem: (message) => app.problems.push(message),
          store: {
            load: async () => [...app.stored],
            save: async (entries) => {
              if (app.fail) throw new Error("The disk is full.");
              app.stored.splice(0, 99, ...entries);
            },
          },
        },
        decisions,
      ),
  };
  return app;
}
