// a view of a camera → what happened in front of it
import type { SceneEvent, SceneEventKind } from "@vision-agent/protocol";
import type { SceneEventDraft } from "../store/open-scene-event-log.ts";
import type { FollowedView, SceneTrack } from "./followed-view.ts";
import { eventTimes } from "./footage-time.ts";
import type { SceneArea } from "./scene-interest.ts";
import { crossingInWords, durationInWords, placeInWords, thereAre, withArticle } from "./scene-words.ts";

/** Which pipeline an event is told in the name of: people ask one pipeline to tell of a kind, or have a line in it. */
export type EventNaming = (
  kind: SceneEventKind,
  about: { readonly className?: string; readonly area?: SceneArea },
) => string;

/** Pure. Comings first, goings last. */
export function detectSceneEvents(view: FollowedView, nameOf: EventNaming): readonly SceneEventDraft[] {
  const { camera } = view;
  const draft = (
    kind: SceneEventKind,
    text: string,
    {
      track,
      area,
      ...more
    }: Partial<Omit<SceneEvent, "area">> & { readonly track?: SceneTrack; readonly area?: SceneArea },
  ): SceneEventDraft => ({
    kind,
    ...eventTimes(view.result.frame),
    camera,
    pipeline_id: nameOf(kind, { className: track?.className, area }),
    frame_number: view.result.frame.frame_number,
    ...(track && aboutTrack(track)),
    ...(area && area.kind !== "picture" && { area: area.key }),
    ...more,
    text,
  });
  const who = (track: SceneTrack | undefined): string => (track ? withArticle(track.className) : "Something");
  const zones = <T extends { readonly area: SceneArea }>(visits: readonly T[]): readonly T[] =>
    visits.filter(({ area }) => area.kind === "zone");
  return [
    ...view.arrived.map((track) => draft("appeared", `${who(track)} appeared on ${camera}.`, { track })),
    ...view.crossings.map(({ track, direction, area }) =>
      draft("line_crossed", `${who(track)} ${crossingInWords(area, direction, camera)}.`, {
        track,
        area,
        direction,
      }),
    ),
    ...zones(view.entered).map(({ track, area }) =>
      draft("zone_entered", `${who(track)} entered ${placeInWords(area)} on ${camera}.`, { track, area }),
    ),
    ...view.stayed.map(({ track, area, seconds }) =>
      draft("stayed", `${who(track)} stayed ${whereIn(area, camera)} for ${durationInWords(seconds)}.`, {
        track,
        area,
      }),
    ),
    ...zones(view.exited).map(({ track, area }) =>
      draft("zone_left", `${who(track)} left ${placeInWords(area)} on ${camera}.`, { track, area }),
    ),
    ...view.gone.map((track) => draft("left", `${who(track)} left ${camera}.`, { track })),
    ...view.counts.map(({ area, classes, count, before }) =>
      draft("count_changed", `${thereAre(count, classes)} ${whereIn(area, camera)} now, ${before} before.`, {
        area,
        count,
        class_name: classes.length === 1 ? classes[0] : undefined,
      }),
    ),
  ];
}

export function aboutTrack({ className, trackerId, visitId, confidence, box }: SceneTrack) {
  return {
    class_name: className,
    tracker_id: trackerId,
    visit_id: visitId,
    confidence: Number(confidence.toFixed(3)),
    // A tenth of a pixel is enough, and a third of the letters.
    box_xyxy: box.map((edge) => Number(edge.toFixed(1))) as SceneEvent["box_xyxy"],
  };
}

function whereIn(area: SceneArea, camera: string): string {
  return area.kind === "zone" ? `in ${placeInWords(area)} on ${camera}` : `on ${camera}`;
}
