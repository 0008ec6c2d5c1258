// appears, leaves, crosses, enters, stays: things that happen
import type { SimpleCondition } from "@vision-agent/protocol";
import type { AreaVisit, SceneTrack } from "../scene/followed-view.ts";
import type { SceneArea } from "../scene/scene-interest.ts";
import { crossingInWords, durationInWords, placeInWords, withArticle } from "../scene/scene-words.ts";
import {
  areaFor,
  type ConditionMemory,
  type ConditionReading,
  type Happening,
  isAsked,
  type JudgedView,
} from "./condition-reading.ts";

type Of<K extends SimpleCondition["kind"]> = Extract<SimpleCondition, { kind: K }>;

const NOTHING: ConditionReading = { moments: [] };

export function judgeAppears({ what }: Of<"appears">, { view, things }: JudgedView): ConditionReading {
  const arrived = view.arrived.filter((track) => isAsked(track, what ?? things, view));
  return { moments: arrived.map((track) => tell(track, `appeared on ${view.camera}`)) };
}

export function judgeLeaves({ what }: Of<"leaves">, { view, things }: JudgedView): ConditionReading {
  const gone = view.gone.filter((track) => isAsked(track, what ?? things, view));
  return { moments: gone.map((track) => tell(track, `left ${view.camera}`)) };
}

export function judgeCrosses(condition: Of<"crosses">, judged: JudgedView): ConditionReading {
  const area = areaFor("line", condition.line, judged);
  if (area === undefined) return NOTHING;
  const { view, things } = judged;
  const moments = view.crossings.flatMap(({ track, direction, area: { key } }) =>
    track &&
    key === area.key &&
    isAsked(track, condition.what ?? things, view) &&
    ["any", direction].includes(condition.direction)
      ? [tell(track, crossingInWords({ ...area, names: condition.names ?? area.names }, direction, view.camera))]
      : [],
  );
  return { moments };
}

export function judgeEnters({ zone, what }: Of<"enters">, judged: JudgedView): ConditionReading {
  const area = areaFor("zone", zone, judged);
  if (area === undefined) return NOTHING;
  const { view } = judged;
  const entered = visitsOf(view.entered, area, judged, what);
  return { moments: entered.map(({ track }) => tell(track, `entered ${placeInWords(area)} on ${view.camera}`)) };
}

export function judgeStays(
  { seconds, zone, what }: Of<"stays">,
  judged: JudgedView,
  memory: ConditionMemory | undefined,
): ConditionReading {
  const area = areaFor("zone", zone, judged);
  if (area === undefined) return NOTHING;
  const { view, againSeconds } = judged;
  const { camera, nowMs } = view;
  const duration = durationInWords(seconds);
  const place = area.kind === "zone" ? `${placeInWords(area)} on ${camera}` : camera;
  const begun = visitsOf(view.stayed, area, judged, what).filter((visit) => visit.seconds === seconds);
  const over = visitsOf(view.exited, area, judged, what).filter(({ track }) =>
    track.stays.get(area.key)?.told.includes(seconds),
  );
  const told = new Map(memory?.stays);
  for (const { track } of begun) told.set(track.visitId, nowMs);
  const due =
    againSeconds === undefined
      ? []
      : view.there.filter(
          (track) => track.stays.has(area.key) && nowMs - (told.get(track.visitId) ?? nowMs) >= againSeconds * 1000,
        );
  for (const track of due) told.set(track.visitId, nowMs);
  const there = new Set(view.there.map(({ visitId }) => visitId));
  return {
    memory: { stays: new Map([...told].filter(([key]) => there.has(key))) },
    moments: [
      ...begun.map(({ track }) => tell(track, `stayed for ${duration} on ${camera}`)),
      ...due.map((track) => tell(track, `is still there on ${camera}, after more than ${duration}`)),
    ],
    over: over.map(({ track }) => tell(track, `left ${place} after a stay of more than ${duration}`)),
  };
}

function visitsOf<T extends AreaVisit>(
  visits: readonly T[],
  area: SceneArea,
  { view, things }: JudgedView,
  what = things,
): readonly T[] {
  return visits.filter((visit) => visit.area.key === area.key && isAsked(visit.track, what, view));
}

function tell(track: SceneTrack, did: string): Happening {
  return { text: `${withArticle(track.className)} ${did}.`, track };
}
