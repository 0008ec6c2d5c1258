import { createCountingIds, createFakeClock } from "@vision-agent/agent-core/testing";
import { COCO_CLASSES } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { fakeCameras, fakeContext, fakePipelines, textOf } from "../testing/fake-app.ts";
import { QUIET_SCENE } from "../testing/fake-scene.ts";
import { createWatchRegistry } from "../watches/watch-registry.ts";
import { parseLine, parseZone, toDirection } from "./watch-places.ts";
import { listWatchesTool, removeWatchTool, watchTool } from "./watch-tools.ts";

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
  const watches = createWatchRegistry({
    pipelines: fakePipelines(),
    scene: QUIET_SCENE,
    cameras,
    store: { load: async () => [], save: async () => undefined },
    modelFor,
    classesOf,
    clock: createFakeClock(),
    ids: createCountingIds(),
    onProblem: () => undefined,
  });
  const tool = watchTool({ watches, cameras, detectorFor: modelFor, classesOf });
  const create = (args: Parameters<typeof tool.execute>[0]) => tool.execute(args, fakeContext()).then(textOf);
  return { watches, create };
}
