import { createEngine } from "@vision-agent/vision-engine";
import { afterAll, describe, expect, it } from "vitest";
import type { SeenResult } from "../scene/follow-camera.ts";
import { type ClipRun, seenOnClip } from "./clip-frames.ts";

const engine = createEngine({ inferenceThreads: 1 });
afterAll(() => engine.close());

const START_MS = Date.parse("2026-05-20T08:00:00.000Z");
/** A scene stands for a recording: the same each time, and it needs no decoder. */
const RUN: Omit<ClipRun, "signal"> = {
  path: "sim://street?width=320&height=180&seed=3",
  camera: "gate",
  startMs: START_MS,
  modelId: "sim/truth",
};

describe("a clip", { timeout: 60_000 }, () => {
  it("is seen at the time it was taken, with what is followed and without pictures, the same each time", async () => {
    const [first, second] = [await take(20), await take(20)];
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
    expect(first[0]?.result.frame).toMatchObject({ source_id: "gate", timestamp: "2026-05-20T08:00:00.000Z" });
    expect(Object.keys(first.at(-1)?.result.outputs ?? {})).toEqual(["tracked_detections"]);
    const lastMs = Date.parse(first.at(-1)?.result.frame.timestamp ?? "");
    expect(lastMs - START_MS).toBeGreaterThanOrEqual(1500);
  });

  it("that cannot be read says why", async () => {
    const signal = new AbortController().signal;
    const reading = seenOnClip(engine, { ...RUN, path: "/nowhere/clip.mp4", signal }).next();
    await expect(reading).rejects.toThrow(/clip\.mp4|no such file/i);
  });
});

/** Leaving early ends the run. */
async function take(count: number): Promise<readonly SeenResult[]> {
  const taken: SeenResult[] = [];
  for await (const frames of seenOnClip(engine, { ...RUN, signal: new AbortController().signal })) {
    taken.push(...frames);
    if (taken.length >= count) break;
  }
  return taken.slice(0, count);
}
