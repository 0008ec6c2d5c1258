import type { AppEvent } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { openEventStream } from "./event-stream.ts";

const EVENT: AppEvent = { type: "pipelines", pipelines: [] };

describe("openEventStream", () => {
  it("connects again after the stream breaks, and goes on reporting", async () => {
    const seen: string[] = [];
    const twice = Promise.withResolvers<void>();
    const stream = openEventStream({
      api: { eventStream: async () => eventResponse([EVENT]) },
      time: { now: () => 0, random: () => 1, wait: async () => undefined },
      onState: ({ kind }) => seen.push(kind),
      onEvent: ({ type }) => {
        seen.push(type);
        if (seen.filter((word) => word === "pipelines").length === 2) {
          stream.stop();
          twice.resolve();
        }
      },
    });
    await twice.promise;
    expect(seen).toEqual(["connecting", "open", "pipelines", "lost", "open", "pipelines"]);
  });

  it("reads an event that comes in pieces", async () => {
    const seen = Promise.withResolvers<AppEvent>();
    const stream = openEventStream({
      api: { eventStream: async () => eventResponse([EVENT], 3) },
      time: { now: () => 0, random: () => 1, wait: async () => undefined },
      onState: () => undefined,
      onEvent: seen.resolve,
    });
    expect(await seen.promise).toEqual(EVENT);
    stream.stop();
  });
});

function eventResponse(events: readonly AppEvent[], pieceLength = 10_000): Response {
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  const bytes = new TextEncoder().encode(text);
  let offset = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (offset >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(offset, offset + pieceLength));
      offset += pieceLength;
    },
  });
  return new Response(body);
}
