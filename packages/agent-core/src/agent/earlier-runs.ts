// a pause, or a message that was sent before → the runs that led to it → what the run that goes on has used already
import type { TranscriptEntry } from "../session/session-store.ts";
import { agentError } from "../types/errors.ts";
import type { ExecutionOutcome, StopReason } from "../types/events.ts";
import { isJsonObject, type Json } from "../types/json.ts";
import { type PauseRecord, type RunMetrics, type ToolCall, textOf } from "../types/message.ts";
import type { StopPolicy } from "./options.ts";
import { addMetrics, toMetrics } from "./run-metrics.ts";
import type { ToolStep } from "./tools.ts";

/** What counts for the stop policy although it happened before a pause. */
export interface EarlierRuns {
  /** Answers of the model. */
  readonly steps: number;
  /** Calls that were executed, with their results, by turn. Oldest first. */
  readonly turns: readonly (readonly ToolStep[])[];
  readonly metrics: RunMetrics;
  /** What people added to the cost limit. */
  readonly grantedMicroUsd: number;
  /** What the model said, oldest first; one that was empty is among them. */
  readonly answers: readonly EarlierAnswer[];
}

/** An answer of the model as the transcript has it. */
export interface EarlierAnswer {
  readonly text: string;
  readonly hasCalls: boolean;
  readonly stopReason: StopReason;
}

export const NO_EARLIER_RUNS: EarlierRuns = toEarlierRuns([]);

/** From the message that began it all to this pause. While a pause waits, its session has no other runs. */
export function findEarlierRuns(pause: PauseRecord, entries: readonly TranscriptEntry[]): EarlierRuns {
  const first = firstRun(pause.runId, entries);
  const from = entries.findIndex((entry) => entry.type === "run_started" && entry.runId === first);
  if (from < 0) return NO_EARLIER_RUNS;
  return toEarlierRuns(entries.slice(from));
}

/** Of these runs together. */
export function toEarlierRuns(lines: readonly TranscriptEntry[]): EarlierRuns {
  const turns = toTurns(lines);
  const metrics = { ...sumOf(lines), toolCalls: turns.flat().length };
  return { steps: metrics.invocations, turns, metrics, grantedMicroUsd: grantedIn(lines), answers: toAnswers(lines) };
}

/** By runs that answered other pauses while this one waited: its `remaining` does not know of them. */
export function usedSince(pause: PauseRecord, entries: readonly TranscriptEntry[]): RunMetrics {
  const asked = entries.findIndex((entry) => entry.type === "pause" && entry.pause.id === pause.id);
  return sumOf(entries.slice(asked + 1).filter(({ runId }) => runId !== pause.runId));
}

/** What is left of the limits of a run, after what was used. */
export function leftOf(limits: PauseRecord["remaining"], used: RunMetrics): Partial<StopPolicy> {
  const { iterations, wallMs, costMicroUsd } = limits;
  const left = (limit: number, spent: number): number => Math.max(0, limit - spent);
  return {
    maxIterations: left(iterations, used.invocations),
    maxWallMs: left(wallMs, used.wallMs),
    ...(costMicroUsd !== undefined && { maxCostMicroUsd: left(costMicroUsd, used.costMicroUsd) }),
  };
}

function sumOf(lines: readonly TranscriptEntry[]): RunMetrics {
  const runs = [...Map.groupBy(lines, ({ runId }) => runId).values()].map(toMetrics);
  return runs.reduce(addMetrics, toMetrics([]));
}

/** Each call of the model has a line of its usage, and then its message unless that was empty. */
function toAnswers(lines: readonly TranscriptEntry[]): readonly EarlierAnswer[] {
  const answers: EarlierAnswer[] = [];
  for (const line of lines) {
    if (line.type === "usage") answers.push({ text: "", hasCalls: false, stopReason: "complete" });
    if (line.type !== "message" || line.message.role !== "assistant") continue;
    const { parts } = line.message;
    const hasCalls = parts.some((part) => part.type === "tool_call");
    answers[answers.length - 1] = { text: textOf(parts), hasCalls, stopReason: line.stopReason ?? "complete" };
  }
  return answers;
}

/** Back over every pause that was answered on the way. */
function firstRun(runId: string, entries: readonly TranscriptEntry[]): string {
  const pauses = new Map(
    entries.flatMap((entry) => (entry.type === "pause" ? [[entry.pause.id, entry.pause.runId]] : [])),
  );
  const before = new Map<string, string>();
  for (const entry of entries) {
    // A new message that takes the place of an answer begins anew.
    if (entry.type !== "resume" || !entry.runId || isSuperseded(entry)) continue;
    const asked = pauses.get(entry.pauseId);
    if (asked !== undefined) before.set(entry.runId, asked);
  }
  let first = runId;
  for (let step = 0; step < before.size; step++) first = before.get(first) ?? first;
  return first;
}

