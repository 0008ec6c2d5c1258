// a period of the trace → what the follower of its camera was given
import type { FrameResult } from "@vision-agent/protocol";
import type { SceneTrace, TracePeriod } from "../store/scene-trace.ts";
import type { TracedFrame, TracedState } from "../store/trace-line.ts";
import type { SeenResult, SeenStates } from "./follow-camera.ts";

/** A result with the frame of the trace that it comes from. */
export interface TracedResult extends SeenResult {
  readonly frame: TracedFrame;
}

export type TracedInput = TracedResult | SeenStates;

/** In the order of time, some at a time. */
export async function* tracedInputs(
  trace: Pick<SceneTrace, "frames" | "states">,
  period: TracePeriod,
): AsyncGenerator<readonly TracedInput[]> {
  const changes = [...(await trace.states(period))];
  const known = new Map<string, TracedState>();
  const takeChanges = (untilMs: number): readonly SeenStates[] => {
    const end = changes.findIndex(({ atMs }) => atMs > untilMs);
    return changes.splice(0, end === -1 ? changes.length : end).map((change) => {
      known.set(change.pipelineId, change);
      return { camera: change.camera, atMs: change.atMs, states: [...known.values()] };
    });
  };
  const toInput = (frame: TracedFrame): TracedResult => {
    const { camera, pipelineId } = frame;
    const { pipelineName, narrowness } = known.get(pipelineId) ?? {};
    return { camera, pipelineId, pipelineName, narrowness, result: tracedResult(frame), frame };
  };
  for await (const frames of trace.frames(period)) {
    yield frames.flatMap((frame) => [...takeChanges(frame.atMs), toInput(frame)]);
  }
}

/** The result that a frame of the trace was made of, as far as it is kept. */
function tracedResult({ camera, atMs, width, height, things, values }: TracedFrame): FrameResult {
  const tracked = things && {
    kind: "detections" as const,
    detections: {
      image: { width, height },
      xyxy: things.flatMap(({ box: [left, top, right, bottom] }) => [
        ...[left * width, top * height, right * width, bottom * height],
      ]),
      confidence: things.map(({ confidence }) => confidence),
      class_id: things.map(() => 0),
      class_name: things.map(({ className }) => className),
      tracker_id: things.map(({ trackerId }) => trackerId),
      colour: things.map(({ colour }) => colour ?? null),
    },
  };
  const read = Object.entries(values).map(([name, value]) => [name, { kind: "value" as const, value }]);
  return {
    frame: { source_id: camera, frame_number: 0, timestamp: new Date(atMs).toISOString(), width, height, fps: 0 },
    outputs: { ...(tracked && { tracked_detections: tracked }), ...Object.fromEntries(read) },
    latency_ms: 0,
  };
}
