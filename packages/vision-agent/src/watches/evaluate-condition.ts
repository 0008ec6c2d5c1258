// a view of a camera → has what the watch waits for happened, or ended
import type { Watch, WatchCondition } from "@vision-agent/protocol";
import { type AreaVisit, type FollowedView, type SceneTrack, tracksIn } from "../scene/follow-scene.ts";
import { areaOf, isWanted, type SceneArea, type SceneInterest, WHOLE_PICTURE } from "../scene/scene-interest.ts";
import { durationInWords, namesOf, thereAre, withArticle } from "../scene/scene-words.ts";

/** Since when the picture has been as the watch waits for, and whether that was told; kept for each camera. */
export type HeldCondition = { readonly sinceMs: number; readonly told: boolean } | undefined;

/** The condition has become true, or what was told is over. */
export interface ConditionChange {
  readonly holds: boolean;
  /** One sentence for people. */
  readonly text: string;
  readonly track?: SceneTrack;
}

export interface EvaluatedCondition {
  readonly held: HeldCondition;
  readonly changes: readonly ConditionChange[];
}

/** What must be followed for a watch; nothing when coming and going is enough. */
export function interestOf({ condition, classes }: Pick<Watch, "condition" | "classes">): SceneInterest | undefined {
  switch (condition.kind) {
    case "appears":
    case "leaves":
      return undefined;
    case "stays":
      return { area: areaIn(condition), classes, staySeconds: condition.seconds };
    case "count":
    case "absent":
      return { area: areaIn(condition), classes, counts: true };
    default:
      return { area: areaIn(condition), classes };
  }
}

/** Pure: the same views give the same changes. */
export function evaluateCondition(
  held: HeldCondition,
  view: FollowedView,
  { condition, classes }: Pick<Watch, "condition" | "classes">,
): EvaluatedCondition {
  const area = areaIn(condition);
  const { camera } = view;
  const tell = (track: SceneTrack, did: string, holds = true): ConditionChange => ({
    holds,
    text: `${withArticle(track.className)} ${did}.`,
    track,
  });
  const isAsked = ({ className }: SceneTrack): boolean => isWanted(classes, className);
  const inArea = <T extends AreaVisit>(visits: readonly T[]): readonly T[] =>
    visits.filter((visit) => visit.area.key === area.key && isAsked(visit.track));
  switch (condition.kind) {
    case "appears":
      return { held, changes: view.arrived.filter(isAsked).map((track) => tell(track, `appeared on ${camera}`)) };
    case "leaves":
      return { held, changes: view.gone.filter(isAsked).map((track) => tell(track, `left ${camera}`)) };
    case "crosses": {
      const changes = view.crossings.flatMap(({ track, direction, area: { key } }) =>
        track && key === area.key && isAsked(track) && ["any", direction].includes(condition.direction)
          ? [tell(track, `crossed the line on ${camera}, going ${direction}`)]
          : [],
      );
      return { held, changes };
    }
    case "enters":
      return { held, changes: inArea(view.entered).map(({ track }) => tell(track, `entered the zone on ${camera}`)) };
    case "stays": {
      const { seconds } = condition;
      const [duration, place] = [durationInWords(seconds), area.kind === "zone" ? `the zone on ${camera}` : camera];
      const begun = inArea(view.stayed).filter((visit) => visit.seconds === seconds);
      const over = inArea(view.exited).filter(({ track }) => track.stays.get(area.key)?.told.includes(seconds));
      const changes = [
        ...begun.map(({ track }) => tell(track, `stayed for ${duration} on ${camera}`)),
        ...over.map(({ track }) => tell(track, `left ${place} after a stay of more than ${duration}`, false)),
      ];
      return { held, changes };
    }
    case "count": {
      const count = tracksIn(view, area, classes).length;
      return hold(held, view, {
        isTrue: count >= condition.at_least,
        forSeconds: condition.for_seconds,
        begun: thereAre(count, classes),
        over: `There are fewer than ${condition.at_least} ${namesOf(classes)} again`,
      });
    }
    case "absent": {
      const names = namesOf(classes);
      return hold(held, view, {
        isTrue: tracksIn(view, area, classes).length === 0,
        forSeconds: condition.for_seconds,
        begun: `No ${names} for ${durationInWords(condition.for_seconds)}`,
        over: `There are ${names} again`,
      });
    }
  }
}

/** Tells once when something has been true for long enough, once when that is over, and again only after that. */
function hold(
  before: HeldCondition,
  { nowMs, camera }: FollowedView,
  state: { readonly isTrue: boolean; readonly forSeconds: number; readonly begun: string; readonly over: string },
): EvaluatedCondition {
  const { isTrue, forSeconds, begun, over } = state;
  if (!isTrue) {
    return { held: undefined, changes: before?.told ? [{ holds: false, text: `${over} on ${camera}.` }] : [] };
  }
  const { sinceMs, told } = before ?? { sinceMs: nowMs, told: false };
  const isDue = !told && nowMs - sinceMs >= forSeconds * 1000;
  return {
    held: { sinceMs, told: told || isDue },
    changes: isDue ? [{ holds: true, text: `${begun} on ${camera}.` }] : [],
  };
}

function areaIn(condition: WatchCondition): SceneArea {
  if (condition.kind === "crosses") return areaOf("line", condition.line);
  const zone = "zone" in condition ? condition.zone : undefined;
  return zone === undefined ? WHOLE_PICTURE : areaOf("zone", zone);
}
