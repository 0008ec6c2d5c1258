// a strict stand-in for the Messages API on 127.0.0.1
import type { Clock } from "../types/clock.ts";
import { createCacheSimulation } from "./cache-simulation.ts";
import type { LoopbackFault, WireStream } from "./fault-plan.ts";
import { type Loopback, openLoopback } from "./loopback-server.ts";
import { countWireTokens, findWireProblem, type WireLimits, type WireRequest } from "./wire-checks.ts";
import { type AnthropicWireEvent, type LoopbackReply, toWireEvents } from "./wire-reply.ts";

/** What the server says, and what goes wrong. */
export interface LoopbackOptions {
  /** Answers in order, or a function of the request and its number (from 1). */
  readonly script: readonly LoopbackReply[] | ((request: WireRequest, number: number) => LoopbackReply);
  /** By request, first is 0. A request that fails on purpose does not use up an answer. */
  readonly faults?: readonly (LoopbackFault | undefined)[];
  /** Default `test-key`. */
  readonly apiKey?: string;
  /** What GET /v1/models lists. Default nothing. */
  readonly models?: readonly object[];
  /** Default: those of the provider. */
  readonly limits?: Partial<WireLimits>;
  /** Usage numbers come from a simulated prompt cache on this clock. Default: fixed numbers. */
  readonly cache?: { readonly clock: Clock; readonly minTokens?: number };
}

/** A server that runs until it is closed. */
export type AnthropicLoopback = Loopback<WireRequest>;

/** Listens on a free port of the loopback interface. */
export function startAnthropicLoopback(options: LoopbackOptions): Promise<AnthropicLoopback> {
  const { script, faults = [], apiKey = "test-key", models = [], limits = {} } = options;
  const cache = options.cache && createCacheSimulation(options.cache);
  return openLoopback<WireRequest, LoopbackReply>(apiKey, {
    path: "/v1/messages",
    script,
    faults,
    check: (incoming) => findWireProblem(incoming, apiKey, limits),
    encode(reply, request, number) {
      const usage = cache?.take(request);
      const counted = usage ? { ...reply, usage: { ...usage, ...reply.usage } } : reply;
      return toStream(toWireEvents(counted, request, number), number);
    },
    toErrorBody: ({ type, message, code }) => ({
      type: "error",
      error: { type, message, ...(code === undefined ? {} : { details: { error_code: code } }) },
      request_id: "req_json",
    }),
    side({ method, path, body }) {
      if (method === "GET" && path === "/v1/models") return { data: models, has_more: false };
      if (method === "POST" && path === "/v1/messages/count_tokens") return { input_tokens: countWireTokens(body) };
      return undefined;
    },
  });
}

function toStream(events: readonly AnthropicWireEvent[], number: number): WireStream {
  return {
    headers: { "request-id": `req_${number}` },
    events: events.map(encode),
    ping: encode({ event: "ping", data: { type: "ping" } }),
    unknown: encode({ event: "novelty", data: { type: "novelty", index: 0, delta: { type: "novel_delta" } } }),
    error: (type, message) =>
      encode({ event: "error", data: { type: "error", error: { type, message }, request_id: "req_fault" } }),
  };
}

function encode({ event, data }: AnthropicWireEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
