// one recorded call → replayed on the engine → passed, failed or skipped
import type { Block } from "../src/blocks/block.ts";
import { BLOCKS } from "../src/blocks/block-catalog.ts";
import { EngineError } from "../src/errors.ts";
import { contextOf, inputsOf } from "./block-call.ts";
import { differenceOf, STANDARD_TOLERANCE, type ValueTolerance } from "./compare-values.ts";
import { SKIPPED_TARGETS } from "./skipped-targets.data.ts";
import { DRIVERS, TOLERANCES } from "./targets/all-targets.ts";
import { isObject, type Recorded, type RecordedObject, type VectorRecord } from "./vector-record.ts";

export type ReplayVerdict =
  | { readonly kind: "passed" }
  | { readonly kind: "failed" | "skipped"; readonly reason: string };

/** Never throws. A record that a replayer of the peer could not drive is tried all the same, and skipped if it fails. */
export async function replayRecord(record: VectorRecord): Promise<ReplayVerdict> {
  const skipped = SKIPPED_TARGETS[record.target];
  if (skipped !== undefined) return { kind: "skipped", reason: skipped };
  const difference = await replay(record);
  if (difference === undefined) return { kind: "passed" };
  if (record.not_drivable !== undefined) return { kind: "skipped", reason: record.not_drivable };
  return { kind: "failed", reason: difference };
}

async function replay(record: VectorRecord): Promise<string | undefined> {
  const tolerance = TOLERANCES[record.target] ?? STANDARD_TOLERANCE;
  const driver = DRIVERS[record.target];
  if (driver !== undefined) {
    return outcomeDifference(record.expected, async () => driver(record.input, record), tolerance);
  }
  const block = BLOCKS.find(({ manifest }) => manifest.type === record.target);
  if (block === undefined) return `nothing drives the target "${record.target}"`;
  return replayBlock(block, record, tolerance);
}

/** Compares what a call gives, or the error that it throws. */
export async function outcomeDifference(
  expected: Recorded,
  call: () => Promise<unknown>,
  tolerance: ValueTolerance,
  path = "result",
): Promise<string | undefined> {
  const wanted = isObject(expected) ? expected.$error : undefined;
  try {
    const actual = await call();
    if (wanted !== undefined) return `${path}: an error was expected (${(wanted as RecordedObject).type})`;
    return await differenceOf(expected, actual, tolerance, path);
  } catch (error) {
    return errorDifference(wanted as RecordedObject | undefined, error, path);
  }
}

function errorDifference(wanted: RecordedObject | undefined, error: unknown, path: string): string | undefined {
  const text =
    error instanceof Error ? (error.stack ?? error.message).split("\n").slice(0, 3).join(" ") : String(error);
  if (wanted === undefined) return `${path}: threw ${text}`;
  if (!(error instanceof EngineError)) return `${path}: ${wanted.type} expected, threw ${text}`;
  if (error.type !== wanted.type) return `${path}: ${wanted.type} expected, ${error.type} given (${error.message})`;
  const context = wanted.context ?? null;
  if (context !== null && context !== (error.context ?? null)) {
    return `${path}: context "${context}" expected, "${error.context}" given`;
  }
  return undefined;
}

async function replayBlock(block: Block, record: VectorRecord, tolerance: ValueTolerance): Promise<string | undefined> {
  const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  const begin = clock.now;
  const instance = await block.create(contextOf(clock));
  const { calls, at_seconds } = record.input;
  const single = !Array.isArray(calls);
  const argumentsOfCalls = single ? [record.input] : (calls as readonly RecordedObject[]);
  const results = single ? [record.expected] : resultsOf(record.expected);
  for (const [at, call] of argumentsOfCalls.entries()) {
    const seconds = (at_seconds as readonly number[] | undefined)?.[at];
    if (seconds !== undefined) clock.now = begin + 1000 * seconds;
    const inputs = await inputsOf(block.manifest, call);
    const run = async () => instance.run(inputs);
    const difference = await outcomeDifference(results[at] ?? null, run, tolerance, `call ${at + 1}`);
    if (difference !== undefined) return difference;
  }
  await instance.close?.();
  return undefined;
}

function resultsOf(expected: Recorded): readonly Recorded[] {
  const results = isObject(expected) ? expected.results : undefined;
  return Array.isArray(results) ? results : [expected];
}
