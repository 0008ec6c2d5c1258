// fetch → the same, with every byte reported and every wait ended by the signal
import { raceAbort } from "../types/child-abort.ts";

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
        await reader.cancel(thrown).catch(() => undefined);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
