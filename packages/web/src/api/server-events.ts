// bytes of an event stream → events
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { bodyChunks } from "./body-chunks.ts";

/** Gives every event of the body to `onEvent`; ends when the stream ends. */
export async function readServerEvents(
  response: Response,
  onEvent: (event: EventSourceMessage) => void,
): Promise<void> {
  const parser = createParser({ onEvent });
  const decoder = new TextDecoder();
  for await (const chunk of bodyChunks(response)) parser.feed(decoder.decode(chunk, { stream: true }));
}
