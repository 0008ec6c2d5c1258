import { createFakeClock } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { openModes, type storedModeSchema } from "./open-modes.ts";

type Stored = z.infer<typeof storedModeSchema>;

describe("the mode", () => {
  it("is home until somebody sets another, and that one after a restart", async () => {
    const app = setup();
    const modes = await app.open();
    expect(modes.current()).toEqual({ mode: "home", set_by: "default", schedule: [] });
    await modes.change({ mode: "away" });
    expect((await app.open()).current()).toMatchObject({ mode: "away", since: "2026-01-01T00:00:00.000Z" });
  });

  it("follows its schedule, unless a person has set another since", async () => {
    const app = setup();
    const modes = await app.open();
    await modes.change({
      mode: "away",
      schedule: [
        { mode: "night", at: "22:00" },
        { mode: "home", at: "07:00", days: ["fri"] },
      ],
    });
    await app.clock.advance(21 * 3_600_000);
    expect(modes.current().mode).toBe("away");
    await app.clock.advance(2 * 3_600_000);
    expect(modes.current()).toMatchObject({ mode: "night", set_by: "schedule", since: "2026-01-01T22:00:00.000Z" });
    await modes.change({ mode: "party" });
    expect(modes.current()).toMatchObject({ mode: "party", set_by: "person" });
    // Friday at seven.
    await app.clock.advance(8 * 3_600_000 + 60_000);
    expect(modes.current().mode).toBe("home");
    expect((await app.open()).current().mode).toBe("home");
  });

  it("was never set by a person while only its schedule was", async () => {
    const modes = await setup().open();
    expect(await modes.change({ schedule: [{ mode: "night", at: "22:00" }] })).toMatchObject({ set_by: "schedule" });
    expect(await modes.change({ schedule: [] })).toMatchObject({ mode: "night" });
  });

  it.each([
    ["nothing to change", {}, "Say which mode, or give a schedule."],
    [
      "sunset without a location",
      { schedule: [{ mode: "night", at: "sunset" }] },
      "Sunrise and sunset need to know where this is",
    ],
    [
      "two modes in one minute",
      {
        schedule: [
          { mode: "night", at: "22:00" },
          { mode: "away", at: "22:00", days: ["mon" as const] },
        ],
      },
      "The schedule sets the mode twice at 22:00",
    ],
  ])("is not changed by %s", async (_, change, reason) => {
    const modes = await setup().open();
    await expect(modes.change(change)).rejects.toThrow(reason);
    expect(modes.current().set_by).toBe("default");
  });

  it("may have two modes at the same time of different days", async () => {
    const modes = await setup().open();
    const schedule = [
      { mode: "night", at: "22:00", days: ["mon" as const] },
      { mode: "away", at: "22:00", days: ["sat" as const] },
    ];
    expect((await modes.change({ schedule })).schedule).toEqual(schedule);
  });

  it("is known of the past: as it was set, as its schedule said then, over a restart and after an undo", async () => {
    const app = setup();
    const modes = await app.open();
    const hour = (hours: number): number => Date.UTC(2026, 0, 1) + hours * 3_600_000;
    await app.clock.advance(3_600_000);
    await modes.change({ mode: "away" });
    await app.clock.advance(3_600_000);
    await modes.change({ schedule: [{ mode: "night", at: "04:00" }] });
    await app.clock.advance(4 * 3_600_000);
    await modes.change({ mode: "party", schedule: [] });
    await modes.change({ mode: "night", schedule: [{ mode: "night", at: "04:00" }] });
    for (const one of [modes, await app.open()]) {
      expect([0.5, 1, 3, 5, 7].map((hours) => one.at(hour(hours)))).toEqual(["home", "away", "away", "night", "night"]);
    }
  });

  it("is forgotten once it is older than events are kept, but for what held since then", async () => {
    const app = setup();
    const modes = await app.open();
    for (let day = 0; day < 30; day += 1) {
      await modes.change({ mode: `day${day}` });
      await app.clock.advance(86_400_000);
    }
    await modes.change({ mode: "away" });
    expect(app.stored.map(({ mode }) => mode)).toEqual([
      ...[16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29].map((day) => `day${day}`),
      "away",
    ]);
    expect(modes.at(Date.UTC(2026, 0, 18))).toBe("day17");
  });

  it("stays as it was when it cannot be stored", async () => {
    const app = setup();
    const modes = await app.open();
    app.fail = true;
    await expect(modes.change({ mode: "away" })).rejects.toThrow("disk");
    expect(modes.current().mode).toBe("home");
  });
});

function setup() {
  const stored: Stored[] = [];
  const clock = createFakeClock();
  const app = {
    clock,
    stored,
    fail: false,
    open: () =>
      openModes({
        clock,
        timeZone: "UTC",
        keepDays: 14,
        store: {
          load: async () => [...stored],
          save: async (entries) => {
            if (app.fail) throw new Error("The disk is full.");
            stored.splice(0, stored.length, ...entries);
          },
        },
      }),
  };
  return app;
}
