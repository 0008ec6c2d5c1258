import {
  describeWatchWhy,
  type GateVerdict,
  type WatchChange,
  type WatchRequest,
  type Why,
} from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import type { CameraFault, DayActor } from "../testing/simulated-day/day-script.ts";
import { type Day, type DayOptions, openDay } from "../testing/simulated-day/open-day.ts";
import { withChanges } from "./watch-differences.ts";

interface FaultRow extends Partial<Pick<DayOptions, "openCheck" | "send">> {
  readonly fault: string;
  readonly watch?: Partial<WatchRequest>;
  readonly actors?: readonly DayActor[];
  readonly camera?: CameraFault["state"];
  /** In which seconds. Default: in the first hundred. */
  readonly down?: readonly [from: number, to: number];
  /** The second that is asked about. Default 40. */
  readonly at?: number;
  readonly no: Partial<GateVerdict>;
  /** Absent: nothing of the watch would change it. */
  readonly change?: WatchChange;
}

const RIGHT: [number, number][] = [
  [0.7, 0],
  [1, 0],
  [1, 1],
  [0.7, 1],
];

const ROWS: readonly FaultRow[] = [
  { fault: "the camera is down", camera: "down", no: { gate: "frame", found: "reconnecting" } },
  { fault: "the picture is frozen", camera: "frozen", actors: [], no: { gate: "frame", found: "frozen" } },
  { fault: "the camera is covered", camera: "covered", actors: [], no: { gate: "frame", found: "covered" } },
  { fault: "it is dark", camera: "dark", actors: [], no: { gate: "frame", found: "dark" } },
  { fault: "the pipeline is paused", camera: "paused", no: { gate: "frame", found: "paused" } },
  { fault: "nobody comes", actors: [], no: { gate: "motion", found: "nothing moved" } },
  {
    fault: "something else comes",
    actors: [{ ...person(), className: "cat" }],
    no: { gate: "detector", found: 0, needed: 0.4, unit: "score" },
  },
  {
    fault: "the score is too low for the detector",
    actors: [{ ...person(), score: 0.31 }],
    no: { gate: "detector", found: 0.31, needed: 0.4, unit: "score" },
    change: { min_confidence: 0.31 },
  },
  {
    fault: "it is there too short",
    actors: [person({ from: 40, to: 41 })],
    no: { gate: "track", found: 2, needed: 3, unit: "results" },
  },
  {
    fault: "the score is too low for the watch",
    watch: { min_confidence: 0.95 },
    no: { gate: "confidence", found: 0.9, needed: 0.95, unit: "score" },
    change: { min_confidence: 0.9 },
  },
  {
    fault: "it is too small",
    watch: { min_size: 0.1 },
    no: { gate: "size", found: 0.015, needed: 0.1, unit: "share of the picture" },
    change: { min_size: 0.014 },
  },
  {
    fault: "it is too large",
    watch: { max_size: 0.01 },
    no: { gate: "size", found: 0.015, needed: 0.01, unit: "share of the picture" },
    change: { max_size: 0.016 },
  },
  {
    fault: "it has another colour",
    watch: { colour: "red" },
    actors: [{ ...person(), colour: "blue" }],
    no: { gate: "colour", found: "blue", needed: "red" },
    change: { colour: "blue" },
  },
  { fault: "nobody can tell its colour", watch: { colour: "red" }, no: { gate: "colour", needed: "red" } },
  {
    fault: "it stays beside the zone",
    watch: { condition: { kind: "enters", zone: RIGHT } },
    no: { gate: "zone", found: 0.1, needed: 0, unit: "share of the width" },
    change: {
      condition: {
        kind: "enters",
        zone: [
          [0.6, 0],
          [1, 0],
          [1, 1],
          [0.6, 1],
        ],
      },
    },
  },
  {
    fault: "it does not come to the line",
    watch: {
      condition: {
        kind: "crosses",
        line: [
          [0.8, 0],
          [0.8, 1],
        ],
        direction: "any",
      },
    },
    no: { gate: "line", found: 0.2, needed: 0, unit: "share of the width" },
  },
  {
    fault: "it stays too short",
    watch: { condition: { kind: "stays", seconds: 60 } },
    no: { gate: "rule", found: 20, needed: 60, unit: "s" },
    change: { condition: { kind: "stays", seconds: 20 } },
  },
  {
    fault: "there are too few",
    watch: { condition: { kind: "count", at_least: 3, for_seconds: 0 } },
    actors: [person(), person({ y: 0.8 })],
    no: { gate: "rule", found: 2, needed: 3, unit: "things" },
    change: { condition: { kind: "count", at_least: 2, for_seconds: 0 } },
  },
  {
    fault: "two things are too far from each other",
    watch: { condition: { kind: "near", other: { classes: ["car"] }, distance: 0.02, for_seconds: 0 } },
    actors: [person(), { ...person({ y: 0.82 }), className: "car" }],
    no: { gate: "rule", found: 0.07, needed: 0.02, unit: "share of the width" },
    change: { condition: { kind: "near", other: { classes: ["car"] }, distance: 0.07, for_seconds: 0 } },
  },
  {
    fault: "it is not its hour",
    watch: { active_hours: { from: "06:45", to: "22:00" } },
    no: { gate: "hours", found: "00:00", needed: "06:45 to 22:00" },
    change: { active_hours: { from: "06:45", to: "00:01" } },
  },
  {
    fault: "it is not its day",
    watch: { days: ["sun"] },
    no: { gate: "days", found: "mon", needed: "sun" },
    change: { days: ["sun", "mon"] },
  },
  {
    fault: "its dates have not come",
    watch: { dates: { from: "2026-06-03" } },
    no: { gate: "dates", found: "2026-06-01", needed: "2026-06-03 to " },
    change: { dates: { from: "2026-06-01" } },
  },
  {
    fault: "it is another mode",
    watch: { modes: ["away"] },
    no: { gate: "mode", found: "home", needed: "away" },
    change: { modes: ["away", "home"] },
  },
  {
    fault: "it is muted",
    watch: { muted_until: "2026-06-01T08:00:00Z" },
    no: { gate: "muted", found: "2026-06-01T00:00:32.000Z", needed: "2026-06-01T08:00:00Z" },
    change: { muted_until: null },
  },
  {
    fault: "the last alert was just before",
    watch: { cooldown_seconds: 300 },
    actors: [person(), person({ from: 130, to: 150 })],
    at: 140,
    no: { gate: "cooldown", found: 100, needed: 300, unit: "s" },
    change: { cooldown_seconds: 100 },
  },
  {
    fault: "the vision model says no",
    watch: { check: { question: "Is it the postman?", expect: "yes", frames: 1, daily_usd: 1 } },
    openCheck: async () => async () => ({ kind: "denied", reason: "It is nobody." }),
    no: { gate: "check" },
    change: { check: null },
  },
  {
    fault: "the channel fails",
    send: () => Promise.reject(new Error("unreachable")),
    no: { gate: "channel", found: "person" },
  },
  {
    fault: "two gates say no, one after the other",
    watch: { active_hours: { from: "00:02", to: "22:00" }, min_confidence: 0.95 },
    no: { gate: "confidence" },
    change: { min_confidence: 0.9, active_hours: { from: "00:00", to: "22:00" } },
  },
];

