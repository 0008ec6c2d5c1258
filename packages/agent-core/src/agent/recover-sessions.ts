// transcripts after a crash → every call settled, every pause counted
import type { RunSettings } from "../session/session-store.ts";
import { AgentError } from "../types/errors.ts";
import type { RecoveryReport } from "./agent-executor.ts";
import { pendingPauses } from "./open-calls.ts";
import { RunEnvironment } from "./run-environment.ts";
import { RunJournal } from "./run-journal.ts";
import type { AgentParts } from "./run-scope.ts";
import { fromRunSettings } from "./run-settings.ts";
import { settleSession } from "./settle-session.ts";

type SessionReport = {
  readonly repaired: RecoveryReport["repaired"];
  readonly interrupted: RecoveryReport["interrupted"];
  readonly paused: number;
};

/** Sessions that somebody writes to are left to them. */
export async function recoverSessions(agent: AgentParts): Promise<RecoveryReport> {
  const summaries = await agent.options.sessions.list();
  const reports: SessionReport[] = [];
  for (const { id } of summaries) {
    const report = await recoverSession(id, agent);
    if (report) reports.push(report);
  }
  return {
    sessions: reports.length,
    repaired: reports.flatMap(({ repaired }) => repaired),
    interrupted: reports.flatMap(({ interrupted }) => interrupted),
    paused: reports.reduce((sum, { paused }) => sum + paused, 0),
  };
}

async function recoverSession(sessionId: string, agent: AgentParts): Promise<SessionReport | undefined> {
  const { sessions, clock, ids } = agent.options;
  const session = await sessions.open(sessionId).catch((thrown: unknown) => {
    if (thrown instanceof AgentError && thrown.code === "session_busy") return undefined;
    throw thrown;
  });
  if (!session) return undefined;
  try {
    const begun = session.entries().findLast((entry) => entry.type === "run_started");
    const last = begun?.type === "run_started" ? begun : undefined;
    const isEnded = session.entries().some((entry) => entry.type === "run_ended" && entry.runId === last?.runId);
    const journal = new RunJournal({
      runId: last?.runId ?? ids.next("run"),
      sessionId,
      clock,
      ids,
      redactor: agent.redactor,
    });
    journal.useSession(session);
    const settled = await settle(journal, agent, last?.settings);
    if (last && !isEnded) await journal.write({ type: "run_ended", status: "failed", reason: "interrupted" });
    const { skippedLines, quarantinedBytes } = session.damage;
    return {
      repaired: skippedLines + quarantinedBytes > 0 ? [{ sessionId, skippedLines, quarantinedBytes }] : [],
      interrupted: settled.map((one) => ({ sessionId, ...one })),
      paused: pendingPauses(session.entries()).length,
    };
  } finally {
    await session.close();
  }
}

async function settle(
  journal: RunJournal,
  agent: AgentParts,
  settings: RunSettings = { principal: { userId: "unknown" } },
): ReturnType<typeof settleSession> {
  const { signal } = new AbortController();
  const env = new RunEnvironment({ journal, environment: agent.options.environment, maxNoteTokens: 0 });
  return settleSession({ agent, journal, env, signal, settings: fromRunSettings(settings) });
}
