import { createFakeClock, type FakeClock } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import {
  type FakeEvalApp,
  fakeAlert,
  fakeEvalApp,
  fakeJob,
  fakePipeline,
  fakeWatch,
  type ScriptedTurn,
} from "../testing/fake-eval-app.ts";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { parseInstructionFile } from "./load-eval-set.ts";
import { type EvalResult, type RunEvalsOptions, runEvals } from "./run-evals.ts";

const NIGHT = { from: "22:00", to: "06:00" };

/** For each kind of judge: what is expected, an agent that does it, and one that does not. */
const PLANTED: readonly {
  readonly judge: string;
  readonly expect: string;
  readonly right: ScriptedTurn;
  readonly wrong: ScriptedTurn;
  readonly words: string;
}[] = [
  {
    judge: "pipelines that are missing",
    expect: "pipelines: [{ camera: street, new: true }]",
    right: { pipelines: [fakePipeline()] },
    wrong: { answer: "I have started it." },
    words: "no pipeline is",
  },
  {
    judge: "pipelines that go on",
    expect: "pipelines: []",
    right: {},
    wrong: { pipelines: [fakePipeline()] },
    words: "not wanted",
  },
  {
    judge: "watches",
    expect: 'watches: [{ cameras: [gate], hours: { from: "22:00", to: "06:00" } }]',
    right: { watches: [fakeWatch({ active_hours: NIGHT })] },
    wrong: { watches: [fakeWatch()], answer: "From 22:00 to 06:00, as you wish." },
    words: "no watch is",
  },
  {
    judge: "alerts",
    expect: "alerts: { camera: gate, any: [person] }",
    right: { alerts: [fakeAlert()] },
    wrong: { alerts: [fakeAlert({ camera: "dock" })] },
    words: "0 alerts fit",
  },
  {
    judge: "lines that should not be there",
    expect: "watches: [{ line: none, zone: none }]",
    right: { watches: [fakeWatch()] },
    wrong: {
      watches: [
        fakeWatch({
          condition: {
            kind: "crosses",
            direction: "any",
            line: [
              [0, 0],
              [1, 1],
            ],
          },
        }),
      ],
    },
    words: "no watch is",
  },
  {
    judge: "cameras",
    expect: "cameras: [{ name: gate, source: rtsp }]",
    right: { cameras: [{ name: "Gate", source: "rtsp://10.0.0.5/live", location: "", notes: "" }] },
    wrong: { answer: "Gate is set up: rtsp.", cameras: [] },
    words: "no camera is",
  },
  {
    judge: "scheduled tasks",
    expect: "tasks: [{ any: [dock], schedule: [weekday, monday] }]",
    right: { jobs: [fakeJob({ instructions: "Look at the dock.", schedule: "every weekday at 18:00" })] },
    wrong: { jobs: [fakeJob({ instructions: "Look at the dock.", schedule: "every hour" })] },
    words: "no task is",
  },
  {
    judge: "days, modes, ends and quiet of a watch",
    expect: "watches: [{ days: [sat, sun], modes: [away], muted_minutes: { from: 1 }, ends_minutes: none }]",
    right: { watches: [fakeWatch({ days: ["sun", "sat"], modes: ["away"], muted_until: "2999-01-01T00:00:00.000Z" })] },
    wrong: { watches: [fakeWatch({ days: ["sun", "sat"], modes: ["away"] })] },
    words: "no watch is",
  },
  {
    judge: "two things together in a named place",
    expect: "watches: [{ condition: together, classes: [person], other: [dog], place: Terrace }]",
    right: { watches: [together("terrace")] },
    wrong: { watches: [together("lawn")] },
    words: "no watch is",
  },
  {
    judge: "one thing while another is not there",
    expect: "watches: [{ condition: all, classes: [truck], without: [person] }]",
    right: { watches: [truckWithout("person")] },
    wrong: { watches: [truckWithout("dog")], answer: "I watch for a truck while nobody is there." },
    words: "no watch is",
  },
  {
    judge: "counts against what the scene knows",
    expect: "count: { camera: gate, class: car, x: 0.5 }",
    right: { answer: "Three cars.", calls: [{ tool: "get_pipeline_results", result: "count_in: 3" }] },
    wrong: { answer: "Four cars.", calls: [{ tool: "get_pipeline_results", result: "count_in: 3" }] },
    words: "the answer does not say how many car crossed: at least 3 and at most 3",
  },
  {
    judge: "counts that no tool gave",
    expect: "count: { camera: gate, class: car, x: 0.5 }",
    right: { answer: "3", calls: [{ tool: "search_events", result: "3 events" }] },
    wrong: { answer: "3", calls: [{ tool: "search_events", result: "5 events" }] },
    words: "no result of a tool says how many",
  },
  {
    judge: "words about a watch that was not changed",
    expect: "watches: [{ muted_minutes: { from: 50 } }]",
    right: { watches: [fakeWatch({ muted_until: "2999-01-01T00:00:00.000Z" })] },
    wrong: { watches: [fakeWatch()], answer: "It is muted for an hour." },
    words: "no watch is",
  },
  {
    judge: "the mode",
    expect: "mode: away",
    right: { mode: "away" },
    wrong: { mode: "night", answer: "The mode is away." },
    words: "the mode is night, not away",
  },
  {
    judge: "amounts of money",
    expect: "answer: { money: { to: 1 } }",
    right: { answer: "40 cents today." },
    wrong: { answer: "Less than 1 today." },
    words: "no amount of money",
  },
  {
    judge: "words of the answer",
    expect: "answer: { all: [truck] }",
    right: { answer: "A truck at 14:10." },
    wrong: { answer: "A car at 14:10." },
    words: "does not say truck",
  },
  {
    judge: "numbers in the answer",
    expect: "answer: { number: 5 }",
    right: { answer: "Five." },
    wrong: { answer: "Six." },
    words: "no number in the answer is 5",
  },
  {
    judge: "questions",
    expect: "answer: { asks: true }",
    right: { answer: "Which camera?", status: "paused" },
    wrong: { answer: "I watch them all." },
    words: "nothing is asked back",
  },
  {
    judge: "refusals",
    expect: "answer: { refuses: true }",
    right: { answer: "I cannot do that." },
    wrong: { answer: "Done!" },
    words: "does not say that it cannot",
  },
  {
    judge: "effects",
    expect: "ledger: { effects: none }",
    right: { calls: [{ tool: "start_pipeline", outcome: "error" }] },
    wrong: { calls: [{ tool: "start_pipeline" }] },
    words: "something was done",
  },
  {
    judge: "claims without an effect",
    expect: "ledger: { effects: [stop_pipeline] }",
    right: { calls: [{ tool: "stop_pipeline" }] },
    wrong: { answer: "Stopped." },
    words: "stop_pipeline was not done",
  },
  {
    judge: "memory",
    expect: "memory: [cleaners, [Friday, Fri]]",
    right: { notes: ["- The cleaners come on Fridays."] },
    wrong: { notes: ["- The cleaners come on Thursdays."], answer: "I will remember Friday." },
    words: "no new note has cleaners and Friday or Fri",
  },
  {
    judge: "choices",
    expect: "any_of: [{ answer: { asks: true } }, { watches: [{}] }]",
    right: { watches: [fakeWatch()] },
    wrong: { answer: "Hm." },
    words: "choice 2: no watch is",
  },
  {
    judge: "how the turn ended",
    expect: "answer: { any: [gate] }",
    right: { answer: "gate" },
    wrong: { answer: "gate", status: "failed" },
    words: "the turn failed",
  },
];

