// a condition came true, or ceased to be → a scene event with its picture
import type { Clock } from "@vision-agent/agent-core";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { aboutTrack } from "../scene/detect-scene-events.ts";
import { takeEventPicture } from "../scene/event-picture.ts";
import { eventTimes } from "../scene/footage-time.ts";
import type { OpenSceneEventLog, SceneEventDraft } from "../store/open-scene-event-log.ts";
import type { WatchFiring, WatchRegistry } from "./watch-registry.ts";

/** Until the returned function is called, which may be done twice. */
export function recordFirings(options: {
  readonly watches: Pick<WatchRegistry, "onFiring">;
  readonly pipelines: Pick<PipelineRegistry, "picture">;
  readonly log: Pick<OpenSceneEventLog, "add">;
  readonly clock: Clock;
}): () => void {
  return options.watches.onFiring((firing) => {
    const { pipelineId, result } = firing.view;
    options.log.add(toFiringEvent(firing), takeEventPicture(options, { pipelineId, result }));
  });
}

export function toFiringEvent({ watch, view, holds, text, track }: WatchFiring): SceneEventDraft {
  const { camera, pipelineId, result } = view;
  return {
    kind: holds ? "condition_true" : "condition_false",
    ...eventTimes(result.frame),
    camera,
    pipeline_id: pipelineId,
    watch_id: watch.id,
    frame_number: result.frame.frame_number,
    ...(track && aboutTrack(track)),
    text,
  };
}
