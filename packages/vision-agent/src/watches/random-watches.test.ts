import { type Watch, type WatchRequest, watchConditionSchema, watchRequestSchema } from "@vision-agent/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DayActor, DayScript } from "../testing/simulated-day/day-script.ts";
import { DAY_START_MS, type Day, openDay } from "../testing/simulated-day/open-day.ts";
import { judgeTrace } from "./judge-trace.ts";
import { readScene } from "./stored-scene.ts";
import { WatchError } from "./watch-error.ts";
import { conditionInWords, describeWatch } from "./watch-words.ts";

const SECONDS = 90;
const RUNS = 60;
const SEED = 20_261_117;
const CAMERAS = ["yard", "door"] as const;
const CLASSES = ["person", "car", "dog"] as const;

const share = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);
const point = fc.tuple(share, share);
const zone = fc.array(point, { minLength: 3, maxLength: 6 });
const seconds = fc.integer({ min: 0, max: 20 });
const positive = fc.integer({ min: 1, max: 30 });
const things = fc.record(
  {
    classes: fc.subarray([...CLASSES]),
    // Below the usual one a watch has a pipeline of its own.
    min_confidence: share,
    min_size: share,
    colour: fc.constantFrom("red", "blue"),
  },
  { requiredKeys: ["classes"] },
);

const moment = fc.oneof(
  fc.record({ kind: fc.constantFrom("appears", "leaves"), what: things }, { requiredKeys: ["kind"] }),
  fc.record({
    kind: fc.constant("crosses"),
    line: fc.tuple(point, point),
    direction: fc.constantFrom("in", "out", "any"),
  }),
  fc.record({ kind: fc.constant("enters"), zone }),
  fc.record({ kind: fc.constant("stays"), seconds: positive, zone }, { requiredKeys: ["kind", "seconds"] }),
);
const state = fc.oneof(
  fc.record(
    { kind: fc.constant("count"), at_least: positive, for_seconds: seconds, zone },
    { requiredKeys: ["kind", "at_least"] },
  ),
  fc.record(
    { kind: fc.constant("count"), at_most: fc.nat(3), for_seconds: seconds, what: things },
    { requiredKeys: ["kind", "at_most"] },
  ),
  fc.record({ kind: fc.constant("absent"), for_seconds: positive, zone }, { requiredKeys: ["kind", "for_seconds"] }),
  fc.record({ kind: fc.constant("near"), other: things, distance: share, for_seconds: seconds }),
  fc.record(
    { kind: fc.constant("together"), other: things, for_seconds: seconds, zone },
    { requiredKeys: ["kind", "other"] },
  ),
  fc.record({
    kind: fc.constant("output"),
    pipeline: fc.constant("yard-watch"),
    path: fc.constantFrom("tracked_detections.count", "nothing", "tracked_detections.0.x"),
    comparator: fc.constantFrom("==", "!=", ">", ">=", "<", "<="),
    value: fc.oneof(fc.nat(4), fc.constantFrom("a", true)),
    for_seconds: seconds,
  }),
);
const not = fc.record({ kind: fc.constant("not"), of: state });
const part = fc.oneof(moment, state, not);
const join = (of: fc.Arbitrary<unknown>) =>
  fc.record({ kind: fc.constantFrom("all", "any"), of: fc.array(of, { minLength: 2, maxLength: 4 }) });
const sequence = fc.record({
  kind: fc.constant("sequence"),
  steps: fc.array(
    fc.record(
      { when: fc.oneof(moment, state), camera: fc.constantFrom(...CAMERAS), not: fc.boolean() },
      { requiredKeys: ["when"] },
    ),
    { minLength: 2, maxLength: 3 },
  ),
  within_seconds: positive,
});
const condition = fc.oneof(moment, state, not, join(fc.oneof(part, join(part))), sequence);

/** What the language allows; whether this app can keep it is another question. */
const request: fc.Arbitrary<WatchRequest> = fc
  .record(
    {
      words: fc.constantFrom("tell me", "Sag mir Bescheid", "¿quién?"),
      cameras: fc.subarray([...CAMERAS], { minLength: 1 }),
      classes: fc.subarray([...CLASSES]),
      condition: condition.filter((one) => watchConditionSchema.safeParse(one).success),
      cooldown_seconds: fc.constantFrom(0, 5, 60),
      again_seconds: positive,
      muted_until: fc.constant(new Date(DAY_START_MS + 40_000).toISOString()),
      active_hours: fc.constantFrom({ from: "22:00", to: "00:01" }, { from: "00:01", to: "06:00" }),
      days: fc.constantFrom(["mon"], ["tue", "wed"]),
    },
    { requiredKeys: ["words", "cameras", "classes", "condition"] },
  )
  .map((one) => watchRequestSchema.parse(one));

