import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Watch, WatchCondition, WatchedThings } from "@vision-agent/protocol";
import { createEngine } from "@vision-agent/vision-engine";
import { beforeAll, describe, expect, it } from "vitest";
import { seenOnClip } from "./clip-frames.ts";
import { type ReplayedWatch, replayWatches } from "./replay-watches.ts";

const MEDIA = join(process.env.VISION_AGENT_SHARED ?? "../shared", "media");
const MISSING = existsSync(MEDIA) ? whatIsNotInstalled() : MEDIA;

/** From the first second at which a person who looks at the pictures would say "now" to the last at which being told is in time. */
type Moment = readonly [from: number, to: number];

interface Case {
  readonly name: string;
  readonly things: WatchedThings;
  readonly condition: WatchCondition;
  /** By eye, on pictures taken two to four times a second. */
  readonly truth: readonly Moment[];
  /** People would not agree on these: they may be told. */
  readonly unclear?: readonly Moment[];
}

const now = { for_seconds: 0 };
const PERSON: WatchedThings = { classes: ["person"] };
const ANYTHING: WatchedThings = { classes: [] };

/** Cars from above. The default detector calls them phones, so the watches ask for anything. */
const ACROSS: [[number, number], [number, number]] = [
  [0, 0.5],
  [1, 0.5],
];
const LOWER_LEFT: [number, number][] = [
  [0, 0.5],
  [0.35, 0.5],
  [0.35, 1],
  [0, 1],
];
const CARS: readonly Case[] = [
  {
    name: "appears: two white cars, a silver and a red one",
    things: ANYTHING,
    condition: { kind: "appears" },
    truth: [
      [4.3, 6],
      [14.5, 16.5],
      [15, 17],
      [25.2, 27.2],
    ],
  },
  {
    name: "leaves: each of the four, told within the two seconds after which a thing counts as gone",
    things: ANYTHING,
    condition: { kind: "leaves" },
    truth: [
      [8, 10.6],
      [17.2, 20.2],
      [18.5, 20.7],
      [27.5, 29.8],
    ],
  },
  {
    name: "crosses upwards: the first white car and the red one",
    things: ANYTHING,
    condition: { kind: "crosses", line: ACROSS, direction: "in" },
    truth: [
      [5.2, 7.2],
      [15.9, 17.5],
    ],
  },
  {
    name: "crosses downwards: the silver car and the second white one",
    things: ANYTHING,
    condition: { kind: "crosses", line: ACROSS, direction: "out" },
    truth: [
      [15.7, 17.3],
      [26, 27.2],
    ],
  },
  {
    name: "enters the lower left: the silver car and the second white one",
    things: ANYTHING,
    condition: { kind: "enters", zone: LOWER_LEFT },
    truth: [
      [15.7, 17.3],
      [26, 27.2],
    ],
  },
  {
    name: "count: two at once, once",
    things: ANYTHING,
    condition: { kind: "count", at_least: 2, ...now },
    truth: [[15, 17]],
  },
  {
    name: "absent for five seconds: after the first car and after the red one",
    things: ANYTHING,
    condition: { kind: "absent", for_seconds: 5 },
    // A strip of a car at the edge is no longer seen.
    truth: [
      [12.5, 15],
      [23.4, 25.5],
    ],
  },
  {
    name: "sequence: one leaves, and within nine seconds another appears",
    things: ANYTHING,
    condition: {
      kind: "sequence",
      steps: [{ when: { kind: "leaves" } }, { when: { kind: "appears" } }],
      within_seconds: 9,
    },
    truth: [
      [14.5, 16],
      [25.2, 26.7],
    ],
  },
];

