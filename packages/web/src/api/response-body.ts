// bytes of a response → events
import { createParser, type EventSourceMessage } from "eventsource-parser";

/** Gives every event of the body to `onEvent`; ends when the stream ends. */
export async function readServerEvents(
  response: Response,
  onEvent: (event: EventSourceMessage) => void,
): Promise<void> {
  const parser = createParser({ onEvent });
  const decoder = new TextDecoder();
  for await (const chunk of bodyChunks(response)) parser.feed(decoder.decode(chunk, { stream: true }));
}

/** The bytes of a response as they come; leaving the loop early closes the body. */
export async function* bodyChunks(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
  // Safari cannot iterate a ReadableStream, so the reader is used by hand.
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
