// recording → workflow → every result, as fast as the machine allows
import type { FrameResult } from "@vision-agent/protocol";
import { EngineError } from "../errors.ts";
import type { PipelineFigures, PipelineOptions } from "./pipeline.ts";
import { STANDARD_THREAD, startPipeline } from "./start-pipeline.ts";

/** A recording and what to run on it. */
export interface ReplayOptions
  extends Pick<PipelineOptions, "sourceId" | "source" | "workflow" | "parameters" | "maxFps" | "maxFrames"> {
  /** Called for each result in order. Must not throw. */
  readonly onResult: (result: FrameResult) => void;
  /** Ends the replay early. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a workflow over a file or a simulated scene: every frame, dated by the recording, on a clock that stands still
 * between frames. The same input gives the same output, byte for byte.
 * Throws `EngineError` as `startPipeline` does or when a frame fails, or the reason of the signal.
 */
export async function replay(options: ReplayOptions, thread = STANDARD_THREAD): Promise<PipelineFigures> {
  const { signal, ...wanted } = options;
  signal?.throwIfAborted();
  const starting = startPipeline({ ...wanted, timing: "replay", motionGate: "off" }, thread);
  const pipeline = await starting.catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
  const stop = (): void => void pipeline.stop();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const figures = await pipeline.ended;
    signal?.throwIfAborted();
    if (figures.state === "failed") {
      throw new EngineError({ kind: "internal", message: figures.reason ?? "The replay failed." });
    }
    return figures;
  } finally {
    signal?.removeEventListener("abort", stop);
    await pipeline.stop();
  }
}
