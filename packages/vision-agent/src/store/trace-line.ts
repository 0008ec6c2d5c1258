// what a follower was given in a second ⇄ one line of the trace
import { type Colour, colourSchema, type Json, type PipelineStatus } from "@vision-agent/protocol";
import { z } from "zod";

/** Left, top, right, bottom as fractions of the picture. */
type FractionBox = readonly [left: number, top: number, right: number, bottom: number];

export interface TracedBox {
  readonly className: string;
  readonly confidence: number;
  readonly box: FractionBox;
}

export interface TracedThing extends TracedBox {
  readonly trackerId: number;
  readonly colour?: Colour | undefined;
}

/** One result of a pipeline, as far as who follows the scene needs it. */
export interface TracedFrame {
  readonly camera: string;
  readonly atMs: number;
  readonly pipelineId: string;
  readonly width: number;
  readonly height: number;
  /** Undefined where the workflow follows nothing. */
  readonly things: readonly TracedThing[] | undefined;
  /** Seen, and too low in score for the detector. */
  readonly weak: readonly TracedBox[];
  /** Absent where nobody looked for motion. */
  readonly moving?: boolean | undefined;
  /** Numbers, yes and no, and short texts among the outputs of the workflow. */
  readonly values: Readonly<Record<string, Json>>;
}

/** A pipeline of a camera from then on. */
export interface TracedState {
  readonly camera: string;
  readonly atMs: number;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly status: PipelineStatus["status"];
  readonly health?: NonNullable<PipelineStatus["health"]>["state"] | undefined;
  /** Scores that its detector asks for. */
  readonly threshold: number;
  /** How much it leaves out of what its detector finds. */
  readonly narrowness: number;
}

/** Places and scores are written as whole numbers. */
const PLACES = 10_000;
const SCORES = 1000;

const boxNumbers = z.array(z.number()).length(6);
const frameSchema = z.object({
  /** Milliseconds into the second. */
  o: z.number(),
  /** Tracker id, class, score, box, and the colour where it is known; null where nothing is followed. */
  b: z.array(z.array(z.number()).min(7).max(8)).nullable(),
  /** Class, score, box. */
  w: z.array(boxNumbers).optional(),
  m: z.union([z.literal(0), z.literal(1)]).optional(),
  v: z.record(z.string(), z.json()).optional(),
});
type FrameCode = z.infer<typeof frameSchema>;

const place = { c: z.string(), t: z.int(), p: z.string() };
/** A second; a number stands for a frame like the one before it, so many milliseconds into the second. */
const secondSchema = z.object({
  ...place,
  s: z.tuple([z.number(), z.number()]),
  k: z.array(z.string()),
  f: z.array(z.union([frameSchema, z.number()])),
});
/** Seconds in which nothing was seen; `u`: where nothing is followed. */
const runSchema = z.object({
  ...place,
  s: z.tuple([z.number(), z.number()]),
  d: z.int().positive(),
  m: z.union([z.literal(0), z.literal(1)]).optional(),
  u: z.literal(1).optional(),
});
const stateSchema = z.object({
  ...place,
  at: z.number(),
  n: z.string(),
  st: z.string(),
  h: z.string().optional(),
  x: z.number(),
  /** Absent in older traces. */
  w: z.number().optional(),
});
const lineSchema = z.union([secondSchema, runSchema, stateSchema]);
export type TraceLine = z.infer<typeof lineSchema>;
export type SecondLine = z.infer<typeof secondSchema>;
export type EmptyRunLine = z.infer<typeof runSchema>;
export type StateLine = z.infer<typeof stateSchema>;

/** Undefined for a line torn by a crash. */
export function parseTraceLine(text: string): TraceLine | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** How the lines of a camera begin. */
export function lineStart(camera: string): string {
  return `{"c":${JSON.stringify(camera)},`;
}

/** Whether a line may say how a pipeline was, before it is parsed. */
export function mayBeState(line: string): boolean {
  return line.includes('"at":');
}

/** From when until when a line speaks. */
export function spanOfLine(line: TraceLine): { readonly fromMs: number; readonly toMs: number } {
  const fromMs = line.t * 1000;
  return { fromMs, toMs: fromMs + ("d" in line ? line.d : 1) * 1000 };
}

