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
    fail: false,
    open: () =>
      openModes({
        clock,
        timeZone: "UTC",
        store: {
          load: async () => [...stored],
          save: async (entries) => {
            if (app.fail) throw new Error("The disk is full.");
            stored.splice(0, 9, ...entries);
          },
        },
      }),
  };
  return app;
}
