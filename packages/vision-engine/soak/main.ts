// node soak/main.ts [--minutes N] → four simulated cameras for ten minutes: does memory or delay grow?
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { createEngine, type Engine } from "../src/index.ts";
import { slopeOf } from "./slope.ts";

const CAMERAS = ["sim://street?seed=1", "sim://street?seed=2", "sim://warehouse?seed=3", "sim://warehouse?seed=4"];
const EVERY_MS = 2000;
const MOST_MB_PER_MINUTE = 1;
/** A queue that grows by a frame a minute makes results later by 100 ms a minute. */
const MOST_DELAY_MS_PER_MINUTE = 50;

const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes must be a number above 0, not ${values.minutes}.`);

interface Sample {
  readonly minute: number;
  readonly megabytes: number;
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

async function measure(running: Engine): Promise<readonly Sample[]> {
  let delays: number[] = [];
  for (const [at, source] of CAMERAS.entries()) {
    const pipeline = await running.startPipeline({
      sourceId: `camera-${at + 1}`,
      source,
      workflow: WORKFLOW,
      onResult: ({ frame }) => delays.push(Date.now() - Date.parse(frame.timestamp)),
    });
    // Somebody looks, so that pictures are drawn and encoded, too.
    pipeline.view(() => undefined);
  }
  const samples: Sample[] = [];
  const begun = performance.now();
  for (let minute = 0; minute < minutes; minute = (performance.now() - begun) / 60_000) {
    await sleep(EVERY_MS);
    const delayMs = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    samples.push({ minute, megabytes: process.memoryUsage().rss / 1024 / 1024, delayMs });
    delays = [];
    if (samples.length % 15 === 0) {
      const { megabytes } = samples.at(-1)!;
      process.stdout.write(`${minute.toFixed(1)} min: ${megabytes.toFixed(0)} MB, ${delayMs.toFixed(0)} ms behind\n`);
    }
  }
  return samples;
}

/** The least memory of each half minute: what is left when the garbage of pictures has been collected. */
function lowPoints(samples: readonly Sample[]): readonly (readonly [minute: number, megabytes: number])[] {
  const lows = new Map<number, readonly [number, number]>();
  for (const { minute, megabytes } of samples) {
    const half = Math.floor(2 * minute);
    if (megabytes < (lows.get(half)?.[1] ?? Number.POSITIVE_INFINITY)) lows.set(half, [minute, megabytes]);
  }
  return [...lows.values()];
}

/** The first half is warm-up: the heaps of the threads grow to their size. */
function report(samples: readonly Sample[]): number {
  const warm = samples.slice(Math.ceil(samples.length / 2));
  const memory = slopeOf(lowPoints(warm));
  const delay = slopeOf(warm.map(({ minute, delayMs }) => [minute, delayMs]));
  const isSteady = memory <= MOST_MB_PER_MINUTE && delay <= MOST_DELAY_MS_PER_MINUTE;
  process.stdout.write(
    `RSS ${memory.toFixed(2)} MB a minute (at most ${MOST_MB_PER_MINUTE}), ` +
      `delay ${delay.toFixed(1)} ms a minute (at most ${MOST_DELAY_MS_PER_MINUTE}): ${isSteady ? "steady" : "GROWS"}\n`,
  );
  return isSteady ? 0 : 1;
}
