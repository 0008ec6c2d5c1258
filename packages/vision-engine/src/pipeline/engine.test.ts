import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameResult, WorkflowSpec } from "@vision-agent/protocol";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { ffmpeg, hasFfmpeg, TEST_PICTURE } from "../sources/__fixtures__/ffmpeg.ts";
import { createEngine, type ReplayOptions } from "./engine.ts";

const SCENE = "sim://street?width=320&height=180&fps=5&start=43200&seed=4";

const COUNTING: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [
    { type: "ObjectDetectionModel", name: "model", images: "$inputs.image", model_id: "sim/truth?jitter=2&miss=0.1" },
    {
      type: "roboflow_core/byte_tracker@v3",
      name: "tracker",
      image: "$inputs.image",
      detections: "$steps.model.predictions",
    },
    {
      type: "roboflow_core/line_counter@v2",
      name: "line",
      image: "$inputs.image",
      detections: "$steps.tracker.tracked_detections",
      line_segment: [
        [160, 0],
        [160, 180],
      ],
    },
    {
      type: "roboflow_core/bounding_box_visualization@v1",
      name: "boxes",
      image: "$inputs.image",
      predictions: "$steps.tracker.tracked_detections",
    },
    {
      type: "PropertyDefinition",
      name: "ids",
      data: "$steps.model.predictions",
      operations: [{ type: "DetectionsPropertyExtract", property_name: "detection_id" }],
    },
  ],
  outputs: [
    { type: "JsonField", name: "ids", selector: "$steps.ids.output" },
    { type: "JsonField", name: "tracked", selector: "$steps.tracker.tracked_detections" },
    { type: "JsonField", name: "in", selector: "$steps.line.count_in" },
    { type: "JsonField", name: "out", selector: "$steps.line.count_out" },
    { type: "JsonField", name: "picture", selector: "$steps.boxes.image" },
  ],
};

/** What lives by the clock: one run a second goes on, values are summed up for a second, and the time itself. */
const TIMED: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [
    { type: "ObjectDetectionModel", name: "model", images: "$inputs.image", model_id: "sim/truth" },
    {
      type: "roboflow_core/rate_limiter@v1",
      name: "limiter",
      cooldown_seconds: 1,
      depends_on: "$steps.model.predictions",
      next_steps: ["$steps.number"],
    },
    {
      type: "PropertyDefinition",
      name: "number",
      data: "$steps.model.predictions",
      operations: [{ type: "SequenceLength" }],
    },
    {
      type: "roboflow_core/data_aggregator@v1",
      name: "sum",
      data: { boxes: "$steps.model.predictions" },
      data_operations: { boxes: [{ type: "SequenceLength" }] },
      aggregation_mode: { boxes: ["count"] },
      interval: 1,
      interval_unit: "seconds",
    },
    { type: "roboflow_core/current_time@v1", name: "clock" },
  ],
  outputs: [
    { type: "JsonField", name: "number", selector: "$steps.number.output" },
    { type: "JsonField", name: "summed", selector: "$steps.sum.boxes_count" },
    { type: "JsonField", name: "time", selector: "$steps.clock.time" },
  ],
};

const COLORS: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [{ type: "roboflow_core/dominant_color@v1", name: "color", image: "$inputs.image", target_size: 20 }],
  outputs: [{ type: "JsonField", name: "color", selector: "$steps.color.rgb_color" }],
};

const folder = mkdtempSync(join(tmpdir(), "replay-"));
const engine = createEngine({ inferenceThreads: 1 });
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

