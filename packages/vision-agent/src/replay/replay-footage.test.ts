import type { FrameResult, WatchReplayRequest, WatchReport } from "@vision-agent/protocol";
import type { VideoPiece, VisionEngine } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { createRecordings } from "../store/recordings.ts";
import { fakeModes } from "../testing/fake-places.ts";
import { createMemoryFiles } from "../testing/memory-files.ts";
import type { CameraNames } from "../workspace/camera-names.ts";
import { seenOnFootage } from "./clip-frames.ts";
import { createReplay } from "./create-replay.ts";
import { describeReplay } from "./describe-replay.ts";

const START_MS = Date.parse("2026-05-20T08:00:00.000Z");
const NOW_MS = START_MS + 3_600_000;

describe("a watch on what was recorded", () => {
  it("is judged with its own detector on the pieces of the period, somebody followed from one into the next, the same each time", async () => {
    const { replay, runs } = setup({ gate: [0, 10, 20, 30] });
    // Somebody is there from second 5 to second 25.
    const request = { ...period(0, 40), changes: { condition: { kind: "stays" as const, seconds: 15 } } };
    const found = await replay(request);
    expect(found.alerts.map(({ change, alert }) => [change, secondsInto(alert.at)])).toEqual([["moved", 20]]);
    expect(found).toMatchObject({ judged_on: "footage", asked_seconds: 40, gaps: [], seen: 1, sent: 1 });
    expect(found.footage?.seconds).toBe(40);
    expect(JSON.stringify(await replay(request))).toBe(JSON.stringify(found));
    await replay({ ...period(0, 40), changes: { model_id: "acme/people/3" } });
    expect(new Set(runs.map(({ model }) => model))).toEqual(new Set(["detector", "acme/people/3"]));
  });

  it("leaves out pictures of before and after the period", async () => {
    const { replay } = setup({ gate: [0, 10, 20, 30] });
    const found = await replay(period(12, 18));
    expect(found.footage).toMatchObject({ from: time(12), to: time(17.8), seconds: 6 });
    expect(found).toMatchObject({ asked_seconds: 6, gaps: [] });
    expect((await replay(period(27, 40))).seen).toBe(0);
  });

  it("says what is missing: a gap, the half that was not recorded, and after a gap finds out anew who is there", async () => {
    const { replay } = setup({ gate: [0, 10, 40] });
    const found = await replay(period(0, 100));
    const shown = found.gaps?.map(({ camera, from, to }) => [camera, secondsInto(from), secondsInto(to)]);
    expect(shown).toEqual([
      ["gate", 19, 40],
      ["gate", 49, 100],
    ]);
    expect(found.footage?.seconds).toBe(30);
    const text = describeReplay(found, { toTime: (at) => at.slice(11, 19), most: 0 });
    expect(text).toContain(
      "Judged on what was recorded: 30 of 100 s.\nNot recorded: gate 08:00:19 to 08:00:40, gate 08:00:49 to 08:01:40.",
    );
    const absent = { condition: { kind: "absent" as const, for_seconds: 9 } };
    const missed = await replay({ ...period(0, 100), changes: absent });
    // Nobody is seen from second 40 on: what was not recorded does not count.
    expect(missed.alerts.filter(({ change }) => change !== "lost").map(({ alert }) => secondsInto(alert.at))).toEqual([
      49,
    ]);
  });

  it("finds what was recorded under an earlier name of the camera", async () => {
    const renamedMs = START_MS + 20_000;
    const names: CameraNames = {
      nameOf: (name) => name,
      spansOf: (name) => [
        { name: "door", fromMs: Number.NEGATIVE_INFINITY, toMs: renamedMs },
        { name, fromMs: renamedMs, toMs: Number.POSITIVE_INFINITY },
      ],
    };
    const { replay } = setup({ door: [0, 10], gate: [20, 30] }, names);
    expect(await replay(period(0, 40))).toMatchObject({ asked_seconds: 40, gaps: [], seen: 1 });
  });

  it("is refused where nothing was recorded, with what to do, and one camera of two is one gap", async () => {
    const { replay } = setup({ yard: [0] });
    await expect(replay({ ...period(0, 10), camera: "gate" })).rejects.toMatchObject({
      kind: "not_found",
      message:
        'Nothing was recorded of gate in that time. Leave footage out to judge what was noted then; "vision-agent camera record gate on" records from now on.',
    });
    const both = await setup({ yard: [0] }, undefined, ["gate", "yard"]).replay(period(0, 10));
    expect(both).toMatchObject({ asked_seconds: 20, gaps: [{ camera: "gate", from: time(0), to: time(10) }] });
  });
});

