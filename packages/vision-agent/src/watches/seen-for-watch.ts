// a stored period → what a watch could see in it, gate by gate
import type { Colour, GateVerdict, SimpleCondition, Watch } from "@vision-agent/protocol";
import { anchorPoint, containsPoint } from "@vision-agent/vision-engine";
import { colourOf, isThere, type SceneTrack, SEEN_BEFORE_THERE } from "../scene/followed-view.ts";
import { isWanted, USUAL_CONFIDENCE } from "../scene/scene-interest.ts";
import type { TracedFrame, TracedState } from "../store/trace-line.ts";
import { partsOf } from "./condition-interests.ts";
import { areaFor, type PlaceFinder } from "./condition-reading.ts";
import { judgeTrace } from "./judge-trace.ts";
import type { StoredScene } from "./stored-scene.ts";

export interface StoredPeriod {
  readonly fromMs: number;
  readonly toMs: number;
  /** The moment that was asked about. */
  readonly atMs: number;
  /** From before it, for as long as the watches need. */
  readonly scene: StoredScene;
  /** The same with other things in the frames. */
  readonly sceneWith: (change: (frame: TracedFrame) => TracedFrame) => Promise<StoredScene>;
  /** Of the camera's pipelines. */
  readonly states: readonly TracedState[];
  readonly placeOf: PlaceFinder;
}

export interface SeenForWatch {
  /** When its condition came true in the period. */
  readonly firedMs: readonly number[];
  /** It was true when the period began, and was told before. */
  readonly heldBefore: boolean;
  readonly verdicts: readonly GateVerdict[];
}

const pass = (gate: GateVerdict["gate"], more: Partial<GateVerdict> = {}): GateVerdict => ({
  gate,
  passed: true,
  ...more,
});
const fail = (gate: GateVerdict["gate"], more: Partial<GateVerdict>): GateVerdict => ({ gate, passed: false, ...more });

/** When it would have fired, and whether it held before. */
export async function firingsOf(
  watch: Watch,
  { scene, placeOf, fromMs }: StoredPeriod,
): Promise<Pick<SeenForWatch, "firedMs" | "heldBefore">> {
  const firedMs: number[] = [];
  let holds = false;
  let heldBefore = false;
  // From before the period on: what held then was told then.
  for await (const { atMs, changes } of judgeTrace(watch, { scene, placeOf, fromMs })) {
    for (const change of changes) {
      if (atMs >= fromMs && change.holds) firedMs.push(atMs);
      if (atMs < fromMs) heldBefore = change.holds;
      holds = change.holds;
    }
  }
  return { firedMs, heldBefore: heldBefore && holds };
}

/** Whether it would have fired at all. */
export async function firesIn(watch: Watch, { scene, placeOf, fromMs }: StoredPeriod): Promise<boolean> {
  for await (const { atMs, changes } of judgeTrace(watch, { scene, placeOf, fromMs })) {
    if (atMs >= fromMs && changes.some(({ holds }) => holds)) return true;
  }
  return false;
}

/** The gates up to the condition itself; the last says no unless all of them are passed. */
export async function sceneGates(watch: Watch, camera: string, period: StoredPeriod): Promise<readonly GateVerdict[]> {
  const seen = await collect(watch, camera, period);
  const frame = frameGate(seen.frames, period);
  if (!frame.passed) return [frame];
  if (!needsThings(watch)) return [frame];
  const { min_confidence = 0, min_size = 0, max_size = 1 } = watch;
  const verdicts: GateVerdict[] = [frame];
  const steps: readonly (() => GateVerdict)[] = [
    () => motionGate(seen),
    () => detectorGate(seen, period),
    () => trackGate(seen),
    () => {
      const found = Math.max(...seen.there.map(({ confidence }) => confidence));
      const figures = { found: round(found), needed: min_confidence, unit: "score" } as const;
      return found >= min_confidence ? pass("confidence", figures) : fail("confidence", figures);
    },
    () => {
      const sizes = seen.there.map(({ size }) => size);
      const fits = sizes.some((size) => size >= min_size && size <= max_size);
      const largest = Math.max(...sizes);
      const [found, needed] = largest < min_size ? [largest, min_size] : [Math.min(...sizes), max_size];
      const figures = { found: round(found), needed, unit: "share of the picture" } as const;
      return fits ? pass("size") : fail("size", figures);
    },
    () => {
      const { colour } = watch;
      const seenIn = seen.there.map((one) => one.colour);
      if (colour === undefined || seenIn.includes(colour)) return pass("colour");
      const found = seenIn.findLast((one) => one !== undefined);
      return fail("colour", { ...(found && { found }), needed: colour });
    },
    () => areaGate(seen, watch),
  ];
  for (const step of steps) {
    const verdict = step();
    verdicts.push(verdict);
    if (!verdict.passed) break;
  }
  return verdicts;
}

