// clip → decode, detect, gate: what a frame costs
import { join } from "node:path";
import { createEngine, openSource, systemClock } from "../../packages/vision-engine/src/index.ts";
import { createOnnxRuntime } from "../../packages/vision-engine/src/models/runtime/onnx-runtime.ts";
import { type Figure, round } from "../figure.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { cpuSeconds, type Material, median, runFfmpeg } from "./machine.ts";

const FRAMES = 240;
const BARE_RUNS = 60;
const ROUNDS = 3;
const STILL_SECONDS = 60;

/** A 720p H.264 clip of the footage. */
export function makeClip({ footage }: Material, folder: string): string {
  const clip = join(folder, "clip-720p.mp4");
  const size = ["-vf", "scale=1280:720", "-frames:v", String(FRAMES)];
  runFfmpeg(["-i", footage, ...size, "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", clip]);
  return clip;
}

/** One frame of the footage, again and again, with the noise of a sensor. */
function makeStillClip({ footage }: Material, folder: string): string {
  const clip = join(folder, "still.mp4");
  const filter = "select=eq(n\\,100),loop=-1:1,setpts=N/10/TB,noise=alls=3:allf=t";
  const length = ["-frames:v", String(10 * STILL_SECONDS), "-r", "10"];
  runFfmpeg([
    "-i",
    footage,
    "-vf",
    filter,
    ...length,
    "-c:v",
    "libx264",
    "-preset",
    "veryfast",
    "-pix_fmt",
    "yuv420p",
    clip,
  ]);
  return clip;
}

export async function decodeFigure(clip: string): Promise<Figure> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let each = 0; each < ROUNDS; each++) {
    theirs.push(timed(() => runFfmpeg(["-i", clip, "-f", "rawvideo", "-pix_fmt", "rgba", "/dev/null"])));
    const begun = performance.now();
    const source = await openSource(clip, { sourceId: "clip", clock: systemClock, pace: "as_fast_as_possible" });
    const { signal } = new AbortController();
    while ((await source.next(signal)) !== undefined);
    await source.close();
    ours.push(performance.now() - begun);
  }
  const ratio = Math.min(...ours) / Math.min(...theirs);
  return { name: "decode / ffmpeg", value: round(ratio), unit: "x", goal: "at most 1.3", met: ratio <= 1.3 };
}

function timed(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** Milliseconds of the graph alone, on one thread. */
async function bareMs(file: string): Promise<number> {
  const runtime = createOnnxRuntime({ threads: 1 });
  const session = await runtime.open(file);
  const [input] = session.inputs;
  const feeds = {
    [input!.name]: { type: "float32" as const, dims: input!.dims, data: new Float32Array(3 * 416 * 416).fill(114) },
  };
  const times: number[] = [];
  for (let run = 0; run < BARE_RUNS; run++) {
    const begun = performance.now();
    await session.run(feeds);
    times.push(performance.now() - begun);
  }
  await runtime.close();
  return median(times);
}

/** Wall milliseconds a frame from the first result to the last. */
export async function frameFigures({ detector }: Material, models: string, clip: string): Promise<readonly Figure[]> {
  // In turns, and the best of each: a machine that is slow for a while does not decide.
  const bares: number[] = [];
  const frames: number[] = [];
  for (let each = 0; each < ROUNDS; each++) {
    bares.push(await bareMs(detector));
    frames.push(await replayMs(models, clip, 1));
  }
  const [bare, perFrame] = [Math.min(...bares), Math.min(...frames)];
  const ratio = perFrame / bare;
  return [
    { name: "bare ONNX session, one thread", value: round(bare), unit: "ms", goal: "the measure", met: true },
    { name: "frame / bare, one thread", value: round(ratio), unit: "x", goal: "at most 1.15", met: ratio <= 1.15 },
  ];
}

async function replayMs(models: string, clip: string, inferenceThreads: number): Promise<number> {
  const engine = createEngine({ inferenceThreads, localModelFolder: models });
  try {
    const marks: number[] = [];
    await engine.replay({
      sourceId: "clip",
      source: clip,
      workflow: detectionWorkflow("bench/yolox"),
      onResult: () => marks.push(performance.now()),
    });
    return (marks.at(-1)! - marks[0]!) / (marks.length - 1);
  } finally {
    await engine.close();
  }
}

/** CPU of a still scene on the embedded detector, with the gate and without. */
export async function gateFigure(material: Material, folder: string, modelId: string): Promise<Figure> {
  const clip = makeStillClip(material, folder);
  const gated = [await cpuOf(clip, modelId, "on")];
  const open = await cpuOf(clip, modelId, "off");
  gated.push(await cpuOf(clip, modelId, "on"));
  const ratio = Math.min(...gated) / open;
  return {
    name: "CPU still scene, gate / no gate",
    value: round(ratio, 3),
    unit: "x",
    goal: "at most 0.1",
    met: ratio <= 0.1,
  };
}

async function cpuOf(clip: string, modelId: string, motionGate: "on" | "off"): Promise<number> {
  const engine = createEngine();
  try {
    let begun: number | undefined;
    const pipeline = await engine.startPipeline({
      sourceId: "still",
      source: clip,
      workflow: detectionWorkflow(modelId),
      timing: "replay",
      motionGate,
      onResult: () => {
        begun ??= cpuSeconds();
      },
    });
    const { framesProcessed } = await pipeline.ended;
    return (cpuSeconds() - (begun ?? Number.NaN)) / framesProcessed;
  } finally {
    await engine.close();
  }
}
