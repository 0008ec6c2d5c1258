import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { FrameResult, WorkflowSpec } from "@vision-agent/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DetectionTable } from "../frames/detections.ts";
import { Timestamp } from "../frames/frame.ts";
import { ImageValue } from "../frames/image-value.ts";
import { COCO_CLASSES } from "../models/coco-classes.data.ts";
import { createModelRegistry } from "../models/model-registry.ts";
import { compileWorkflow } from "../workflow/workflow.ts";
import { createEngine, type VisionEngine } from "./engine.ts";

const SHARED = process.env.VISION_AGENT_SHARED ?? "../shared";
const FOOTAGE = join(SHARED, "media/vtest.avi");
const DETECTOR = join(SHARED, "models/yolox_nano.onnx");
const PEERS = join(SHARED, "peers");
const MISSING = [FOOTAGE, DETECTOR, PEERS].find((path) => !existsSync(path));
const READY = MISSING === undefined && spawnSync("ffmpeg", ["-version"]).status === 0;

/** What the Python engine and its pipeline give for the same workflows on the same inputs. */
const PEER = { analytics: { count: 35, in: 11, out: 11 }, watch: { frames: 795, in: 11, out: 12 } };

/**
 * People whose middle crosses the vertical line x = 540 in the 79.5 seconds of the footage, counted by eye on pictures
 * taken four times a second. One of them (at 69 s) steps just over the line and turns back: he counts once each way.
 */
const BY_EYE = { leftwards: 19, rightwards: 16 };
const LINE = [
  [540, 60],
  [540, 576],
];

let engine: VisionEngine;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "footage-"));
  if (!READY) return;
  const home = join(folder, "coco/3");
  await mkdir(home, { recursive: true });
  await symlink(resolve(DETECTOR), join(home, "weights.onnx"));
  const input = { width: 416, height: 416, resize: "letterbox", padding: 114, colors: "bgr", scale: 1 };
  const description = { task: "object-detection", architecture: "yolox", classNames: COCO_CLASSES, input };
  await writeFile(join(home, "model.json"), JSON.stringify(description));
  engine = createEngine({ localModelFolder: folder });
});

afterAll(async () => {
  await engine?.close();
  await rm(folder, { recursive: true });
});

describe.runIf(READY)("beside the Python peers", { timeout: 300_000 }, () => {
  it("counts as they do in the workflow 'analytics'", async () => {
    expect(await runAnalytics()).toEqual(PEER.analytics);
  });

  it("counts as they do in the workflow 'watch', each within 1", async () => {
    const { frames, last } = await replayFootage(workflowOf("watch"));
    const counts = { in: valueIn(last, "in"), out: valueIn(last, "out") };
    process.stdout.write(`watch: in ${counts.in}, out ${counts.out}; the peers: in 11, out 12\n`);
    expect(frames).toBe(PEER.watch.frames);
    expect(Math.abs(counts.in - PEER.watch.in)).toBeLessThanOrEqual(1);
    expect(Math.abs(counts.out - PEER.watch.out)).toBeLessThanOrEqual(1);
  });
});

describe.runIf(READY)("the embedded detector on real footage", { timeout: 600_000 }, () => {
  it("counts who crosses a line within a tenth of a count by eye", async () => {
    const { last } = await replayFootage(crossingWorkflow());
    const [leftwards, rightwards] = [valueIn(last, "out"), valueIn(last, "in")];
    const total = BY_EYE.leftwards + BY_EYE.rightwards;
    process.stdout.write(
      `crossings: ${leftwards} + ${rightwards}; by eye ${BY_EYE.leftwards} + ${BY_EYE.rightwards}\n`,
    );
    expect(Math.abs(leftwards + rightwards - total)).toBeLessThanOrEqual(total / 10);
  });
});

describe.skipIf(READY)("without footage, peers or ffmpeg", () => {
  it("is left out", () => process.stdout.write(`${MISSING ?? "ffmpeg"} is not here: footage and peers are left out\n`));
});

