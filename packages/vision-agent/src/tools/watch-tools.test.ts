import type { Tool } from "@vision-agent/agent-core";
import { createCountingIds, createFakeClock } from "@vision-agent/agent-core/testing";
import { COCO_CLASSES } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { fakeCameras, fakeContext, fakePipelines, textOf } from "../testing/fake-app.ts";
import { fakeModes, fakePlaces } from "../testing/fake-places.ts";
import { QUIET_SCENE } from "../testing/fake-scene.ts";
import type { PlaceFinder } from "../watches/condition-reading.ts";
import { createWatchRegistry } from "../watches/watch-registry.ts";
import { effectsIn } from "./change-ledger.ts";
import { setModeTool } from "./set-mode.ts";
import { parseLine, parseZone, toDirection } from "./watch-places.ts";
import { listWatchesTool, muteWatchTool, removeWatchTool, updateWatchTool, watchTool } from "./watch-tools.ts";

describe("create_watch", () => {
  it("makes a durable watch of flat words and reads it back from the registry", async () => {
    const { watches, create } = setUp();
    const text = await create({
      words: "tell me when people are at the dock at night",
      cameras: ["DOCK"],
      classes: ["people"],
      when: "appears",
      active_from: "22:00",
      active_to: "06:00",
      cooldown_seconds: 120,
      severity: "warning",
    });
    expect(watches.list()).toMatchObject([
      {
        cameras: ["dock"],
        classes: ["person"],
        condition: { kind: "appears" },
        active_hours: { from: "22:00", to: "06:00" },
        cooldown_seconds: 120,
        severity: "warning",
      },
    ]);
    expect(text).toBe(
      'Watching.\nwatch_1 "tell me when people are at the dock at night": person appears on dock; from 22:00 to 06:00; cooldown 120 s, warning; on; today seen 0, sent 0, suppressed 0; in all seen 0, sent 0, suppressed 0.\nModel: detector',
    );
  });

  it.each<[object, object]>([
    [{ when: "leaves" }, { kind: "leaves" }],
    [
      { when: "crosses_line", line: "vertical middle", direction: "left_to_right" },
      {
        kind: "crosses",
        line: [
          [0.5, 0],
          [0.5, 1],
        ],
        direction: "in",
      },
    ],
    [
      {
        when: "crosses_line",
        line: [
          [0, 0.2],
          [1, 0.2],
        ],
      },
      {
        kind: "crosses",
        line: [
          [0, 0.2],
          [1, 0.2],
        ],
        direction: "any",
      },
    ],
    [
      { when: "enters_zone", zone: "left half" },
      {
        kind: "enters",
        zone: [
          [0, 0],
          [0.5, 0],
          [0.5, 1],
          [0, 1],
        ],
      },
    ],
    [
      { when: "stays", seconds: 300 },
      { kind: "stays", seconds: 300 },
    ],
    [
      { when: "count", at_least: 5 },
      { kind: "count", at_least: 5, for_seconds: 0 },
    ],
    [
      { when: "absent", seconds: 60, zone: "center" },
      {
        kind: "absent",
        for_seconds: 60,
        zone: [
          [0.25, 0.25],
          [0.75, 0.25],
          [0.75, 0.75],
          [0.25, 0.75],
        ],
      },
    ],
  ])("compiles %j", async (said, condition) => {
    const { watches, create } = setUp();
    await create({ words: "w", cameras: ["dock"], classes: ["car"], ...said } as never);
    expect(watches.list()[0]?.condition).toEqual(condition);
  });

  it("S000-11.5.6 watches all cameras when told so", async () => {
    const { watches, create } = setUp();
    await create({ words: "w", cameras: ["all"], classes: [], when: "appears" });
    expect(watches.list()[0]?.cameras).toEqual(["dock", "street"]);
  });

  it.each<[string, object, RegExp]>([
    ["an unknown camera", { cameras: ["yard"] }, /no camera called "yard"\. Cameras: dock, street\./],
    ["a class that is nearly right", { classes: ["persn"] }, /cannot find "persn"\. Did you mean "person"\?/],
    ["a class that nobody finds", { classes: ["hard hat"] }, /It finds: person, bicycle.*model_id that knows it/],
    ["a line that is missing", { when: "crosses_line" }, /crosses_line needs line/],
    [
      "a line that is none",
      { when: "crosses_line", line: "over there" },
      /"over there" is not a line.*vertical middle/,
    ],
    ["a way nothing can go", { when: "crosses_line", line: "middle", direction: "upwards" }, /runs the same way/],
    [
      "a zone that is none",
      {
        when: "enters_zone",
        zone: [
          [0, 0],
          [640, 0],
          [640, 480],
        ],
      },
      /fractions from 0 to 1/,
    ],
    ["a count without a number", { when: "count" }, /count needs at_least/],
    ["half of the hours", { active_from: "22:00" }, /active_from and active_to together/],
  ])("says what to do about %s, and watches nothing", async (_what, said, message) => {
    const { watches, create } = setUp();
    const args = { words: "w", cameras: ["dock"], classes: ["car"], when: "appears", ...said } as never;
    await expect(create(args)).rejects.toThrow(message);
    expect(watches.list()).toEqual([]);
  });
});

