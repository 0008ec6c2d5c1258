// results of one pipeline → what happened in front of its camera
import type { Detections, FrameResult, SceneEvent } from "@vision-agent/protocol";
import { type CountedLine, distanceTo, isLeftOf } from "./scene-plan.ts";

/** Results that must show a thing before it counts as there: a flicker is no visit. */
const SEEN_BEFORE_APPEARED = 3;
/** Unseen for so long, it has left. */
const GONE_AFTER_MS = 2000;
/** The counter may lag behind the centre of a box, by its anchor and by dropped frames. */
const CROSSING_LAG_MS = 1500;
const MOST_TRACKS = 512;
const MOST_CROSSINGS_A_FRAME = 20;

/** An event before it has an id and a picture. */
export type SceneEventDraft = Omit<SceneEvent, "id" | "picture">;

export interface SceneContext {
  readonly camera: string;
  readonly pipelineId: string;
  readonly lines: readonly CountedLine[];
}

type Box = readonly [number, number, number, number];
interface Track {
  readonly id: number;
  readonly className: string;
  readonly box: Box;
  /** The highest so far. */
  readonly confidence: number;
  readonly seen: number;
  readonly lastSeenMs: number;
  /** By line: on which side the centre is, and when it came there from the other. */
  readonly sides: Readonly<Record<string, { readonly left: boolean; readonly changedMs?: number }>>;
}

/** What is remembered of one pipeline between results; bounded. */
export interface SceneMemory {
  readonly tracks: ReadonlyMap<number, Track>;
  /** Last value of each counting output. */
  readonly counts: Readonly<Record<string, number>>;
}

export const EMPTY_SCENE: SceneMemory = { tracks: new Map(), counts: {} };

/** Pure: the same results give the same events. */
export function detectSceneEvents(
  memory: SceneMemory,
  result: FrameResult,
  context: SceneContext,
): { readonly memory: SceneMemory; readonly events: readonly SceneEventDraft[] } {
  const nowMs = Date.parse(result.frame.timestamp);
  const tracks = new Map(memory.tracks);
  const present = trackedIn(result).map((sighting) => follow(tracks.get(sighting.id), sighting, { nowMs, context }));
  for (const track of present) {
    // Set anew, so that the map is ordered by last sight.
    tracks.delete(track.id);
    tracks.set(track.id, track);
  }
  const appeared = present.filter(({ seen }) => seen === SEEN_BEFORE_APPEARED);
  const left = [...tracks.values()].filter(({ lastSeenMs }) => nowMs - lastSeenMs > GONE_AFTER_MS);
  for (const { id } of left) tracks.delete(id);
  const { crossings, counts } = readCrossings(memory.counts, result, context);
  const crossed = crossings.map((crossing) => ({ ...crossing, track: takeCrosser(tracks, crossing, nowMs) }));
  for (const id of [...tracks.keys()].slice(0, Math.max(0, tracks.size - MOST_TRACKS))) tracks.delete(id);

  const draft = draftsFor(result, context);
  const events = [
    ...appeared.map((track) => draft("appeared", `${article(track.className)} appeared on ${context.camera}.`, track)),
    ...crossed.map(({ direction, track }) => crossingDraft(draft, { direction, track, camera: context.camera })),
    ...left
      .filter(({ seen }) => seen >= SEEN_BEFORE_APPEARED)
      .map((track) => draft("left", `${article(track.className)} left ${context.camera}.`, track)),
  ];
  return { memory: { tracks, counts }, events };
}

interface Sighting {
  readonly id: number;
  readonly className: string;
  readonly box: Box;
  readonly confidence: number;
}

function trackedIn({ outputs }: FrameResult): readonly Sighting[] {
  for (const output of Object.values(outputs)) {
    if (output.kind === "detections" && output.detections.tracker_id) {
      return output.detections.tracker_id.map((id, row) => toSighting(output.detections, id, row));
    }
  }
  return [];
}

function toSighting({ xyxy, class_name, confidence }: Detections, id: number, row: number): Sighting {
  const [left = 0, top = 0, right = 0, bottom = 0] = xyxy.slice(row * 4, row * 4 + 4);
  const box = [left, top, right, bottom] as const;
  return { id, className: class_name[row] ?? "thing", box, confidence: confidence[row] ?? 0 };
}

