// an intent without a result → run again, find out, or say that nobody knows

import type { ToolIntentRecord } from "../session/session-store.ts";
import { attempt, type CallTask, withToolContext } from "./call-context.ts";
import { replayPolicyOf } from "./replay-policy.ts";
import { type RunCallDeps, runCall, toExecuted } from "./run-call.ts";
import { toRichOutput } from "./tool-output.ts";
import { textResult } from "./tool-result.ts";
import type { ExecutedCall, SettledCall } from "./tool-run.ts";

const UNKNOWN = "Interrupted: the program stopped while it ran, and its outcome is unknown. Check before repeating.";

/** 1.7.7: by the tool's replay policy, under the key of the first attempt. */
export async function settleCall(intent: ToolIntentRecord, task: CallTask, deps: RunCallDeps): Promise<SettledCall> {
  if (replayPolicyOf(task.tool) === "never") return reconcileCall(intent, task, deps);
  const end = await runCall(task, intent.attempt + 1, deps);
  if (end.kind === "executed") return { executed: end.executed, action: "replayed" };
  return markUnknown(task, "Interrupted before anybody was asked. Call it again if the answer is still needed.");
}

/** A call about which nothing can be found out. */
export function markUnknown(task: Pick<CallTask, "call">, text: string = UNKNOWN): SettledCall {
  const executed: ExecutedCall = {
    result: textResult(task.call, "interrupted", text),
    durationMs: 0,
    env: [],
    terminate: false,
  };
  return { executed, action: "marked_unknown" };
}

async function reconcileCall(intent: ToolIntentRecord, task: CallTask, deps: RunCallDeps): Promise<SettledCall> {
  const { tool } = task;
  if (!tool.reconcile) return markUnknown(task);
  const started = deps.clock.monotonic();
  return withToolContext(task, deps, async ({ context }) => {
    const found = await attempt(async () => tool.reconcile?.(intent, context), context.signal, deps);
    if (found.kind !== "value" || found.value === "unknown") return markUnknown(task);
    const executed = await toExecuted({ kind: "value", value: toRichOutput(found.value) }, task, deps);
    return { executed: { ...executed, durationMs: deps.clock.monotonic() - started }, action: "reconciled" };
  });
}
