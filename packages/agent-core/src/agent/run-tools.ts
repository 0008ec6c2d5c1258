// calls of one turn → results, each written down and told
import { textResult } from "../tools/tool-result.ts";
import type { BatchEnd, BatchHooks, ExecutedCall, ToolRun } from "../tools/tool-run.ts";
import type { ToolCall, ToolOutcome, ToolResultPart } from "../types/message.ts";
import { isToolAllowed } from "./prepare-turn.ts";
import type { RunScope } from "./run-scope.ts";

/** What tools need of a run. */
export type ToolScope = Pick<RunScope, "agent" | "journal" | "env" | "signal" | "settings">;

export type ToolStep = { readonly call: ToolCall; readonly result: ToolResultPart; readonly terminate: boolean };

export interface ToolTurn extends BatchEnd {
  readonly steps: readonly ToolStep[];
}

export interface ToolTurnOptions {
  /** Ids of calls that a person said yes to. */
  readonly approved?: ReadonlySet<string>;
  /** Ids of calls whose arguments a person changed: the model is told. */
  readonly edited?: ReadonlySet<string>;
}

/** Each call gets exactly one result or waits, also when the run is cancelled in the middle. */
export async function runTools(
  calls: readonly ToolCall[],
  scope: RunScope,
  { approved, edited }: ToolTurnOptions = {},
): Promise<ToolTurn> {
  const byId = new Map(calls.map((call) => [call.id, call]));
  const steps: ToolStep[] = [];
  const onResult = async (executed: ExecutedCall): Promise<void> => {
    const call = byId.get(executed.result.callId);
    const told = call && edited?.has(call.id) ? tellEdit(executed, call) : executed;
    scope.journal.noteToolCall();
    await recordResult(told, scope, false);
    if (call) steps.push({ call, result: told.result, terminate: told.terminate });
  };
  const hooks = { ...createHooks(scope), onResult };
  const run = { ...toToolRun(scope), retryBudget: scope.retryBudget };
  const end = await scope.agent.executor.executeBatch(calls, run, hooks, approved);
  return { ...end, steps };
}

/** Answers calls that are not going to be executed. */
export async function answerCalls(
  calls: readonly ToolCall[],
  outcome: ToolOutcome,
  why: string,
  scope: ToolScope,
): Promise<void> {
  for (const call of calls) {
    scope.journal.emit({ type: "tool_call", call, decision: "deny" });
    await recordResult(toExecuted(textResult(call, outcome, why)), scope, false);
  }
}

/** 1.7.7: the result is on disk before anybody hears of it. `replayed` when an earlier life of the program began it. */
export async function recordResult(executed: ExecutedCall, scope: ToolScope, replayed: boolean): Promise<void> {
  const { journal, env } = scope;
  const { result, durationMs, warnings = [] } = executed;
  await env.commit(executed);
  await journal.write({ type: "message", message: journal.newMessage("tool_result", "tool", [result]) });
  journal.emit({ type: "tool_result", result, durationMs, replayed });
  for (const { code, message } of warnings) journal.warn(code, message);
}

export function toExecuted(result: ToolResultPart): ExecutedCall {
  return { result, durationMs: 0, env: [], terminate: false };
}

export function toToolRun({ signal, journal, settings, env }: ToolScope): ToolRun {
  return {
    signal,
    runId: journal.runId,
    sessionId: journal.sessionId,
    principal: settings.principal,
    env: env.state,
    allowed: (name) => isToolAllowed(name, settings.tools),
  };
}

/** Everything but the results. */
export function createHooks({ journal, agent, settings }: ToolScope): Omit<BatchHooks, "onResult"> {
  return {
    onDecision: (call, decision) => journal.emit({ type: "tool_call", call, decision }),
    onIntent: (intent) => journal.write({ type: "tool_intent", intent }),
    onProgress: (callId, note, fraction) => journal.emit({ type: "tool_progress", callId, note, fraction }),
    onSignal: (name, data) => journal.signal(name, data, "tool"),
    onArtifact: (ref, reason) => {
      const { runId, sessionId } = journal;
      const { userId } = settings.principal;
      agent.options.artifactRegistry?.register(ref, { reason, runId, sessionId, userId });
      journal.emit({ type: "artifact", ref, reason });
    },
  };
}

function tellEdit(executed: ExecutedCall, call: ToolCall): ExecutedCall {
  const text = `[A person changed the arguments to ${JSON.stringify(call.arguments)}]`;
  const { result } = executed;
  return { ...executed, result: { ...result, content: [{ type: "text", text }, ...result.content] } };
}
