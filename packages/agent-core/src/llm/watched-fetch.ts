// a fetch whose body is watched: bytes are told, and whatever ends it has a kind
import type { Redactor } from "../observability/redact.ts";
import { raceAbort } from "../types/clock.ts";
import { toConnectionError, toFetchError } from "./wire-error.ts";

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