describe("runEvals", () => {
  it.each(PLANTED)(
    "S000-10.2.6 judges $judge: the right outcome passes, the planted wrong one does not",
    async ({ expect: expected, right, wrong, words }) => {
      const [good] = await run(expected, [right]);
      expect(good).toMatchObject({ first_try: true, after_correction: true, complaints: { first: [], after: [] } });
      const [bad] = await run(expected, [wrong, {}]);
      expect(bad).toMatchObject({ first_try: false, after_correction: false });
      expect(bad?.complaints.first.join("\n")).toContain(words);
      const [mended] = await run(expected, [
        wrong,
        { pipelines: [], watches: [], alerts: [], notes: [], cameras: [], jobs: [], mode: "home", ...right },
      ]);
      // What was done once stays done, whatever is said later.
      const canBeMended = words !== "something was done";
      expect(mended).toMatchObject({ first_try: false, after_correction: canBeMended });
    },
  );

  it("says the correction only when the outcome was wrong, and pictures only at first", async () => {
    const apps: FakeEvalApp[] = [];
    const options = { images: true, apps };
    await run("answer: { all: [yes] }", [{ answer: "yes" }], options);
    await run("answer: { all: [yes] }", [{ answer: "no" }, { answer: "yes" }], options);
    expect(apps.map(({ said }) => said)).toEqual([
      [{ text: "first", pictures: 1, agrees: true }],
      [
        { text: "first", pictures: 1, agrees: true },
        { text: "correction", pictures: 0, agrees: true },
      ],
    ]);
    expect(apps.map(({ stops }) => stops())).toEqual([1, 1]);
  });

  it("adds up cost, and keeps the calls of each turn apart", async () => {
    const script = [
      { answer: "a", calls: [{ tool: "recall" }], costMicroUsd: 100 },
      { answer: "b", calls: [{ tool: "think" }], costMicroUsd: 50 },
    ];
    const [result] = await run("answer: { all: [yes] }", script);
    expect(result?.cost_usd).toBe(0.00015);
    expect(result?.turns.map(({ said, answer, calls }) => [said, answer, calls.map(({ tool }) => tool)])).toEqual([
      ["first", "a", ["recall"]],
      ["correction", "b", ["think"]],
    ]);
  });

  it("judges every turn for which something is expected", async () => {
    const each = { say: "[first, second]", rest: "expect_each: [{ ledger: { effects: none } }]" };
    const [good] = await run("answer: { all: [yes] }", [{ answer: "Shall I?" }, { answer: "yes" }], each);
    expect(good).toMatchObject({ first_try: true, wrong_effect: false });
    const hasty = { answer: "Done.", calls: [{ tool: "remove_watch" }] };
    const [bad] = await run("answer: { all: [yes] }", [hasty, { answer: "yes" }], each);
    expect(bad).toMatchObject({ first_try: false, wrong_effect: true });
    expect(bad?.complaints.first[0]).toMatch(/^turn 1: something was done: remove_watch/);
  });

  it("takes a turn that failed for wrong, also where nothing is expected of it", async () => {
    const two = { say: "[first, second]" };
    const [bad] = await run("answer: { all: [yes] }", [{ status: "failed" }, { answer: "yes" }], two);
    expect(bad).toMatchObject({
      first_try: false,
      complaints: { first: [expect.stringMatching(/^turn 1: the turn failed/)] },
    });
  });

  it("lets the person say no where the file says so", async () => {
    const apps: FakeEvalApp[] = [];
    await run("answer: { all: [yes] }", [{ answer: "yes" }], { rest: "agrees: false", apps });
    expect(apps[0]?.said).toEqual([{ text: "first", pictures: 0, agrees: false }]);
  });

  it("judges a correction without the harmless calls before it, but with what was done", async () => {
    const wanted = "ledger: { not_called: [recall], effects: [remember] }";
    const looked = { calls: [{ tool: "recall" }, { tool: "remember" }] };
    const [mended] = await run(wanted, [looked, { calls: [{ tool: "think" }] }]);
    expect(mended).toMatchObject({ first_try: false, after_correction: true });
    const [again] = await run(wanted, [looked, { calls: [{ tool: "recall" }] }]);
    expect(again).toMatchObject({ after_correction: false });
  });

  it("waits for an alert that is still to come", async () => {
    const clock = createFakeClock();
    const app = fakeEvalApp([{}]);
    let looks = 0;
    const alerts = async () => {
      looks += 1;
      return looks < 4 ? [] : [fakeAlert()];
    };
    const done = run("alerts: { wait_seconds: 1 }", [], { clock, open: async () => ({ ...app, alerts }) });
    expect((await letTimePass(clock, done))[0]?.first_try).toBe(true);
  });

  it("reports an app that does not open, and goes on with the next", async () => {
    let opened = 0;
    const open = async () => {
      opened += 1;
      if (opened === 1) throw new Error("no space");
      return fakeEvalApp([{ answer: "yes" }]);
    };
    const heard: string[] = [];
    const results = await run("answer: { all: [yes] }", [], {
      open,
      copies: 3,
      onResult: ({ name }) => heard.push(name),
    });
    expect(results.map(({ failure }) => failure)).toEqual(["no space", null, null]);
    expect(results.map(({ first_try }) => first_try)).toEqual([false, true, true]);
    expect(heard).toHaveLength(3);
  });

  it("reports an app that does not restore what was running", async () => {
    const clock = createFakeClock();
    const house = "pipelines: [{ name: a, camera: gate, follows: [] }]";
    const done = run("pipelines: []", [{}], { clock, house });
    expect((await letTimePass(clock, done))[0]?.failure).toContain("did not bring back pipeline_before_1");
  });
});

