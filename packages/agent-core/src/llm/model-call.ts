// one call of a client: its signal, its timers, its tapped fetch → deltas and a response

import { createChildAbort, raceAbort } from "../types/child-abort.ts";
import { AgentError } from "../types/errors.ts";
import type { AgentWarning, Warn } from "../types/events.ts";
import { toCalls } from "./decorated-client.ts";
import type { CallContext, LLMClient, LLMDelta, LLMRequest, LLMResponse } from "./llm-client.ts";
import { watchStream } from "./stream-watch.ts";
import { createTappedFetch, type FetchLike } from "./tapped-fetch.ts";

/** What a provider's code gets to make one call with. */
export interface ModelCall {
  /** Fires when the caller aborts, a timer is due, or nobody reads any more. */
  readonly signal: AbortSignal;
  readonly fetch: FetchLike;
  /** Collected for the response, each once. */
  readonly warn: Warn;
  readonly warnings: readonly AgentWarning[];
}

/** How a provider speaks, without timers, signals and retries. */
export interface ModelWire {
  readonly fetch: FetchLike;
  answer(request: LLMRequest, context: CallContext, call: ModelCall): AsyncGenerator<LLMDelta, LLMResponse>;
  /** Whatever was thrown → an error with a kind. An aborted signal's own reason wins. */
  classify(thrown: unknown, signal: AbortSignal): AgentError;
}

/** `stream` and `run` of a client over its wire. */
export function createModelCalls(wire: ModelWire): Pick<LLMClient, "stream" | "run"> {
  return toCalls((request, context) => watchAnswer(request, context, wire));
}

/** A call whose answer is one value, such as a count. */
export async function callOnce<T>(
  wire: Pick<ModelWire, "fetch" | "classify">,
  context: CallContext,
  ask: (call: ModelCall) => Promise<T>,
): Promise<T> {
  const { call, close } = openCall(wire.fetch, context);
  try {
    call.signal.throwIfAborted();
    return await raceAbort(ask(call), call.signal);
  } catch (thrown) {
    throw wire.classify(thrown, call.signal);
  } finally {
    close();
  }
}

async function* watchAnswer(
  request: LLMRequest,
  context: CallContext,
  wire: ModelWire,
): AsyncGenerator<LLMDelta, LLMResponse> {
  const { call, close } = openCall(wire.fetch, context);
  const answer = wire.answer(request, context, call);
  try {
    call.signal.throwIfAborted();
    for (;;) {
      // Invariant 7: whatever the SDK waits for, an abort is heard at once.
      const next = await raceAbort(answer.next(), call.signal);
      // The SDKs end an aborted stream without a word.
      call.signal.throwIfAborted();
      if (next.done) return next.value;
      yield next.value;
    }
  } catch (thrown) {
    throw wire.classify(thrown, call.signal);
  } finally {
    close();
    // Not awaited: an SDK that hangs would hang its own closing too.
    answer.return(undefined as never).catch(() => undefined);
  }
}

function openCall(fetch: FetchLike, context: CallContext): { readonly call: ModelCall; close(): void } {
  const child = createChildAbort(context.signal);
  const watch = watchStream(context.clock, context.timers, child);
  const warnings: AgentWarning[] = [];
  const call: ModelCall = {
    signal: child.signal,
    fetch: createTappedFetch(fetch, child.signal, watch.feed),
    warn: (code, message) => {
      if (!warnings.some((told) => told.code === code && told.message === message)) warnings.push({ code, message });
    },
    warnings,
  };
  const close = (): void => {
    watch.stop();
    // Also reached when the reader leaves early: the socket must not live on.
    child.abort(new AgentError({ kind: "cancelled", code: "left", message: "Nobody reads this answer any more." }));
    child.dispose();
  };
  return { call, close };
}
