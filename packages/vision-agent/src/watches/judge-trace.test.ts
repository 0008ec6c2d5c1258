import { createFakeClock } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { traceScene } from "../scene/trace-scene.ts";
import { openSceneTrace, type SceneTrace } from "../store/scene-trace.ts";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { createDayCameras } from "../testing/simulated-day/day-cameras.ts";
import type { DayActor, DayScript } from "../testing/simulated-day/day-script.ts";
import { judgeTrace, runUpMs, type TracedWatch } from "./judge-trace.ts";
import { readScene } from "./stored-scene.ts";

const START = Date.UTC(2026, 5, 1);
const ZONE: [number, number][] = [
  [0.4, 0],
  [1, 0],
  [1, 1],
  [0.4, 1],
];

describe("a watch judged on the trace", () => {
  it("fires when the live one would: appears, enters, stays, crosses, count, absent, sequence over two cameras", async () => {
    const trace = await traceOf([walk("door", 20), walk("yard", 45)], 120);
    const at = async (condition: TracedWatch["condition"], cameras = ["door"]) =>
      (await firings(trace, { cameras, classes: ["person"], condition })).map(({ second }) => second);
    expect(await at({ kind: "appears" })).toEqual([22]);
    expect(await at({ kind: "leaves" })).toEqual([43]);
    expect(await at({ kind: "enters", zone: ZONE })).toEqual([28]);
    expect(await at({ kind: "stays", seconds: 5, zone: ZONE })).toEqual([33]);
    expect(await at({ kind: "stays", seconds: 60, zone: ZONE })).toEqual([]);
    const line: [[number, number], [number, number]] = [
      [0.5, 0],
      [0.5, 1],
    ];
    expect(await at({ kind: "crosses", line, direction: "any" })).toHaveLength(1);
    expect(await at({ kind: "count", at_least: 1, for_seconds: 3 })).toEqual([25]);
    expect(await at({ kind: "absent", for_seconds: 30 })).toEqual([70]);
    const steps = [{ when: { kind: "appears" as const } }, { when: { kind: "appears" as const }, camera: "yard" }];
    expect(await at({ kind: "sequence", steps, within_seconds: 40 })).toEqual([47]);
    expect(await at({ kind: "sequence", steps, within_seconds: 10 })).toEqual([]);
  });

  it("knows who was there before the period", async () => {
    const trace = await traceOf([walk("door", 20)], 120);
    const watch: TracedWatch = { cameras: ["door"], classes: ["person"], condition: { kind: "appears" } };
    expect(await firings(trace, watch, 30)).toEqual([]);
    const stays: TracedWatch = { ...watch, condition: { kind: "stays", seconds: 10 } };
    expect((await firings(trace, stays, 30)).map(({ second }) => second)).toEqual([32]);
  });
});

async function firings(trace: SceneTrace, watch: TracedWatch, from = 0) {
  const fromMs = START + from * 1000;
  const cameras = new Map(["door", "yard"].map((camera) => [camera, fromMs - runUpMs(watch)]));
  const scene = await readScene(trace, cameras, { toMs: START + 200_000 });
  const found: { readonly second: number; readonly text: string }[] = [];
  for await (const { atMs, changes } of judgeTrace(watch, { scene, fromMs, placeOf: () => undefined })) {
    const told = changes.filter(({ holds }) => holds && atMs >= fromMs);
    found.push(...told.map(({ text }) => ({ second: (atMs - START) / 1000, text })));
  }
  return found;
}

async function traceOf(actors: readonly DayActor[], seconds: number): Promise<SceneTrace> {
  const clock = createFakeClock(START);
  const cameras = [...new Set(actors.map(({ camera }) => camera))];
  const script: DayScript = { cameras, actors, faults: [], watches: [], truth: [] };
  const { pipelines, tick } = createDayCameras(script, START);
  const trace = await openSceneTrace({
    ...{ files: createMemoryFiles(), folder: "/w/trace", keepHours: 24, maxBytes: 1e8, clock },
    onProblem: (message) => expect.unreachable(message),
  });
  traceScene({ pipelines, trace, clock });
  for (const videoReference of cameras) await pipelines.start({ videoReference, spec: pipelines.definition("").spec });
  for (let second = 0; second < seconds; second += 1) {
    tick(second);
    await clock.advance(1000);
  }
  return trace;
}

/** Twenty seconds from left to right. */
function walk(camera: string, start: number): DayActor {
  const path = [
    [start, 0.1, 0.5],
    [start + 20, 0.9, 0.5],
  ] as const;
  return { camera, className: "person", size: [0.06, 0.25], path };
}
