// the trace of a camera → frames with what was followed in them
import { tracedResult } from "../scene/replay-trace.ts";
import type { SceneTrace, TracePeriod } from "../store/scene-trace.ts";
import type { SeenFrame } from "./replay-watches.ts";

/** In the order of time. */
export async function* seenInTrace(
  trace: Pick<SceneTrace, "frames" | "states">,
  period: TracePeriod,
): AsyncGenerator<readonly SeenFrame[]> {
  const names = new Map((await trace.states(period)).map(({ pipelineId, pipelineName }) => [pipelineId, pipelineName]));
  for await (const frames of trace.frames(period)) {
    yield frames.map((frame) => ({
      camera: frame.camera,
      pipelineId: frame.pipelineId,
      pipelineName: names.get(frame.pipelineId),
      result: tracedResult(frame),
    }));
  }
}
