// node soak/main.ts [--minutes N] → four simulated cameras for ten minutes: does memory or delay grow?
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { createEngine, type Pipeline, type VisionEngine } from "../src/index.ts";
import { type GrowthPoint, growthOf, lowPointsOf } from "./growth.ts";

const CAMERAS = ["sim://street?seed=1", "sim://street?seed=2", "sim://warehouse?seed=3", "sim://warehouse?seed=4"];
const EVERY_MS = 2000;
const LINE_EVERY_SAMPLES = 15;
/** Of the run: code is compiled, heaps and rings of frames grow to their size. */
const WARM_UP = 0.4;
const MOST_MB_PER_MINUTE = 1;
/** A queue that grows by a frame a minute makes results later by 100 ms a minute. */
const MOST_DELAY_MS_PER_MINUTE = 50;

const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" } } });
const minutes = Number(values.minutes);
if (!(minutes >= 2)) throw new Error(`--minutes must be a number, 2 or more, not ${values.minutes}.`);

interface Sample {
  readonly minute: number;
  /** Of the whole process. */
  readonly rssMb: number;
  /** Mean time from the moment a frame was taken to its result. */
  readonly delayMs: number;
}

const WORKFLOW: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [
    {
      type: "roboflow_core/roboflow_object_detection_model@v2",
      name: "detect",
      images: "$inputs.image",
      model_id: "sim/truth?miss=0.05&jitter=2",
    },
    {
      type: "roboflow_core/byte_tracker@v3",
      name: "track",
      image: "$inputs.image",
      detections: "$steps.detect.predictions",
    },
    {
      type: "roboflow_core/line_counter@v2",
      name: "line",
      image: "$inputs.image",
      detections: "$steps.track.tracked_detections",
      line_segment: [
        [480, 0],
        [480, 540],
      ],
    },
    {
      type: "roboflow_core/bounding_box_visualization@v1",
      name: "draw",
      image: "$inputs.image",
      predictions: "$steps.track.tracked_detections",
    },
  ],
  outputs: [
    { type: "JsonField", name: "in", selector: "$steps.line.count_in" },
    { type: "JsonField", name: "picture", selector: "$steps.draw.image" },
  ],
};

const engine = createEngine();
try {
  process.exitCode = report(await measure(engine));
} finally {
  await engine.close();
}

async function measure(running: VisionEngine): Promise<readonly Sample[]> {
  let delays: number[] = [];
  const pipelines: Pipeline[] = [];
  for (const [at, source] of CAMERAS.entries()) {
    const pipeline = await running.startPipeline({
      sourceId: `camera-${at + 1}`,
      source,
      workflow: WORKFLOW,
      onResult: ({ frame }) => delays.push(Date.now() - Date.parse(frame.timestamp)),
    });
    // Somebody looks, so that pictures are encoded, too.
    pipeline.view(() => undefined);
    pipelines.push(pipeline);
  }
  const samples: Sample[] = [];
  const begun = performance.now();
  for (let minute = 0; minute < minutes; minute = (performance.now() - begun) / 60_000) {
    await sleep(EVERY_MS);
    // And asks for the picture with boxes, so that they are drawn.
    await Promise.all(pipelines.map((pipeline) => pipeline.picture({ output: "picture" })));
    if (delays.length === 0) throw new Error(`No camera gave a result for ${EVERY_MS} ms.`);
    const delayMs = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    samples.push({ minute, rssMb: megabytes(process.memoryUsage.rss()), delayMs });
    delays = [];
    if (samples.length % LINE_EVERY_SAMPLES === 0) print(samples.at(-1)!, pipelines);
  }
  return samples;
}

function print({ minute, rssMb, delayMs }: Sample, pipelines: readonly Pipeline[]): void {
  const { heapUsed, external } = process.memoryUsage();
  const fps = pipelines.reduce((sum, pipeline) => sum + pipeline.figures().fps, 0) / pipelines.length;
  process.stdout.write(
    `${minute.toFixed(1)} min: RSS ${rssMb.toFixed(0)} MB; ` +
      `main thread: heap ${megabytes(heapUsed).toFixed(0)} MB, external ${megabytes(external).toFixed(0)} MB; ` +
      `${fps.toFixed(1)} fps a camera, ${delayMs.toFixed(0)} ms behind\n`,
  );
}

function report(samples: readonly Sample[]): number {
  const warm = samples.slice(Math.ceil(WARM_UP * samples.length));
  const rss = warm.map(({ minute, rssMb }): GrowthPoint => [minute, rssMb]);
  const levels = rss.map(([, rssMb]) => rssMb);
  const growthMb = growthOf(lowPointsOf(rss));
  const delayGrowthMs = growthOf(warm.map(({ minute, delayMs }) => [minute, delayMs]));
  const isSteady = growthMb <= MOST_MB_PER_MINUTE && delayGrowthMs <= MOST_DELAY_MS_PER_MINUTE;
  process.stdout.write(
    `After ${warm[0]!.minute.toFixed(1)} min of warm-up: ` +
      `RSS between ${Math.min(...levels).toFixed(0)} and ${Math.max(...levels).toFixed(0)} MB\n` +
      `RSS ${growthMb.toFixed(2)} MB a minute (at most ${MOST_MB_PER_MINUTE}), ` +
      `delay ${delayGrowthMs.toFixed(1)} ms a minute (at most ${MOST_DELAY_MS_PER_MINUTE}): ` +
      `${isSteady ? "steady" : "GROWS"}\n`,
  );
  return isSteady ? 0 : 1;
}

function megabytes(bytes: number): number {
  return bytes / 1024 / 1024;
}
