// a period of the trace → the views that a follower makes of it
import type { FrameResult } from "@vision-agent/protocol";
import type { TracedFrame } from "../store/trace-line.ts";
import { EMPTY_SCENE, followScene, type SceneMemory } from "./follow-scene.ts";
import type { FollowedView } from "./followed-view.ts";
import type { SceneInterest } from "./scene-interest.ts";

export interface TraceFollowerOptions {
  readonly camera: string;
  readonly interests: readonly SceneInterest[];
  /** Names of pipelines by id. Default: none has one. */
  readonly names?: ReadonlyMap<string, string>;
  /** As of `followScene`. */
  readonly narrowness?: ReadonlyMap<string, number>;
}

/** The same follower that runs live, for frames of one camera in the order of time. */
export function createTraceFollower(options: TraceFollowerOptions): (frame: TracedFrame) => FollowedView {
  const { camera, interests, names, narrowness } = options;
  const pipelines = new Set<string>();
  let memory: SceneMemory = EMPTY_SCENE;
  return (frame) => {
    const { pipelineId } = frame;
    pipelines.add(pipelineId);
    const pipelineName = names?.get(pipelineId);
    const followed = followScene(memory, tracedResult(frame), {
      camera,
      pipelineId,
      ...(pipelineName !== undefined && { pipelineName }),
      pipelines,
      interests,
      counters: [],
      ...(narrowness && { narrowness }),
    });
    memory = followed.memory;
    return followed.view;
  };
}

/** The result that a frame of the trace was made of, as far as it is kept. */
export function tracedResult({ camera, atMs, width, height, things, values }: TracedFrame): FrameResult {
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
    },
  };
  const read = Object.entries(values).map(([name, value]) => [name, { kind: "value" as const, value }]);
  return {
    frame: { source_id: camera, frame_number: 0, timestamp: new Date(atMs).toISOString(), width, height, fps: 0 },
    outputs: { ...(tracked && { tracked_detections: tracked }), ...Object.fromEntries(read) },
    latency_ms: 0,
  };
}
