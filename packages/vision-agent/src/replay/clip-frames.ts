// a video file → detector and tracker, as fast as they run → frames with what is followed in them
import type { FrameResult, WorkflowSpec } from "@vision-agent/protocol";
import type { VisionEngine } from "@vision-agent/vision-engine";
import { watchingWorkflow } from "../pipelines/watching-workflow.ts";
import type { SeenResult } from "../scene/follow-camera.ts";
import { narrownessOf } from "../scene/scene-interest.ts";

/** As many as the trace of a camera keeps. */
const FRAMES_PER_SECOND = 10;
const FOLLOWED = "tracked_detections";

export interface ClipRun {
  /** Path of a video file. */
  readonly path: string;
  /** The camera that it stands for. */
  readonly camera: string;
  /** Time of its first picture, milliseconds since 1970. */
  readonly startMs: number;
  readonly modelId: string;
  /** The lowest score that counts. Default: as usual. */
  readonly confidence?: number | undefined;
  readonly signal: AbortSignal;
}

/** In the order of time; the same file gives the same frames. Rejects with `EngineError`, or the reason of the signal. */
export async function* seenOnClip(
  engine: Pick<VisionEngine, "replay">,
  { path, camera, startMs, modelId, confidence, signal }: ClipRun,
): AsyncGenerator<readonly SeenResult[]> {
  const workflow = withoutPictures(watchingWorkflow({ modelId, ...(confidence !== undefined && { confidence }) }));
  const narrowness = narrownessOf(workflow);
  const pipelineId = `clip ${modelId} ${narrowness}`;
  const left = new AbortController();
  let waiting: SeenResult[] = [];
  let news = Promise.withResolvers<void>();
  let isOver = false;
  let firstMs: number | undefined;
  const onResult = (result: FrameResult): void => {
    const ms = Date.parse(result.frame.timestamp);
    firstMs ??= ms;
    const timestamp = new Date(startMs + ms - firstMs).toISOString();
    const frame = { ...result.frame, timestamp };
    waiting.push({ camera, pipelineId, narrowness, result: { ...result, frame, latency_ms: 0 } });
    news.resolve();
  };
  const running = engine
    .replay({
      sourceId: camera,
      source: path,
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

/** Nobody looks at what is drawn. */
function withoutPictures(spec: WorkflowSpec): WorkflowSpec {
  const kept = spec.outputs.filter(({ name }) => name === FOLLOWED);
  return { ...spec, steps: spec.steps.filter(({ name }) => name !== "boxes"), outputs: kept };
}
