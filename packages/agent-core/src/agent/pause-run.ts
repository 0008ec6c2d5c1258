// calls that wait → pauses on disk, signed, found again by anybody
import type { PendingCall } from "../tools/tool-run.ts";
import type { PauseRecord, PauseRequest } from "../types/pause.ts";
import { signPause } from "./pause-token.ts";
import type { Ending, RunScope } from "./run-scope.ts";

/** Approvals wait together, every other question by itself. The first is told as the outcome. */
export async function pauseForCalls(pending: readonly PendingCall[], scope: RunScope): Promise<Ending> {
  const approvals = pending.filter(({ request }) => request.kind === "approval");
  const others = pending.filter(({ request }) => request.kind !== "approval");
  const groups = [...(approvals.length > 0 ? [approvals] : []), ...others.map((one) => [one])];
  const records: PauseRecord[] = [];
  for (const group of groups) records.push(await writePause(joinRequests(group), group, scope));
  return paused(records, scope);
}

/** Nothing waits but the run itself. */
export async function pauseForBudget(prompt: string, scope: RunScope): Promise<Ending> {
  return paused([await writePause({ kind: "budget", prompt }, [], scope)], scope);
}

/** A pause that was written earlier and is still open. */
export function paused(records: readonly PauseRecord[], scope: RunScope): Ending {
  const [first] = records;
  if (!first) throw new Error("A run cannot pause for nothing.");
  scope.journal.moveTo("paused", first.kind);
  return { kind: "pause", pause: first };
}

/** The session stands at the beginning of the id, so that whoever answers finds it. */
export function sessionOfPause(pauseId: string): string {
  const end = pauseId.indexOf(".");
  return end < 0 ? "" : pauseId.slice(0, end);
}

async function writePause(
  request: PauseRequest,
  pending: readonly PendingCall[],
  scope: RunScope,
): Promise<PauseRecord> {
  const { journal, agent } = scope;
  const { clock, sessions, pauseSecret } = agent.options;
  const unsigned = {
    ...request,
    id: `${journal.sessionId}.${journal.newId("pause")}`,
    runId: journal.runId,
    sessionId: journal.sessionId,
    turn: journal.turn,
    createdAt: journal.now(),
    ...(request.expiresInMs === undefined
      ? {}
      : { expiresAt: new Date(clock.now() + request.expiresInMs).toISOString() }),
    calls: pending.map(({ call, argsSha256, preview }) => ({
      callId: call.id,
      toolName: call.toolName,
      argsSha256,
      preview,
    })),
    remaining: remainingOf(pending.length > 0 ? journal.turn : journal.turn - 1, scope),
  };
  const pause: PauseRecord = { ...unsigned, token: signPause(unsigned, pauseSecret ?? (await sessions.secret())) };
  await journal.write({ type: "pause", pause });
  journal.emit({ type: "paused", pause });
  return pause;
}

function remainingOf(turnsUsed: number, { stop, journal }: RunScope): PauseRecord["remaining"] {
  const { wallMs, costMicroUsd } = journal.metrics();
  return {
    iterations: Math.max(0, stop.maxIterations - turnsUsed),
    wallMs: Math.max(0, stop.maxWallMs - wallMs),
    ...(stop.maxCostMicroUsd === undefined ? {} : { costMicroUsd: Math.max(0, stop.maxCostMicroUsd - costMicroUsd) }),
  };
}

function joinRequests(group: readonly PendingCall[]): PauseRequest {
  const requests = group.map(({ request }) => request);
  const [first] = requests;
  if (!first || requests.length === 1) return first ?? { kind: "approval", prompt: "" };
  const expiries = requests.flatMap(({ expiresInMs }) => expiresInMs ?? []);
  return {
    kind: first.kind,
    prompt: requests.map(({ prompt }) => prompt).join("\n"),
    ...(expiries.length === 0 ? {} : { expiresInMs: Math.min(...expiries) }),
  };
}