function follow(
  known: Track | undefined,
  sighting: Sighting,
  { nowMs, context }: { readonly nowMs: number; readonly context: SceneContext },
): Track {
  const sides = Object.fromEntries(
    context.lines.map((line) => {
      const left = isLeftOf(line, centre(sighting.box));
      const before = known?.sides[line.step];
      const changedMs = before && before.left !== left ? nowMs : before?.changedMs;
      return [line.step, { left, changedMs }];
    }),
  );
  const confidence = Math.max(sighting.confidence, known?.confidence ?? 0);
  return { ...sighting, confidence, sides, seen: (known?.seen ?? 0) + 1, lastSeenMs: nowMs };
}

interface Crossing {
  readonly line: CountedLine;
  readonly direction: "in" | "out";
}

function readCrossings(
  before: SceneMemory["counts"],
  result: FrameResult,
  context: SceneContext,
): { readonly crossings: readonly Crossing[]; readonly counts: SceneMemory["counts"] } {
  const counts: Record<string, number> = {};
  const crossings: Crossing[] = [];
  for (const line of context.lines) {
    for (const [direction, name] of [
      ["in", line.countIn],
      ["out", line.countOut],
    ] as const) {
      const output = name === undefined ? undefined : result.outputs[name];
      if (name === undefined || output?.kind !== "value" || typeof output.value !== "number") continue;
      counts[name] = output.value;
      // The first value, and a count that began anew, are where counting starts.
      const risen = output.value - (before[name] ?? output.value);
      for (let n = 0; n < Math.min(risen, MOST_CROSSINGS_A_FRAME); n += 1) crossings.push({ line, direction });
    }
  }
  return { crossings, counts: { ...before, ...counts } };
}

/** Who crossed: the one whose centre came over last, else what is nearest, then without saying which one. */
function takeCrosser(
  tracks: Map<number, Track>,
  { line, direction }: Crossing,
  nowMs: number,
): { readonly track: Track; readonly certain: boolean } | undefined {
  const present = [...tracks.values()].filter(({ lastSeenMs }) => nowMs - lastSeenMs <= CROSSING_LAG_MS);
  const changedAt = (track: Track): number => track.sides[line.step]?.changedMs ?? Number.NEGATIVE_INFINITY;
  const [crosser] = present
    .filter(
      (track) => track.sides[line.step]?.left === (direction === "in") && nowMs - changedAt(track) <= CROSSING_LAG_MS,
    )
    .sort((a, b) => changedAt(b) - changedAt(a));
  if (crosser) {
    const side = { left: direction === "in" };
    tracks.set(crosser.id, { ...crosser, sides: { ...crosser.sides, [line.step]: side } });
    return { track: crosser, certain: true };
  }
  const [nearest] = present.sort((a, b) => distanceTo(line, centre(a.box)) - distanceTo(line, centre(b.box)));
  return nearest && { track: nearest, certain: false };
}

type Draft = (kind: SceneEvent["kind"], text: string, track?: Track) => SceneEventDraft;

function draftsFor({ frame }: FrameResult, { camera, pipelineId }: SceneContext): Draft {
  return (kind, text, track) => ({
    kind,
    timestamp: frame.timestamp,
    camera,
    pipeline_id: pipelineId,
    frame_number: frame.frame_number,
    ...(track && {
      class_name: track.className,
      tracker_id: track.id,
      confidence: track.confidence,
      box_xyxy: [...track.box],
    }),
    text,
  });
}

function crossingDraft(
  draft: Draft,
  options: {
    readonly direction: "in" | "out";
    readonly track: ReturnType<typeof takeCrosser>;
    readonly camera: string;
  },
): SceneEventDraft {
  const { direction, track: found, camera } = options;
  const who = found ? article(found.track.className) : "Something";
  const event = draft("line_crossed", `${who} crossed the line on ${camera}, going ${direction}.`);
  if (!found) return { ...event, direction };
  const { className, id, box, confidence } = found.track;
  const named = { ...event, direction, class_name: className, confidence };
  return found.certain ? { ...named, tracker_id: id, box_xyxy: [...box] } : named;
}

function centre([left, top, right, bottom]: Box): readonly [number, number] {
  return [(left + right) / 2, (top + bottom) / 2];
}

function article(className: string): string {
  return `${/^[aeiou]/i.test(className) ? "An" : "A"} ${className}`;
}
