import { describe, expect, it } from "vitest";
import { EngineError } from "../errors.ts";
import { classNamesOf, DetectionTable } from "../frames/detections.ts";
import type { Frame } from "../frames/frame.ts";
import type { DetectOptions } from "./model.ts";
import { createModelRegistry } from "./model-registry.ts";

const ALL: DetectOptions = { confidence: 0 };

describe("sim/truth", () => {
  it("says that it is simulated", async () => {
    const model = await createModelRegistry().open("sim/truth", "object-detection");
    expect(model.description).toBe("Simulated: reads the scene's own ground truth, does not look at pixels.");
    expect([0, 2, 16, 80, 81].map((id) => model.classNames[id])).toEqual([
      "person",
      "car",
      "dog",
      "forklift",
      "package",
    ]);
    await model.close();
    await model.close();
  });

  it("gives the truth itself with believable confidences", async () => {
    const found = await detect("sim/truth", frameOf(1));
    expect([...found.xyxy]).toEqual([100, 100, 140, 220, 300, 200, 500, 300, 10, 10, 20, 30]);
    expect(classNamesOf(found)).toEqual(["person", "car", "person"]);
    expect([...found.classId!]).toEqual([0, 2, 0]);
    expect(found.confidence!.every((value) => value >= 0.75 && value <= 0.98)).toBe(true);
    expect(found.confidence![0]).toBeGreaterThan(found.confidence![2] as number);
  });

  it("leaves out what it is not sure enough of", async () => {
    const model = await createModelRegistry().open("sim/truth", "object-detection");
    expect((await model.detect(frameOf(1), { confidence: 0.5 })).length).toBe(3);
    expect((await model.detect(frameOf(1), { confidence: 0.99 })).length).toBe(0);
  });

  it("finds the same again for the same seed and frame", async () => {
    const id = "sim/truth?miss=0.3&jitter=3&false=0.5&seed=3";
    expect(await detect(id, frameOf(7))).toEqual(await detect(id, frameOf(7)));
    const others = await Promise.all([detect(id, frameOf(8)), detect(id.replace("seed=3", "seed=4"), frameOf(7))]);
    for (const other of others) expect(other).not.toEqual(await detect(id, frameOf(7)));
  });

  it("misses about as many as it was told", async () => {
    const counts = await overFrames("sim/truth?miss=0.2", (found) => found.length);
    expect(sum(counts) / (3 * counts.length)).toBeGreaterThan(0.76);
    expect(sum(counts) / (3 * counts.length)).toBeLessThan(0.84);
  });

  it("moves edges by no more than the jitter, and on average not at all", async () => {
    const moves = await overFrames("sim/truth?jitter=4", (found) => (found.xyxy[0] as number) - 100);
    expect(Math.max(...moves.map(Math.abs))).toBeLessThanOrEqual(4);
    expect(Math.max(...moves)).toBeGreaterThan(3);
    expect(Math.abs(sum(moves) / moves.length)).toBeLessThan(0.3);
  });

  it("sees ghosts about as often as it was told, inside the picture and less sure", async () => {
    const ghosts = await overFrames("sim/truth?false=0.1", (found) => found.length - 3);
    expect(sum(ghosts) / ghosts.length).toBeGreaterThan(0.07);
    expect(sum(ghosts) / ghosts.length).toBeLessThan(0.13);
    const { xyxy, confidence, length } = await detect("sim/truth?false=1", frameOf(2));
    const [left = -1, top = -1, right = 1e9, bottom = 1e9] = xyxy.subarray(4 * (length - 1));
    expect(left >= 0 && top >= 0 && right <= 960 && bottom <= 540 && right > left && bottom > top).toBe(true);
    expect(confidence![length - 1]).toBeLessThan(0.7);
  });

  it("refuses a frame without truth", async () => {
    const { truth: _, ...real } = frameOf(1);
    const detecting = detect("sim/truth", real);
    await expect(detecting).rejects.toBeInstanceOf(EngineError);
    await expect(detecting).rejects.toMatchObject({
      kind: "model",
      message: "sim/truth works on simulated cameras (sim://) only, and door is a real one.",
    });
  });

  it.each([
    ["sim/truth?mis=1", 'sim/truth has no option "mis"; it has miss, jitter, false and seed.'],
    ["sim/truth?miss=2", 'The option miss of sim/truth must be a number from 0 to 1, not "2".'],
    ["yolo/n", 'There is no model "yolo/n". The models are: sim/truth.'],
  ])("does not open %s", async (id, message) => {
    await expect(createModelRegistry().open(id, "object-detection")).rejects.toMatchObject({ kind: "model", message });
  });
});

async function detect(id: string, frame: Frame): Promise<DetectionTable> {
  return (await createModelRegistry().open(id, "object-detection")).detect(frame, ALL);
}

async function overFrames(id: string, measure: (found: DetectionTable) => number): Promise<number[]> {
  const model = await createModelRegistry().open(id, "object-detection");
  const frames = Array.from({ length: 1500 }, (_, index) => frameOf(index + 1));
  return Promise.all(frames.map(async (frame) => measure(await model.detect(frame, ALL))));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function frameOf(frameNumber: number): Frame {
  const timestamp = new Date(frameNumber * 100).toISOString();
  return {
    metadata: { source_id: "door", frame_number: frameNumber, timestamp, width: 960, height: 540, fps: 10 },
    rgba: new Uint8ClampedArray(0),
    truth: new DetectionTable({
      xyxy: Float64Array.of(100, 100, 140, 220, 300, 200, 500, 300, 10, 10, 20, 30),
      confidence: Float64Array.of(1, 1, 1),
      classId: Int32Array.of(0, 2, 0),
      data: { class_name: ["person", "car", "person"] },
    }),
  };
}
