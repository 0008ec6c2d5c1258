// the body of a stream → what the client of a wire makes of it, without a server
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "../anthropic.ts";
import type { CallContext, LLMClient, LLMRequest, LLMResponse } from "../llm/llm-client.ts";
import type { FetchLike } from "../llm/watched-fetch.ts";
import { createOpenAIClient, DEFAULT_OPENAI_MODEL } from "../openai.ts";
import { systemClock } from "../types/clock.ts";

export const WIRES = ["anthropic", "responses", "chat"] as const;
export type WireName = (typeof WIRES)[number];

export const WIRE_MODELS: Readonly<Record<WireName, string>> = {
  anthropic: DEFAULT_ANTHROPIC_MODEL,
  responses: DEFAULT_OPENAI_MODEL,
  chat: DEFAULT_OPENAI_MODEL,
};

export function wireClient(wire: WireName, fetch: FetchLike): LLMClient {
  const options = { apiKey: "test-key", fetch, refreshProfiles: false };
  return wire === "anthropic" ? createAnthropicClient(options) : createOpenAIClient({ ...options, api: wire });
}

/** A body of events. Anything that is JSON may be one. */
export function toEventBody(events: readonly unknown[]): string {
  const nameOf = (event: unknown): string =>
    typeof event === "object" && event !== null && "type" in event ? String(event.type) : "message_start";
  return events.map((event) => `event: ${nameOf(event)}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/** Rejects as the client does. */
export async function readAnswer(wire: WireName, events: readonly unknown[]): Promise<LLMResponse> {
  const body = toEventBody(events);
  const client = wireClient(wire, async () => new Response(body, { headers: { "content-type": "text/event-stream" } }));
  return client.run(wireRequest(wire), wireContext());
}

export function wireRequest(wire: WireName, parts: LLMRequest["messages"][number]["parts"] = []): LLMRequest {
  const said = [...parts, { type: "text" as const, text: "Hi" }];
  const message = { id: "u1", role: "user", parts: said, ts: "2026-01-01T00:00:00.000Z", origin: "human" } as const;
  return { model: WIRE_MODELS[wire], system: [], messages: [message], tools: [] };
}

export function wireContext(): CallContext {
  const timers = { firstEventMs: 5_000, idleMs: 5_000, attemptMs: 10_000 };
  return { signal: new AbortController().signal, clock: systemClock, messageId: "m1", timers };
}
