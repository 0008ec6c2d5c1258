// states of pipelines and what they say of their camera → a camera is in trouble, a camera is well again
import type { PipelineState, PipelineStatus, SceneEventKind } from "@vision-agent/protocol";
import type { SceneEventDraft } from "../store/open-scene-event-log.ts";

const SILENT: readonly PipelineState[] = ["reconnecting", "failed"];

/** A camera that opens again within this time was not down for anybody. */
const DOWN_HOLD_MS = 8000;
/** So long a camera must be well before that is told; longer each time when it gets into trouble again soon. */
const CALM_MS = 10_000;
const LONGEST_CALM_MS = 300_000;
const RELAPSE_MS = 600_000;

type CameraTrouble = NonNullable<PipelineStatus["health"]>["state"];
/** Absent when all is well; `ended` when a recording is over, which is no trouble. */
type Condition = CameraTrouble | "ended" | undefined;

/** What is known of one camera. */
export interface CameraCondition {
  /** What people were told last. */
  readonly told: Condition;
  /** How it is now, and since when. */
  readonly now: Condition;
  readonly sinceMs: number;
  /** How long it must be well before that is told. */
  readonly calmMs: number;
  /** When it was well again for the last time. */
  readonly upAtMs: number;
}

/** By name of the camera. */
export type CameraConditions = ReadonlyMap<string, CameraCondition>;

/** What it is called, and what is said when it begins and when it is over. */
const TROUBLES: Readonly<Record<CameraTrouble, readonly [kind: SceneEventKind, begun: string, over: string]>> = {
  down: ["camera_down", "gives no pictures", "gives pictures again"],
  frozen: ["camera_frozen", "shows the same picture again and again", "shows new pictures again"],
  covered: ["camera_covered", "shows nothing: something covers it", "can see again"],
  dark: ["camera_dark", "is in the dark and shows next to nothing", "has light again"],
  moved: ["camera_moved", "looks somewhere else than before; lines and zones drawn before may be wrong", ""],
};

export interface CameraMoment {
  /** Of the events, ISO 8601. */
  readonly timestamp: string;
  /** Milliseconds that only grow. */
  readonly nowMs: number;
}

/**
 * Pure. A camera is told once, however many pipelines run on it; it is well when one of them runs and none complains.
 * What lasts only for moments is not told.
 */
export function detectCameraEvents(
  before: CameraConditions,
  pipelines: readonly PipelineStatus[],
  { timestamp, nowMs }: CameraMoment,
): { readonly cameras: CameraConditions; readonly events: readonly SceneEventDraft[] } {
  const cameras = new Map<string, CameraCondition>();
  const events: SceneEventDraft[] = [];
  // Where nobody looks any more, nobody can say when it is back: such a camera is forgotten.
  for (const [camera, statuses] of Map.groupBy(pipelines, ({ video_reference }) => video_reference)) {
    const was = before.get(camera) ?? unknownAt(nowMs);
    const found = conditionOf(statuses);
    const is = found === undefined ? was : { ...was, ...(found.now !== was.now && { now: found.now, sinceMs: nowMs }) };
    const isDue = found !== undefined && is.now !== is.told && nowMs - is.sinceMs >= holdMs(is);
    cameras.set(camera, isDue ? toldAt(is, nowMs) : is);
    const words = isDue && wordsFor(is, found.pipeline);
    if (!words) continue;
    const { pipeline_id } = found.pipeline;
    events.push({ kind: words.kind, timestamp, camera, pipeline_id, frame_number: 0, text: `${camera} ${words.text}` });
  }
  return { cameras, events };
}

function unknownAt(nowMs: number): CameraCondition {
  return toldBefore(undefined, nowMs);
}

/** What people were told of a camera before a restart, by the kind of its last event: it is not told again. */
export function toldBefore(last: SceneEventKind | undefined, nowMs: number): CameraCondition {
  const [told] = Object.entries(TROUBLES).find(([, [kind]]) => kind === last) ?? [];
  const condition = last === "camera_ended" ? "ended" : (told as CameraTrouble | undefined);
  return {
    told: condition,
    now: condition,
    sinceMs: nowMs,
    calmMs: CALM_MS,
    upAtMs: Number.NEGATIVE_INFINITY,
  };
}

/** Kinds of events about a camera itself. */
export const CAMERA_KINDS: readonly SceneEventKind[] = [
  ...Object.values(TROUBLES).map(([kind]) => kind),
  "camera_ended",
  "camera_up",
];

/** Absent while nobody can tell: paused by a person, or only starting. */
function conditionOf(
  statuses: readonly PipelineStatus[],
): { readonly now: Condition; readonly pipeline: PipelineStatus } | undefined {
  const running = statuses.filter(({ status }) => status === "running");
  const looking = running.find(({ health }) => health) ?? running[0];
  if (looking !== undefined) return { now: looking.health?.state, pipeline: looking };
  const silent = statuses.find(({ status }) => SILENT.includes(status));
  if (silent !== undefined) return { now: "down", pipeline: silent };
  const isOver = statuses.every(({ status }) => status === "ended");
  return isOver ? { now: "ended", pipeline: statuses[0]! } : undefined;
}

function holdMs({ now, told, calmMs }: CameraCondition): number {
  if (now === "down") return DOWN_HOLD_MS;
  return now === undefined && told !== "ended" ? calmMs : 0;
}

function toldAt(is: CameraCondition, nowMs: number): CameraCondition {
  const told = is.now;
  if (told === undefined) return { ...is, told, upAtMs: nowMs };
  if (is.told !== undefined) return { ...is, told };
  const isRelapse = nowMs - is.upAtMs < RELAPSE_MS;
  return { ...is, told, calmMs: isRelapse ? Math.min(3 * is.calmMs, LONGEST_CALM_MS) : CALM_MS };
}

function wordsFor(
  { now, told }: CameraCondition,
  { reason }: PipelineStatus,
): { readonly kind: SceneEventKind; readonly text: string } | undefined {
  if (now === "ended") return { kind: "camera_ended", text: "has come to the end of its recording." };
  if (now !== undefined) {
    const [kind, begun] = TROUBLES[now];
    return { kind, text: `${begun}${now === "down" && reason ? `: ${reason}` : "."}` };
  }
  // A recording that is played again was not in trouble, and a camera that was moved is not back where it was.
  if (told === undefined || told === "ended" || told === "moved") return undefined;
  return { kind: "camera_up", text: `${TROUBLES[told][2]}.` };
}