/** Scores too low become things, as if the detector asked for so little: one of each class at a time. */
export async function withWeak(period: StoredPeriod, watch: Watch, lowest: number): Promise<StoredPeriod> {
  const classes = classesOf(watch);
  const promote = (frame: TracedFrame): TracedFrame => {
    const wanted = frame.weak.filter(
      ({ className, confidence }) => confidence >= lowest && isWanted(classes, className),
    );
    const best = [...Map.groupBy(wanted, ({ className }) => className).values()].map((boxes, at) => ({
      ...boxes.toSorted((a, b) => b.confidence - a.confidence)[0]!,
      trackerId: -1 - at,
    }));
    return { ...frame, things: [...(frame.things ?? []), ...best] };
  };
  return { ...period, scene: await period.sceneWith(promote) };
}

interface Collected {
  frames: number;
  moving: boolean | undefined;
  /** How often each thing of a wanted class was found. */
  readonly tracks: Map<string, number>;
  weakest: number;
  readonly there: { readonly confidence: number; readonly size: number; readonly colour: Colour | undefined }[];
  /** Nearest to the zone or line; 0 inside or across. */
  distance: number;
}

async function collect(watch: Watch, camera: string, period: StoredPeriod): Promise<Collected> {
  const classes = classesOf(watch);
  const seen: Collected = {
    ...{ frames: 0, moving: undefined, weakest: 0, distance: Number.POSITIVE_INFINITY },
    tracks: new Map(),
    there: [],
  };
  for await (const { atMs, frame, view } of judgeTrace(watch, period)) {
    if (frame.camera !== camera || atMs < period.fromMs) continue;
    seen.frames += 1;
    if (frame.moving !== undefined) seen.moving = seen.moving === true || frame.moving;
    for (const { className, trackerId } of frame.things ?? []) {
      if (!isWanted(classes, className)) continue;
      const key = `${frame.pipelineId} ${trackerId}`;
      seen.tracks.set(key, (seen.tracks.get(key) ?? 0) + 1);
    }
    for (const { className, confidence } of frame.weak)
      if (isWanted(classes, className)) seen.weakest = Math.max(seen.weakest, confidence);
    const picture = frame.width * frame.height;
    for (const track of view.there.filter((one) => isThere(one) && isWanted(classes, one.className))) {
      const [left, top, right, bottom] = track.box;
      const size = ((right - left) * (bottom - top)) / picture;
      seen.there.push({ confidence: track.confidence, size, colour: colourOf(track) });
      seen.distance = Math.min(seen.distance, distanceTo(watch, camera, track, { frame, placeOf: period.placeOf }));
    }
    const crossed = view.crossings.some(({ track }) => track && isWanted(classes, track.className));
    if (crossed) seen.distance = 0;
  }
  return seen;
}

/** Why nothing could be seen at some time of the minute that was asked about; undefined when it could. */
export function outageIn({ states, atMs, toMs }: StoredPeriod): string | undefined {
  const from = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  const until = Math.min(from + MINUTE_MS, toMs);
  const current = new Map<string, TracedState>();
  let found = blindness(current);
  for (const state of states.filter((one) => one.atMs < until)) {
    if (state.atMs > from && found !== undefined) return found;
    current.set(state.pipelineId, state);
    found = blindness(current);
  }
  return found;
}

const MINUTE_MS = 60_000;
const OVER: readonly string[] = ["ended", "stopped"];
const LOOKING: readonly string[] = ["starting", "running"];
const BLIND: readonly string[] = ["down", "frozen", "covered"];

/** What keeps every pipeline of a camera from seeing. */
function blindness(states: ReadonlyMap<string, TracedState>): string | undefined {
  const alive = [...states.values()].filter(({ status }) => !OVER.includes(status));
  const reasons = (alive.length > 0 ? alive : [...states.values()]).map(({ status, health }) => {
    if (!LOOKING.includes(status)) return status;
    return health !== undefined && BLIND.includes(health) ? health : undefined;
  });
  return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined;
}

