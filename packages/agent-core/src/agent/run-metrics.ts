// lines of a run → what it used
import type { TranscriptEntry } from "../session/session-store.ts";
import type { RunMetrics, Usage } from "../types/message.ts";

/** What the lines of one run tell of it. */
export function toMetrics(lines: readonly TranscriptEntry[]): RunMetrics {
  const used = lines.flatMap((line) => (line.type === "usage" ? [line] : []));
  const sum = (of: (usage: Usage) => number): number => used.reduce((total, { usage }) => total + of(usage), 0);
  const paid = lines.map((line) => (line.type === "usage" || line.type === "paid" ? line.costMicroUsd : 0));
  // Transcripts of earlier versions have what tools paid only here.
  const totals = lines.map((line) => (line.type === "run_ended" ? (line.costMicroUsd ?? 0) : 0));
  const [first, last] = [lines[0]?.ts ?? "", lines.at(-1)?.ts ?? ""].map((ts) => Date.parse(ts));
  return {
    totalInputTokens: sum((usage) => usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens),
    totalOutputTokens: sum((usage) => usage.outputTokens),
    invocations: used.length,
    toolCalls: lines.filter((line) => line.type === "message" && line.message.role === "tool_result").length,
    retries: 0,
    compactions: lines.filter(({ type }) => type === "compaction").length,
    costMicroUsd: Math.max(
      paid.reduce((total, cost) => total + cost, 0),
      ...totals,
    ),
    wallMs: lines.length === 0 ? 0 : (last ?? 0) - (first ?? 0),
  };
}

/** Of a run, and of the one that goes on with it. */
export function addMetrics(a: RunMetrics, b: RunMetrics): RunMetrics {
  const firstTokenMs = a.firstTokenMs ?? (b.firstTokenMs === undefined ? undefined : a.wallMs + b.firstTokenMs);
  return {
    totalInputTokens: a.totalInputTokens + b.totalInputTokens,
    totalOutputTokens: a.totalOutputTokens + b.totalOutputTokens,
    invocations: a.invocations + b.invocations,
    toolCalls: a.toolCalls + b.toolCalls,
    retries: a.retries + b.retries,
    compactions: a.compactions + b.compactions,
    costMicroUsd: a.costMicroUsd + b.costMicroUsd,
    wallMs: a.wallMs + b.wallMs,
    ...(firstTokenMs !== undefined && { firstTokenMs }),
  };
}