/** A worker steps over the tape on the floor and stands still behind it. */
const BEHIND_THE_TAPE: [number, number][] = [
  [0.22, 1],
  [0.51, 0.47],
  [0.3, 0.3],
  [0, 0.5],
  [0, 1],
];
const WORKER: readonly Case[] = [
  { name: "appears: the one worker", things: PERSON, condition: { kind: "appears" }, truth: [[0, 1]] },
  {
    name: "enters: his feet come behind the tape",
    things: PERSON,
    condition: { kind: "enters", zone: BEHIND_THE_TAPE },
    truth: [[2, 3]],
  },
  { name: "stays: three seconds in view", things: PERSON, condition: { kind: "stays", seconds: 3 }, truth: [[3, 4]] },
  {
    name: "size: he is larger than 3 % of the picture",
    things: { ...PERSON, min_size: 0.03 },
    condition: { kind: "appears" },
    truth: [[0, 1]],
  },
  {
    name: "size: nobody is smaller than 3 % of the picture",
    things: { ...PERSON, max_size: 0.03 },
    condition: { kind: "appears" },
    truth: [],
  },
];

/** Two people in a shop; a third comes and half hides the second. */
const SHOP: readonly Case[] = [
  {
    name: "appears: three people",
    things: PERSON,
    condition: { kind: "appears" },
    truth: [
      [0, 0.5],
      [0, 0.5],
      [1, 2.5],
    ],
  },
  {
    name: "count: three at once, from when the third is there",
    things: PERSON,
    condition: { kind: "count", at_least: 3, ...now },
    truth: [[1, 2.6]],
  },
  { name: "count: never four", things: PERSON, condition: { kind: "count", at_least: 4, ...now }, truth: [] },
];

/** A road on a campus. From second 51 on two people are on the lawn in front: he for seven seconds, she for twenty. */
const LAWN: [number, number][] = [
  [0, 0.6],
  [0.3, 0.65],
  [0.55, 0.8],
  [0.9, 1],
  [0, 1],
];
/** Where the road goes round the corner, and a blue car is parked. */
const CORNER: [number, number][] = [
  [0.82, 0.05],
  [1, 0.05],
  [1, 0.35],
  [0.82, 0.35],
];
const onLawn = { zone: LAWN };
const CAMPUS: readonly Case[] = [
  {
    name: "enters the lawn: two people, side by side",
    things: PERSON,
    condition: { kind: "enters", ...onLawn },
    truth: [
      [50.5, 54.5],
      [50.5, 54.5],
    ],
  },
  {
    name: "stays on the lawn for five seconds: both",
    things: PERSON,
    condition: { kind: "stays", seconds: 5, ...onLawn },
    truth: [
      [55.5, 60],
      [55.5, 60],
    ],
  },
  {
    name: "count: two on the lawn at once",
    things: PERSON,
    condition: { kind: "count", at_least: 2, ...now, ...onLawn },
    truth: [[50.5, 54.5]],
  },
  {
    name: "absent from the lawn for twenty seconds: once",
    things: PERSON,
    condition: { kind: "absent", for_seconds: 20, ...onLawn },
    truth: [[20, 22.5]],
  },
  {
    name: "sequence: somebody walks onto the lawn, and nobody is there any more within half a minute",
    things: PERSON,
    condition: {
      kind: "sequence",
      steps: [{ when: { kind: "enters", ...onLawn } }, { when: { kind: "count", at_most: 0, ...now, ...onLawn } }],
      within_seconds: 30,
    },
    truth: [[69.5, 74]],
  },
  {
    name: "size: only those on the lawn take more than 1.2 % of the picture",
    things: { ...PERSON, min_size: 0.012 },
    condition: { kind: "count", at_least: 1, for_seconds: 1 },
    truth: [[51, 54.5]],
    // She walks away and is about as large as that.
    unclear: [[66, 71]],
  },
  {
    name: "size: one person far away on the other lawn takes less than 0.15 %",
    things: { ...PERSON, max_size: 0.0015, min_confidence: 0.5 },
    condition: { kind: "appears" },
    truth: [[7, 9.5]],
  },
  {
    name: "near: people come up to the parked car",
    things: PERSON,
    condition: { kind: "near", other: { classes: ["car"] }, distance: 0.05, ...now },
    truth: [[12.4, 14]],
    unclear: [[73.5, 79.5]],
  },
  {
    name: "together: people at the corner with the parked car, twice",
    things: PERSON,
    condition: { kind: "together", other: { classes: ["car"] }, zone: CORNER, ...now },
    truth: [
      [11, 13.5],
      [73, 76],
    ],
  },
];