function frameGate(frames: number, { states, atMs, fromMs }: StoredPeriod): GateVerdict {
  const current = new Map<string, TracedState>();
  for (const state of states) if (state.atMs <= Math.max(atMs, fromMs)) current.set(state.pipelineId, state);
  const last = [...current.values()];
  const ill = last.find(({ health }) => health !== undefined && health !== "moved");
  if (ill?.health !== undefined) return fail("frame", { found: ill.health });
  if (frames > 0) return pass("frame");
  return fail("frame", { found: last.findLast(({ status }) => status !== "running")?.status ?? "no pictures" });
}

function motionGate({ moving, tracks, weakest }: Collected): GateVerdict {
  const isStill = moving === false && tracks.size === 0 && weakest === 0;
  return isStill ? fail("motion", { found: "nothing moved" }) : pass("motion");
}

function detectorGate({ tracks, weakest }: Collected, { states }: StoredPeriod): GateVerdict {
  if (tracks.size > 0) return pass("detector");
  const needed = states.at(-1)?.threshold ?? USUAL_CONFIDENCE;
  return fail("detector", { found: round(weakest), needed, unit: "score" });
}

function trackGate({ tracks, there }: Collected): GateVerdict {
  if (there.length > 0) return pass("track");
  return fail("track", { found: Math.max(0, ...tracks.values()), needed: SEEN_BEFORE_THERE, unit: "results" });
}

function areaGate({ distance }: Collected, watch: Watch): GateVerdict {
  const gate = partsOf(watch.condition).some(({ condition }) => condition.kind === "crosses") ? "line" : "zone";
  if (distance <= 0 || !Number.isFinite(distance)) return pass(gate);
  return fail(gate, { found: round(distance), needed: 0, unit: "share of the width" });
}

/** From a thing to the nearest place of the watch, as a share of the width; 0 inside; infinite without a place. */
function distanceTo(
  watch: Watch,
  camera: string,
  track: SceneTrack,
  { frame: { width, height }, placeOf }: { readonly frame: TracedFrame; readonly placeOf: PlaceFinder },
): number {
  const distances = partsOf(watch.condition).flatMap(({ condition, camera: named }) => {
    const place = placeIn(condition);
    if (place === undefined || (named !== undefined && named !== camera)) return [];
    const area = areaFor(place.kind, place.written, { camera, placeOf });
    const points = (area?.points ?? []).map(([x, y]) => [x * width, y * height] as const);
    const at = anchorPoint(track.box, place.kind === "line" ? "CENTER" : "BOTTOM_CENTER");
    if (place.kind === "zone" && containsPoint(points, at)) return [0];
    const edges = points.map((start, index) => ({ start, end: points[(index + 1) % points.length]! }));
    return edges.map(({ start, end }) => distanceToEdge(start, end, at) / width);
  });
  return Math.min(Number.POSITIVE_INFINITY, ...distances);
}

type Place = readonly [number, number];

function distanceToEdge(start: Place, end: Place, at: Place): number {
  const along = (at[0] - start[0]) * (end[0] - start[0]) + (at[1] - start[1]) * (end[1] - start[1]);
  const length = (end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, along / length));
  return Math.hypot(at[0] - start[0] - share * (end[0] - start[0]), at[1] - start[1] - share * (end[1] - start[1]));
}

function placeIn(condition: SimpleCondition) {
  if (condition.kind === "crosses") return { kind: "line", written: condition.line } as const;
  const zone = "zone" in condition ? condition.zone : undefined;
  return zone === undefined ? undefined : ({ kind: "zone", written: zone } as const);
}

/** Absence and few things are there without any. */
function needsThings({ condition }: Watch): boolean {
  if (condition.kind === "not") return false;
  return partsOf(condition).some(
    ({ condition: one }) =>
      one.kind !== "absent" && one.kind !== "output" && !(one.kind === "count" && one.at_most !== undefined),
  );
}

/** Empty: all. */
function classesOf({ classes, condition }: Watch): readonly string[] {
  const all = partsOf(condition).flatMap(({ condition: one }) => [
    one.kind === "output" ? [] : (one.what?.classes ?? classes),
    ...("other" in one ? [one.other.classes] : []),
  ]);
  return all.some((names) => names.length === 0) ? [] : [...new Set(all.flat())];
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