/** Frames of one pipeline in one second. */
export function toSecondLine(frames: readonly TracedFrame[]): SecondLine | EmptyRunLine {
  const { camera: c, atMs, pipelineId: p, width, height } = frames[0]!;
  const t = Math.floor(atMs / 1000);
  const s: [number, number] = [width, height];
  const isEmpty = ({ things, weak, values }: TracedFrame): boolean =>
    (things?.length ?? 0) === 0 && weak.length === 0 && Object.keys(values).length === 0;
  if (frames.every(isEmpty)) {
    const moving = frames.map((frame) => frame.moving).filter((one) => one !== undefined);
    return {
      ...{ c, t, p, s, d: 1 },
      ...(moving.length > 0 && { m: moving.includes(true) ? 1 : 0 }),
      ...(frames.every(({ things }) => things === undefined) && { u: 1 }),
    };
  }
  const k: string[] = [];
  let before = "";
  const f = frames.map((frame): FrameCode | number => {
    const { o, ...same } = toFrameCode(frame, k);
    const written = JSON.stringify(same);
    if (written === before) return o;
    before = written;
    return { o, ...same };
  });
  return { c, t, p, s, k, f };
}

function toFrameCode({ atMs, things, weak, moving, values }: TracedFrame, names: string[]): FrameCode {
  const codeOf = (name: string): number => {
    const known = names.indexOf(name);
    return known === -1 ? names.push(name) - 1 : known;
  };
  const numbersOf = ({ className, confidence, box }: TracedBox): number[] => [
    codeOf(className),
    // Never more than it was: a limit taken from it must hold for the real one.
    Math.floor(confidence * SCORES + 1e-6),
    ...box.map((share) => Math.round(share * PLACES)),
  ];
  return {
    o: Math.round(atMs) - Math.floor(atMs / 1000) * 1000,
    b: things?.map((thing) => [thing.trackerId, ...numbersOf(thing), ...colourCode(thing)]) ?? null,
    ...(weak.length > 0 && { w: weak.map(numbersOf) }),
    ...(moving !== undefined && { m: moving ? 1 : 0 }),
    ...(Object.keys(values).length > 0 && { v: { ...values } }),
  };
}

const COLOURS = colourSchema.options;

function colourCode({ colour }: TracedThing): readonly number[] {
  return colour === undefined ? [] : [COLOURS.indexOf(colour)];
}

/** The same run, longer; undefined when the line does not follow it. */
export function joinRuns(run: EmptyRunLine, next: EmptyRunLine, mostSeconds: number): EmptyRunLine | undefined {
  const isNext = next.t === run.t + run.d && run.d + next.d <= mostSeconds;
  const isSame = run.m === next.m && run.u === next.u && run.s.join() === next.s.join();
  return isNext && isSame ? { ...run, d: run.d + next.d } : undefined;
}

/** Of a run one frame a second. */
export function framesOf(line: SecondLine | EmptyRunLine): readonly TracedFrame[] {
  const { c: camera, t, p: pipelineId, s } = line;
  const [width, height] = s;
  const common = { camera, pipelineId, width, height };
  if ("d" in line) {
    const seen = { things: line.u ? undefined : [], weak: [], moving: toMoving(line.m), values: {} };
    return Array.from({ length: line.d }, (_, at) => ({ ...common, ...seen, atMs: (t + at) * 1000 }));
  }
  let last: FrameCode | undefined;
  return line.f.flatMap((code) => {
    const frame = typeof code === "number" ? last && { ...last, o: code } : code;
    last = frame;
    if (frame === undefined) return [];
    return {
      ...common,
      atMs: t * 1000 + frame.o,
      things: frame.b?.map(([trackerId = 0, ...numbers]) => {
        const colour = COLOURS[numbers[6] ?? -1];
        return { trackerId, ...toBox(numbers.slice(0, 6), line.k), ...(colour && { colour }) };
      }),
      weak: (frame.w ?? []).map((numbers) => toBox(numbers, line.k)),
      moving: toMoving(frame.m),
      values: frame.v ?? {},
    };
  });
}

function toMoving(code: 0 | 1 | undefined): boolean | undefined {
  return code === undefined ? undefined : code === 1;
}

function toBox([name = 0, score = 0, ...box]: readonly number[], names: readonly string[]): TracedBox {
  const [left = 0, top = 0, right = 0, bottom = 0] = box.map((place) => place / PLACES);
  return { className: names[name] ?? "thing", confidence: score / SCORES, box: [left, top, right, bottom] };
}

export function toStateLine(state: TracedState): StateLine {
  const { camera: c, atMs: at, pipelineId: p, pipelineName: n, status: st, health: h, threshold: x } = state;
  return { c, t: Math.floor(at / 1000), p, at, n, st, ...(h && { h }), x, w: state.narrowness };
}

export function stateOf({ c, p, at, n, st, h, x, w = x }: StateLine): TracedState {
  return {
    camera: c,
    pipelineId: p,
    atMs: at,
    pipelineName: n,
    status: st as TracedState["status"],
    health: h as TracedState["health"],
    threshold: x,
    narrowness: w,
  };
}