describe("replay", () => {
  it("gives every frame of a scene, dated by the recording, the same byte for byte each time", async () => {
    const [first, second] = [await replayed(SCENE, COUNTING, 60), await replayed(SCENE, COUNTING, 60)];
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
    expect(first.map(({ frame }) => frame.frame_number)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
    expect(first.map(({ frame }) => Date.parse(frame.timestamp))).toEqual(
      Array.from({ length: 60 }, (_, at) => 200 * at),
    );
    const last = first.at(-1)!.outputs;
    expect(last.picture).toMatchObject({ kind: "image", width: 320, height: 180 });
    const tracked = last.tracked?.kind === "detections" ? last.tracked.detections : undefined;
    expect(tracked?.tracker_id?.length).toBeGreaterThan(0);
    const ids = first.flatMap(({ outputs }) => valueIn(outputs.ids) as string[]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("tells blocks the time of the frame that they run, also when frames overlap", async () => {
    const results = await replayed(SCENE, TIMED, 16);
    const frames = (name: string): readonly number[] =>
      results.filter(({ outputs }) => valueIn(outputs[name]) !== null).map(({ frame }) => frame.frame_number);
    expect(frames("number")).toEqual([1, 6, 11, 16]);
    expect(frames("summed")).toEqual([6, 11, 16]);
    expect(valueIn(results[5]!.outputs.summed)).toBe(6);
    expect(results.map(({ outputs }) => valueIn(outputs.time))).toEqual(
      results.map(({ frame }) => expect.stringContaining(frame.timestamp.slice(11, 19))),
    );
  });

  it("waits for nothing while a simulated camera is gone, and goes on in the same scene", async () => {
    const results = await replayed(`${SCENE}&outage=10m@2s`, COUNTING, 20);
    const times = results.map(({ frame }) => Date.parse(frame.timestamp));
    expect(times.filter((time) => time >= 2000 && time < 602_000)).toEqual([]);
    expect(times.at(-1)).toBeGreaterThan(602_000);
  });

  it("gives the pictures of a folder in their order, a second apart, and ends", async () => {
    const place = join(folder, "pictures");
    mkdirSync(place);
    for (const red of [200, 100, 50]) {
      const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: { r: red, g: 0, b: 0 } } });
      writeFileSync(join(place, `img${red}.png`), await picture.png().toBuffer());
    }
    const results = await replayed(place, COLORS);
    expect(results.map(({ frame }) => Date.parse(frame.timestamp))).toEqual([0, 1000, 2000]);
    expect(results.map(({ outputs }) => valueIn(outputs.color))).toEqual([
      [50, 0, 0],
      [100, 0, 0],
      [200, 0, 0],
    ]);
  });

  it("ends early with the reason of its signal", async () => {
    const stop = new AbortController();
    const replaying = engine.replay({
      ...{ sourceId: "gate", source: SCENE, workflow: COUNTING },
      signal: stop.signal,
      onResult: () => stop.abort(new Error("enough")),
    });
    await expect(replaying).rejects.toThrow("enough");
  });
});

describe.skipIf(!hasFfmpeg("replay of video files"))("replay of a video file", () => {
  it("gives every frame at its own time, the same byte for byte each time", async () => {
    const file = join(folder, "colors.mp4");
    ffmpeg(...TEST_PICTURE, "-t", "2", "-pix_fmt", "yuv420p", file);
    const [first, second] = [await replayed(file, COLORS), await replayed(file, COLORS)];
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
    expect(first.map(({ frame }) => Date.parse(frame.timestamp))).toEqual(
      Array.from({ length: 20 }, (_, at) => 100 * at),
    );
    expect(first[0]!.frame).toMatchObject({ comes_from_video_file: true, total_frames: 20, fps: 10 });
  });

  it("reads the pieces of a recording as one camera: each from its date on, in order, and a lost or damaged one is a gap", async () => {
    const file = join(folder, "piece.mkv");
    ffmpeg(...TEST_PICTURE, "-t", "2.5", "-pix_fmt", "yuv420p", file);
    const damaged = join(folder, "damaged.mkv");
    writeFileSync(damaged, "no video");
    const beginMs = Date.UTC(2026, 4, 20);
    // The second begins before the first has ended, since pieces are named by whole seconds.
    const starts: readonly (readonly [string, number])[] = [
      [file, 0],
      [file, 2],
      [join(folder, "gone.mkv"), 10],
      [damaged, 20],
      [file, 30],
    ];
    const pieces = starts.map(([path, second]) => ({ path, startMs: beginMs + second * 1000 }));
    const [first, second] = [
      await replayed(file, COLORS, undefined, pieces),
      await replayed(file, COLORS, undefined, pieces),
    ];
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
    const tenths = first.map(({ frame }) => (Date.parse(frame.timestamp) - beginMs) / 100);
    expect(tenths).toEqual([
      ...Array.from({ length: 45 }, (_, at) => at),
      ...Array.from({ length: 25 }, (_, at) => 300 + at),
    ]);
    expect(first.map(({ frame }) => frame.frame_number)).toEqual(tenths.map((_, at) => at + 1));
    expect(first[0]!.frame.comes_from_video_file).toBeUndefined();
    const masks = [[[0, 0] as const, [1, 0] as const, [1, 1] as const, [0, 1] as const]];
    const masked: unknown[] = [];
    await engine.replay({
      ...{ sourceId: "gate", source: file, workflow: COLORS, pieces: pieces.slice(0, 2), masks },
      onResult: ({ outputs }) => masked.push(valueIn(outputs.color)),
    });
    expect(new Set(masked.map(String))).toEqual(new Set(["0,0,0"]));
    await expect(replayed(file, COLORS, undefined, pieces.slice(2, 4))).rejects.toMatchObject({ kind: "source" });
  });
});

async function replayed(
  source: string,
  workflow: WorkflowSpec,
  maxFrames?: number,
  pieces?: ReplayOptions["pieces"],
): Promise<readonly FrameResult[]> {
  const results: FrameResult[] = [];
  await engine.replay({
    ...{ sourceId: "gate", source, workflow },
    ...(maxFrames === undefined ? {} : { maxFrames }),
    ...(pieces && { pieces }),
    onResult: (result) => results.push(result),
  });
  return results;
}

function valueIn(output: FrameResult["outputs"][string] | undefined): unknown {
  return output?.kind === "value" ? output.value : undefined;
}