function workflowOf(name: string): WorkflowSpec {
  return JSON.parse(readFileSync(join(PEERS, "workflows.json"), "utf8"))[name];
}

async function replayFootage(workflow: WorkflowSpec): Promise<{ frames: number; last: FrameResult | undefined }> {
  let frames = 0;
  let last: FrameResult | undefined;
  const onResult = (result: FrameResult): void => {
    frames += 1;
    last = result;
  };
  await engine.replay({ sourceId: "vtest", source: FOOTAGE, workflow, onResult });
  return { frames, last };
}

function valueIn(result: FrameResult | undefined, name: string): number {
  const output = result?.outputs[name];
  return output?.kind === "value" ? Number(output.value) : Number.NaN;
}

function crossingWorkflow(): WorkflowSpec {
  const model = { model_id: "vision-agent/default", class_filter: ["person"] };
  const line = { line_segment: LINE, triggering_anchor: "CENTER" };
  const [image, boxes, tracked] = ["$inputs.image", "$steps.detect.predictions", "$steps.track.tracked_detections"];
  return {
    version: "1.0",
    inputs: [{ type: "WorkflowImage", name: "image" }],
    steps: [
      { type: "roboflow_core/roboflow_object_detection_model@v2", name: "detect", images: image, ...model },
      { type: "roboflow_core/byte_tracker@v3", name: "track", image, detections: boxes },
      { type: "roboflow_core/line_counter@v2", name: "line", image, detections: tracked, ...line },
    ],
    outputs: [
      { type: "JsonField", name: "in", selector: "$steps.line.count_in" },
      { type: "JsonField", name: "out", selector: "$steps.line.count_out" },
    ],
  };
}

interface Tracks {
  readonly width: number;
  readonly height: number;
  /** Left, top, right, bottom, score, class of each box. */
  readonly frames: readonly (readonly (readonly number[])[])[];
}

/** Boxes handed in frame by frame; the last frame's counts. */
async function runAnalytics(): Promise<Readonly<Record<string, unknown>>> {
  const { width, height, frames }: Tracks = JSON.parse(readFileSync(join(PEERS, "tracks-50.json"), "utf8"));
  const workflow = await compileWorkflow(workflowOf("analytics"), { models: createModelRegistry() });
  const rgba = new Uint8ClampedArray(4 * width * height);
  let last: Readonly<Record<string, unknown>> = {};
  for (const [number, rows] of frames.entries()) {
    const video = {
      videoIdentifier: "cam",
      frameNumber: number,
      timestamp: Timestamp.ofMs(Date.UTC(2026, 0, 1) + (1000 * number) / 30),
      fps: 30,
      comesFromVideoFile: true,
    };
    const image = new ImageValue({ width, height, rgba, video });
    const [result] = await workflow.run({ image, detections: [boxesOf(rows, [height, width], number)] });
    last = result as Readonly<Record<string, unknown>>;
  }
  await workflow.close();
  return { count: last.count, in: last.in, out: last.out };
}

function boxesOf(rows: readonly (readonly number[])[], size: readonly number[], number: number): DetectionTable {
  const names = ["person", "bicycle", "car"];
  const all = <T>(value: T): readonly T[] => rows.map(() => value);
  return new DetectionTable({
    xyxy: Float64Array.from(
      rows.flatMap((row) => row.slice(0, 4)),
      Math.fround,
    ),
    confidence: Float64Array.from(rows, (row) => Math.fround(row[4]!)),
    classId: Int32Array.from(rows, (row) => row[5]!),
    data: {
      class_name: rows.map((row) => names[row[5]!]!),
      detection_id: rows.map((_, at) => `${number}-${at}`),
      parent_id: all("image"),
      image_dimensions: all(size),
      parent_coordinates: all([0, 0]),
      parent_dimensions: all(size),
      root_parent_id: all("image"),
      root_parent_coordinates: all([0, 0]),
      root_parent_dimensions: all(size),
    },
  });
}
