// one workflow, one picture, every backend → where they agree, how long they take, what could not run
import type { BackendName, Detections, FrameResult, OutputValue, WorkflowSpec } from "@vision-agent/protocol";
import type { PictureOrigin } from "../store/picture-origin.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { BackendError, type InferenceBackend, type RunningPipeline } from "./backend.ts";

export interface ParityOptions {
  readonly backends: readonly InferenceBackend[];
  readonly spec: WorkflowSpec;
  /** The same bytes go to everybody. */
  readonly jpeg: Uint8Array;
  /** Where the picture comes from: servers on other machines receive it only when that is allowed. Default: nobody knows. */
  readonly origin?: PictureOrigin;
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
      /** In the output that has most. */
      readonly boxes: number;
      /** From question to answer the first time, models being loaded. */
      readonly first_ms: number;
      /** The same again, with everything in place; null of a session, which is not asked twice. */
      readonly again_ms: number | null;
      /** What the backend itself says the last answer took; 0 when it does not say. */
      readonly latency_ms: number;
      /** What must be known to judge it. */
      readonly notes: readonly string[];
      readonly outputs: FrameResult["outputs"];
    }
  | { readonly backend: BackendName; readonly failure: string };

/** One output of two backends, side by side; what is said of boxes is there for detections. */
export interface ParityComparison extends Partial<BoxComparison> {
  readonly output: string;
  readonly backends: readonly [BackendName, BackendName];
  readonly agrees: boolean;
  /** For numbers and truth values. */
  readonly values?: readonly [number | boolean, number | boolean];
}

/** Names as `--json` prints them. */
export interface ParityReport {
  /** At least two ran, something could be compared, and all of it agrees. */
  readonly agrees: boolean;
  readonly runs: readonly ParityRun[];
  /** The first backend that ran, beside each of the others. */
  readonly comparisons: readonly ParityComparison[];
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
  return { agrees: comparisons.length > 0 && comparisons.every(({ agrees }) => agrees), runs, comparisons };
}

type Ran = Extract<ParityRun, { outputs: unknown }>;
/** What is measured; the rest is read off the result. */
type Times = Pick<Ran, "first_ms" | "again_ms">;

async function runOn(backend: InferenceBackend, options: ParityOptions): Promise<ParityRun> {
  const { name } = backend;
  try {
    const look = name === "webrtc" ? lookThroughSession : lookTwice;
    return { backend: name, ...(await look(backend, options)) };
  } catch (error) {
    return { backend: name, failure: reasonOf(error) };
  }
}

async function lookTwice(backend: InferenceBackend, options: ParityOptions): Promise<Omit<Ran, "backend">> {
  const { spec, jpeg: bytes, origin, clock } = options;
  const look = async () => {
    const begun = clock.monotonic();
    const image = { kind: "bytes", bytes, mimeType: "image/jpeg", ...(origin && { origin }) } as const;
    const { result, note } = await backend.run({ kind: "workflow", spec }, image);
    return { result, note, ms: clock.monotonic() - begun };
  };
  const first = await look();
  const again = await look();
  const ran = toRan(again.result, { first_ms: first.ms, again_ms: again.ms });
  return again.note === undefined ? ran : { ...ran, notes: [...ran.notes, again.note] };
}

/** A question to this backend would go the way of http: a session shows what WebRTC itself gives. */
async function lookThroughSession(backend: InferenceBackend, options: ParityOptions): Promise<Omit<Ran, "backend">> {
  const { spec, path, origin, clock, sessionMs = SESSION_MS } = options;
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
      ...(origin && { origin }),
      address: path,
      spec,
      onResult: first.resolve,
      onState: (state, reason) => {
        if (state === "failed") fail(reason ?? "The session failed.");
        if (state === "ended") fail("The session ended without a result.");
      },
    });
    const result = await first.promise;
    return toRan(result, { first_ms: clock.monotonic() - begun, again_ms: null });
  } finally {
    clearTimeout(limit);
    await pipeline?.stop();
  }
}

function toRan({ outputs, latency_ms }: FrameResult, times: Times): Omit<Ran, "backend"> {
  const found = Object.values(outputs).flatMap((output) => (output.kind === "detections" ? [output.detections] : []));
  const boxes = Math.max(0, ...found.map(({ confidence }) => confidence.length));
  const notes = new Set(found.flatMap(({ note }) => note ?? []));
  return { boxes, ...times, latency_ms, notes: [...notes], outputs };
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
  if (a.kind === "detections" && b?.kind === "detections") return compareDetections(a.detections, b.detections);
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
  readonly worst_px: number;
  /** Largest difference of a score among the matched. */
  readonly worst_score: number;
}

/** Pairs overlap by more than this. */
const SAME_PLACE = 0.5;

/** Pairs boxes of the same class, those that overlap most first, each once. */
export function compareDetections(a: Detections, b: Detections): BoxComparison & { readonly agrees: boolean } {
  const pairs = matchBoxes(a, b);
  const worst_px = Math.max(0, ...pairs.map(([left, right]) => furthestSide(boxOf(a, left), boxOf(b, right))));
  const scores = pairs.map(([left, right]) => Math.abs(a.confidence[left]! - b.confidence[right]!));
  const worst_score = Math.max(0, ...scores);
  const counts = [a.confidence.length, b.confidence.length] as const;
  const agrees =
    counts.every((count) => count === pairs.length) && worst_px <= TOLERANCE.boxPx && worst_score <= TOLERANCE.score;
  return { agrees, counts, matched: pairs.length, worst_px, worst_score };
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