describe("why a watch did not tell", () => {
  it.each(ROWS)("names the gate when $fault, and the least change makes it tell", async (row) => {
    await using day = await live(row);
    const { watches } = await ask(day, row);
    const [why] = watches;
    expect(why).toMatchObject({ outcome: "not_told" });
    expect(why?.gates.at(-1)).toMatchObject({ ...row.no, passed: false });
    expect(why?.gates.slice(0, -1).every(({ passed }) => passed)).toBe(true);
    expect(why?.change?.changes).toEqual(row.change);
    if (row.change === undefined) return;
    const before = day.alerts.length;
    await using changed = await live({ ...row, watch: withChanges({ ...row.watch }, row.change) });
    expect(changed.alerts.length).toBe(before + 1);
  });

  it("names the alert when it told, and the watch that is off or came later", async () => {
    await using day = await live({ fault: "none", no: {} });
    const told = await ask(day, {});
    expect(told.watches[0]).toMatchObject({ outcome: "told", alert_id: day.alerts[0]?.id });
    expect(told.watches[0]?.gates.every(({ passed }) => passed)).toBe(true);
    const { why, watches } = day.app();
    const [watch] = watches.list();
    expect(why.questionOf(day.alerts[0]?.id ?? "")).toMatchObject({ camera: "door", watch: watch?.id });
    expect(() => why.questionOf("nobody")).toThrow("There is no event or alert nobody.");
    await watches.setEnabled(watch?.id ?? "", false);
    const off = await ask(day, {});
    expect(off.watches[0]).toMatchObject({ gates: [{ gate: "off", passed: false }], change: { resume: true } });
    await watches.create({ ...request({}), condition: { kind: "leaves" } });
    const later = (await ask(day, {})).watches[1];
    expect(later?.gates).toMatchObject([{ gate: "made", passed: false }]);
    await expect(why.explain({ camera: "door", watch: "watch_99" })).rejects.toThrow("There is no watch watch_99");
  });

  it("names an outage in the asked minute first, though an alert was near", async () => {
    await using day = await live({ fault: "", camera: "down", down: [70, 110], no: {}, at: 60 });
    expect(day.alerts).toHaveLength(1);
    const [out] = (await ask(day, { at: 90 })).watches;
    expect(out).toMatchObject({
      outcome: "not_told",
      gates: [{ gate: "frame", passed: false, found: "reconnecting" }],
    });
    const [alert] = day.alerts;
    const told = await day.app().why.explain({ camera: "door", at: alert?.timestamp });
    expect(told.watches[0]).toMatchObject({ outcome: "told" });
  });

  it("counts what was held back of the asked watch around the asked time", async () => {
    const again = [30, 130, 140, 150, 300].map((from) => person({ from, to: from + 4, y: from / 400 }));
    await using day = await live({ fault: "", watch: { cooldown_seconds: 300 }, actors: again, no: {}, at: 320 });
    const { why, watches } = day.app();
    await watches.create({ ...request({}), condition: { kind: "leaves" } });
    const at = new Date(Date.UTC(2026, 5, 1, 0, 2, 20)).toISOString();
    const [first, second] = watches.list().map(({ id }) => id);
    expect((await why.explain({ camera: "door", at, watch: first })).suppressed).toBe(3);
    expect((await why.explain({ camera: "door", at, watch: second })).suppressed).toBe(0);
  });

  it("says how long before the last alert was, also when the cooldown was changed since", async () => {
    const row = { fault: "", watch: { cooldown_seconds: 300 }, actors: [person(), person({ from: 130, to: 150 })] };
    await using day = await live({ ...row, at: 140, no: {} });
    const [watch] = day.app().watches.list();
    await day.app().watches.update(watch?.id ?? "", { cooldown_seconds: 0 });
    const [why] = (await ask(day, { at: 140 })).watches;
    expect(why && describeWatchWhy(why, (at) => at)).toBe(
      '"somebody comes" did not tell: the last alert was 100 s before, and its cooldown was longer then.',
    );
  });

  it("takes the mode that was on then, not the one of now", async () => {
    await using day = await live({ fault: "", watch: { modes: ["away"] }, no: {} });
    await day.app().modes.change({ mode: "away" });
    const [why] = (await ask(day, {})).watches;
    expect(why?.gates.at(-1)).toMatchObject({ gate: "mode", passed: false, found: "home", needed: "away" });
    expect(why?.change).toEqual({ changes: { modes: ["away", "home"] } });
  });

  it("refuses a time that has not come", async () => {
    await using day = await live({ fault: "", no: {} });
    await expect(ask(day, { at: 4000 })).rejects.toThrow("That time has not come yet.");
  });

  it("answers after a kill", async () => {
    await using day = await live({
      fault: "it stays too short",
      watch: { condition: { kind: "stays", seconds: 60 } },
      no: {},
    });
    await day.kill();
    const { watches } = await ask(day, {});
    expect(watches[0]?.gates.at(-1)).toMatchObject({ gate: "rule", found: 20, needed: 60 });
  });
});