/** What an answer adds to the limit of the run, in millionths of a dollar. */
export function grantedBy({ kind }: PauseRecord, resolution: Json): number {
  const answer = isJsonObject(resolution) && resolution.kind === "answer" ? resolution.value : undefined;
  return kind === "budget" && typeof answer === "number" ? Math.max(0, answer) : 0;
}

function grantedIn(lines: readonly TranscriptEntry[]): number {
  const pauses = new Map(lines.flatMap((line) => (line.type === "pause" ? [[line.pause.id, line.pause]] : [])));
  return lines.reduce((sum, line) => {
    const pause = line.type === "resume" ? pauses.get(line.pauseId) : undefined;
    return sum + (pause && line.type === "resume" ? grantedBy(pause, line.resolution) : 0);
  }, 0);
}

function isEnd(entry: TranscriptEntry): boolean {
  return entry.type === "run_ended" && entry.outcome !== undefined && entry.outcome.status !== "paused";
}

function isSuperseded({ resolution }: Extract<TranscriptEntry, { type: "resume" }>): boolean {
  return isJsonObject(resolution) && resolution.kind === "superseded";
}

function toTurns(lines: readonly TranscriptEntry[]): readonly (readonly ToolStep[])[] {
  const asked = new Set(
    lines.flatMap((line) => (line.type === "pause" ? line.pause.calls.map(({ callId }) => callId) : [])),
  );
  const calls = new Map<string, ToolCall>();
  const turns = new Map<string, ToolStep[]>();
  let answer = "";
  for (const line of lines) {
    if (line.type !== "message") continue;
    if (line.message.role === "assistant") answer = line.message.id;
    for (const part of line.message.parts) {
      if (part.type === "tool_call") calls.set(part.call.id, part.call);
      const call = part.type === "tool_result" ? calls.get(part.callId) : undefined;
      // What a person denied was neither executed nor the tool's failure.
      if (part.type !== "tool_result" || !call || (part.outcome === "denied" && asked.has(call.id))) continue;
      const turn = JSON.stringify([answer, line.runId]);
      turns.set(turn, [...(turns.get(turn) ?? []), { call, result: part, terminate: false }]);
    }
  }
  return [...turns.values()];
}

/**
 * Undefined when the key is new. Without an outcome it was interrupted, with or without its message written. Throws
 * `AgentError` code `duplicate_message` when the run did not come to an end and the conversation has moved on: going on
 * with it would answer out of turn.
 */
export function findRunOfKey(
  key: string | undefined,
  entries: readonly TranscriptEntry[],
): { readonly outcome?: ExecutionOutcome; readonly hasMessage: boolean; readonly runs?: EarlierRuns } | undefined {
  if (key === undefined) return undefined;
  const runs = entries.flatMap((entry) => (entry.type === "run_started" ? [entry] : []));
  const same = runs.filter((run) => run.settings?.dedupeKey === key);
  const last = same.at(-1);
  if (last === undefined) return undefined;
  const ids = new Set(same.map(({ runId }) => runId));
  // An answered pause goes on as a run of its own: how the one before it ended is no longer the outcome.
  const since = entries.slice(entries.indexOf(last));
  const ended = since.find((entry) => entry.type === "run_ended" && entry.outcome && entry.runId === last.runId);
  const outcome = ended?.type === "run_ended" ? ended.outcome : undefined;
  // It gave no answer: the message is new again.
  if (outcome?.status === "cancelled") return undefined;
  const waited = outcome?.status === "paused" ? outcome.pause.id : undefined;
  const isClosed = waited !== undefined && entries.some((entry) => entry.type === "resume" && entry.pauseId === waited);
  if (outcome && !isClosed) return { outcome, hasMessage: true };
  if (isClosed || runs.at(-1)?.settings?.dedupeKey !== key) {
    throw agentError(
      "invalid",
      "duplicate_message",
      "This message was taken before, its run did not come to an end, and the conversation has moved on.",
    );
  }
  const hasMessage = entries.some(
    (entry) => entry.type === "message" && entry.message.role === "user" && ids.has(entry.runId),
  );
  // A pause is no end: the run that was interrupted may have gone on after it.
  const isOver = (id: string | undefined): boolean => entries.some((entry) => entry.runId === id && isEnd(entry));
  const interrupted = entries.filter(({ runId }) => ids.has(runId) && !isOver(runId));
  return { hasMessage, runs: toEarlierRuns(interrupted) };
}
