// calls of one turn → results, each written down and told
import type { ToolExecutor, ToolRun } from "../tools/tool-executor.ts";
import { textResult } from "../tools/tool-executor.ts";
import type { ToolCall, ToolResultPart } from "../types/message.ts";
import type { RunJournal } from "./run-journal.ts";

export type ToolStep = { readonly call: ToolCall; readonly result: ToolResultPart };

/** Each call gets exactly one result, also when the run is cancelled in the middle. */
export async function runTools(
  calls: readonly ToolCall[],
  executor: ToolExecutor,
  run: ToolRun,
  journal: RunJournal,
): Promise<readonly ToolStep[]> {
  const byId = new Map(calls.map((call) => [call.id, call]));
  const steps: ToolStep[] = [];
  for (const call of calls) journal.emit({ type: "tool_call", call });
  await executor.executeBatch(calls, run, async ({ result, durationMs }) => {
    journal.noteToolCall();
    await recordResult(result, durationMs, journal);
    const call = byId.get(result.callId);
    if (call) steps.push({ call, result });
  });
  return steps;
}

/** Answers calls that are not going to be executed. */
export async function refuseCalls(calls: readonly ToolCall[], why: string, journal: RunJournal): Promise<void> {
  for (const call of calls) {
    journal.emit({ type: "tool_call", call });
    await recordResult(textResult(call, "not_executed", why), 0, journal);
  }
}

async function recordResult(result: ToolResultPart, durationMs: number, journal: RunJournal): Promise<void> {
  await journal.appendMessage(journal.newMessage("tool_result", "tool", [result]));
  journal.emit({ type: "tool_result", result, durationMs });
}
