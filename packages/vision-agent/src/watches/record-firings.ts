// a condition came true → a scene event with its picture
import type { Clock } from "@vision-agent/agent-core";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { takeEventPicture } from "../scene/event-picture.ts";
import type { OpenSceneEventLog } from "../scene/open-scene-event-log.ts";
import type { WatchRegistry } from "./watch-registry.ts";

/** Until the returned function is called, which may be done twice. */
export function recordFirings(options: {
  readonly watches: Pick<WatchRegistry, "onFiring">;
  readonly pipelines: Pick<PipelineRegistry, "picture">;
  readonly log: Pick<OpenSceneEventLog, "add">;
  readonly clock: Clock;
}): () => void {
  return options.watches.onFiring(({ watch, camera, pipelineId, result, text, className, trackerId, box }) => {
    options.log.add(
      {
        kind: "condition_true",
        timestamp: result.frame.timestamp,
        camera,
        pipeline_id: pipelineId,
        watch_id: watch.id,
        frame_number: result.frame.frame_number,
        class_name: className,
        tracker_id: trackerId,
        ...(box && { box_xyxy: [...box] }),
        text,
      },
      takeEventPicture(options, { pipelineId, result }),
    );
  });
}
