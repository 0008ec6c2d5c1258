import Anthropic from "@anthropic-ai/sdk";
import { LLMock } from "@copilotkit/aimock";
import OpenAI from "openai";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "./anthropic.ts";
import { type CallContext, type LLMClient, type LLMRequest, systemClock } from "./index.ts";
import { createOpenAIClient, DEFAULT_OPENAI_MODEL } from "./openai.ts";
import { type LoopbackOptions, startAnthropicLoopback } from "./testing/anthropic-loopback.ts";
import { type OpenAILoopbackOptions, startOpenAILoopback } from "./testing/openai-loopback.ts";
import type { OpenAIReply } from "./testing/openai-reply.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

describe("AF-38 the provider's own clients understand our loopback servers", () => {
  it("Anthropic: thinking, text, calls, the provider's own blocks and a refusal", async () => {
    const found = { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] };
    const sdk = await anthropic({
      script: [
        {
          blocks: [
            { type: "thinking", text: "Hm" },
            { type: "redacted_thinking", data: "b3BhcXVl" },
            { type: "provider", start: found, whole: found },
            { type: "text", text: "Looking" },
            { type: "tool_use", name: "look", input: { at: 1 } },
            { type: "tool_use", name: "rest", input: {} },
          ],
        },
        { blocks: [], stopReason: "refusal", stopDetails: { type: "refusal", category: "bio", explanation: "no" } },
      ],
    });
    const ask = {
      model: DEFAULT_ANTHROPIC_MODEL,
      max_tokens: 100,
      messages: [{ role: "user", content: "Hi" }],
    } as const;
    const answer = await sdk.messages.stream({ ...ask, messages: [...ask.messages] }).finalMessage();
    expect(answer.stop_reason).toBe("tool_use");
    expect(answer.content).toMatchObject([
      { type: "thinking", thinking: "Hm", signature: expect.stringMatching(/./) },
      { type: "redacted_thinking", data: "b3BhcXVl" },
      found,
      { type: "text", text: "Looking" },
      { type: "tool_use", name: "look", input: { at: 1 } },
      { type: "tool_use", name: "rest", input: {} },
    ]);
    const refused = await sdk.messages.stream({ ...ask, messages: [...ask.messages] }).finalMessage();
    expect(refused).toMatchObject({ stop_reason: "refusal", stop_details: { category: "bio" } });
  });

  it("Anthropic: the list of models, counts and errors", async () => {
    const sdk = await anthropic({ script: [], models: [{ id: "claude-x", type: "model" }] });
    expect((await sdk.models.list()).data).toMatchObject([{ id: "claude-x" }]);
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Hi" }];
    const count = await sdk.messages.countTokens({ model: DEFAULT_ANTHROPIC_MODEL, messages });
    expect(count.input_tokens).toBeGreaterThan(1);
    const refused = sdk.messages.create({ model: "gpt-6", max_tokens: 1, messages });
    await expect(refused).rejects.toMatchObject({ status: 404, type: "not_found_error" });
  });

  it("chat completions: text, calls and usage", async () => {
    const sdk = await openai({ api: "chat", script: [FULL_REPLY] });
    const stream = sdk.chat.completions.stream({
      model: DEFAULT_OPENAI_MODEL,
      messages: [{ role: "user", content: "Hi" }],
      stream_options: { include_usage: true },
    });
    const answer = await stream.finalChatCompletion();
    expect(answer.usage).toMatchObject({ prompt_tokens: 310, prompt_tokens_details: { cached_tokens: 256 } });
    expect(answer.choices).toMatchObject([
      {
        finish_reason: "tool_calls",
        message: {
          content: "Looking",
          tool_calls: [
            { function: { name: "look", arguments: '{"at":1}' } },
            { function: { name: "rest", arguments: "{}" } },
          ],
        },
      },
    ]);
  });

  it("Responses: reasoning, text, calls and usage", async () => {
    const sdk = await openai({ api: "responses", script: [FULL_REPLY] });
    const answer = await sdk.responses
      .stream({ model: DEFAULT_OPENAI_MODEL, input: [{ role: "user", content: "Hi" }] })
      .finalResponse();
    expect(answer).toMatchObject({ status: "completed", output_text: "Looking", usage: { input_tokens: 310 } });
    expect(answer.output).toMatchObject([
      { type: "reasoning", summary: [{ text: "Hm" }], encrypted_content: expect.stringMatching(/./) },
      { type: "message", content: [{ type: "output_text", text: "Looking" }] },
      { type: "function_call", name: "look", arguments: '{"at":1}' },
      { type: "function_call", name: "rest", arguments: "{}" },
    ]);
  });

  it.each(["chat", "responses"] as const)("%s: the list of models and errors", async (api) => {
    const sdk = await openai({
      api,
      script: [],
      faults: [{ kind: "status", status: 429, code: "insufficient_quota" }],
    });
    expect((await sdk.models.list()).data.map(({ id }) => id)).toEqual([DEFAULT_OPENAI_MODEL]);
    const refused =
      api === "chat"
        ? sdk.chat.completions.create({ model: DEFAULT_OPENAI_MODEL, messages: [{ role: "user", content: "Hi" }] })
        : sdk.responses.create({ model: DEFAULT_OPENAI_MODEL, input: "Hi" });
    await expect(refused).rejects.toMatchObject({ status: 429, code: "insufficient_quota" });
  });
});

