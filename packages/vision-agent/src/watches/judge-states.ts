// count, absent, near, together, output: what is so, or is not
import type { FrameResult, Json, SimpleCondition, WatchedThings } from "@vision-agent/protocol";
import type { BoxXyxy } from "@vision-agent/vision-engine";
import type { SceneTrack } from "../scene/followed-view.ts";
import { durationInWords, namesOf, placeInWords, thereAre } from "../scene/scene-words.ts";
import { areaFor, type ConditionMemory, type ConditionReading, isAsked, type JudgedView } from "./condition-reading.ts";

type Of<K extends SimpleCondition["kind"]> = Extract<SimpleCondition, { kind: K }>;
type Memory = ConditionMemory | undefined;

const STILL_NEAR = 1.25;

export function judgeCount(condition: Of<"count">, judged: JudgedView, memory: Memory): ConditionReading {
  const { at_least, at_most = 0, for_seconds } = condition;
  const things = condition.what ?? judged.things;
  const count = tracksOf(things, condition.zone, judged)?.length;
  const names = namesOf(things.classes);
  const where = inPlace(condition.zone, judged);
  return hold(memory, judged, {
    isTrue:
      count !== undefined && (at_least === undefined ? count <= at_most && judged.view.isSettled : count >= at_least),
    forSeconds: for_seconds,
    yes: `${thereAre(count ?? 0, things.classes)}${where}`,
    no:
      at_least === undefined
        ? `There are more than ${at_most} ${names}${where}`
        : `There are fewer than ${at_least} ${names}${where}`,
  });
}

export function judgeAbsent(condition: Of<"absent">, judged: JudgedView, memory: Memory): ConditionReading {
  const things = condition.what ?? judged.things;
  const [names, where] = [namesOf(things.classes), inPlace(condition.zone, judged)];
  const { view } = judged;
  const tracks = tracksOf(things, condition.zone, judged);
  // From when somebody was last seen, not from when they counted as gone.
  const lastSeen = tracks?.length ? tracks.map(({ lastSeenMs }) => lastSeenMs) : [memory?.sinceMs ?? view.nowMs];
  const since = { sinceMs: Math.max(view.lookedSinceMs, ...lastSeen), holds: false };
  const reading = hold(since, judged, {
    isTrue: view.isSettled && tracks?.length === 0,
    forSeconds: condition.for_seconds,
    yes: `No ${names} for ${durationInWords(condition.for_seconds)}${where}`,
    no: `There are ${names}${where}`,
  });
  return { memory: since, ...reading };
}

export function judgeNear(condition: Of<"near">, judged: JudgedView, memory: Memory): ConditionReading {
  const things = condition.what ?? judged.things;
  const { other, distance, for_seconds } = condition;
  const { view } = judged;
  // Boxes tremble: who is near is so until clearly farther away.
  const most = distance * view.result.frame.width * (memory?.sinceMs === undefined ? 1 : STILL_NEAR);
  const others = view.there.filter((track) => isAsked(track, other, view));
  const close = view.there.find(
    (track) =>
      isAsked(track, things, view) && others.some((one) => one !== track && gapBetween(track.box, one.box) <= most),
  );
  const names = `${namesOf(things.classes)} near ${namesOf(other.classes)}`;
  return hold(memory, judged, {
    isTrue: close !== undefined,
    forSeconds: for_seconds,
    yes: `There are ${names}`,
    no: `There are no ${names}`,
    track: close,
  });
}

export function judgeTogether(condition: Of<"together">, judged: JudgedView, memory: Memory): ConditionReading {
  const things = condition.what ?? judged.things;
  const { other, for_seconds } = condition;
  const ones = tracksOf(things, condition.zone, judged) ?? [];
  const others = tracksOf(other, condition.zone, judged) ?? [];
  const found = ones.find((track) => others.some((one) => one !== track));
  const names = `${namesOf(things.classes)} and ${namesOf(other.classes)} together${inPlace(condition.zone, judged)}`;
  return hold(memory, judged, {
    isTrue: found !== undefined,
    forSeconds: for_seconds,
    yes: `There are ${names}`,
    no: `There are no ${names}`,
    track: found,
  });
}