describe("create_watch in place of another", () => {
  it("tells of both, so that undo brings back the one that it replaced", async () => {
    const { tool, create } = setUp();
    await create({ words: "people", cameras: ["dock"], classes: ["person"], when: "appears" });
    const args = { words: "cars", cameras: ["dock"], classes: ["car"], when: "appears", replaces: "watch_1" } as const;
    expect(await tool.execute(args, fakeContext())).toMatchObject({
      data: {
        effects: [
          { kind: "removed", id: "watch_1" },
          { kind: "created", id: "watch_2" },
        ],
      },
    });
  });
});

describe("the language of create_watch", () => {
  const ALARM = { words: "tell me", cameras: ["dock"], classes: ["person"] };

  it("takes the name of a zone that the camera has, and words for others", async () => {
    const app = setUp();
    await app.create({ ...ALARM, when: "enters_zone", zone: "loading zone" });
    await app.create({ ...ALARM, when: "stays", seconds: 5, zone: "left half" });
    expect(app.watches.list().map(({ condition }) => condition)).toMatchObject([
      { kind: "enters", zone: "loading zone" },
      { kind: "stays", zone: { length: 4 } },
    ]);
    await expect(app.create({ ...ALARM, when: "enters_zone", zone: "attic" })).rejects.toThrow("not a place");
  });

  it("says near, together, too few, days, modes, repetition, expiry, text and a check in flat words", async () => {
    const app = setUp();
    await app.create({ ...ALARM, when: "near", other: ["truck"], distance: 0.2, seconds: 3 });
    await app.create({ ...ALARM, when: "together", other: ["dog"], zone: "loading zone" });
    const often = { again_seconds: 600, days: ["sat"], modes: ["away"] } as const;
    await app.create({ ...ALARM, when: "count", at_most: 1, seconds: 60, ...often });
    const more = { text: "Look!", check_question: "Is it a van?", expires_at: "2026-02-01T00:00:00Z", min_size: 0.01 };
    await app.create({ ...ALARM, when: "appears", ...more });
    expect(app.watches.list()).toMatchObject([
      { condition: { kind: "near", other: { classes: ["truck"] }, distance: 0.2, for_seconds: 3 } },
      { condition: { kind: "together", zone: "loading zone" } },
      { condition: { kind: "count", at_most: 1 }, again_seconds: 600, days: ["sat"], modes: ["away"] },
      { text: "Look!", check: { question: "Is it a van?", expect: "yes" }, min_size: 0.01 },
    ]);
  });

  it("takes several conditions in one argument, with places in words, and says what is wrong with them", async () => {
    const app = setUp();
    const condition = {
      kind: "sequence",
      steps: [
        { when: { kind: "enters_zone", zone: "loading zone" } },
        { when: { kind: "crosses", line: "vertical middle", direction: "left_to_right" }, camera: "street" },
      ],
      within_seconds: 60,
    };
    const text = await app.create({ ...ALARM, condition });
    expect(text).toContain(
      "person enters loading zone, then person crosses the line 0.5,0 0.5,1 going in (from left to right) on street, each within 60 s",
    );
    const moments = { kind: "all", of: [{ kind: "appears" }, { kind: "leaves" }] };
    await expect(app.create({ ...ALARM, condition: moments })).rejects.toThrow("for several use sequence");
    await expect(app.create({ ...ALARM, condition: { kind: "vanishes" } })).rejects.toThrow(
      "kind takes appears, leaves",
    );
    await expect(app.create(ALARM)).rejects.toThrow("Say when it is so");
  });

  it("names the watch that is there already instead of making it twice", async () => {
    const app = setUp();
    await app.create({ ...ALARM, when: "appears" });
    await expect(app.create({ ...ALARM, words: "again", when: "appears" })).rejects.toThrow("watch_1");
    expect(app.watches.list()).toHaveLength(1);
  });
});

