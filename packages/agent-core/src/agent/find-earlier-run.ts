// a dedupe key + transcript → the run that had it
import type { TranscriptEntry } from "../session/session-store.ts";
import { AgentError } from "../types/errors.ts";
import type { ExecutionOutcome } from "../types/events.ts";

export interface EarlierRun {
  /** Absent when it was interrupted. */
  readonly outcome?: ExecutionOutcome;
  /** The message was written before it was interrupted. */
  readonly hasMessage: boolean;
}

/**
 * Undefined when the key is new. Throws `AgentError` code `duplicate_message` when the run was interrupted and the
 * conversation has moved on: going on with it would answer out of turn.
 */
export function findEarlierRun(key: string | undefined, entries: readonly TranscriptEntry[]): EarlierRun | undefined {
  if (key === undefined) return undefined;
  const runs = entries.flatMap((entry) => (entry.type === "run_started" ? [entry] : []));
  const same = runs.filter((run) => run.settings?.dedupeKey === key);
  const last = same.at(-1);
  if (last === undefined) return undefined;
  const ids = new Set(same.map(({ runId }) => runId));
  // An answered pause goes on as a run of its own: how the one before it ended is no longer the outcome.
  const since = entries.slice(entries.indexOf(last));
  const ended = since.find((entry) => entry.type === "run_ended" && entry.outcome && entry.runId === last.runId);
  if (ended?.type === "run_ended" && ended.outcome) return { outcome: ended.outcome, hasMessage: true };
  if (runs.at(-1)?.settings?.dedupeKey !== key) {
    throw new AgentError({
      kind: "invalid",
      code: "duplicate_message",
      message: "This message was taken before, its run was interrupted, and the conversation has moved on.",
    });
  }
  const hasMessage = entries.some(
    (entry) => entry.type === "message" && entry.message.role === "user" && ids.has(entry.runId),
  );
  return { hasMessage };
}
