// a pause → the runs that led to it → what the run that goes on has used already
import type { TranscriptEntry } from "../session/session-store.ts";
import type { StopReason } from "../types/events.ts";
import { isJsonObject } from "../types/json.ts";
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
  /** What the model said, oldest first; one that was empty is among them. */
  readonly answers: readonly EarlierAnswer[];
}

/** An answer of the model as the transcript has it. */
export interface EarlierAnswer {
  readonly text: string;
  readonly hasCalls: boolean;
  readonly stopReason: StopReason;
}

export const NO_EARLIER_RUNS: EarlierRuns = { steps: 0, turns: [], metrics: toMetrics([]), answers: [] };

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
  return { steps: metrics.invocations, turns, metrics, answers: toAnswers(lines) };
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
  return runs.reduce(addMetrics, NO_EARLIER_RUNS.metrics);
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
