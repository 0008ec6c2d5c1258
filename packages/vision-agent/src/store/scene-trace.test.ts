import { createFakeClock } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { openSceneTrace, type SceneTrace } from "./scene-trace.ts";
import type { TracedFrame, TracedState } from "./trace-line.ts";

const START = Date.UTC(2026, 0, 1, 12);
const ALL = { camera: "door", fromMs: START - 3_600_000, toMs: START + 36_000_000 };

describe("the trace of what cameras showed", () => {
  it("gives back tracks, low scores, motion and values as they came", async () => {
    const { open } = setup();
    const trace = await open();
    const frames = [
      frame(0, { things: [{ ...thing(7, "person", 0.87), colour: "green" }], moving: true }),
      frame(200, { things: [thing(7, "person", 0.88), thing(8, "dog", 0.5)], weak: [box("cat", 0.31)] }),
      frame(1100, { values: { count_in: 3, open: true } }),
    ];
    for (const one of frames) trace.note(one);
    expect(await read(trace)).toEqual(frames);
  });

  it("keeps what was written by a program that was killed, without its torn last line", async () => {
    const { files, open } = setup();
    const trace = await open();
    trace.note(frame(0, { things: [thing(1, "person", 0.9)] }));
    await trace.settled();
    const [path = ""] = [...files.contents.keys()];
    files.contents.set(path, `${files.contents.get(path)}{"c":"door","t":17672`);
    const next = await open();
    next.note(frame(5000, { things: [thing(2, "person", 0.9)] }));
    expect((await read(next)).map(({ things }) => things?.[0]?.trackerId)).toEqual([1, 2]);
  });

  it("writes an hour in front of which nothing happens in a few lines, and what stands still once a second", async () => {
    const { files, open, clock } = setup();
    const trace = await open();
    for (let second = 0; second < 3600; second += 1) {
      trace.note(frame(second * 1000));
      trace.note(frame(second * 1000 + 500));
      await clock.advance(1000);
    }
    await trace.settled();
    const empty = [...files.contents.values()].join("").length;
    expect(empty).toBeLessThan(6000);
    expect((await read(trace)).length).toBe(3600);
    const parked = { things: [thing(1, "car", 0.9)] };
    for (let tenth = 0; tenth < 36_000; tenth += 1) trace.note(frame(3_600_000 + tenth * 100, parked));
    await trace.settled();
    expect([...files.contents.values()].join("").length - empty).toBeLessThan(3600 * 160);
  });

  it("gives frames of several pipelines in the order of time, also where one of them sees nothing for minutes", async () => {
    const { open, clock } = setup();
    const trace = await open();
    const busy = { pipelineId: "pl_2", things: [thing(1, "car", 0.9)] };
    for (let second = 0; second < 7400; second += 1) {
      trace.note(frame(second * 1000));
      trace.note(frame(second * 1000 + 300, busy));
      await clock.advance(1000);
    }
    const times = (await read(trace)).map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times).toHaveLength(2 * 7400);
  });

  it("removes the oldest hours beyond the limits of time and size", async () => {
    const { files, open, clock } = setup({ keepHours: 3 });
    const trace = await open();
    for (let hour = 0; hour < 6; hour += 1) {
      trace.note(frame(hour * 3_600_000, { things: [thing(hour, "person", 0.9)] }));
      await clock.advance(3_600_000);
    }
    await trace.settled();
    expect((await trace.hours()).map(({ hour }) => hour)).toEqual(["2026-01-01T15", "2026-01-01T16", "2026-01-01T17"]);
    const small = await openSceneTrace({ ...common({ files, clock }), keepHours: 24, maxBytes: 200 });
    expect((await small.hours()).length).toBeLessThan(3);
    expect(await (await openSceneTrace({ ...common({ files, clock }), keepHours: 24, maxBytes: 1 })).hours()).toEqual(
      [],
    );
  });

  it("keeps nothing where keep_hours is 0", async () => {
    const { files, open } = setup({ keepHours: 0 });
    const trace = await open();
    trace.note(frame(0, { things: [thing(1, "person", 0.9)] }));
    trace.noteState(state(0));
    await trace.close();
    expect(files.contents.size).toBe(0);
  });

  it("forgets a camera's time, and only that", async () => {
    const { files, open } = setup();
    const trace = await open();
    for (let second = 0; second < 10; second += 1) {
      trace.note(frame(second * 1000, { things: [thing(second, "person", 0.9)] }));
      trace.note({ ...frame(second * 1000, { things: [thing(second, "burglar", 0.9)] }), camera: "yard" });
    }
    const target = {
      camera: "Door",
      fromMs: START + 2000,
      toMs: START + 5000,
      events: new Set(""),
      pictures: new Set(""),
    };
    expect(await trace.forget(target, { preview: true })).toMatchObject({ count: 3 });
    expect((await read(trace)).length).toBe(10);
    expect(await trace.forget(target, { preview: false })).toMatchObject({ count: 3 });
    expect((await read(trace)).map(({ things }) => things?.[0]?.trackerId)).toEqual([0, 1, 5, 6, 7, 8, 9]);
    expect([...files.contents.values()].join("").match(/burglar/g)).toHaveLength(10);
    const event = { ...target, fromMs: START + 7400, toMs: START + 7400 };
    expect(await trace.forget(event, { preview: false })).toMatchObject({ count: 1 });
  });

  it("knows how each pipeline was when a period began, also hours later", async () => {
    const { open, clock } = setup();
    const trace = await open();
    trace.noteState(state(0));
    trace.noteState({ ...state(1000), status: "reconnecting" });
    await clock.advance(4 * 3_600_000);
    trace.note({ ...frame(4 * 3_600_000 + 100), camera: "yard" });
    const later = START + 4 * 3_600_000 + 2000;
    expect(await trace.states({ camera: "door", fromMs: later, toMs: later + 1000 })).toEqual([
      { ...state(1000), status: "reconnecting" },
    ]);
    expect(await trace.states({ camera: "door", fromMs: START + 500, toMs: START + 2000 })).toEqual([
      state(0),
      { ...state(1000), status: "reconnecting" },
    ]);
  });

  it("says that the disk refuses, keeps what waits, and writes it later", async () => {
    const { files, open, problems } = setup();
    const trace = await open();
    files.fault = { code: "ENOSPC" };
    trace.note(frame(0, { things: [thing(1, "person", 0.9)] }));
    await trace.settled();
    expect(problems.join()).toContain("no space");
    files.fault = undefined;
    expect(await read(trace)).toHaveLength(1);
  });
});

