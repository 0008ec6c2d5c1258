// events → a text/event-stream response
import type { Writable } from "node:stream";
import { encodeSse, SSE_HEADERS, SSE_KEEP_ALIVE, type SseMessage } from "@vision-agent/agent-core/protocols";
import type { FastifyReply } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /**
     * What leaves this server passes it before it is written: the framework's own way out does not see a stream.
     * Undefined when that fails; then nothing is sent.
     */
    withoutSecrets<T>(value: T): T | undefined;
  }
}

/** An open response that takes events until the other side leaves or `end` is called. */
export interface SseStream {
  /** Fires when the other side has left or the stream has ended. */
  readonly closed: AbortSignal;
  /** Resolves when the socket takes more: a slow reader slows its own stream and nothing else. */
  send(message: SseMessage): Promise<void>;
  /** May be called twice. `last` is sent as it is. */
  end(last?: string): void;
}

const KEEP_ALIVE_MS = 15_000;

/** A response that is taken over from the framework keeps the headers that it has so far. */
export function takeHeaders(reply: FastifyReply): void {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}

const STALLED_MS = 30_000;

/** Ends a stream whose reader has taken nothing for so long: it keeps memory and a place, and nobody looks. */
export function dropStalled(raw: Writable, afterMs = STALLED_MS): void {
  let hasMoved = true;
  const timer = setInterval(() => {
    if (raw.writableNeedDrain && !hasMoved) raw.destroy();
    hasMoved = !raw.writableNeedDrain;
  }, afterMs);
  raw.on("drain", () => {
    hasMoved = true;
  });
  raw.once("close", () => clearInterval(timer));
}

/** Takes the response over from the framework and sends the headers. */
export function openSse(reply: FastifyReply, headers: Readonly<Record<string, string>> = {}): SseStream {
  const closed = new AbortController();
  const { raw, server } = reply;
  takeHeaders(reply);
  raw.writeHead(200, { ...SSE_HEADERS, ...headers });
  raw.flushHeaders();
  dropStalled(raw);
  const keepAlive = setInterval(() => raw.write(SSE_KEEP_ALIVE), KEEP_ALIVE_MS);
  const finish = (): void => {
    clearInterval(keepAlive);
    closed.abort();
  };
  raw.once("close", finish);
  return {
    closed: closed.signal,
    async send(message) {
      if (closed.signal.aborted) return;
      const data = server.withoutSecrets(message.data);
      if (data === undefined || raw.write(encodeSse({ ...message, data }))) return;
      await new Promise<void>((go) => {
        const on = (): void => {
          raw.off("drain", on);
          raw.off("close", on);
          go();
        };
        raw.once("drain", on);
        raw.once("close", on);
      });
    },
    end(last = "") {
      finish();
      raw.end(last);
    },
  };
}