const LIST = { type: "array", items: { type: "string" } };
const LIST_TOOL = { name: "a", description: "a", parameters: LIST };
const LIST_FORMAT = { name: "a", schema: LIST, strict: true };

describe("OpenAI loopback servers are strict", () => {
  it.each<["chat" | "responses", string, object]>([
    ["chat", "a temperature beside reasoning", { temperature: 1 }],
    ["chat", "the old name of the cap", { max_tokens: 5 }],
    ["chat", "a call without its result", { messages: [chatUser("x"), chatCall("c1"), chatUser("y")] }],
    [
      "chat",
      "a result without its call",
      { messages: [chatUser("x"), { role: "tool", tool_call_id: "c1", content: "" }] },
    ],
    ["chat", "a picture in a tool message", { messages: [chatUser("x"), chatCall("c1"), CHAT_TOOL_IMAGE] }],
    ["chat", "a choice without tools", { tool_choice: "required" }],
    ["chat", "parameters that are a list", { tools: [{ type: "function", function: LIST_TOOL }] }],
    ["chat", "an answer that is a list", { response_format: { type: "json_schema", json_schema: LIST_FORMAT } }],
    ["responses", "parameters that are a list", { tools: [{ type: "function", strict: false, ...LIST_TOOL }] }],
    ["responses", "an answer that is a list", { text: { format: { type: "json_schema", ...LIST_FORMAT } } }],
    ["responses", "a temperature beside reasoning", { temperature: 1 }],
    ["responses", "a call without its result", { input: [responsesCall("c1")] }],
    [
      "responses",
      "a result without its call",
      { input: [{ type: "function_call_output", call_id: "c1", output: "" }] },
    ],
    ["responses", "reasoning that was not sealed", { input: [{ type: "reasoning", id: "rs_1", summary: [] }] }],
    [
      "responses",
      "reasoning of another model",
      { input: [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" }] },
    ],
    ["responses", "no input", { input: [] }],
  ])("%s refuses %s", async (api, _, parts) => {
    const sdk = await openai({ api, script: [] });
    const base = { model: DEFAULT_OPENAI_MODEL };
    const refused =
      api === "chat"
        ? sdk.chat.completions.create({ ...base, messages: [{ role: "user", content: "Hi" }], ...parts })
        : sdk.responses.create({ ...base, input: [{ role: "user", content: "Hi" }], ...parts });
    await expect(refused).rejects.toMatchObject({ status: 400 });
  });
});

describe("AF-36 our clients understand an independent fake", () => {
  const mock = new LLMock({ port: 0 });
  beforeAll(async () => {
    const usage = { input_tokens: 7, output_tokens: 3, prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
    mock.onMessage("hello", { content: "Hi there", reasoning: "Hm", usage });
    mock.onMessage("look", {
      toolCalls: [1, 2].map((at) => ({ id: `call_${at}`, name: "look", arguments: JSON.stringify({ at }) })),
    });
    mock.onMessage("limit", { error: { message: "slow down", type: "rate_limit_error" }, status: 429 });
    await mock.start();
    return () => mock.stop();
  });

  const clients: Record<string, () => { readonly client: LLMClient; readonly model: string }> = {
    anthropic: () => ({
      client: createAnthropicClient({ apiKey: "mock-key", baseURL: mock.url }),
      model: DEFAULT_ANTHROPIC_MODEL,
    }),
    chat: () => ({ client: ourOpenAI("chat"), model: DEFAULT_OPENAI_MODEL }),
    responses: () => ({ client: ourOpenAI("responses"), model: DEFAULT_OPENAI_MODEL }),
  };
  const ourOpenAI = (api: "chat" | "responses"): LLMClient =>
    createOpenAIClient({ api, apiKey: "mock-key", baseURL: `${mock.url}/v1` });

  it.each(Object.keys(clients))("%s: text and thinking as they come", async (name) => {
    const { client, model } = clients[name]!();
    const stream = client.stream(request(model, "hello"), context());
    const shown = { text: "", thinking: "" };
    for await (const delta of stream)
      if (delta.type === "text" || delta.type === "thinking") shown[delta.type] += delta.text;
    const response = await stream.result();
    expect(shown).toEqual({ text: "Hi there", thinking: "Hm" });
    expect(response).toMatchObject({ content: "Hi there", stopReason: "complete" });
  });

  it.each(Object.keys(clients))("%s: parallel calls", async (name) => {
    const { client, model } = clients[name]!();
    const { toolCalls, stopReason } = await client.run(request(model, "look"), context());
    expect(stopReason).toBe("tool_use");
    expect(toolCalls).toMatchObject([
      { toolName: "look", arguments: { at: 1 }, state: "complete" },
      { toolName: "look", arguments: { at: 2 }, state: "complete" },
    ]);
  });

  it.each(Object.keys(clients))("%s: a rate limit", async (name) => {
    const { client, model } = clients[name]!();
    await expect(client.run(request(model, "limit"), context())).rejects.toMatchObject({
      kind: "rate_limit",
      retryAfterMs: 1_000,
    });
  });
});

const FULL_REPLY: OpenAIReply = {
  blocks: [
    { type: "thinking", text: "Hm" },
    { type: "text", text: "Looking" },
    { type: "tool_use", name: "look", input: { at: 1 } },
    { type: "tool_use", name: "rest", input: {} },
  ],
};
const CHAT_TOOL_IMAGE = {
  role: "tool",
  tool_call_id: "c1",
  content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
};

function chatUser(content: string): object {
  return { role: "user", content };
}

function chatCall(id: string): object {
  const call = { id, type: "function", function: { name: "look", arguments: "{}" } };
  return { role: "assistant", content: null, tool_calls: [call] };
}

function responsesCall(callId: string): object {
  return { type: "function_call", call_id: callId, name: "look", arguments: "{}" };
}

async function anthropic(options: LoopbackOptions): Promise<Anthropic> {
  const server = await startAnthropicLoopback(options);
  closers.push(server.close);
  return new Anthropic({ apiKey: server.apiKey, baseURL: server.url, maxRetries: 0, logLevel: "off" });
}

async function openai(options: OpenAILoopbackOptions): Promise<OpenAI> {
  const server = await startOpenAILoopback(options);
  closers.push(server.close);
  return new OpenAI({ apiKey: server.apiKey, baseURL: server.url, maxRetries: 0, logLevel: "off" });
}

function request(model: string, text: string): LLMRequest {
  const parts = [{ type: "text", text }] as const;
  const message = { id: "u1", role: "user", parts, ts: "2026-01-01T00:00:00.000Z", origin: "human" } as const;
  const look = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };
  return { model, system: [], messages: [message], tools: [look] };
}

function context(): CallContext {
  const timers = { firstEventMs: 5_000, idleMs: 5_000, attemptMs: 10_000 };
  return { signal: new AbortController().signal, clock: systemClock, messageId: "m1", timers };
}