async function letTimePass<T>(clock: FakeClock, done: Promise<T>): Promise<T> {
  let isOver = false;
  const marked = done.finally(() => {
    isOver = true;
  });
  while (!isOver) await clock.advance(100);
  return marked;
}

interface RunOptions {
  readonly images?: boolean;
  readonly apps?: FakeEvalApp[];
  readonly open?: RunEvalsOptions["openApp"];
  readonly clock?: RunEvalsOptions["clock"];
  readonly house?: string;
  /** Turns, and further keys of the file. */
  readonly say?: string;
  readonly rest?: string;
  readonly copies?: number;
  readonly onResult?: (result: EvalResult) => void;
}

function run(
  expected: string,
  script: readonly ScriptedTurn[],
  options: RunOptions = {},
): Promise<readonly EvalResult[]> {
  const { images = false, apps = [], open, clock = createFakeClock(), house = "", copies = 1, onResult } = options;
  const { say = "first", rest = "" } = options;
  const text = `say: ${say}\n${rest}\ncorrect: correction\n${images ? "images: [a.jpg]\n" : ""}house:\n  cameras: { gate: sim://street }\n  ${house}\nexpect:\n  ${expected}\n`;
  const instruction = parseInstructionFile("/set/family/name.yaml", text);
  return runEvals({
    set: Array.from({ length: copies }, () => instruction),
    openApp:
      open ??
      (async () => {
        const opened = fakeEvalApp(script);
        apps.push(opened);
        return opened;
      }),
    config: { demo: false },
    files: createMemoryFiles(),
    scratch: "/scratch",
    readPicture: async () => new Uint8Array(1),
    readTruth: async (_, seconds) => threeCars.filter(({ second }) => second < seconds),
    clock,
    timeZone: "UTC",
    ...(onResult && { onResult }),
  });
}

/** Cars drive over the middle at 2, 3 and 4 s; one stops before it. */
const threeCars = Array.from({ length: 200 }, (_, number) => {
  const second = number / 10;
  const place = (id: string, x: number) => ({ id, className: "car", box: [x - 0.1, 0, x + 0.1, 1] as const });
  const cars = [2, 3, 4].map((at) => place(`car ${at}`, second < at ? 0.3 : 0.7));
  return { second, actors: [...cars, place("last", 0.4)] };
});

function truckWithout(className: string) {
  const count = (name: string) => ({ kind: "count" as const, what: { classes: [name] }, at_least: 1, for_seconds: 0 });
  return fakeWatch({
    classes: [],
    condition: { kind: "all", of: [count("truck"), { kind: "not", of: count(className) }] },
  });
}

function together(zone: string) {
  return fakeWatch({
    classes: ["person"],
    condition: { kind: "together", other: { classes: ["dog"] }, zone, for_seconds: 0 },
  });
}