/** Between results of its pipeline it stays as it was. */
export function judgeOutput(condition: Of<"output">, judged: JudgedView, memory: Memory): ConditionReading {
  const { pipeline, path, comparator, value, for_seconds } = condition;
  const { view } = judged;
  const words = `${path} of ${pipeline} is ${comparator === "==" ? "" : `${comparator} `}${value}`;
  const texts = {
    yes: words,
    no: `${path} of ${pipeline} is no longer ${comparator === "==" ? "" : `${comparator} `}${value}`,
  };
  const wanted = pipeline.toLowerCase();
  if (view.pipelineId !== pipeline && view.pipelineName?.toLowerCase() !== wanted) {
    const state = { holds: memory?.holds === true, isKnown: memory !== undefined, ...texts };
    return { moments: [], ...(memory && { memory }), state };
  }
  const found = valueAt(view.result.outputs, path);
  const isTrue = found !== undefined && compare(found, comparator, value);
  return { memory: { holds: false }, ...hold(memory, judged, { isTrue, forSeconds: for_seconds, ...texts }) };
}

/** Those of an area, also who is hidden for a moment; undefined for a place that is not there. */
function tracksOf(
  things: WatchedThings,
  zone: Of<"count">["zone"],
  judged: JudgedView,
): readonly SceneTrack[] | undefined {
  const { view } = judged;
  const area = areaFor("zone", zone, judged);
  if (area === undefined) return undefined;
  return view.there.filter(
    (track) => (area.kind === "picture" || track.stays.has(area.key)) && isAsked(track, things, view),
  );
}

function inPlace(zone: Of<"count">["zone"], judged: JudgedView): string {
  const area = typeof zone === "string" ? areaFor("zone", zone, judged) : undefined;
  return area === undefined ? "" : ` in ${placeInWords(area)}`;
}

interface HeldState {
  readonly isTrue: boolean;
  readonly forSeconds: number;
  readonly yes: string;
  readonly no: string;
  readonly track?: SceneTrack | undefined;
}

/** It holds once it has been true for long enough, and no longer than it is true. */
function hold(memory: Memory, { view: { nowMs } }: JudgedView, state: HeldState): ConditionReading {
  const { isTrue, forSeconds, yes, no, track } = state;
  if (!isTrue) return { moments: [], state: { holds: false, yes, no } };
  const sinceMs = memory?.sinceMs ?? nowMs;
  const holds = nowMs - sinceMs >= forSeconds * 1000;
  return { memory: { sinceMs, holds }, moments: [], state: { holds, yes, no, track } };
}

/** Pixels between the nearest edges; 0 where they overlap. */
function gapBetween(one: BoxXyxy, other: BoxXyxy): number {
  const dx = Math.max(0, one[0] - other[2], other[0] - one[2]);
  const dy = Math.max(0, one[1] - other[3], other[1] - one[3]);
  return Math.hypot(dx, dy);
}

/** Of boxes only their number: `predictions.count`. */
function valueAt(outputs: FrameResult["outputs"], path: string): Json | undefined {
  const name = Object.keys(outputs).find((one) => path === one || path.startsWith(`${one}.`));
  const output = name === undefined ? undefined : outputs[name];
  if (name === undefined || output === undefined || output.kind === "image") return undefined;
  const keys = path
    .slice(name.length + 1)
    .split(".")
    .filter((key) => key !== "");
  const root: Json = output.kind === "value" ? output.value : { count: output.detections.class_name.length };
  return keys.reduce<Json | undefined>((value, key) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    return (value as Readonly<Record<string, Json>>)[key];
  }, root);
}

type Comparator = Of<"output">["comparator"];

/** Values of different types are different, and neither is more. */
function compare(found: Json, comparator: Comparator, value: string | number | boolean): boolean {
  if (comparator === "==") return found === value;
  if (comparator === "!=") return found !== value;
  if (typeof found !== "number" || typeof value !== "number") return false;
  return { ">": found > value, ">=": found >= value, "<": found < value, "<=": found <= value }[comparator];
}
