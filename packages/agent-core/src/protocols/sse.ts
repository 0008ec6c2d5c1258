// events → text/event-stream, and back
import { createParser } from "eventsource-parser";
import type { Json } from "../types/json.ts";

/** One event of a stream. */
export interface SseMessage {
  /** Comes back as `Last-Event-ID`. */
  readonly id?: string;
  /** Default at the receiver: `message`. */
  readonly event?: string;
  readonly data: Json;
}

/** A comment that keeps proxies from closing a quiet connection; send one every 15 s. */
export const SSE_KEEP_ALIVE = ": keep-alive\n\n";

/** What a server sends with the first byte. */
export const SSE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // Tells nginx not to hold the answer back.
  "x-accel-buffering": "no",
};

/** One event, ready for the wire. JSON has no raw newline, so the data is one line. */
export function encodeSse({ id, event, data }: SseMessage): string {
  // `data` first, for small clients that read no further than the first line.
  const lines = [`data: ${JSON.stringify(data)}`];
  if (event !== undefined) lines.push(`event: ${oneLine(event)}`);
  if (id !== undefined) lines.push(`id: ${oneLine(id)}`);
  return `${lines.join("\n")}\n\n`;
}

function oneLine(value: string): string {
  return value.replace(/[\r\n\0]/g, "");
}

/** Decodes a body, wherever its pieces are cut. Comments are passed over; data that is not JSON throws `SyntaxError`. */
export async function* readSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseMessage, void> {
  const ready: SseMessage[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      ready.push({ id, event, data: JSON.parse(data) as Json });
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* ready.splice(0);
  }
}
