import type { CameraPlace, Watch } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { createOfflineApp, type OfflineAppOptions } from "../../testing/fake-offline-app.ts";

const LOADING: CameraPlace = {
  name: "loading zone",
  kind: "zone",
  points: [
    [0.5, 0.5],
    [0.8, 0.5],
    [0.8, 0.9],
  ],
};
const ENTRANCE: CameraPlace = {
  name: "entrance line",
  kind: "line",
  points: [
    [0.2, 0],
    [0.2, 1],
  ],
  directions: { in: "entering", out: "leaving" },
};
const PLACES: OfflineAppOptions = { cameras: ["street", "warehouse"], places: { warehouse: [LOADING, ENTRANCE] } };

/** What one sentence makes, without a question. */
async function madeBy(text: string, options: OfflineAppOptions = {}): Promise<readonly Partial<Watch>[]> {
  const { ask, watches } = createOfflineApp(options);
  const answer = await ask(text);
  return watches.list().length > 0 ? watches.list() : [{ words: answer }];
}

describe("places that have a name", () => {
  it.each<[string, Partial<Watch>]>([
    [
      "tell me when a person enters the loading zone",
      { cameras: ["warehouse"], classes: ["person"], condition: { kind: "enters", zone: "loading zone" } },
    ],
    [
      "Tell me when somebody crosses the entrance line",
      { cameras: ["warehouse"], condition: { kind: "crosses", line: "entrance line", direction: "any" } },
    ],
    [
      "alert me when someone crosses the entrance",
      { condition: { kind: "crosses", line: "entrance line", direction: "any" } },
    ],
    [
      "tell me when a person crosses the entrance line leaving",
      { condition: { kind: "crosses", line: "entrance line", direction: "out" } },
    ],
    [
      "warn me if there are more than 2 people in the loading zone",
      { condition: { kind: "count", at_least: 3, for_seconds: 0, zone: "loading zone" } },
    ],
    [
      "let me know when someone stays in the loading zone for 30 seconds",
      { condition: { kind: "stays", seconds: 30, zone: "loading zone" } },
    ],
    [
      "tell me if nobody is in the loading zone for 10 minutes",
      { condition: { kind: "absent", for_seconds: 600, zone: "loading zone" } },
    ],
  ])("%s", async (text, expected) => {
    expect(await madeBy(text, PLACES)).toMatchObject([expected]);
  });

  it("asks for a place that nobody knows, names those there are, and makes nothing", async () => {
    const { ask, watches } = createOfflineApp(PLACES);
    expect(await ask("tell me when a person enters the pool area on warehouse")).toMatch(
      /I do not know where "pool area" lies .*"loading zone" and "entrance line"/,
    );
    expect(await ask("tell me when a person crosses the fence line on warehouse")).toMatch(
      /I do not know a line called "fence line"/,
    );
    expect(await ask("tell me when a person enters the loading zone on street")).toMatch(/"loading zone": street/);
    expect(watches.list()).toEqual([]);
  });

  it("keeps the place when the watch is changed", async () => {
    const { ask, watches } = createOfflineApp(PLACES);
    await ask("tell me when a person enters the loading zone");
    await ask("only on weekdays");
    expect(watches.list()).toMatchObject([
      { condition: { kind: "enters", zone: "loading zone" }, days: ["mon", "tue", "wed", "thu", "fri"] },
    ]);
  });
});

