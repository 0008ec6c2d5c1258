// events of runs → what was used, per turn, session, watch and day
import type { AgentEvent } from "@vision-agent/agent-core";
import { z } from "zod";
import type { JsonLines } from "../store/json-lines.ts";

/** One turn, or the part of it until it waited for a person. */
export const usageEntrySchema = z.object({
  /** When it ended. */
  ts: z.iso.datetime(),
  run_id: z.string(),
  session_id: z.string(),
  /** The watch that started it, where one did. */
  watch_id: z.string().optional(),
  model: z.string(),
  calls: z.int().nonnegative(),
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  /** Millionths of a dollar. */
  cost_micro_usd: z.int().nonnegative(),
});
export type UsageEntry = z.infer<typeof usageEntrySchema>;

export interface UsageTotals {
  readonly turns: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicroUsd: number;
}

export interface UsageBook {
  /** To be told every event. Never throws. */
  note(event: AgentEvent): void;
  turn(runId: string): UsageTotals;
  session(sessionId: string): UsageTotals;
  watch(watchId: string): UsageTotals;
  /** YYYY-MM-DD in the house's time zone; default today. */
  day(day?: string): UsageTotals;
  /** Every day that is kept, newest first. */
  days(): readonly (UsageTotals & { readonly day: string })[];
}

export interface UsageBookOptions {
  readonly log: JsonLines<UsageEntry>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** IANA name: where a day begins and ends. */
  readonly timeZone: string;
  /** The watch that a session works for. */
  readonly watchOf?: (sessionId: string) => string | undefined;
  /** Told when an entry could not be written; it is kept in memory. Must not throw. */
  readonly onProblem: (message: string) => void;
}

export function createUsageBook({ log, now, timeZone, watchOf, onProblem }: UsageBookOptions): UsageBook {
  const models = new Map<string, string>();
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" });
  const dayOf = ({ ts }: UsageEntry): string => format.format(Date.parse(ts));
  const total = (isMeant: (entry: UsageEntry) => boolean): UsageTotals =>
    log.entries().filter(isMeant).reduce(add, NONE);
  return {
    note(event) {
      if (event.type === "run_started") models.set(event.runId, event.model);
      if (event.type !== "run_ended") return;
      const model = models.get(event.runId) ?? "unknown";
      models.delete(event.runId);
      const watch = watchOf?.(event.sessionId);
      log.append(toEntry(event, model, watch)).catch((error: unknown) => {
        onProblem(`What a turn used could not be written: ${error instanceof Error ? error.message : String(error)}`);
      });
    },
    turn: (runId) => total(({ run_id }) => run_id === runId),
    session: (sessionId) => total(({ session_id }) => session_id === sessionId),
    watch: (watchId) => total(({ watch_id }) => watch_id === watchId),
    day: (day = format.format(now())) => total((entry) => dayOf(entry) === day),
    days() {
      const byDay = Map.groupBy(log.entries(), dayOf);
      return [...byDay]
        .map(([day, entries]) => ({ day, ...entries.reduce(add, NONE) }))
        .toSorted((a, b) => b.day.localeCompare(a.day));
    },
  };
}

const NONE: UsageTotals = { turns: 0, calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };

function add(sum: UsageTotals, entry: UsageEntry): UsageTotals {
  return {
    turns: sum.turns + 1,
    calls: sum.calls + entry.calls,
    inputTokens: sum.inputTokens + entry.input_tokens,
    outputTokens: sum.outputTokens + entry.output_tokens,
    costMicroUsd: sum.costMicroUsd + entry.cost_micro_usd,
  };
}

function toEntry(
  { ts, runId, sessionId, outcome: { metrics } }: Extract<AgentEvent, { type: "run_ended" }>,
  model: string,
  watch: string | undefined,
): UsageEntry {
  return {
    ts,
    run_id: runId,
    session_id: sessionId,
    ...(watch !== undefined && { watch_id: watch }),
    model,
    calls: metrics.invocations,
    input_tokens: metrics.totalInputTokens,
    output_tokens: metrics.totalOutputTokens,
    cost_micro_usd: metrics.costMicroUsd,
  };
}