async function live({
  watch = {},
  actors = [person()],
  camera,
  openCheck,
  send,
  at = 40,
  down,
}: FaultRow): Promise<Day> {
  const [from, to] = down ?? [0, 100];
  const faults = camera ? [{ camera: "door", state: camera, from, to }] : [];
  const script = { cameras: ["door"], actors, faults, watches: [request(watch)], truth: [] };
  const day = await openDay(script, { ...(openCheck && { openCheck }), ...(send && { send }) });
  await day.goTo(at + 80);
  await day.app().events.settled();
  return { ...day, alerts: day.alerts.filter(({ watch_id }) => watch_id !== undefined) };
}

function ask(day: Day, { at = 40 }: Pick<FaultRow, "at">): Promise<Why> {
  return day.app().why.explain({ camera: "door", at: new Date(Date.UTC(2026, 5, 1) + at * 1000).toISOString() });
}

function request(more: Partial<WatchRequest>): WatchRequest {
  return {
    ...{ words: "somebody comes", cameras: ["door"], classes: ["person"], cooldown_seconds: 30, severity: "info" },
    condition: { kind: "appears" },
    ...more,
  };
}

/** Walks from the left to the middle. */
function person({ from = 30, to = 50, y = 0.5 } = {}): DayActor {
  const path = [
    [from, 0.2, y],
    [to, 0.6, y],
  ] as const;
  return { camera: "door", className: "person", size: [0.06, 0.25], path };
}
