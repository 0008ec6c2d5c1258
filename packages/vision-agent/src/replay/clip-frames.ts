// a video file, or what was recorded of a camera → detector and tracker, as fast as they run → frames with what is followed in them
import type { FrameResult, WorkflowSpec } from "@vision-agent/protocol";
import type { VideoPiece, VisionEngine } from "@vision-agent/vision-engine";
import { watchingWorkflow } from "../pipelines/watching-workflow.ts";
import type { SeenResult } from "../scene/follow-camera.ts";
import { narrownessOf } from "../scene/scene-interest.ts";

/** As many as the trace of a camera keeps. */
const FRAMES_PER_SECOND = 10;
const FOLLOWED = "tracked_detections";

interface DetectorRun {
  /** The camera that the pictures are of. */
  readonly camera: string;
  readonly modelId: string;
  /** The lowest score that counts. Default: as usual. */
  readonly confidence?: number | undefined;
  readonly signal: AbortSignal;
}

export interface ClipRun extends DetectorRun {
  /** Path of a video file. */
  readonly path: string;
  /** Time of its first picture, milliseconds since 1970. */
  readonly startMs: number;
}

export interface FootageRun extends DetectorRun {
  /** In the order of time, at least one. */
  readonly pieces: readonly VideoPiece[];
  /** Milliseconds since 1970; pictures of before and after are left out. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** In the order of time; the same file gives the same frames. Rejects with `EngineError`, or the reason of the signal. */
export async function* seenOnClip(
  engine: Pick<VisionEngine, "replay">,
  { path, startMs, ...run }: ClipRun,
): AsyncGenerator<readonly SeenResult[]> {
  let firstMs: number | undefined;
  for await (const frames of seenOn(engine, { source: path }, run)) {
    firstMs ??= timeOf(frames[0]!);
    const shiftMs = startMs - firstMs;
    yield frames.map((seen) => {
      const timestamp = new Date(timeOf(seen) + shiftMs).toISOString();
      return { ...seen, result: { ...seen.result, frame: { ...seen.result.frame, timestamp } } };
    });
  }
}

/** As `seenOnClip`, over all pieces: somebody is followed from one into the next. */
export async function* seenOnFootage(
  engine: Pick<VisionEngine, "replay">,
  { pieces, fromMs, toMs, ...run }: FootageRun,
): AsyncGenerator<readonly SeenResult[]> {
  for await (const frames of seenOn(engine, { source: pieces[0]!.path, pieces }, run)) {
    const inside = frames.filter((seen) => timeOf(seen) >= fromMs && timeOf(seen) < toMs);
    if (inside.length > 0) yield inside;
  }
}

async function* seenOn(
  engine: Pick<VisionEngine, "replay">,
  pictures: Pick<Parameters<VisionEngine["replay"]>[0], "source" | "pieces">,
  { camera, modelId, confidence, signal }: DetectorRun,
): AsyncGenerator<readonly SeenResult[]> {
  const workflow = withoutPictures(watchingWorkflow({ modelId, ...(confidence !== undefined && { confidence }) }));
  const narrowness = narrownessOf(workflow);
  const pipelineId = `clip ${modelId} ${narrowness}`;
  const left = new AbortController();
  let waiting: SeenResult[] = [];
  let news = Promise.withResolvers<void>();
  let isOver = false;
  const onResult = (result: FrameResult): void => {
    waiting.push({ camera, pipelineId, narrowness, result: { ...result, latency_ms: 0 } });
    news.resolve();
  };
  const running = engine
    .replay({
      ...pictures,
      sourceId: camera,
      workflow,
      maxFps: FRAMES_PER_SECOND,
      onResult,
      signal: AbortSignal.any([signal, left.signal]),
    })
    .then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  void running.then(() => {
    isOver = true;
    news.resolve();
  });
  try {
    while (!isOver || waiting.length > 0) {
      await news.promise;
      news = Promise.withResolvers();
      if (isOver) news.resolve();
      const frames = waiting;
      waiting = [];
      if (frames.length > 0) yield frames;
    }
    const failed = await running;
    if (failed) throw failed.error;
  } finally {
    left.abort();
    await running;
  }
}

function timeOf({ result }: SeenResult): number {
  return Date.parse(result.frame.timestamp);
}

/** Nobody looks at what is drawn. */
function withoutPictures(spec: WorkflowSpec): WorkflowSpec {
  const kept = spec.outputs.filter(({ name }) => name === FOLLOWED);
  return { ...spec, steps: spec.steps.filter(({ name }) => name !== "boxes"), outputs: kept };
}
