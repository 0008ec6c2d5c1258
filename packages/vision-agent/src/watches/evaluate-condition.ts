// a view of a camera → has what the watch waits for happened, or ended
import { isMoment, type SimpleCondition, type Watch, type WatchCondition } from "@vision-agent/protocol";
import type { FollowedView } from "../scene/followed-view.ts";
import type { ConditionMemory, ConditionReading, Happening, JudgedView, PlaceFinder } from "./condition-reading.ts";
import { judgeAppears, judgeCrosses, judgeEnters, judgeLeaves, judgeStays } from "./judge-moments.ts";
import { judgeSequence, type SequenceStepReading } from "./judge-sequence.ts";
import { judgeAbsent, judgeCount, judgeNear, judgeOutput, judgeTogether } from "./judge-states.ts";

/** The condition has become true, or what was told is over. */
export interface ConditionChange extends Happening {
  readonly holds: boolean;
}

export interface EvaluatedCondition {
  readonly memory: ConditionMemory | undefined;
  readonly changes: readonly ConditionChange[];
}

/** What of a watch decides when it fires. */
export type JudgedWatch = Pick<Watch, "condition" | "classes"> &
  Partial<Pick<Watch, "min_confidence" | "min_size" | "max_size" | "colour" | "again_seconds">>;

export interface EvaluationContext {
  /** The camera of the watch; a view of another one concerns only the steps that name it. */
  readonly camera: string;
  readonly placeOf: PlaceFinder;
}

/** Pure: the same views give the same changes. */
export function evaluateCondition(
  memory: ConditionMemory | undefined,
  view: FollowedView,
  watch: JudgedWatch,
  context: EvaluationContext,
): EvaluatedCondition {
  const { condition, again_seconds, ...things } = watch;
  const reading = judge(condition, { ...context, view, things, againSeconds: again_seconds }, memory);
  if (reading.state) return tellState(memory, view, reading, again_seconds);
  return {
    memory: reading.memory,
    changes: [
      ...reading.moments.map((moment) => ({ ...moment, holds: true })),
      ...(reading.over ?? []).map((ended) => ({ ...ended, holds: false })),
    ],
  };
}

/** By camera of a watch. */
export type WatchMemories = Map<string, ConditionMemory | undefined>;

/** What has become of a watch in a view of one of its cameras. Changes the memories. */
export function judgeWatch(
  watch: JudgedWatch & Pick<Watch, "cameras">,
  memories: WatchMemories,
  view: FollowedView,
  placeOf: PlaceFinder,
): readonly ConditionChange[] {
  const { condition, cameras } = watch;
  const spans = condition.kind === "sequence" && condition.steps.some(({ camera }) => camera === view.camera);
  return cameras
    .filter((camera) => spans || camera === view.camera)
    .flatMap((camera) => {
      const { memory, changes } = evaluateCondition(memories.get(camera), view, watch, { camera, placeOf });
      memories.set(camera, memory);
      return changes;
    });
}

/** Told once when it begins to hold, again after so long where that was asked for, and once when it is over. */
function tellState(
  before: ConditionMemory | undefined,
  { nowMs, camera }: FollowedView,
  { memory, state }: ConditionReading,
  againSeconds: number | undefined,
): EvaluatedCondition {
  if (!state?.holds) {
    const changes = before?.toldMs === undefined ? [] : [{ holds: false, text: `${state?.no} again on ${camera}.` }];
    return { memory, changes };
  }
  const { toldMs } = before ?? {};
  const isAgain = toldMs !== undefined && againSeconds !== undefined && nowMs - toldMs >= againSeconds * 1000;
  const isDue = toldMs === undefined || isAgain;
  const text = `${isAgain ? `Still: ${lowerFirst(state.yes)}` : state.yes} on ${camera}.`;
  return {
    memory: { ...memory, toldMs: isDue ? nowMs : toldMs },
    changes: isDue ? [{ holds: true, text, ...(state.track && { track: state.track }) }] : [],
  };
}

type JudgeSimple = {
  readonly [K in SimpleCondition["kind"]]: (
    condition: Extract<SimpleCondition, { kind: K }>,
    judged: JudgedView,
    memory: ConditionMemory | undefined,
  ) => ConditionReading;
};

const SIMPLE: JudgeSimple = {
  appears: judgeAppears,
  leaves: judgeLeaves,
  crosses: judgeCrosses,
  enters: judgeEnters,
  stays: judgeStays,
  count: judgeCount,
  absent: judgeAbsent,
  near: judgeNear,
  together: judgeTogether,
  output: judgeOutput,
};

