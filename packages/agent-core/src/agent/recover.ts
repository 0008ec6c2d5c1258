// calls that a crash left open → results; transcripts after a crash → every call settled, every pause counted
import type { SessionStore, TranscriptDamage } from "../session/session-store.ts";
import type { SettledCall } from "../tools/tool.ts";
import { textResult } from "../tools/tool-output.ts";
import { AgentError } from "../types/errors.ts";
import type { RunJournal } from "./journal.ts";
import { fromRunSettings, type RunDetails } from "./options.ts";
import { openCalls, pendingPauses } from "./pause.ts";
import type { RunTools } from "./tools.ts";

/** What was found and mended after a crash. */
export interface RecoveryReport {
  readonly sessions: number;
  readonly repaired: readonly ({ readonly sessionId: string } & TranscriptDamage)[];
  /** Calls that had begun. */
  readonly interrupted: readonly ({ readonly sessionId: string } & SettledInterruption)[];
  /** Runs that had not ended, also those cut while the model answered. They do not go on: send their message again. */
  readonly unfinished: readonly { readonly sessionId: string; readonly runId: string; readonly task: string }[];
  readonly paused: number;
}

type Growing = {
  -readonly [Key in keyof RecoveryReport]: RecoveryReport[Key] extends readonly (infer One)[]
    ? One[]
    : RecoveryReport[Key];
};

export interface SettledInterruption {
  readonly callId: string;
  readonly action: SettledCall["action"];
}

/** 1.7.7: every call that began and has no result is settled by its tool's replay policy. Calls that wait are left alone. */
export async function settleSession(journal: RunJournal, tools: RunTools): Promise<readonly SettledInterruption[]> {
  const entries = journal.entries();
  const waiting = new Set(pendingPauses(entries).map(({ id }) => id));
  const settled: SettledInterruption[] = [];
  for (const { call, intent, pauseId } of openCalls(entries)) {
    if (pauseId !== undefined && waiting.has(pauseId)) continue;
    if (intent) {
      settled.push({ callId: call.id, action: await tools.settle(call, intent) });
    } else {
      const text = "Not executed: the program stopped before it began. Call it again if it is still wanted.";
      await tools.recordResult(textResult(call, "not_executed", text), { replayed: true });
    }
  }
  return settled;
}

/** What recovery needs to act in the place of the run that was interrupted. */
export interface RecoveryDeps {
  readonly sessions: SessionStore;
  openJournal(sessionId: string, runId?: string): RunJournal;
  openTools(journal: RunJournal, details: RunDetails): RunTools;
}

/** Sessions that somebody writes to are left to them. */
export async function recoverSessions(deps: RecoveryDeps): Promise<RecoveryReport> {
  const report = { sessions: 0, repaired: [], interrupted: [], unfinished: [], paused: 0 };
  for (const { id } of await deps.sessions.list()) await recoverSession(id, deps, report);
  return report;
}

async function recoverSession(sessionId: string, deps: RecoveryDeps, report: Growing): Promise<void> {
  const session = await deps.sessions.open(sessionId).catch((thrown: unknown) => {
    if (thrown instanceof AgentError && thrown.code === "session_busy") return undefined;
    throw thrown;
  });
  if (!session) return;
  try {
    const begun = session.entries().findLast((entry) => entry.type === "run_started");
    const last = begun?.type === "run_started" ? begun : undefined;
    const isEnded = session.entries().some((entry) => entry.type === "run_ended" && entry.runId === last?.runId);
    const journal = deps.openJournal(sessionId, last?.runId);
    journal.useSession(session);
    const details = fromRunSettings(last?.settings ?? { principal: { userId: "unknown" } });
    const settled = await settleSession(journal, deps.openTools(journal, details));
    if (last && !isEnded) {
      await journal.write({ type: "run_ended", status: "failed", reason: "interrupted" });
      report.unfinished.push({ sessionId, runId: journal.runId, task: last.task });
    }
    const { skippedLines, quarantinedBytes } = session.damage;
    report.sessions += 1;
    if (skippedLines + quarantinedBytes > 0) report.repaired.push({ sessionId, skippedLines, quarantinedBytes });
    report.interrupted.push(...settled.map((one) => ({ sessionId, ...one })));
    report.paused += pendingPauses(session.entries()).length;
  } finally {
    await session.close();
  }
}
