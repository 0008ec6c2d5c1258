import { afterEach, describe, expect, it } from "vitest";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "./anthropic.ts";
import {
  type AgentError,
  type CallContext,
  type LLMClient,
  type LLMRequest,
  systemClock,
  withRetries,
} from "./index.ts";
import { createOpenAIClient, DEFAULT_OPENAI_MODEL } from "./openai.ts";
import { startAnthropicLoopback } from "./testing/anthropic-loopback.ts";
import type { LoopbackFault } from "./testing/fault-plan.ts";
import type { Loopback } from "./testing/loopback-server.ts";
import { startOpenAILoopback } from "./testing/openai-loopback.ts";

const TEXT = "größer als 😀";
type Wire = "anthropic" | "openai responses" | "openai chat";
const WIRES: readonly Wire[] = ["anthropic", "openai responses", "openai chat"];

/** Of an answer of one text in two pieces. */
const LAST_EVENT: Readonly<Record<Wire, number>> = { anthropic: 8, "openai responses": 10, "openai chat": 5 };

const servers: Loopback<object>[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe.each(WIRES)("%s", (wire) => {
  it.each<[string, LoopbackFault]>([
    ["headers that come late", { kind: "delay", ms: 30 }],
    ["pieces of one byte", { kind: "bytes" }],
    ["one event at a time", { kind: "drip", everyMs: 2 }],
    ["gzip", { kind: "gzip" }],
    ["a storm of pings", { kind: "pings", afterEvent: 2, count: 200 }],
    ["an event of a type that nobody knows", { kind: "unknown_event", afterEvent: 3 }],
    ["a first event that is told twice", { kind: "duplicate", event: 1 }],
    ["a last event that is told twice", { kind: "duplicate", event: LAST_EVENT[wire] }],
  ])("AI-12 gets the whole answer in spite of %s", async (_, fault) => {
    const { client, model, server } = await open(wire, [fault]);
    const response = await client.run(request(model), context());
    expect([response.content, response.stopReason, response.usage.estimated]).toEqual([TEXT, "complete", false]);
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, LoopbackFault, object]>([
    [
      "a clean early end",
      { kind: "eof", afterEvent: 3 },
      { kind: "network", code: "truncated_stream", retryable: true },
    ],
    ["a socket that goes after an event", { kind: "drop", afterEvent: 3 }, { kind: "network", code: "reset" }],
    ["a socket that goes inside an event", { kind: "drop", afterByte: 333 }, { kind: "network", code: "reset" }],
    [
      "an error event",
      { kind: "error_event", afterEvent: 3, type: wire === "anthropic" ? "api_error" : "server_error" },
      { kind: "agent", code: "server", retryable: true },
    ],
    [
      "a page of a proxy",
      { kind: "body", contentType: "text/html", text: "<html>proxy</html>" },
      { kind: "agent", code: "protocol", retryable: false },
    ],
    [
      "an answer of the wrong type",
      { kind: "body", contentType: "application/json", text: '{"ok":true}' },
      { kind: "agent", code: "protocol", retryable: false },
    ],
    [
      "data that is no JSON",
      { kind: "body", contentType: "text/event-stream", text: "event: message_start\ndata: {oops\n\n" },
      { kind: "agent", code: "protocol", retryable: false },
    ],
    ["a 503", { kind: "status", status: 503 }, { kind: "agent", code: "server", retryable: true }],
  ])("AI-17 complaint 13: names %s, after one request", async (_, fault, expected) => {
    const { client, model, server } = await open(wire, [fault]);
    await expect(client.run(request(model), context())).rejects.toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, LoopbackFault, Partial<CallContext["timers"]>]>([
    ["first_event", { kind: "stall", afterEvent: 0 }, { firstEventMs: 60 }],
    ["idle", { kind: "stall", afterEvent: 3 }, { idleMs: 60 }],
    ["attempt", { kind: "drip", everyMs: 30 }, { attemptMs: 90 }],
  ])("complaint 3: AI-15 SC-2 ends a stalled call with %s and leaves no socket", async (code, fault, timers) => {
    const { client, model, server } = await open(wire, [fault]);
    await expect(client.run(request(model), context({ timers }))).rejects.toMatchObject({ kind: "timeout", code });
    await expect.poll(() => server.openConnections(), { timeout: 5_000 }).toBe(0);
  });

  it.each([0, 1, 3])("complaint 1: AI-14 hears an abort within 50 ms, stalled after event %i", async (afterEvent) => {
    const { client, model, server } = await open(wire, [{ kind: "stall", afterEvent }]);
    const controller = new AbortController();
    const answer = client.run(request(model), context({ signal: controller.signal }));
    answer.catch(() => undefined);
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
    const abortedAt = performance.now();
    controller.abort();
    await expect(answer).rejects.toMatchObject({ kind: "cancelled" });
    expect(performance.now() - abortedAt).toBeLessThanOrEqual(50);
    await expect.poll(() => server.openConnections(), { timeout: 5_000 }).toBe(0);
  });

  it("complaint 12: VA-9 gives the whole answer once when a cut attempt is made again", async () => {
    const faults: LoopbackFault[] = [
      { kind: "drop", afterEvent: 4 },
      { kind: "status", status: 429, headers: { "retry-after": "0.01" } },
    ];
    const { client, model, server } = await open(wire, faults);
    const retries: AgentError[] = [];
    const response = await withRetries({
      attempt: () => client.run(request(model), context()),
      onRetry: ({ error }) => retries.push(error),
      policy: { baseMs: 1 },
      clock: systemClock,
      random: () => 0,
      signal: new AbortController().signal,
    });
    expect([response.content, server.requests.length]).toEqual([TEXT, 3]);
    expect(retries.map(({ code }) => code)).toEqual(["reset", "rate_limited"]);
  });
});

async function open(
  wire: Wire,
  faults: readonly LoopbackFault[],
): Promise<{ readonly client: LLMClient; readonly model: string; readonly server: Loopback<object> }> {
  const options = { script: [{ blocks: [{ type: "text", text: TEXT }] as const }], faults };
  if (wire === "anthropic") {
    const server = await startAnthropicLoopback(options);
    servers.push(server);
    const client = createAnthropicClient({ apiKey: server.apiKey, baseURL: server.url });
    return { client, model: DEFAULT_ANTHROPIC_MODEL, server };
  }
  const api = wire === "openai chat" ? "chat" : "responses";
  const server = await startOpenAILoopback({ api, ...options });
  servers.push(server);
  const client = createOpenAIClient({ api, apiKey: server.apiKey, baseURL: server.url });
  return { client, model: DEFAULT_OPENAI_MODEL, server };
}

function request(model: string): LLMRequest {
  const parts = [{ type: "text", text: "Hi" }] as const;
  const message = { id: "u1", role: "user", parts, ts: "2026-01-01T00:00:00.000Z", origin: "human" } as const;
  return { model, system: [], messages: [message], tools: [] };
}

function context(
  parts: { readonly signal?: AbortSignal; readonly timers?: Partial<CallContext["timers"]> } = {},
): CallContext {
  const timers = { firstEventMs: 5_000, idleMs: 5_000, attemptMs: 10_000, ...parts.timers };
  return { signal: parts.signal ?? new AbortController().signal, clock: systemClock, messageId: "m1", timers };
}
