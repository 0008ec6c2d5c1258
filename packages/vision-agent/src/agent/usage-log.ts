// events of runs → what was used, per turn, session, watch and day

import type { AgentEvent, ToolCall, ToolResultPart, Usage } from "@vision-agent/agent-core";
import { z } from "zod";
import type { BoundedLog } from "../store/bounded-log.ts";
import { effectsIn } from "../tools/change-ledger.ts";
import type { PurposeUse } from "../tools/money-tools.ts";
import { reasonOf } from "../workspace/kinded-error.ts";

/** One turn, or the part of it until it waited for a person. */
export const usageEntrySchema = z.object({
  /** When it ended. */
  ts: z.iso.datetime(),
  run_id: z.string(),
  session_id: z.string(),
  /** Watches that it made, changed, removed or explained. */
  watch_ids: z.array(z.string()).optional(),
  /** The question that it ended with, and the one that it answered: together they are one piece of work. */
  waits_for: z.string().optional(),
  answers: z.string().optional(),
  /** Absent: a conversation. */
  purpose: z.enum(["task", "heartbeat"]).optional(),
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

export interface UsageLog {
  /** To be told every event. Never throws. */
  note(event: AgentEvent): void;
  /** A tool asked a model in a run that has not ended yet. */
  noteLook(look: { readonly runId: string; readonly usage: Pick<Usage, "inputTokens" | "outputTokens"> }): void;
  session(sessionId: string): UsageTotals;
  /** Every turn about it counts in full, also one that was about another watch as well. */
  watch(watchId: string): UsageTotals;
  /** Ids of all watches that a turn was about, there or gone, most recently used first. */
  watches(): readonly string[];
  /** Newest first. */
  turns(limit: number): readonly UsageEntry[];
  /** YYYY-MM-DD in the app's time zone; default today. */
  day(day?: string): UsageTotals;
  /** What was used today or this month, by why; purposes that used nothing are left out. */
  byPurpose(period: "today" | "month"): readonly PurposeUse[];
  /** Every day that is kept, newest first. */
  days(): readonly (UsageTotals & { readonly day: string })[];
}

export interface UsageLogOptions {
  readonly log: Pick<BoundedLog<UsageEntry>, "entries" | "append">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** IANA name: where a day begins and ends. */
  readonly timeZone: string;
  /** Told when an entry could not be written; it is kept in memory. Must not throw. */
  readonly onProblem: (message: string) => void;
}

/** What is known of a run before it has ended. */
interface OpenRun {
  readonly model: string;
  readonly purpose?: UsageEntry["purpose"];
  answers?: string;
  readonly calls: Map<string, ToolCall>;
  readonly watches: Set<string>;
  /** What tools asked of a model; what it cost is among the run's own. */
  looks: UsageTotals;
}

export function createUsageLog({ log, now, timeZone, onProblem }: UsageLogOptions): UsageLog {
  const open = new Map<string, OpenRun>();
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" });
  const dayOf = ({ ts }: UsageEntry): string => format.format(Date.parse(ts));
  const total = (isMeant: (entry: UsageEntry) => boolean): UsageTotals =>
    log.entries().filter(isMeant).reduce(add, NONE);
  return {
    note(event) {
      const run = open.get(event.runId) ?? openRun("unknown");
      if (event.type === "run_started") open.set(event.runId, openRun(event.model, PURPOSES.get(event.trigger)));
      else noteStep(run, event);
      if (event.type !== "run_ended") return;
      open.delete(event.runId);
      log.append(toEntry(event, run)).catch((error: unknown) => {
        onProblem(`What a turn used could not be written: ${reasonOf(error)}`);
      });
    },
    noteLook({ runId, usage: { inputTokens, outputTokens } }) {
      const run = open.get(runId);
      if (run) run.looks = plus(run.looks, { ...NONE, calls: 1, inputTokens, outputTokens });
    },
    session: (sessionId) => total(({ session_id }) => session_id === sessionId),
    watch: (watchId) => [...entriesAbout(watchId, log.entries())].reduce(add, NONE),
    watches: () => [
      ...new Set(
        log
          .entries()
          .toReversed()
          .flatMap(({ watch_ids }) => watch_ids ?? []),
      ),
    ],
    turns: (limit) => log.entries().slice(-limit).reverse(),
    day: (day = format.format(now())) => total((entry) => dayOf(entry) === day),
    byPurpose(period) {
      const today = format.format(now());
      const since = period === "today" ? today : `${today.slice(0, "2026-01".length)}-01`;
      const meant = log.entries().filter((entry) => dayOf(entry) >= since && dayOf(entry) <= today);
      const groups = Map.groupBy(meant, ({ purpose }): PurposeUse["purpose"] => purpose ?? "conversation");
      return [...groups]
        .map(([purpose, entries]) => ({ purpose, ...entries.reduce(add, NONE) }))
        .filter(({ calls }) => calls > 0)
        .toSorted((a, b) => b.costMicroUsd - a.costMicroUsd);
    },
    days() {
      const byDay = Map.groupBy(log.entries(), dayOf);
      return [...byDay]
        .map(([day, entries]) => ({ day, ...entries.reduce(add, NONE) }))
        .toSorted((a, b) => b.day.localeCompare(a.day));
    },
  };
}

const PURPOSES: ReadonlyMap<string, NonNullable<UsageEntry["purpose"]>> = new Map([
  ["job", "task"],
  ["heartbeat", "heartbeat"],
]);

function openRun(model: string, purpose?: UsageEntry["purpose"]): OpenRun {
  return { model, ...(purpose && { purpose }), calls: new Map(), watches: new Set(), looks: NONE };
}

function noteStep(run: OpenRun, event: AgentEvent): void {
  if (event.type === "resumed") run.answers = event.pauseId;
  if (event.type === "tool_call") run.calls.set(event.call.id, event.call);
  if (event.type !== "tool_result") return;
  for (const watch of watchesOf(run.calls.get(event.result.callId), event.result)) run.watches.add(watch);
}

/** The watches that a call was about: the one that it names, and those that it made, changed or removed. */
function watchesOf(call: ToolCall | undefined, { outcome, data }: ToolResultPart): readonly string[] {
  if (outcome !== "ok") return [];
  const named = call?.arguments.watch_id;
  const changed = effectsIn(data).flatMap(({ what, id }) => (what === "watch" ? [id] : []));
  return typeof named === "string" ? [named, ...changed] : changed;
}

/** With the part before the question, where a turn had to ask first. */
function entriesAbout(watchId: string, entries: readonly UsageEntry[]): ReadonlySet<UsageEntry> {
  const about = new Set(entries.filter(({ watch_ids }) => watch_ids?.includes(watchId)));
  // What is added here is looked at, too.
  for (const { answers } of about) {
    if (answers === undefined) continue;
    for (const entry of entries) if (entry.waits_for === answers) about.add(entry);
  }
  return about;
}

const NONE: UsageTotals = { turns: 0, calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };

function add(sum: UsageTotals, entry: UsageEntry): UsageTotals {
  const { calls, input_tokens: inputTokens, output_tokens: outputTokens, cost_micro_usd: costMicroUsd } = entry;
  return plus(sum, { turns: 1, calls, inputTokens, outputTokens, costMicroUsd });
}

function plus(a: UsageTotals, b: UsageTotals): UsageTotals {
  return {
    turns: a.turns + b.turns,
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costMicroUsd: a.costMicroUsd + b.costMicroUsd,
  };
}

function toEntry(
  { ts, runId, sessionId, outcome }: Extract<AgentEvent, { type: "run_ended" }>,
  { model, purpose, watches, answers, looks }: OpenRun,
): UsageEntry {
  const { metrics } = outcome;
  return {
    ts,
    run_id: runId,
    session_id: sessionId,
    ...(watches.size > 0 && { watch_ids: [...watches] }),
    ...(outcome.status === "paused" && { waits_for: outcome.pause.id }),
    answers,
    ...(purpose && { purpose }),
    model,
    calls: metrics.invocations + looks.calls,
    input_tokens: metrics.totalInputTokens + looks.inputTokens,
    output_tokens: metrics.totalOutputTokens + looks.outputTokens,
    cost_micro_usd: metrics.costMicroUsd,
  };
}
