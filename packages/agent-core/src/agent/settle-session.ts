// calls that a crash or a new message left open → results
import { textResult } from "../tools/tool-result.ts";
import type { ToolCall } from "../types/message.ts";
import type { PauseRecord } from "../types/pause.ts";
import type { Principal } from "../types/principal.ts";
import { openCalls, pendingPauses } from "./open-calls.ts";
import { answerCalls, createHooks, recordResult, type ToolScope, toExecuted, toToolRun } from "./run-tools.ts";

export interface SettledInterruption {
  readonly callId: string;
  readonly action: "replayed" | "reconciled" | "marked_unknown";
}

/** 1.7.7: every call that began and has no result is settled by its tool's replay policy. Calls that wait are left alone. */
export async function settleSession(scope: ToolScope): Promise<readonly SettledInterruption[]> {
  const entries = scope.journal.entries();
  const waiting = new Set(pendingPauses(entries).map(({ id }) => id));
  const settled: SettledInterruption[] = [];
  for (const { call, intent, pauseId } of openCalls(entries)) {
    if (pauseId !== undefined && waiting.has(pauseId)) continue;
    if (!intent) {
      const text = "Not executed: the program stopped before it began. Call it again if it is still wanted.";
      await recordResult(toExecuted(textResult(call, "not_executed", text)), scope, true);
      continue;
    }
    const hooks = { ...createHooks(scope), onResult: async () => undefined };
    const made = { ...call, arguments: intent.arguments };
    const { executed, action } = await scope.agent.executor.settleInterrupted(intent, made, toToolRun(scope), hooks);
    await recordResult(executed, scope, true);
    settled.push({ callId: call.id, action });
  }
  return settled;
}

/** 1.7.5: a pause ends without a yes. The line that uses it up comes first, so that nobody can answer it any more. */
export async function closePause(
  pause: PauseRecord,
  scope: ToolScope,
  end: { readonly kind: "superseded" | "expired" | "abandon"; readonly by: Principal; readonly why: string },
): Promise<void> {
  const calls = callsOfPause(pause, scope);
  await scope.journal.write({ type: "resume", pauseId: pause.id, resolution: { kind: end.kind }, by: end.by });
  await answerCalls(calls, "denied", end.why, scope);
}

/** Calls of this pause that have no result yet. */
export function callsOfPause(pause: PauseRecord, { journal }: ToolScope): readonly ToolCall[] {
  return openCalls(journal.entries()).flatMap(({ call, pauseId }) => (pauseId === pause.id ? [call] : []));
}
