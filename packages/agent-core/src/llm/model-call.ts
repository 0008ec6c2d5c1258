// one call of a client: its signal, its timers, its tapped fetch → deltas and a response
import { type ChildAbort, createChildAbort, raceAbort } from "../types/child-abort.ts";
import type { Clock } from "../types/clock.ts";
import { AgentError } from "../types/errors.ts";
import type { AgentWarning, Warn } from "../types/events.ts";
import { toCalls } from "./decorated-client.ts";
import type { CallContext, LLMClient, LLMDelta, LLMRequest, LLMResponse } from "./llm-client.ts";

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

export interface StreamWatch {
  /** Bytes arrived. */
  feed(): void;
  /** May be called twice. */
  stop(): void;
}

/** X16: aborts `call` with a `timeout` error when nothing came at first, nothing came for a while, or it took too long. */
export function watchStream(clock: Clock, timers: CallContext["timers"], call: ChildAbort): StreamWatch {
  const started = clock.monotonic();
  let heard: number | undefined;
  let stopped = false;
  let nap = new AbortController();

  const next = (): { readonly code: string; readonly dueMs: number } => {
    const attempt = { code: "attempt", dueMs: started + timers.attemptMs };
    const silence =
      heard === undefined
        ? { code: "first_event", dueMs: started + timers.firstEventMs }
        : { code: "idle", dueMs: heard + timers.idleMs };
    return silence.dueMs < attempt.dueMs ? silence : attempt;
  };

  // One sleeper that looks again when it wakes: feeding costs nothing per byte.
  const watch = async (): Promise<void> => {
    while (!stopped) {
      const { code, dueMs } = next();
      const leftMs = dueMs - clock.monotonic();
      if (leftMs <= 0) return call.abort(timeoutError(code));
      await clock.sleep(leftMs, nap.signal).catch(ignoreCancelled);
    }
  };
  watch().catch((thrown: unknown) => call.abort(thrown));

  const wake = (): void => {
    const last = nap;
    nap = new AbortController();
    last.abort();
  };
  return {
    feed() {
      const isFirst = heard === undefined;
      heard = clock.monotonic();
      // Only here can the next deadline come nearer.
      if (isFirst) wake();
    },
    stop() {
      stopped = true;
      wake();
    },
  };
}

function ignoreCancelled(thrown: unknown): void {
  if (!(thrown instanceof AgentError && thrown.kind === "cancelled")) throw thrown;
}

const WORDS: Readonly<Record<string, string>> = {
  first_event: "The model did not begin to answer in time.",
  idle: "The model stopped sending in the middle of its answer.",
  attempt: "The model's answer took too long.",
};

function timeoutError(code: string): AgentError {
  return new AgentError({
    kind: "timeout",
    code,
    message: WORDS[code] ?? "The call took too long.",
    retryable: code !== "attempt",
  });
}

/** Just what is used of the global `fetch`. */
export type FetchLike = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * The SDK swallows pings and its timeout ends at the headers, so the body is watched here.
 * `signal` ends a body that stalls even if the inner fetch does not listen to it.
 */
export function createTappedFetch(fetch: FetchLike, signal: AbortSignal, onBytes: () => void): FetchLike {
  return async (input, init) => {
    const response = await raceAbort(fetch(input, init), signal);
    if (!response.body) return response;
    return new Response(tapBody(response.body, signal, onBytes), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

function tapBody(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onBytes: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await raceAbort(reader.read(), signal);
        if (done) return controller.close();
        onBytes();
        controller.enqueue(value);
      } catch (thrown) {
        controller.error(thrown);
        // The error is told already; this one only follows from it.
        await reader.cancel(thrown).catch(() => undefined);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