function time(seconds: number): string {
  return new Date(START_MS + seconds * 1000).toISOString();
}

function secondsInto(at = ""): number {
  return Math.floor((Date.parse(at) - START_MS) / 1000);
}

function period(from: number, to: number): WatchReplayRequest {
  return { watch: "watch_1", from: time(from), to: time(to), footage: true };
}

/** Pieces of ten seconds by folder, from these seconds on. */
function setup(pieces: Readonly<Record<string, readonly number[]>>, names?: CameraNames, cameras = ["gate"]) {
  const runs: { readonly model: string; readonly pieces: readonly VideoPiece[] }[] = [];
  const paths = Object.entries(pieces).flatMap(([camera, starts]) =>
    starts.map((start) => `/w/recordings/${camera}/${START_MS / 1000 + start}.mkv`),
  );
  const recordings = createRecordings({
    files: createMemoryFiles(Object.fromEntries(paths.map((path) => [path, "video"]))),
    ...{ folder: "/w/recordings", keepHours: 24, maxBytes: 1e9, clock: { now: () => NOW_MS } },
    ...(names && { names }),
    onProblem: (message) => expect.unreachable(message),
  });
  const engine: Pick<VisionEngine, "replay"> = {
    async replay({ sourceId, workflow, pieces: read = [], onResult }) {
      runs.push({ model: JSON.stringify(workflow).match(/"model_id":"([^"]+)"/)?.[1] ?? "", pieces: read });
      for (const { startMs } of read)
        for (let at = 0; at < 50; at += 1) onResult(frameAt(sourceId, startMs + at * 200));
      return {} as never;
    },
  };
  const watch = {
    ...{ id: "watch_1", words: "a person", cameras, classes: ["person"], condition: { kind: "appears" } },
    ...{ cooldown_seconds: 0, severity: "info" },
  } as unknown as WatchReport;
  const replay = createReplay({
    timeZone: "UTC",
    watches: { list: () => [watch], check: (request) => request },
    placeOf: () => undefined,
    modes: fakeModes(),
    seenIn: () => expect.unreachable("footage was asked for"),
    seenOn: () => expect.unreachable("there is no clip"),
    piecesIn: (asked) => recordings.piecesIn(asked),
    seenOnFootage: (run) => seenOnFootage(engine, run),
    clipModel: "detector",
    events: { list: () => [] },
    clock: { now: () => NOW_MS },
  });
  return { runs, replay: (request: WatchReplayRequest) => replay(request, new AbortController().signal) };
}

function frameAt(camera: string, ms: number): FrameResult {
  const second = (ms - START_MS) / 1000;
  const isThere = second >= 5 && second < 25;
  const detections = {
    image: { width: 100, height: 100 },
    xyxy: isThere ? [10, 10, 20, 40] : [],
    confidence: isThere ? [0.9] : [],
    class_id: isThere ? [0] : [],
    class_name: isThere ? ["person"] : [],
    tracker_id: isThere ? [1] : [],
  };
  return {
    frame: {
      source_id: camera,
      frame_number: 1,
      timestamp: new Date(ms).toISOString(),
      width: 100,
      height: 100,
      fps: 5,
    },
    outputs: { tracked_detections: { kind: "detections", detections } },
    latency_ms: 7,
  };
}