function setup({ keepHours = 24 } = {}) {
  const files = createMemoryFiles();
  const clock = createFakeClock(START);
  const problems: string[] = [];
  const options = common({ files, clock, onProblem: (message) => problems.push(message) });
  return { files, clock, problems, open: () => openSceneTrace({ ...options, keepHours, maxBytes: 1e9 }) };
}

function common<F, C>(parts: { files: F; clock: C; onProblem?: (message: string) => void }) {
  return { folder: "/w/trace", onProblem: () => undefined, ...parts };
}

async function read(trace: SceneTrace): Promise<readonly TracedFrame[]> {
  const found: TracedFrame[] = [];
  for await (const frames of trace.frames(ALL)) found.push(...frames);
  return found;
}

function frame(offsetMs: number, more: Partial<TracedFrame> = {}): TracedFrame {
  const size = { width: 1000, height: 500 };
  return {
    camera: "door",
    atMs: START + offsetMs,
    pipelineId: "pl_1",
    ...size,
    things: [],
    weak: [],
    values: {},
    ...more,
  };
}

function box(className: string, confidence: number) {
  return { className, confidence, box: [0.1, 0.2, 0.3, 0.4] as const };
}

function thing(trackerId: number, className: string, confidence: number) {
  return { trackerId, ...box(className, confidence) };
}

function state(offsetMs: number): TracedState {
  const pipeline = {
    pipelineId: "pl_1",
    pipelineName: "watch",
    status: "running" as const,
    threshold: 0.4,
    narrowness: 1.4,
  };
  return { camera: "door", atMs: START + offsetMs, ...pipeline, health: undefined };
}
