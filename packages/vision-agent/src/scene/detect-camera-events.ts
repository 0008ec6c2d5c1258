// states of pipelines → a camera went down, a camera came back
import type { PipelineState, PipelineStatus } from "@vision-agent/protocol";
import type { SceneEventDraft } from "./detect-scene-events.ts";

const DOWN: readonly PipelineState[] = ["reconnecting", "failed"];

/** Cameras that give no pictures now. */
export type CamerasDown = ReadonlySet<string>;

/** Pure. A camera is told once, however many pipelines run on it; it is back when one of them runs. */
export function detectCameraEvents(
  down: CamerasDown,
  pipelines: readonly PipelineStatus[],
  timestamp: string,
): { readonly down: CamerasDown; readonly events: readonly SceneEventDraft[] } {
  const now = new Set(down);
  const events: SceneEventDraft[] = [];
  for (const [camera, statuses] of Map.groupBy(pipelines, ({ video_reference }) => video_reference)) {
    const running = statuses.find(({ status }) => status === "running");
    const silent = running ? undefined : statuses.find(({ status }) => DOWN.includes(status));
    if (silent && !now.has(camera)) {
      now.add(camera);
      const why = silent.reason ? `: ${silent.reason}` : ".";
      events.push(draft("camera_down", silent, { timestamp, text: `${camera} gives no pictures${why}` }));
    }
    if (running && now.delete(camera)) {
      events.push(draft("camera_up", running, { timestamp, text: `${camera} gives pictures again.` }));
    }
  }
  // Nobody looks at it any more, so nobody can say when it is back.
  const watched = new Set(pipelines.map(({ video_reference }) => video_reference));
  for (const camera of now) if (!watched.has(camera)) now.delete(camera);
  return { down: now, events };
}

function draft(
  kind: "camera_down" | "camera_up",
  { video_reference, pipeline_id }: PipelineStatus,
  about: Pick<SceneEventDraft, "timestamp" | "text">,
): SceneEventDraft {
  return { kind, camera: video_reference, pipeline_id, frame_number: 0, ...about };
}
