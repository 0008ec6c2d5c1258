// a fetch whose body is watched: bytes feed the timers of the call, and whatever ends it has a kind
import type { Redactor } from "../observability/redact.ts";
import { type ChildAbort, type Clock, raceAbort, sleepUnless } from "../types/clock.ts";
import { agentError } from "../types/errors.ts";
import type { CallContext } from "./llm-client.ts";
import { toConnectionError, toFetchError } from "./wire-error.ts";

const WORDS = {
  first_event: "The model did not begin to answer in time.",
  idle: "The model stopped sending in the middle of its answer.",
  attempt: "The model's answer took too long.",
} as const;

/** X16: aborts `call` with a `timeout` error when nothing came at first, nothing came for a while, or it took too long. */
export function watchStream(clock: Clock, timers: CallContext["timers"], call: ChildAbort) {
  const started = clock.monotonic();
  let heard: number | undefined;
  let stopped = false;
  let nap = new AbortController();

  const next = (): { readonly code: keyof typeof WORDS; readonly dueMs: number } => {
    const attempt = { code: "attempt", dueMs: started + timers.attemptMs } as const;
    const first = { code: "first_event", dueMs: started + timers.firstEventMs } as const;
    const silence = heard === undefined ? first : ({ code: "idle", dueMs: heard + timers.idleMs } as const);
    return silence.dueMs < attempt.dueMs ? silence : attempt;
  };

  // One sleeper that looks again when it wakes: feeding costs nothing per byte.
  const watch = async (): Promise<void> => {
    while (!stopped) {
      const { code, dueMs } = next();
      const leftMs = dueMs - clock.monotonic();
      if (leftMs <= 0) return call.abort(agentError("timeout", code, WORDS[code], { retryable: code !== "attempt" }));
      await sleepUnless(clock, leftMs, nap.signal);
    }
  };
  watch().catch((thrown: unknown) => call.abort(thrown));

  const wake = (): void => {
    const last = nap;
    nap = new AbortController();
    last.abort();
  };
  return {
    /** Bytes arrived. */
    feed(): void {
      const isFirst = heard === undefined;
      heard = clock.monotonic();
      // Only here can the next deadline come nearer.
      if (isFirst) wake();
    },
    /** May be called twice. */
    stop(): void {
      stopped = true;
      wake();
    },
  };
}

/** Just what is used of the global `fetch`. */
export type FetchLike = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

interface TapOptions {
  readonly fetch: FetchLike;
  readonly redactor: Redactor;
  /** Sees the body of an answer that is no error. */
  readonly inspect?: ((body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>) | undefined;
}

/**
 * The SDK swallows pings and its timeout ends at the headers, so the body is watched here.
 * `signal` ends a body that stalls even if the inner fetch does not listen to it.
 */
export function createTappedFetch(
  { fetch, redactor, inspect }: TapOptions,
  signal: AbortSignal,
  onBytes: () => void,
): FetchLike {
  return async (input, init) => {
    const response = await raceAbort(fetch(input, init), signal).catch((thrown: unknown) => {
      throw signal.aborted ? thrown : toFetchError(thrown, { redactor });
    });
    if (!response.body) return response;
    const body = tapBody(response.body, signal, onBytes, redactor);
    return new Response(response.ok && inspect ? inspect(body) : body, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

/** Whatever a body that is read fails with, its connection was cut. */
function toBodyError(thrown: unknown, redactor: Redactor): unknown {
  return thrown instanceof Error ? toConnectionError(thrown, { redactor }) : thrown;
}

function tapBody(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onBytes: () => void,
  redactor: Redactor,
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
        controller.error(signal.aborted ? thrown : toBodyError(thrown, redactor));
        // The error is told already; this one only follows from it.
        await reader.cancel(thrown).catch(() => undefined);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