describe("days, modes and ends", () => {
  const weekdays: Watch["days"] = ["mon", "tue", "wed", "thu", "fri"];
  it.each<[string, Partial<Watch>]>([
    ["tell me when a person appears on yard on weekdays", { days: weekdays }],
    ["tell me when a person appears on yard, monday to friday", { days: weekdays }],
    ["tell me when a truck comes to the dock every Friday", { days: ["fri"] }],
    ["tell me when a car appears on street, not on Sundays", { days: ["mon", "tue", "wed", "thu", "fri", "sat"] }],
    ["alert me about people on the yard at the weekend", { days: ["sat", "sun"] }],
    [
      "tell me when a person appears on yard on saturdays and sundays between 8 and 18:00",
      { days: ["sat", "sun"], active_hours: { from: "08:00", to: "18:00" } },
    ],
    ["tell me when a person appears on yard when we are away", { modes: ["away"] }],
    ["tell me when a person appears on yard, only in night mode", { modes: ["night"] }],
    ["warn me about any person on the dock while we're asleep", { modes: ["night"] }],
    // It is half past three on Tuesday, 10 March.
    ["tell me when a person appears on yard for the next two hours", { expires_at: "2026-03-10T17:30:00.000Z" }],
    ["tell me when a person appears on yard until Friday", { expires_at: "2026-03-14T00:00:00.000Z" }],
    ["tell me when a person appears on yard this week", { expires_at: "2026-03-16T00:00:00.000Z" }],
    [
      "tell me when a person appears on yard tonight",
      { expires_at: "2026-03-11T06:00:00.000Z", active_hours: { from: "18:00", to: "06:00" } },
    ],
    [
      "tell me when a person stays on yard for a minute, again every 10 minutes while they are still there",
      { again_seconds: 600 },
    ],
    ["urgent: tell me when a person appears on yard", { severity: "critical" }],
  ])("%s", async (text, expected) => {
    expect(await madeBy(text)).toMatchObject([expected]);
  });

  it("takes sunset and sunrise as they are, and tells what is missing where nobody knows the place", async () => {
    const { ask, calls, watches } = createOfflineApp();
    expect(await ask("tell me when a person appears on yard after sunset")).toMatch(/set location/);
    expect(calls.at(-1)?.args).toMatchObject({ active_from: "sunset", active_to: "sunrise" });
    expect(watches.list()).toEqual([]);
  });

  it("lifts the days again", async () => {
    const { ask, watches } = createOfflineApp();
    await ask("tell me when a person appears on yard on weekdays");
    await ask("Every day, please.");
    expect(watches.list().map(({ days }) => days)).toEqual([undefined]);
  });

  it("asks whether a day that is named once is meant every week", async () => {
    const { ask, watches } = createOfflineApp();
    expect(await ask("tell me when a person appears on yard on friday")).toMatch(/^I am not sure .* on Fridays\?$/);
    expect(watches.list()).toEqual([]);
    await ask("yes");
    expect(watches.list()).toMatchObject([{ days: ["fri"] }]);
  });
});

describe("two things, and few of one", () => {
  it.each<[string, Partial<Watch>]>([
    [
      "tell me when a person is near a car on street",
      { classes: ["person"], condition: { kind: "near", other: { classes: ["car"] }, distance: 0.1, for_seconds: 0 } },
    ],
    [
      "tell me when a person is near a car for 10 seconds on street, at most once an hour",
      {
        condition: { kind: "near", other: { classes: ["car"] }, distance: 0.1, for_seconds: 10 },
        cooldown_seconds: 3600,
      },
    ],
    [
      "alert me when a person and a dog are on the yard together",
      { classes: ["person"], condition: { kind: "together", other: { classes: ["dog"] }, for_seconds: 0 } },
    ],
    [
      "tell me if both a truck and a person are on the dock",
      { classes: ["truck"], condition: { kind: "together", other: { classes: ["person"] }, for_seconds: 0 } },
    ],
    [
      "tell me when there are fewer than 3 people on the dock for 5 minutes",
      { classes: ["person"], condition: { kind: "count", at_most: 2, for_seconds: 300 } },
    ],
    [
      "tell me when nobody is on the dock for 5 minutes",
      { classes: ["person"], condition: { kind: "absent", for_seconds: 300 } },
    ],
  ])("%s", async (text, expected) => {
    expect(await madeBy(text)).toMatchObject([expected]);
  });

  it("measures no metres: it says what near means, and a yes makes that", async () => {
    const { ask, watches } = createOfflineApp();
    expect(await ask("tell me when a person is within 2 metres of a car on street")).toMatch(
      /^I cannot measure 2 metres/,
    );
    expect(watches.list()).toEqual([]);
    await ask("yes");
    expect(watches.list()).toMatchObject([{ condition: { kind: "near" } }]);
  });

  it("asks where only an and joins two things", async () => {
    const { ask, watches } = createOfflineApp();
    expect(await ask("tell me when a person and a dog are on the yard")).toMatch(/^I am not sure .*are there together/);
    expect(watches.list()).toEqual([]);
  });
});

