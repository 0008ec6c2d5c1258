// states of pipelines and what they say of their camera → a camera is in trouble, a camera is well again
import type { PipelineState, PipelineStatus, SceneEventKind } from "@vision-agent/protocol";
import type { SceneEventDraft } from "../store/open-scene-event-log.ts";

const SILENT: readonly PipelineState[] = ["reconnecting", "failed"];

type CameraTrouble = NonNullable<PipelineStatus["health"]>["state"];

/** What is wrong with cameras now, by their names. */
export type CameraTroubles = ReadonlyMap<string, CameraTrouble>;

/** What it is called, and what is said when it begins and when it is over. */
const TROUBLES: Readonly<Record<CameraTrouble, readonly [kind: SceneEventKind, begun: string, over: string]>> = {
  down: ["camera_down", "gives no pictures", "gives pictures again"],
  frozen: ["camera_frozen", "shows the same picture again and again", "shows new pictures again"],
  covered: ["camera_covered", "shows nothing: it is covered, or in the dark", "can see again"],
  moved: [
    "camera_moved",
    "looks somewhere else than before",
    "has kept its new view, which counts as the usual one now",
  ],
};

/** Pure. A camera is told once, however many pipelines run on it; it is well when one of them runs and none complains. */
export function detectCameraEvents(
  before: CameraTroubles,
  pipelines: readonly PipelineStatus[],
  timestamp: string,
): { readonly troubles: CameraTroubles; readonly events: readonly SceneEventDraft[] } {
  const troubles = new Map<string, CameraTrouble>();
  const events: SceneEventDraft[] = [];
  // Where nobody looks any more, nobody can say when it is back: such a camera is forgotten.
  for (const [camera, statuses] of Map.groupBy(pipelines, ({ video_reference }) => video_reference)) {
    const was = before.get(camera);
    const running = statuses.filter(({ status }) => status === "running");
    const silent = statuses.find(({ status }) => SILENT.includes(status));
    const pipeline = running.find(({ health }) => health) ?? running[0] ?? silent;
    if (pipeline === undefined) {
      // Paused by a person, or only starting: as it was.
      if (was !== undefined) troubles.set(camera, was);
      continue;
    }
    const is = pipeline === silent ? "down" : pipeline.health?.state;
    if (is !== undefined) troubles.set(camera, is);
    if (is === was) continue;
    const about = { timestamp, camera, pipeline_id: pipeline.pipeline_id, frame_number: 0 };
    if (is !== undefined) {
      const why = is === "down" && pipeline.reason ? `: ${pipeline.reason}` : ".";
      const [kind, begun] = TROUBLES[is];
      events.push({ kind, ...about, text: `${camera} ${begun}${why}` });
    } else if (was !== undefined) {
      events.push({ kind: "camera_up", ...about, text: `${camera} ${TROUBLES[was][2]}.` });
    }
  }
  return { troubles, events };
}