const actor: fc.Arbitrary<DayActor> = fc
  .record({
    camera: fc.constantFrom(...CAMERAS),
    className: fc.constantFrom(...CLASSES),
    colour: fc.constantFrom("red" as const, "blue" as const),
    size: fc.tuple(fc.constantFrom(0.02, 0.1, 0.4), fc.constantFrom(0.05, 0.3)),
    times: fc.tuple(fc.nat(SECONDS), fc.nat(SECONDS)),
    from: point,
    to: point,
    sway: fc.constantFrom(0, 0.01),
  })
  .map(({ times: [one, other], from, to, ...rest }) => ({
    ...rest,
    path: [
      [Math.min(one, other), ...from],
      [Math.max(one, other), ...to],
    ],
  }));

const fault: fc.Arbitrary<DayScript["faults"][number]> = fc
  .record({
    camera: fc.constantFrom(...CAMERAS),
    state: fc.constantFrom("down", "paused"),
    times: fc.tuple(fc.nat(SECONDS), fc.nat(SECONDS)),
  })
  .map(({ times: [one, other], ...rest }) => ({ ...rest, from: Math.min(one, other), to: Math.max(one, other) }));

/** So that each camera has a pipeline, which the others share. */
const FIRST: WatchRequest = {
  ...{ words: "first", cameras: [...CAMERAS], classes: [...CLASSES], condition: { kind: "leaves" } },
  ...{ cooldown_seconds: 0, severity: "info" },
};

const options = { seed: SEED, numRuns: RUNS } as const;

describe("any watch that the language allows, on any scene", () => {
  it("is the same after it was written down, and can be told in words", () => {
    fc.assert(
      fc.property(request, (asked) => {
        expect(watchRequestSchema.parse(JSON.parse(JSON.stringify(asked)))).toEqual(asked);
        expect(conditionInWords(asked)).not.toMatch(/undefined|NaN|\[object|^$/);
      }),
      { ...options, numRuns: 500 },
    );
  });

  it("S000-5 never fails; every alert has its decision, all that was seen was sent or held back, and the trace says the same", {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 4 }),
        fc.array(actor, { maxLength: 6 }),
        fc.array(fault, { maxLength: 2 }),
        async (asked, actors, faults) => {
          await using day = await openDay({
            cameras: CAMERAS,
            actors,
            faults,
            watches: [FIRST],
            truth: [],
            missedOneIn: 9,
          });
          for (const one of asked) await day.app().watches.create(one).catch(onlyRefused);
          await day.goTo(SECONDS);
          expect(day.problems).toEqual([]);
          for (const { id } of day.app().watches.list()) await checkWatch(day, id);
        },
      ),
      options,
    );
  });
});

/** What reads well and cannot be kept is refused with a reason. */
function onlyRefused(error: unknown): void {
  if (!(error instanceof WatchError)) throw error;
}

async function checkWatch(day: Day, id: string): Promise<void> {
  const { watches, alerts, events } = day.app();
  const watch = watches.get(id);
  const { seen, sent, suppressed } = watch.counts.total;
  expect(describeWatch(watch)).not.toMatch(/undefined|NaN|\[object/);
  expect(seen).toBe(sent + suppressed);
  expect(events.count({ kind: "condition_true", watch: id }).total).toBe(seen);
  const told = day.alerts.filter(({ watch_id }) => watch_id === id);
  expect(told).toHaveLength(sent);
  for (const { id: alertId, camera, timestamp } of told) {
    const decided = alerts.why(camera, timestamp).filter(({ alert_id }) => alert_id === alertId);
    expect(decided.map(({ watch_id }) => watch_id)).toEqual([id]);
  }
  expect(await firedOnTrace(day, watch)).toBe(seen);
}

async function firedOnTrace({ app }: Day, watch: Watch): Promise<number> {
  const toMs = DAY_START_MS + SECONDS * 1000;
  const scene = await readScene(app().trace, new Map(CAMERAS.map((camera) => [camera, DAY_START_MS])), { toMs });
  let fired = 0;
  for await (const { changes } of judgeTrace(watch, { scene, fromMs: DAY_START_MS, placeOf: () => undefined })) {
    fired += changes.filter(({ holds }) => holds).length;
  }
  return fired;
}
