// several pipelines at once → how late the main thread is, and how much memory they take
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createEngine, type Pipeline, type VisionEngine } from "../../packages/vision-engine/src/index.ts";
import { type Figure, round } from "../figure.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { rssMegabytes } from "./machine.ts";

const RESOLUTION_MS = 1;
const BUSY_MS = 8000;
const SETTLE_MS = 4000;

/** Four pipelines that never wait: every core is busy. */
export async function delayFigure(models: string, clip: string): Promise<Figure> {
  const engine = createEngine({ localModelFolder: models });
  try {
    const pipelines = await Promise.all(Array.from({ length: 4 }, (_, at) => keepBusy(engine, clip, `busy-${at}`)));
    await sleep(1000);
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    await sleep(BUSY_MS);
    delay.disable();
    await Promise.all(pipelines.map((pipeline) => pipeline.stop()));
    const p99 = Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS);
    return {
      name: "main thread delay p99, 4 busy",
      value: round(p99),
      unit: "ms",
      goal: "at most 20 ms",
      met: p99 <= 20,
    };
  } finally {
    await engine.close();
  }
}

function keepBusy(engine: VisionEngine, clip: string, sourceId: string): Promise<Pipeline> {
  const workflow = detectionWorkflow("bench/yolox");
  return engine.startPipeline({ sourceId, source: clip, workflow, timing: "replay" });
}

/** Memory of the whole process with 1, 4 and 8 pipelines, each on a simulated camera of its own, and a real detector. */
export async function memoryFigures(models: string): Promise<readonly Figure[]> {
  const engine = createEngine({ localModelFolder: models });
  const figures: Figure[] = [];
  try {
    for (const [at, wanted] of [1, 4, 8].entries()) {
      const more = wanted - [0, 1, 4][at]!;
      const workflow = detectionWorkflow("bench/yolox");
      for (let each = 0; each < more; each++) {
        const sourceId = `camera-${wanted}-${each}`;
        // Each its own scene: pipelines on one camera share their frames.
        const source = `sim://street?width=640&height=360&fps=5&seed=${wanted + each}`;
        await engine.startPipeline({ sourceId, source, workflow });
      }
      await sleep(SETTLE_MS);
      figures.push({
        name: `RSS at ${wanted} pipelines`,
        value: round(rssMegabytes(), 0),
        unit: "MB",
        goal: "reported",
        met: true,
      });
    }
    return figures;
  } finally {
    await engine.close();
  }
}
