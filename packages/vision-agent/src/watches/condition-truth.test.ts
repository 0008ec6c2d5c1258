import type { WatchCondition, WatchRequest } from "@vision-agent/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DayActor, DayScript } from "../testing/simulated-day/day-script.ts";
import { DAY_START_MS, type Day, openDay } from "../testing/simulated-day/open-day.ts";

/** An alert comes no earlier than what is true, and at most so many seconds after it. */
const LATEST = 6;
const PERSON: DayActor["size"] = [0.06, 0.25];
/** The detector trembles and misses one box in seven. */
const NOISE = { sway: 0.004 } as const;

type ActorPath = readonly (readonly [at: number, x: number, y: number])[];
const person = (camera: string, ...path: ActorPath): DayActor => ({
  ...{ camera, className: "person", size: PERSON, path },
  ...NOISE,
});

/** From left to right on the yard, back, a stay, and two at once; a car is parked on the right until 300. */
const YARD: readonly DayActor[] = [
  {
    camera: "yard",
    className: "car",
    size: [0.2, 0.15],
    path: [
      [0, 0.7, 0.6],
      [300, 0.7, 0.6],
    ],
    ...NOISE,
  },
  person("yard", [20, 0.1, 0.5], [60, 0.9, 0.5]),
  person("yard", [100, 0.9, 0.3], [140, 0.1, 0.3]),
  person("yard", [200, 0.3, 0.5], [260, 0.3, 0.5]),
  person("yard", [330, 0.25, 0.5], [360, 0.25, 0.5]),
  person("yard", [330, 0.45, 0.5], [360, 0.45, 0.5]),
];
const MIDDLE: [[number, number], [number, number]] = [
  [0.5, 0],
  [0.5, 1],
];
const LEFT: [number, number][] = [
  [0, 0],
  [0.5, 0],
  [0.5, 1],
  [0, 1],
];
const RIGHT: [number, number][] = [
  [0.5, 0],
  [1, 0],
  [1, 1],
  [0.5, 1],
];
const CARS = { classes: ["car"] };
const now = { for_seconds: 0 };

/** What a person watches for, and the seconds at which it is true by the paths above. */
const CONDITIONS: readonly (readonly [name: string, condition: WatchCondition, truth: readonly number[]])[] = [
  ["appears", { kind: "appears" }, [20, 100, 200, 330, 330]],
  ["leaves", { kind: "leaves", what: CARS }, [300]],
  ["leaves, of people", { kind: "leaves" }, [60, 140, 260, 360, 360]],
  ["crosses in", { kind: "crosses", line: MIDDLE, direction: "in" }, [40]],
  ["crosses out", { kind: "crosses", line: MIDDLE, direction: "out" }, [120]],
  ["crosses any", { kind: "crosses", line: MIDDLE, direction: "any" }, [40, 120]],
  ["enters", { kind: "enters", zone: RIGHT }, [40, 100]],
  ["stays", { kind: "stays", seconds: 45 }, [245]],
  ["stays in a zone", { kind: "stays", seconds: 18, zone: LEFT }, [38, 138, 218, 348, 348]],
  ["more", { kind: "count", at_least: 2, ...now }, [330]],
  ["fewer", { kind: "count", at_most: 0, what: CARS, for_seconds: 5 }, [305]],
  ["fewer, at once", { kind: "count", at_most: 0, what: CARS, ...now }, [300]],
  ["absent", { kind: "absent", for_seconds: 45 }, [185, 305, 405]],
  ["absent from a zone", { kind: "absent", for_seconds: 60, zone: RIGHT }, [180]],
  ["near", { kind: "near", other: CARS, distance: 0.05, ...now }, [41]],
  ["together", { kind: "together", other: CARS, zone: RIGHT, ...now }, [40, 100]],
  [
    "all of what holds",
    {
      kind: "all",
      of: [
        { kind: "count", at_least: 1, ...now },
        { kind: "count", at_least: 1, what: CARS, ...now },
      ],
    },
    [20, 100, 200],
  ],
  [
    "all with what happens",
    { kind: "all", of: [{ kind: "appears" }, { kind: "count", at_least: 1, what: CARS, ...now }] },
    [20, 100, 200],
  ],
  [
    "any",
    {
      kind: "any",
      of: [
        { kind: "crosses", line: MIDDLE, direction: "out" },
        { kind: "count", at_least: 2, ...now },
      ],
    },
    [120, 330],
  ],
  ["not", { kind: "not", of: { kind: "count", at_least: 1, what: CARS, ...now } }, [300]],
  [
    "sequence",
    {
      kind: "sequence",
      steps: [{ when: { kind: "appears" } }, { when: { kind: "crosses", line: MIDDLE, direction: "any" } }],
      within_seconds: 30,
    },
    [40, 120],
  ],
  [
    "sequence that does not go on",
    {
      kind: "sequence",
      steps: [{ when: { kind: "appears" } }, { when: { kind: "leaves" }, not: true }],
      within_seconds: 45,
    },
    [245],
  ],
];

