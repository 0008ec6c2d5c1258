// one workflow, one picture, every backend → where they agree, how long they take, what could not run
import type { BackendName, Detections, FrameResult, OutputValue, WorkflowSpec } from "@vision-agent/protocol";
import { BackendError, type InferenceBackend, type RunningPipeline } from "./backend.ts";

export interface ParityOptions {
  readonly backends: readonly InferenceBackend[];
  readonly spec: WorkflowSpec;
  /** The same bytes go to everybody. */
  readonly jpeg: Uint8Array;
  /** A file with those bytes, for backends that run pipelines only where it counts: WebRTC. */
  readonly path: string;
  readonly clock: { monotonic(): number };
  /** So long may a WebRTC session take to its first result. Default 180 000. */
  readonly sessionMs?: number;
}

/** What one backend made of it. */
export type ParityRun =
  | {
      readonly backend: BackendName;
      readonly outputs: FrameResult["outputs"];
      /** From question to answer the first time, models being loaded. */
      readonly firstMs: number;
      /** The same again, with everything in place; not asked of a session. */
      readonly againMs?: number;
      /** What the backend itself says the last answer took; 0 when it does not say. */
      readonly latencyMs: number;
      /** What must be known to judge it. */
      readonly notes: readonly string[];
    }
  | { readonly backend: BackendName; readonly failure: string };

/** One output of two backends, side by side. */
export interface ParityComparison {
  readonly output: string;
  readonly backends: readonly [BackendName, BackendName];
  readonly agrees: boolean;
  /** For detections. */
  readonly boxes?: BoxComparison;
  /** For numbers and truth values. */
  readonly values?: readonly [number | boolean, number | boolean];
}

export interface ParityReport {
  readonly runs: readonly ParityRun[];
  /** The first backend that ran, beside each of the others. */
  readonly comparisons: readonly ParityComparison[];
  /** At least two ran, something could be compared, and all of it agrees. */
  readonly agrees: boolean;
}

/** How far two answers may be apart: each side of a box in pixels, and a score. */
const TOLERANCE = { boxPx: 2, score: 0.02 } as const;
const SESSION_MS = 180_000;

/** Never rejects because of a backend: what could not run says why. */
export async function runParity(options: ParityOptions): Promise<ParityReport> {
  const runs: ParityRun[] = [];
  // One after the other: side by side they would slow each other down.
  for (const backend of options.backends) runs.push(await runOn(backend, options));
  const [first, ...others] = runs.filter((run) => "outputs" in run);
  const comparisons = first === undefined ? [] : others.flatMap((other) => compareRuns(first, other));
  return { runs, comparisons, agrees: comparisons.length > 0 && comparisons.every(({ agrees }) => agrees) };
}

type Ran = Extract<ParityRun, { outputs: unknown }>;

async function runOn(backend: InferenceBackend, options: ParityOptions): Promise<ParityRun> {
  const { name } = backend;
  try {
    const look = name === "webrtc" ? lookThroughSession : lookTwice;
    return { backend: name, ...(await look(backend, options)) };
  } catch (error) {
    return { backend: name, failure: error instanceof Error ? error.message : String(error) };
  }
}

async function lookTwice(backend: InferenceBackend, options: ParityOptions): Promise<Omit<Ran, "backend">> {
  const { spec, jpeg: bytes, clock } = options;
  const look = async () => {
    const begun = clock.monotonic();
    const image = { kind: "bytes", bytes, mimeType: "image/jpeg" } as const;
    const { result, note } = await backend.run({ kind: "workflow", spec }, image);
    return { result, note, ms: clock.monotonic() - begun };
  };
  const first = await look();
  const again = await look();
  const notes = [...notesOf(again.result), ...(again.note === undefined ? [] : [again.note])];
  const { outputs, latency_ms: latencyMs } = again.result;
  return { outputs, firstMs: first.ms, againMs: again.ms, latencyMs, notes };
}

/** A question to this backend would go the way of http: a session shows what WebRTC itself gives. */
async function lookThroughSession(backend: InferenceBackend, options: ParityOptions): Promise<Omit<Ran, "backend">> {
  const { spec, path, clock, sessionMs = SESSION_MS } = options;
  const first = Promise.withResolvers<FrameResult>();
  const fail = (message: string): void => first.reject(new BackendError({ kind: "unavailable", message }));
  const limit = setTimeout(() => fail(`No result came within ${sessionMs / 1000} s.`), sessionMs);
  // Who starts the session may fail before anybody waits for the result.
  first.promise.catch(() => undefined);
  const begun = clock.monotonic();
  let pipeline: RunningPipeline | undefined;
  try {
    pipeline = await backend.open({
      pipelineId: "parity",
      sourceId: "picture",
      address: path,
      spec,
      onResult: first.resolve,
      onState: (state, reason) => {
        if (state === "failed") fail(reason ?? "The session failed.");
        if (state === "ended") fail("The session ended without a result.");
      },
    });
    const result = await first.promise;
    const firstMs = clock.monotonic() - begun;
    return { outputs: result.outputs, firstMs, latencyMs: result.latency_ms, notes: notesOf(result) };
  } finally {
    clearTimeout(limit);
    await pipeline?.stop();
  }
}