describe("update_watch", () => {
  const STAYS = { words: "people", cameras: ["dock"], classes: ["person"], when: "stays", seconds: 30 } as const;

  it("changes only what is named and answers with the difference", async () => {
    const app = setUp();
    await app.create({ ...STAYS, zone: "left half" });
    const night = { active_from: "22:00", active_to: "06:00" };
    const text = await app.update("watch_1", { seconds: 60, cooldown_seconds: 300, ...night });
    expect(text).toContain("cooldown 30 s → 5 min");
    expect(text).toContain("times always → from 22:00 to 06:00");
    expect(app.watches.get("watch_1")).toMatchObject({
      words: "people",
      condition: { kind: "stays", seconds: 60, zone: { length: 4 } },
      active_hours: { from: "22:00", to: "06:00" },
    });
    expect(await app.update("watch_1", { active_from: null, active_to: null })).toContain(
      "from 22:00 to 06:00 → always",
    );
    expect(await app.update("watch_1", { cooldown_seconds: 300 })).toContain("Nothing is different.");
  });

  it("says the difference on the receipt, also of a mute", async () => {
    const app = setUp();
    await app.create(STAYS);
    expect(await app.effects(app.updating, { watch_id: "watch_1", changes: { cooldown_seconds: 300 } })).toEqual([
      'Changed watch "people" on dock: cooldown 30 s → 5 min.',
    ]);
    expect(await app.effects(app.muting, { watch_id: "watch_1", minutes: 60 })).toEqual([
      'Changed watch "people" on dock: muted until 01:00.',
    ]);
  });

  it("refuses what is no argument, and a watch that is not there", async () => {
    const app = setUp();
    await app.create(STAYS);
    await expect(app.update("watch_1", { size: "big" })).rejects.toThrow("size is no argument of create_watch");
    await expect(app.update("watch_9", { severity: "info" })).rejects.toThrow("There is no watch watch_9.");
    await expect(app.update("watch_1", { cooldown_seconds: -1 })).rejects.toThrow("cooldown_seconds");
  });
});

describe("mute_watch", () => {
  it("is quiet until a time, and ends with 0 minutes", async () => {
    const app = setUp();
    await app.create({ words: "people", cameras: ["dock"], classes: ["person"], when: "appears" });
    expect(await app.mute({ watch_id: "watch_1", minutes: 60 })).toContain("Muted until 01:00.");
    expect(app.watches.get("watch_1").state.kind).toBe("muted");
    expect(await app.mute({ watch_id: "watch_1", minutes: 0 })).toContain("No longer muted.");
    await expect(app.mute({ watch_id: "watch_1" })).rejects.toThrow("Say how long");
    await expect(app.mute({ watch_id: "watch_1", until: "tomorrow" })).rejects.toThrow("Say how long");
  });
});

describe("set_mode", () => {
  it("sets the mode and names the watches that are quiet in it", async () => {
    const app = setUp();
    await app.create({ words: "at night", cameras: ["dock"], classes: ["person"], when: "appears", modes: ["night"] });
    const tool = setModeTool(fakeModes(), app.watches);
    const set = (args: Parameters<typeof tool.execute>[0]) => tool.execute(args, fakeContext()).then(textOf);
    expect(await set({ mode: "Away" })).toBe('The mode is away. Watches that are quiet in it: watch_1 "at night".');
    expect(await set({ schedule: [{ mode: "night", at: "22:00" }] })).toContain("It changes: night at 22:00.");
    await expect(set({ mode: "a/b" })).rejects.toThrow("mode takes home, away, night or a name");
  });
});

