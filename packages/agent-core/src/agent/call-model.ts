// conversation → the model, again if need be → one complete response
import type { CallContext, LLMDelta, LLMRequest, LLMResponse, LLMStream } from "../llm/llm-client.ts";
import { withRetries } from "../llm/retry.ts";
import { raceAbort } from "../types/child-abort.ts";
import { type AgentExecutorOptions, DEFAULT_TIMERS } from "./executor-options.ts";
import type { RunJournal } from "./run-journal.ts";

/** One turn of the model. Rejects with an `AgentError` when all attempts failed or the signal fired. */
export async function callModel(
  request: LLMRequest,
  options: AgentExecutorOptions,
  journal: RunJournal,
  signal: AbortSignal,
): Promise<LLMResponse> {
  const response = await withRetries({
    attempt: () => attempt(request, options, journal, signal),
    onRetry: ({ attempt: number, delayMs, error }) => {
      discardPartial(journal, error.message);
      journal.noteRetry();
      journal.emit({ type: "retry", attempt: number, delayMs, error: error.view() });
      journal.moveTo("backing_off", error.code);
    },
    onResume: () => journal.moveTo("sending", "trying again"),
    policy: options.retry ?? {},
    clock: options.clock,
    random: options.random ?? Math.random,
    signal,
  });
  journal.partial = undefined;
  journal.noteUsage(response.usage);
  for (const warning of response.warnings) journal.warn(...splitWarning(warning));
  return response;
}

async function attempt(
  request: LLMRequest,
  options: AgentExecutorOptions,
  journal: RunJournal,
  signal: AbortSignal,
): Promise<LLMResponse> {
  const messageId = options.ids.next("msg");
  const partial = { messageId, text: "" };
  const timers: CallContext["timers"] = { ...DEFAULT_TIMERS, ...options.timers };
  const stream = options.llm.stream(request, { signal, clock: options.clock, messageId, timers });
  for await (const delta of untilAbort(stream, signal)) {
    if (delta.type === "alive") continue;
    journal.partial = partial;
    journal.noteFirstText();
    if (delta.type === "text") partial.text += delta.text;
    journal.emit({ type: delta.type === "text" ? "text_delta" : "thinking_delta", messageId, text: delta.text });
  }
  return raceAbort(stream.result(), signal);
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

function discardPartial(journal: RunJournal, why: string): void {
  if (!journal.partial) return;
  journal.emit({ type: "discarded", messageId: journal.partial.messageId, why });
  journal.partial = undefined;
}

/** `code: words`, as `LLMResponse.warnings` promises. */
function splitWarning(warning: string): [code: string, message: string] {
  const [, code, message] = /^([a-z_]+): (.*)$/s.exec(warning) ?? [];
  return code !== undefined && message !== undefined ? [code, message] : ["model", warning];
}