function notesOf({ outputs }: FrameResult): readonly string[] {
  const notes = Object.values(outputs).map((output) =>
    output.kind === "detections" ? output.detections.note : undefined,
  );
  return [...new Set(notes.filter((note) => note !== undefined))];
}

function compareRuns(a: Ran, b: Ran): readonly ParityComparison[] {
  const backends = [a.backend, b.backend] as const;
  return Object.entries(a.outputs).flatMap(([output, left]) => {
    const found = compareOutputs(left, b.outputs[output]);
    return found === undefined ? [] : [{ output, backends, ...found }];
  });
}

/** Undefined for what cannot be compared: pictures, texts (ids among them), lists. */
function compareOutputs(a: OutputValue, b: OutputValue | undefined) {
  if (a.kind === "detections" && b?.kind === "detections") {
    const boxes = compareDetections(a.detections, b.detections);
    return { agrees: boxes.agrees, boxes };
  }
  if (a.kind !== "value" || b?.kind !== "value" || !isPlain(a.value) || !isPlain(b.value)) return undefined;
  return { agrees: a.value === b.value, values: [a.value, b.value] as const };
}

function isPlain(value: unknown): value is number | boolean {
  return typeof value === "number" || typeof value === "boolean";
}

interface BoxComparison {
  /** Boxes of each side. */
  readonly counts: readonly [number, number];
  /** Boxes of the same class at the same place. */
  readonly matched: number;
  /** Largest difference of a side among the matched, in pixels. */
  readonly worstPx: number;
  /** Largest difference of a score among the matched. */
  readonly worstScore: number;
  readonly agrees: boolean;
}

/** Pairs overlap by more than this. */
const SAME_PLACE = 0.5;

/** Pairs boxes of the same class, those that overlap most first, each once. */
export function compareDetections(a: Detections, b: Detections): BoxComparison {
  const pairs = matchBoxes(a, b);
  const worstPx = Math.max(0, ...pairs.map(([left, right]) => furthestSide(boxOf(a, left), boxOf(b, right))));
  const scores = pairs.map(([left, right]) => Math.abs(a.confidence[left]! - b.confidence[right]!));
  const worstScore = Math.max(0, ...scores);
  const counts = [a.confidence.length, b.confidence.length] as const;
  const agrees =
    counts.every((count) => count === pairs.length) && worstPx <= TOLERANCE.boxPx && worstScore <= TOLERANCE.score;
  return { counts, matched: pairs.length, worstPx, worstScore, agrees };
}

function matchBoxes(a: Detections, b: Detections): readonly (readonly [number, number])[] {
  const candidates = a.class_name
    .flatMap((name, left) =>
      b.class_name.flatMap((other, right) =>
        other === name ? [{ left, right, overlap: overlapOf(boxOf(a, left), boxOf(b, right)) }] : [],
      ),
    )
    .filter(({ overlap }) => overlap > SAME_PLACE)
    .sort((one, other) => other.overlap - one.overlap);
  const [lefts, rights] = [new Set<number>(), new Set<number>()];
  const pairs: [number, number][] = [];
  for (const { left, right } of candidates) {
    if (lefts.has(left) || rights.has(right)) continue;
    lefts.add(left);
    rights.add(right);
    pairs.push([left, right]);
  }
  return pairs;
}

type Box = readonly [left: number, top: number, right: number, bottom: number];

function boxOf({ xyxy }: Detections, row: number): Box {
  return [xyxy[4 * row]!, xyxy[4 * row + 1]!, xyxy[4 * row + 2]!, xyxy[4 * row + 3]!];
}

function furthestSide(a: Box, b: Box): number {
  return Math.max(...a.map((side, at) => Math.abs(side - b[at]!)));
}

/** Shared area by joined area. */
function overlapOf(a: Box, b: Box): number {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  const shared = Math.max(0, width) * Math.max(0, height);
  const joined = areaOf(a) + areaOf(b) - shared;
  return joined > 0 ? shared / joined : 0;
}

function areaOf([left, top, right, bottom]: Box): number {
  return (right - left) * (bottom - top);
}