const YARD_DAY = scriptOf(["yard"], YARD);

/** Outputs are taken as they are: every miss of the detector is in them. */
const OUTPUT: WatchCondition = {
  ...{ kind: "output", pipeline: "yard-watch", path: "tracked_detections.count", comparator: ">=", value: 2 },
  for_seconds: 8,
};

describe("each condition, on a scene whose truth is known", () => {
  let day: Day;

  beforeAll(async () => {
    const watches = CONDITIONS.map(([name, condition]) => request(name, condition));
    day = await openDay({ ...YARD_DAY, watches });
    await day.goTo(430);
  }, 60_000);

  afterAll(() => day.close());

  it.each(CONDITIONS)("S000-5 %s", (name, _, truth) => {
    expect(differences(told(day, name), truth)).toEqual([]);
    expect(day.problems).toEqual([]);
  });

  it("S000-5 output", async () => {
    const { missedOneIn: _, ...sure } = YARD_DAY;
    await using outputs = await openDay({ ...sure, watches: [request("appears", { kind: "appears" })] });
    await outputs.app().watches.create(request("output", OUTPUT));
    await outputs.goTo(430);
    expect(differences(told(outputs, "output"), [28, 108, 208, 338])).toEqual([]);
  });

  it("S000-5 nobody is told to be missing because the camera gave no pictures", async () => {
    const faults = [{ camera: "yard", state: "down", from: 150, to: 180 }] as const;
    const watches = CONDITIONS.filter(([name]) => MISSING.includes(name)).map(([name, one]) => request(name, one));
    await using dark = await openDay({ ...YARD_DAY, watches, faults });
    await dark.goTo(430);
    for (const name of MISSING) expect(differences(told(dark, name), [300])).toEqual([]);
  });
});

/** They come true when the car has gone. */
const MISSING = ["fewer, at once", "not"];

/** Ten minutes before a Monday and the first of a month. */
const START_MS = Date.UTC(2026, 4, 31, 23, 50);
const VISITS = Array.from({ length: 20 }, (_, n) => 30 + 60 * n);
const between = (from: number, to: number): readonly number[] => VISITS.filter((at) => at >= from && at < to);
const at = (second: number): string => new Date(START_MS + second * 1000).toISOString();
/** The sun sets there at midnight UTC, to within two minutes. */
const EQUATOR = { latitude: 0, longitude: -90 };

