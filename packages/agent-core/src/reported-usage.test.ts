import { expect, it } from "vitest";
import { createAnthropicClient } from "./anthropic.ts";
import {
  createPayingClient,
  createSpendLimit,
  type LLMClient,
  type PaidCall,
  type Price,
  systemClock,
} from "./index.ts";
import { createOpenAIClient } from "./openai.ts";

/** A dollar a million each way: a token costs one. */
const PRICE: Price = {
  tiers: [{ aboveInputTokens: 0, input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }],
  asOf: "2026-01-01",
};
const PROFILES = [{ id: "m", price: PRICE, maxOutput: 64_000 }];

type Event = { readonly type?: string; readonly [key: string]: unknown };

it("VA-22 counts what Anthropic reported before an answer was cut, and what came after the report", async () => {
  const start = {
    type: "message_start",
    message: { model: "m", content: [], usage: { input_tokens: 20_000, output_tokens: 1 } },
  };
  const text = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a".repeat(300) } };
  const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 30_000 } };
  const client = (events: readonly Event[]): LLMClient =>
    createAnthropicClient({ apiKey: "k", fetch: answering(events), profiles: PROFILES, refreshProfiles: false });
  expect(await paidFor(client([start, text, end]))).toMatchObject({
    costMicroUsd: 50_000,
    usage: { inputTokens: 20_000, outputTokens: 30_000, estimated: true },
  });
  expect(await paidFor(client([start, text]))).toMatchObject({ costMicroUsd: 20_100 });
});

it("VA-22 counts the usage of a response that failed", async () => {
  const usage = { input_tokens: 10, output_tokens: 30_000, total_tokens: 30_010 };
  const error = { code: "server_error", message: "x" };
  const failed = {
    type: "response.failed",
    response: { id: "r", status: "failed", model: "m", output: [], usage, error },
  };
  const client = openai("responses", [{ type: "response.created", response: { id: "r", usage: null } }, failed]);
  expect(await paidFor(client)).toMatchObject({ costMicroUsd: 30_010 });
});

it("VA-22 counts the usage that a chat server reported before it went away", async () => {
  const chunk = { model: "m", choices: [{ index: 0, delta: { content: "a" } }] };
  const client = openai("chat", [{ ...chunk, usage: { prompt_tokens: 5_000, completion_tokens: 7_000 } }]);
  expect(await paidFor(client)).toMatchObject({ costMicroUsd: 12_000 });
});

it("counts the worst case where a cut answer reported what cannot be true", async () => {
  const client = openai("chat", [{ choices: [], usage: { prompt_tokens: 1e300, completion_tokens: 1 } }]);
  const { costMicroUsd, usage } = await paidFor(client);
  expect(usage).toMatchObject({ outputTokens: 1_000, estimated: true });
  expect(costMicroUsd).toBeGreaterThanOrEqual(1_000);
  expect(costMicroUsd).toBeLessThan(2_000);
});

function openai(api: "chat" | "responses", events: readonly Event[]): LLMClient {
  return createOpenAIClient({ apiKey: "k", api, fetch: answering(events), profiles: PROFILES, refreshProfiles: false });
}

/** Sends these events and ends the stream. */
function answering(events: readonly Event[]): typeof fetch {
  const lines = events.map(
    (event) => `${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`,
  );
  return async () => new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}

/** What a call that fails is charged. */
async function paidFor(client: LLMClient): Promise<PaidCall> {
  const paid: PaidCall[] = [];
  const paying = createPayingClient({ client, limit: createSpendLimit(1_000_000), onPaid: (one) => paid.push(one) });
  const timers = { firstEventMs: 5_000, idleMs: 5_000, attemptMs: 5_000 };
  const request = {
    model: "m",
    system: [],
    tools: [],
    config: { maxTokens: 1_000 },
    messages: [
      {
        id: "m1",
        role: "user",
        origin: "human",
        ts: "2026-01-01T00:00:00.000Z",
        parts: [{ type: "text", text: "Hi" }],
      },
    ],
  } as const;
  const call = paying.run(request, {
    signal: new AbortController().signal,
    clock: systemClock,
    messageId: "m2",
    timers,
  });
  await expect(call).rejects.toMatchObject({ name: "AgentError" });
  expect(paid).toHaveLength(1);
  return paid[0] as PaidCall;
}