function judge(condition: WatchCondition, judged: JudgedView, memory: ConditionMemory | undefined): ConditionReading {
  switch (condition.kind) {
    case "not":
      return negate(judge(condition.of, judged, memory?.parts?.[0]), judged.view);
    case "all":
    case "any": {
      const readings = condition.of.map((part, at) => judge(part, judged, memory?.parts?.[at]));
      const joined = condition.kind === "all" ? joinAll(readings) : joinAny(condition.of, readings, judged, memory);
      return { ...joined, memory: { parts: readings.map((reading) => withHeld(reading)) } };
    }
    case "sequence":
      return judgeSequence(condition, judged, memory, (step, before) => judgeStep(step, judged, before));
    default:
      return judgeSimple(condition, judged, memory);
  }
}

function judgeSimple<K extends SimpleCondition["kind"]>(
  condition: Extract<SimpleCondition, { kind: K }>,
  judged: JudgedView,
  memory: ConditionMemory | undefined,
): ConditionReading {
  return SIMPLE[condition.kind as K](condition, judged, memory);
}

/** Whether a part held is remembered with it, so that its beginning can be seen. */
function withHeld({ memory, state }: ConditionReading): ConditionMemory | undefined {
  return state ? { ...memory, holds: state.holds } : memory;
}

function negate({ memory, state }: ConditionReading, { isSettled }: FollowedView): ConditionReading {
  return {
    // Apart, for what holds inside is not what holds.
    memory: { parts: [memory] },
    moments: [],
    state: {
      holds: state?.holds === false && state.isKnown !== false && isSettled,
      yes: state?.no ?? "",
      no: state?.yes ?? "",
    },
  };
}

function joinAll(readings: readonly ConditionReading[]): ConditionReading {
  const states = readings.flatMap(({ state }) => state ?? []);
  const holds = states.every((state) => state.holds);
  const yes = joinTexts(states.map((state) => state.yes));
  if (states.length === readings.length) {
    const no = states.find((state) => !state.holds)?.no ?? "";
    return { moments: [], state: { holds, yes, no, track: states.find(({ track }) => track)?.track } };
  }
  const moments = holds ? readings.flatMap((reading) => reading.moments) : [];
  const during = yes === "" ? "" : ` while ${lowerFirst(yes)}`;
  return { moments: moments.map((moment) => ({ ...moment, text: moment.text.replace(/\.$/, `${during}.`) })) };
}

/** Of states alone it is one itself; else each of them tells when it begins. */
function joinAny(
  parts: readonly WatchCondition[],
  readings: readonly ConditionReading[],
  { view }: JudgedView,
  memory: ConditionMemory | undefined,
): ConditionReading {
  if (!parts.some(isMoment)) {
    const states = readings.flatMap(({ state }) => state ?? []);
    const holding = states.find((state) => state.holds);
    return { moments: [], state: { ...(holding ?? states[0] ?? { yes: "", no: "" }), holds: holding !== undefined } };
  }
  const moments = readings.flatMap((reading, at) => [
    ...reading.moments,
    ...beginningOf(reading, memory?.parts?.[at], view),
  ]);
  return { moments };
}

function beginningOf(
  { state }: ConditionReading,
  before: ConditionMemory | undefined,
  { camera }: FollowedView,
): readonly Happening[] {
  if (!state?.holds || before?.holds) return [];
  return [{ text: `${state.yes} on ${camera}.`, ...(state.track && { track: state.track }) }];
}

/** A step on another camera than that of the view stays as it was. */
function judgeStep(
  { when, camera }: Extract<WatchCondition, { kind: "sequence" }>["steps"][number],
  judged: JudgedView,
  before: ConditionMemory | undefined,
): SequenceStepReading {
  const where = camera ?? judged.camera;
  if (where.toLowerCase() !== judged.view.camera.toLowerCase()) return { memory: before, begins: [], holds: false };
  const reading = judge(when, { ...judged, camera: where }, before);
  return {
    memory: withHeld(reading),
    begins: [...reading.moments, ...beginningOf(reading, before, judged.view)],
    holds: reading.state?.holds === true,
  };
}

function joinTexts(texts: readonly string[]): string {
  return texts.map((text, at) => (at === 0 ? text : lowerFirst(text))).join(" and ");
}

function lowerFirst(text: string): string {
  return `${text[0]?.toLowerCase() ?? ""}${text.slice(1)}`;
}