describe("list_watches and remove_watch", () => {
  it("lists what is watched until it is removed", async () => {
    const { watches, create } = setUp();
    await create({ words: "cars", cameras: ["dock"], classes: ["car"], when: "appears" });
    await create({ words: "crowds", cameras: ["street"], classes: ["person"], when: "count", at_least: 3 });
    const list = listWatchesTool(watches);
    expect(textOf(await list.execute({}, fakeContext())).split("\n")).toHaveLength(2);
    const remove = removeWatchTool(watches);
    expect(await remove.gradeOf({ watch_id: "watch_1" }, fakeContext())).toEqual({
      grade: "change",
      always: true,
      question: 'May I remove the watch "cars"?',
    });
    expect(textOf(await remove.execute({ watch_id: "watch_1" }, fakeContext()))).toBe(
      'Removed watch_1 "cars". Still watching: watch_2 "crowds".',
    );
    await expect(remove.execute({ watch_id: "watch_1" }, fakeContext())).rejects.toThrow("There are: watch_2.");
    await remove.execute({ watch_id: "watch_2" }, fakeContext());
    expect(textOf(await list.execute({}, fakeContext()))).toBe("No watches yet.");
  });
});

describe("places in words", () => {
  it.each<[string, readonly [left: number, top: number, right: number, bottom: number]]>([
    ["left half", [0, 0, 0.5, 1]],
    ["the lower half", [0, 0.5, 1, 1]],
    ["top right quarter", [0.5, 0, 1, 0.5]],
    ["right third", [2 / 3, 0, 1, 1]],
    ["middle third", [1 / 3, 0, 2 / 3, 1]],
    ["whole picture", [0, 0, 1, 1]],
  ])("the zone %s", (words, [left, top, right, bottom]) => {
    expect(parseZone(words)).toEqual([
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ]);
  });

  it.each<[string, unknown]>([
    [
      "middle line",
      [
        [0.5, 0],
        [0.5, 1],
      ],
    ],
    [
      "horizontal middle",
      [
        [0, 0.5],
        [1, 0.5],
      ],
    ],
    [
      "left third",
      [
        [1 / 3, 0],
        [1 / 3, 1],
      ],
    ],
    [
      "bottom quarter",
      [
        [0, 0.75],
        [1, 0.75],
      ],
    ],
  ])("the line %s", (words, line) => expect(parseLine(words)).toEqual(line));

  it("a direction is in when it goes to the left of the line, seen along it", () => {
    const level = parseLine("horizontal middle");
    expect([toDirection("upwards", level), toDirection("downwards", level)]).toEqual(["in", "out"]);
    const upright = parseLine("vertical middle");
    expect([toDirection("left_to_right", upright), toDirection("right_to_left", upright)]).toEqual(["in", "out"]);
  });
});

function setUp() {
  const cameras = fakeCameras("dock", "street");
  const modelFor = () => "detector";
  const classesOf = () => COCO_CLASSES;
  const clock = createFakeClock();
  const places = fakePlaces({
    name: "loading zone",
    kind: "zone",
    points: [
      [0, 0],
      [1, 0],
      [1, 1],
    ],
  });
  const placeOf = ((camera, kind, name) => {
    const place = places.find(camera, name);
    return place?.kind === kind ? place : undefined;
  }) as PlaceFinder;
  const watches = createWatchRegistry({
    places: { placeOf, onChange: () => () => undefined },
    pipelines: fakePipelines(),
    scene: QUIET_SCENE,
    cameras,
    store: { load: async () => [], save: async () => undefined },
    modelFor,
    classesOf,
    clock,
    ids: createCountingIds(),
    onProblem: () => undefined,
  });
  const parts = { watches, cameras, places, detectorFor: modelFor, classesOf };
  const tool = watchTool(parts);
  const create = (args: Parameters<typeof tool.execute>[0]) => tool.execute(args, fakeContext()).then(textOf);
  const updating = updateWatchTool({ ...parts, timeZone: "UTC" });
  const update = (watch_id: string, changes: object) =>
    updating.execute({ watch_id, changes }, fakeContext()).then(textOf);
  const muting = muteWatchTool({ watches, clock, timeZone: "UTC" });
  const mute = (args: Parameters<typeof muting.execute>[0]) => muting.execute(args, fakeContext()).then(textOf);
  const effects = async <A>(changing: Pick<Tool<A>, "execute">, args: A) => {
    const { data } = (await changing.execute(args, fakeContext())) as { readonly data?: unknown };
    return effectsIn(data).map(({ text }) => text);
  };
  return { watches, tool, create, update, updating, mute, muting, effects };
}
