// prepared context → the model, again if need be → one complete response
import type { PreparedContext } from "../context/context-manager.ts";
import type { CallContext, LLMDelta, LLMResponse, LLMStream } from "../llm/llm-client.ts";
import { withRetries } from "../llm/retry.ts";
import { raceAbort } from "../types/child-abort.ts";
import type { CallMoney } from "./call-gate.ts";
import { DEFAULT_TIMERS } from "./executor-options.ts";
import type { RunJournal } from "./run-journal.ts";
import type { RunScope } from "./run-scope.ts";

/** One call of the model. Rejects with an `AgentError` when all attempts failed, money is short, or the signal fired. */
export async function callModel(prepared: PreparedContext, scope: RunScope): Promise<LLMResponse> {
  const { journal, signal, agent } = scope;
  const { options } = agent;
  const money = await agent.gate.open(prepared, scope);
  journal.moveTo("sending", "context built");
  try {
    const response = await withRetries({
      attempt: (number) => attempt(prepared, number, scope),
      onRetry: ({ attempt: number, delayMs, error }) => {
        discardPartial(journal, money, error.message);
        journal.noteRetry();
        journal.emit({ type: "retry", attempt: number, delayMs, error: error.view() });
        journal.moveTo("backing_off", error.code);
      },
      onResume: () => journal.moveTo("sending", "trying again"),
      policy: options.retry ?? {},
      budget: scope.retryBudget,
      clock: options.clock,
      random: options.random ?? Math.random,
      signal,
    });
    journal.partial = undefined;
    await noteResponse(response, prepared, money, scope);
    return response;
  } catch (thrown) {
    if (journal.partial) money.waste(journal.partial.text.length);
    journal.noteCost(await money.abandon());
    throw thrown;
  }
}

/** The line is worth nothing without the message after it, which is synced. */
async function noteResponse(
  { usage, warnings }: LLMResponse,
  { report }: PreparedContext,
  money: CallMoney,
  { journal, context }: RunScope,
): Promise<void> {
  const costMicroUsd = await money.settle(usage);
  journal.noteInvocation();
  journal.noteUsage(usage, costMicroUsd);
  context.learn(report, usage);
  await journal.write({ type: "usage", usage, costMicroUsd }, { sync: false });
  for (const { code, message } of warnings) journal.warn(code, message);
}

async function attempt({ request, report }: PreparedContext, number: number, scope: RunScope): Promise<LLMResponse> {
  const { journal, signal } = scope;
  const { llm, ids, clock, timers } = scope.agent.options;
  const messageId = ids.next("msg");
  const partial = { messageId, text: "" };
  journal.emit({ type: "request", model: request.model, context: report, attempt: number });
  const context: CallContext = { signal, clock, messageId, timers: { ...DEFAULT_TIMERS, ...timers } };
  const stream = llm.stream(request, context);
  for await (const delta of untilAbort(stream, signal)) {
    if (delta.type === "alive") continue;
    journal.partial = partial;
    journal.noteFirstText();
    if (delta.type === "text") partial.text += delta.text;
    emitDelta(delta, messageId, journal);
  }
  return raceAbort(stream.result(), signal);
}

function emitDelta(delta: Exclude<LLMDelta, { type: "alive" }>, messageId: string, journal: RunJournal): void {
  if (delta.type === "tool_args") {
    const { callId, toolName, json } = delta;
    journal.emit({ type: "tool_input_delta", callId, toolName, json });
  } else {
    journal.emit({ type: delta.type === "text" ? "text_delta" : "thinking_delta", messageId, text: delta.text });
  }
}

/** Invariant 7: ends at once when the signal fires, whatever the stream does. */
async function* untilAbort(stream: LLMStream, signal: AbortSignal): AsyncGenerator<LLMDelta> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await raceAbort(iterator.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a stream that hangs would hang its own closing too.
    iterator.return?.()?.catch(() => undefined);
  }
}

function discardPartial(journal: RunJournal, money: CallMoney, why: string): void {
  if (!journal.partial) return;
  money.waste(journal.partial.text.length);
  journal.emit({ type: "discarded", messageId: journal.partial.messageId, why });
  journal.partial = undefined;
}