const TIMES: readonly (readonly [name: string, asked: Partial<WatchRequest>, truth: readonly number[]])[] = [
  ["always", {}, VISITS],
  ["hours", { active_hours: { from: "23:55", to: "00:05" } }, between(300, 900)],
  ["days", { days: ["mon"] }, between(600, 1200)],
  [
    "the day on which hours over midnight begin",
    { active_hours: { from: "23:00", to: "04:00" }, days: ["sun"] },
    VISITS,
  ],
  ["dates from", { dates: { from: "2026-06-01" } }, between(600, 1200)],
  ["dates until", { dates: { to: "2026-05-31" } }, between(0, 600)],
  ["sun", { active_hours: { from: "sunset+5", to: "sunrise" } }, between(960, 1200)],
  ["modes", { modes: ["away"] }, between(300, 600)],
  ["cooldown", { cooldown_seconds: 150, min_confidence: 0.1 }, VISITS.filter((_, n) => n % 3 === 0)],
  ["mute until", { muted_until: at(400), min_confidence: 0.11 }, between(400, 1200)],
  ["expiry", { expires_at: at(500), min_confidence: 0.12 }, between(0, 500)],
  ["severity", { severity: "critical", min_confidence: 0.13 }, VISITS],
  ["confidence that is not reached", { min_confidence: 0.95 }, []],
  ["size that is not reached", { min_size: 0.2 }, []],
  ["colour", { colour: "red" }, VISITS.filter((_, n) => n % 2 === 0)],
  ["colour that nobody has", { colour: "green" }, []],
  [
    "again while it is still so",
    { cameras: ["door"], condition: { kind: "stays", seconds: 20 }, again_seconds: 60 },
    [120, 180, 240, 300, 360],
  ],
  [
    "again for what holds",
    { cameras: ["door"], condition: { kind: "count", at_least: 1, ...now }, again_seconds: 100 },
    [100, 200, 300, 400],
  ],
];

describe("when and how a watch tells, on a scene whose truth is known", () => {
  let day: Day;

  beforeAll(async () => {
    const actors = [
      ...VISITS.map((second, n) => ({
        ...person("gate", [second, 0.3, 0.5], [second + 10, 0.6, 0.5]),
        colour: n % 2 === 0 ? ("red" as const) : ("blue" as const),
      })),
      person("door", [100, 0.5, 0.5], [410, 0.5, 0.5]),
    ];
    const watches = TIMES.map(([name, asked]) => ({ ...request(name, { kind: "appears" }, "gate"), ...asked }));
    day = await openDay({ ...scriptOf(["gate", "door"], actors), watches }, { startMs: START_MS, location: EQUATOR });
    const { modes } = day.app();
    await day.goTo(300);
    await modes.change({ mode: "away" });
    await day.goTo(600);
    await modes.change({ mode: "home" });
    await day.goTo(1230);
  }, 60_000);

  afterAll(() => day.close());

  it.each(TIMES)("S000-5 %s", (name, _, truth) => {
    expect(differences(told(day, name, START_MS), truth)).toEqual([]);
  });

  it("S000-5 counts all that was seen: what was sent, and what was held back", () => {
    const counts = new Map(
      day
        .app()
        .watches.list()
        .map(({ words, counts: { total } }) => [words, total]),
    );
    expect(counts.get("cooldown")).toEqual({ seen: 20, sent: 7, suppressed: 13 });
    expect(counts.get("days")).toEqual({ seen: 20, sent: 10, suppressed: 10 });
    expect(counts.has("expiry")).toBe(false);
    const critical = day.alerts.filter(({ severity }) => severity === "critical");
    expect(new Set(critical.map(({ watch_id }) => watch_id)).size).toBe(1);
  });
});

function scriptOf(cameras: readonly string[], actors: readonly DayActor[]): DayScript {
  return { cameras, actors, faults: [], watches: [], truth: [], missedOneIn: 7 };
}

function request(words: string, condition: WatchCondition, camera = "yard"): WatchRequest {
  return {
    words,
    text: words,
    cameras: [camera],
    classes: ["person"],
    condition,
    cooldown_seconds: 0,
    severity: "info",
  };
}

/** Seconds of the alerts of a watch, which says its own words. */
function told({ alerts }: Day, words: string, startMs = DAY_START_MS): readonly number[] {
  return alerts
    .filter(({ text }) => text.replace(/ \(\d+ more since.*/, "") === words)
    .map(({ timestamp }) => (Date.parse(timestamp) - startMs) / 1000);
}

/** What is missing, late or not true, in a sentence each. */
function differences(alerts: readonly number[], truth: readonly number[]): readonly string[] {
  const left = [...alerts];
  const missing = truth.flatMap((second) => {
    const found = left.findIndex((alert) => alert >= second && alert <= second + LATEST);
    if (found < 0) return [`nothing was told of ${second}`];
    left.splice(found, 1);
    return [];
  });
  return [...missing, ...left.map((alert) => `not true: ${alert}`)];
}