describe("quiet for a while", () => {
  async function twoWatches() {
    const app = createOfflineApp();
    await app.ask("tell me when a truck appears on dock");
    await app.ask("tell me when a person appears on yard");
    const muted = (): readonly (string | undefined)[] => app.watches.list().map(({ muted_until }) => muted_until);
    return { ...app, muted };
  }

  it.each<[string, readonly (string | undefined)[]]>([
    ["be quiet about the dock until 8", ["2026-03-10T20:00:00.000Z", undefined]],
    ["mute it for an hour", [undefined, "2026-03-10T16:30:00.000Z"]],
    ["mute everything for two hours", ["2026-03-10T17:30:00.000Z", "2026-03-10T17:30:00.000Z"]],
    ["snooze the yard until tomorrow", [undefined, "2026-03-11T06:00:00.000Z"]],
    ["mute the truck alerts until monday", ["2026-03-16T06:00:00.000Z", undefined]],
    ["mute everything except the dock for an hour", [undefined, "2026-03-10T16:30:00.000Z"]],
  ])("%s", async (text, expected) => {
    const { ask, muted } = await twoWatches();
    expect(await ask(text)).toMatch(/^Muted /);
    expect(muted()).toEqual(expected);
  });

  it("asks for how long, and takes the answer", async () => {
    const { ask, muted } = await twoWatches();
    expect(await ask("mute the dock")).toMatch(/^For how long shall I mute watch_1/);
    expect(muted()).toEqual([undefined, undefined]);
    await ask("for an hour");
    expect(muted()).toEqual(["2026-03-10T16:30:00.000Z", undefined]);
  });

  it("asks before it is quiet from now on where a later time is meant", async () => {
    const { ask, muted } = await twoWatches();
    expect(await ask("mute the dock this weekend")).toMatch(/^Should I mute watch_1 .* from now until/);
    expect(muted()).toEqual([undefined, undefined]);
    await ask("yes");
    expect(muted()).toEqual(["2026-03-16T00:00:00.000Z", undefined]);
  });

  it("ends it", async () => {
    const { ask, muted } = await twoWatches();
    await ask("mute everything for two hours");
    expect(await ask("unmute the yard")).toMatch(/^I tell you of "tell me when .* again\.$/);
    expect(muted()).toEqual(["2026-03-10T17:30:00.000Z", undefined]);
  });

  it("changes nothing where what it depends on is no time", async () => {
    const { ask, muted } = await twoWatches();
    await ask("mute the dock until the party is over");
    expect(muted()).toEqual([undefined, undefined]);
  });
});

describe("who is at home", () => {
  it.each([
    ["set the mode to away", "away"],
    ["switch to night mode please", "night"],
    ["home mode", "home"],
  ])("%s", async (text, mode) => {
    const { ask, calls } = createOfflineApp();
    expect(await ask(text)).toContain(`The mode is ${mode}.`);
    expect(calls).toMatchObject([{ tool: "set_mode", args: { mode } }]);
  });

  it.each([
    ["we're leaving now", "away"],
    ["I'm home", "home"],
    ["good night", "night"],
  ])("asks after %s, and does it after a yes", async (text, mode) => {
    const { ask, calls } = createOfflineApp();
    expect(await ask(text)).toContain(`Should I set the mode to ${mode}?`);
    expect(calls).toEqual([]);
    await ask("yes");
    expect(calls).toMatchObject([{ tool: "set_mode", args: { mode } }]);
  });

  it("takes a question and a remark about it for no request", async () => {
    const { ask, calls } = createOfflineApp();
    for (const text of ["what is away mode?", "am I home?", "the night mode is nice", "is the mode away?"])
      await ask(text);
    expect(calls.filter(({ tool }) => tool === "set_mode")).toEqual([]);
  });
});