/** Crossings of a line by the middle of a person, counted by eye over the whole clip: see the engine's own suite. */
const CROSSINGS = { in: 16, out: 19 };
const SIGN_LINE: [[number, number], [number, number]] = [
  [540 / 768, 60 / 576],
  [540 / 768, 1],
];
const COUNTED: readonly Case[] = (["in", "out"] as const).map((direction) => ({
  name: direction,
  things: PERSON,
  condition: { kind: "crosses", line: SIGN_LINE, direction },
  truth: [],
}));

describe.skipIf(MISSING !== undefined).each([
  ["car-detection.mp4", CARS],
  ["worker-zone-detection.gif", WORKER],
  ["store-aisle-detection.gif", SHOP],
  ["vtest.avi", CAMPUS],
] as const)("watches on %s, against what is to be seen there", (clip, cases) => {
  const counted = clip === "vtest.avi" ? COUNTED : [];
  let told: readonly (readonly number[])[] = [];

  beforeAll(async () => {
    told = (await replay(clip, [...cases, ...counted])).map(secondsOf);
  }, 600_000);

  it.each(cases.map((one, at) => [one.name, one, at] as const))("S000-5 %s", (_, { truth, unclear = [] }, at) => {
    expect(compare(told[at] ?? [], truth, unclear)).toEqual({ missing: [], wrong: [] });
  });

  it.runIf(counted.length > 0)("S000-5 crosses: each way within a tenth of a count by eye", () => {
    const [going, coming] = told.slice(cases.length).map((seconds) => seconds.length);
    process.stdout.write(`crossings: ${going} + ${coming}; by eye ${CROSSINGS.in} + ${CROSSINGS.out}\n`);
    expect(Math.abs(going! - CROSSINGS.in)).toBeLessThanOrEqual(2);
    expect(Math.abs(coming! - CROSSINGS.out)).toBeLessThanOrEqual(2);
  });
});

describe.runIf(MISSING !== undefined)("without footage or ffmpeg", () => {
  it("is left out", () => process.stdout.write(`${MISSING} is not here: watches on real footage are left out\n`));
});

function whatIsNotInstalled(): string | undefined {
  return spawnSync("ffmpeg", ["-version"]).status === 0 ? undefined : "ffmpeg";
}

/** All watches at once, with the detector that a camera has by default. */
async function replay(clip: string, cases: readonly Case[]): Promise<readonly ReplayedWatch[]> {
  const engine = createEngine();
  try {
    const path = resolve(MEDIA, clip);
    const run = { path, camera: "camera", startMs: 0, modelId: "vision-agent/default" };
    const inputs = seenOnClip(engine, { ...run, signal: AbortSignal.any([]) });
    const none = { placeOf: () => undefined, quiet: () => undefined };
    return (await replayWatches({ watches: cases.map(toWatch), inputs, ...none })).watches;
  } finally {
    await engine.close();
  }
}

function toWatch({ name, things, condition }: Case, at: number): Watch {
  const request = { words: name, cameras: ["camera"], ...things, condition };
  const told = { cooldown_seconds: 0, severity: "info" as const, enabled: true };
  return { ...request, ...told, id: `watch_${at}`, created_at: "1970-01-01T00:00:00.000Z" };
}

function secondsOf({ alerts }: ReplayedWatch): readonly number[] {
  return alerts.map(({ at }) => Date.parse(at) / 1000);
}

/** Each moment is told once; what is told besides is wrong. */
function compare(told: readonly number[], truth: readonly Moment[], unclear: readonly Moment[]) {
  const left = [...told];
  const take = ([from, to]: Moment): boolean => {
    const found = left.findIndex((second) => second >= from && second <= to);
    if (found >= 0) left.splice(found, 1);
    return found >= 0;
  };
  const missing = truth.filter((moment) => !take(moment));
  const isUnclear = (second: number): boolean => unclear.some(([from, to]) => second >= from && second <= to);
  return { missing, wrong: left.filter((second) => !isUnclear(second)) };
}
