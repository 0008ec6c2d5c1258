import { afterEach, describe, expect, it } from "vitest";
import {
  type CallContext,
  createMemoryArtifactStore,
  type ImagePart,
  type LLMClient,
  type LLMRequest,
  type Message,
  type Part,
  systemClock,
  type ToolResultPart,
} from "./index.ts";
import { createOpenAIClient, DEFAULT_OPENAI_MODEL, OPENAI_PROFILES, type OpenAIClientOptions } from "./openai.ts";
import { LLM_CONTRACT_TEXT, type LlmContractAnswer, llmClientContract } from "./testing/llm-client-contract.ts";
import { type OpenAILoopback, type OpenAILoopbackOptions, startOpenAILoopback } from "./testing/openai-loopback.ts";
import type { OpenAIReply } from "./testing/openai-reply.ts";
import type { OpenAIRequest } from "./testing/openai-wire.ts";
import { PNG_1X1 } from "./testing/sample-images.ts";

const APIS = ["responses", "chat"] as const;
type Api = (typeof APIS)[number];

const servers: OpenAILoopback[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe.each(APIS)("%s: the contract of clients", (api) => {
  const replies: Record<LlmContractAnswer, Partial<OpenAILoopbackOptions>> = {
    text: { script: [text(LLM_CONTRACT_TEXT)] },
    two_calls: { script: [{ blocks: [1, 2].map((at) => ({ type: "tool_use", name: "look", input: { at } })) }] },
    stall: { script: [text(LLM_CONTRACT_TEXT)], faults: [{ kind: "stall", afterEvent: 2 }] },
    failure: { script: [], faults: [{ kind: "status", status: 400 }] },
  };
  for (const { name, run } of llmClientContract(async (answer) => {
    const { client, server } = await open(api, replies[answer]);
    return { client, model: DEFAULT_OPENAI_MODEL, close: server.close };
  })) {
    it(`AF-36 AI-1 AI-14 ${name}`, run);
  }
});

describe.each(APIS)("%s: requests", (api) => {
  it("AI-2 sends what the server takes, with settings by profile", async () => {
    const { body, server, response } = await ask(api, {
      system: [
        { id: "a", text: "Be brief.", stability: "static" },
        { id: "b", text: "You help Ada.", stability: "session" },
      ],
      tools: [LOOK],
      config: {
        maxTokens: 99,
        temperature: 0.2,
        reasoning: "off",
        parallelTools: false,
        toolChoice: { tool: "look" },
        output: { name: "answer", schema: { type: "object", properties: { a: { type: "string" } } } },
      },
    });
    expect([server.refusals, response.warnings]).toEqual([[], []]);
    const schema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
    const expected = {
      responses: {
        instructions: "Be brief.\n\nYou help Ada.",
        max_output_tokens: 99,
        reasoning: { effort: "none" },
        tool_choice: { type: "function", name: "look" },
        text: { format: { type: "json_schema", name: "answer", schema, strict: false } },
        store: false,
        include: ["reasoning.encrypted_content"],
      },
      chat: {
        messages: [
          { role: "system", content: "Be brief.\n\nYou help Ada." },
          { role: "user", content: "Hi" },
        ],
        max_completion_tokens: 99,
        reasoning_effort: "none",
        tool_choice: { type: "function", function: { name: "look" } },
        response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: false } },
        stream_options: { include_usage: true },
      },
    };
    expect(body).toMatchObject({ ...expected[api], temperature: 0.2, parallel_tool_calls: false, stream: true });
  });

  it("AI-3 warns instead of sending what the model refuses", async () => {
    const config = { temperature: 1, reasoning: { budgetTokens: 2_000 }, toolChoice: "required" } as const;
    const { body, server, response } = await ask(api, { config });
    expect(server.refusals).toEqual([]);
    expect(body).not.toHaveProperty("temperature");
    expect(response.warnings.map(({ code }) => code)).toEqual([
      "tool_choice_ignored",
      "reasoning_ignored",
      "temperature_ignored",
    ]);
  });

  it("AI-11 answers every call before what was said meanwhile", async () => {
    const { server, body } = await ask(api, {
      messages: [
        message("user", [{ type: "text", text: "Look" }]),
        message("assistant", [{ type: "text", text: "Looking" }, toolCall("c1"), toolCall("c2")]),
        message("tool_result", [toolResult("c1", [{ type: "text", text: "seen" }])]),
        message("user", [
          { type: "text", text: "hurry" },
          { type: "state_note", text: "busy" },
        ]),
        message("tool_result", [{ ...toolResult("c2"), outcome: "denied" }]),
      ],
    });
    expect(server.refusals).toEqual([]);
    const sent = JSON.stringify(api === "chat" ? body.messages : body.input);
    const order = ["Looking", "c1", "c2", "seen", "[denied]", "hurry", "busy"].map((word) => sent.lastIndexOf(word));
    expect(order.at(-2)).toBeGreaterThan(Math.max(...order.slice(0, -2)));
  });

  it("VI-6 VI-12 VI-21.1 shows pictures of people and of tools", async () => {
    const artifacts = createMemoryArtifactStore();
    const { id } = await artifacts.put(PNG_1X1, { mimeType: "image/png", namespace: "input_image" });
    const picture: ImagePart = { type: "image", artifactId: id, mimeType: "image/png", detail: "low" };
    const messages = [
      message("user", [{ type: "text", text: "What is this?" }, picture]),
      message("assistant", [toolCall("c1")]),
      message("tool_result", [toolResult("c1", [{ type: "text", text: "seen" }, picture])]),
    ];
    const { server, body } = await ask(api, { messages }, { artifacts });
    expect(server.refusals).toEqual([]);
    const url = `data:image/png;base64,${Buffer.from(PNG_1X1).toString("base64")}`;
    if (api === "responses") {
      const image = { type: "input_image", image_url: url, detail: "low" };
      expect(body.input).toMatchObject([
        { role: "user", content: [{ type: "input_text" }, image] },
        { type: "function_call", call_id: "c1" },
        { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "seen" }, image] },
      ]);
    } else {
      const image = { type: "image_url", image_url: { url, detail: "low" } };
      expect(body.messages).toMatchObject([
        { role: "user", content: [{ type: "text" }, image] },
        { role: "assistant", content: null, tool_calls: [{ id: "c1" }] },
        { role: "tool", tool_call_id: "c1", content: "seen\n[images of c1 follow]" },
        { role: "user", content: [{ type: "text", text: "Images from look, call c1:" }, image] },
      ]);
    }
  });

  it("VI-11 puts words in the place of a picture whose bytes are gone, and warns", async () => {
    const picture: Part = { type: "image", artifactId: "art_gone", mimeType: "image/png", alt: "the gate" };
    const { body, response } = await ask(api, { messages: [message("user", [picture])] });
    expect(JSON.stringify(body)).toContain("image unavailable: the gate");
    expect(response.warnings).toEqual([expect.objectContaining({ code: "image_unavailable" })]);
  });

  it("VI-8 refuses pictures without a store", async () => {
    const picture: Part = { type: "image", artifactId: "art_x", mimeType: "image/png" };
    const { client } = await open(api, { script: [text("ok")] });
    await expect(client.run(request({ messages: [message("user", [picture])] }), context())).rejects.toMatchObject({
      kind: "capability",
      code: "client_no_vision",
    });
  });
});

describe.each(APIS)("%s: responses", (api) => {
  it("AI-5 AI-6 AI-7 VA-10 reads text, thinking, calls and usage without the cached part", async () => {
    const { response } = await ask(
      api,
      {},
      {},
      {
        blocks: [
          { type: "thinking", text: "Hm, let me see" },
          { type: "text", text: "Looking" },
          { type: "tool_use", name: "look", input: { at: "gate" } },
          { type: "tool_use", name: "rest", input: "" },
        ],
      },
    );
    expect(response).toMatchObject({ content: "Looking", stopReason: "tool_use", requestId: "req_1" });
    expect(response.message.parts.map(({ type }) => type)).toEqual(["reasoning", "text", "tool_call", "tool_call"]);
    expect(response.toolCalls).toMatchObject([
      { toolName: "look", arguments: { at: "gate" }, state: "complete" },
      { toolName: "rest", arguments: {}, state: "complete" },
    ]);
    expect(response.usage).toEqual({
      inputTokens: 54,
      outputTokens: 22,
      cacheReadTokens: 256,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      estimated: false,
    });
  });

  it("AI-7 says that nobody reported usage, instead of inventing it", async () => {
    const { response } = await ask(api, {}, {}, { ...text("x"), usage: null });
    expect(response.usage).toMatchObject({ inputTokens: 0, outputTokens: 0, estimated: true });
    expect(response.warnings).toEqual([expect.objectContaining({ code: "usage_missing" })]);
  });

  it("complaint 8: marks calls that were cut off or are not JSON", async () => {
    const finish = api === "chat" ? "length" : "max_output_tokens";
    const half: OpenAIReply = {
      blocks:
        api === "chat"
          ? [{ type: "tool_use", name: "look", input: '{"at": "ga' }]
          : [
              {
                type: "item",
                item: {
                  type: "function_call",
                  call_id: "c",
                  name: "look",
                  arguments: '{"at": "ga',
                  status: "incomplete",
                },
              },
            ],
      finish,
    };
    expect((await ask(api, {}, {}, half)).response).toMatchObject({
      stopReason: "max_tokens",
      toolCalls: [{ state: "truncated", arguments: {}, rawArguments: '{"at": "ga' }],
    });
    const broken: OpenAIReply = { blocks: [{ type: "tool_use", name: "look", input: "[1, 2" }] };
    expect((await ask(api, {}, {}, broken)).response.toolCalls).toMatchObject([{ state: "unparseable" }]);
  });

  it("AI-8 tells a refusal from an answer", async () => {
    const { response } = await ask(api, {}, {}, { blocks: [{ type: "refusal", text: "I will not." }] });
    expect(response).toMatchObject({ stopReason: "refusal", content: "", stopDetail: { explanation: "I will not." } });
  });

  it("complaint 17: gives every ending a name, and fails visibly for others", async () => {
    const endings: Record<Api, Record<string, string>> = {
      chat: { stop: "complete", length: "max_tokens", content_filter: "content_filter", function_call: "tool_use" },
      responses: {
        completed: "complete",
        max_output_tokens: "max_tokens",
        content_filter: "content_filter",
        max_messages: "pause",
        steered: "steered",
      },
    };
    for (const [finish, stop] of Object.entries(endings[api])) {
      expect((await ask(api, {}, {}, { ...text("x"), finish })).response.stopReason).toBe(stop);
    }
    const novel = await open(api, { script: [{ ...text("x"), finish: "novel" }] });
    const answer = novel.client.run(request(), context());
    if (api === "chat") {
      // A compatible server may use other words.
      const warnings = [expect.objectContaining({ code: "stop_reason_unknown" })];
      await expect(answer).resolves.toMatchObject({ stopReason: "complete", warnings });
    } else {
      await expect(answer).rejects.toMatchObject({ code: "unknown_stop_reason" });
    }
    const none = await open(api, { script: [{ ...text("x"), finish: null }] });
    await expect(none.client.run(request(), context())).rejects.toMatchObject({ code: "truncated_stream" });
  });
});

describe("responses: reasoning", () => {
  const blocks: OpenAIReply["blocks"] = [
    { type: "thinking", text: "Hm" },
    { type: "tool_use", name: "look", input: { at: 1 } },
  ];

  it("VA-17 complaint 7: sends sealed reasoning back unmodified, and only to the model that wrote it", async () => {
    const models = [DEFAULT_OPENAI_MODEL, "gpt-6-luna"];
    const { client, server } = await open("responses", { script: [{ blocks }, text("a"), text("b")], models });
    const first = await client.run(request(), context());
    const messages = [
      ...request().messages,
      first.message,
      message("tool_result", [toolResult(first.toolCalls[0]!.id)]),
    ];
    await client.run(request({ messages }), context());
    await client.run(request({ messages, model: "gpt-6-luna" }), context());
    expect(server.refusals).toEqual([]);
    const types = server.requests.slice(1).map(({ input }) => (input as { type: string }[]).map(({ type }) => type));
    expect(types).toEqual([
      ["message", "reasoning", "function_call", "function_call_output"],
      ["message", "function_call", "function_call_output"],
    ]);
  });

  it("keeps reasoning back that led to nothing, because the server refuses it alone", async () => {
    const cut: OpenAIReply = { blocks: [{ type: "thinking", text: "Hm" }], finish: "max_output_tokens" };
    const { client, server } = await open("responses", { script: [cut, text("go on")] });
    const first = await client.run(request(), context());
    await client.run(request({ messages: [...request().messages, first.message, request().messages[0]!] }), context());
    expect(server.refusals).toEqual([]);
  });

  it("VA-5 sends the provider's own items back as they came", async () => {
    const item = { type: "web_search_call", id: "ws_1", status: "completed", action: { query: "rain" } };
    const script: OpenAIReply[] = [
      {
        blocks: [
          { type: "item", item },
          { type: "text", text: "Rain." },
        ],
      },
      text("ok"),
    ];
    const { client, server } = await open("responses", { script });
    const first = await client.run(request(), context());
    await client.run(request({ messages: [...request().messages, first.message] }), context());
    expect(server.requests[1]?.input).toMatchObject([{}, item, { role: "assistant", content: "Rain." }]);
  });

  it("counts tokens as the provider does", async () => {
    const { client } = await open("responses", { script: [] });
    expect(await client.countTokens?.(request(), context())).toBeGreaterThan(10);
    expect((await open("chat", { script: [] })).client.countTokens).toBeUndefined();
  });

  it.each<[string, object]>([
    ["rate_limit_exceeded", { kind: "rate_limit", retryable: true }],
    ["server_error", { kind: "agent", code: "server", retryable: true }],
    ["invalid_prompt", { kind: "invalid", code: "bad_request" }],
    ["context_length_exceeded", { kind: "agent", code: "context_overflow" }],
  ])("AI-17 classes an answer that failed with %s", async (code, expected) => {
    const { client } = await open("responses", { script: [{ finish: "failed", error: { code, message: "no" } }] });
    await expect(client.run(request(), context())).rejects.toMatchObject(expected);
  });
});

describe("chat: compatible servers", () => {
  it("complaint 15: understands a server that keeps to nothing", async () => {
    const { client, server } = await compatible([
      ": PROCESSING",
      { choices: [{ delta: { role: "assistant", reasoning_content: "Hm" } }] },
      { choices: [{ delta: { reasoning: "!" } }] },
      { choices: [{ delta: { content: [{ text: "Look" }, { text: "ing" }] } }] },
      { choices: [{ delta: { tool_calls: [{ id: null, function: { name: "look", arguments: { at: 1 } } }] } }] },
      {
        choices: [{ delta: { tool_calls: [{ index: 0, id: "", function: { name: "look", arguments: '{"at":2}' } }] } }],
      },
      { choices: [{ finish_reason: "stop" }], usage: { prompt_tokens: 7, completion_tokens: 3 } },
    ]);
    const response = await client.run(request({ model: "local-model" }), context());
    expect(response).toMatchObject({
      content: "Looking",
      stopReason: "tool_use",
      model: "local-model",
      toolCalls: [
        { id: "call_m1_1", toolName: "look", arguments: { at: 1 }, state: "complete" },
        { id: "call_m1_2", toolName: "look", arguments: { at: 2 }, state: "complete" },
      ],
      usage: { inputTokens: 7, outputTokens: 3, estimated: false },
    });
    expect(response.message.parts[0]).toEqual({ type: "reasoning", text: "Hm!" });
    expect(server.requests[0]).toMatchObject({ max_tokens: 8_000, messages: [{ content: "Hi" }] });
  });

  it("names an error that comes as data", async () => {
    const { client } = await compatible([{ error: { message: "no funds", code: "insufficient_quota" } }]);
    await expect(client.run(request({ model: "local-model" }), context())).rejects.toMatchObject({
      kind: "budget",
      code: "provider_spend_limit",
      retryable: false,
    });
  });

  it("VI-7 takes what is configured for its models, and is cautious about the rest", async () => {
    const profiles = [{ id: "local-model", supportsVision: true, contextWindow: 64_000 }];
    const { client } = await open("chat", { script: [], models: ["local-model", "other"] }, { profiles });
    expect(await client.profile("local-model")).toMatchObject({ supportsVision: true, contextWindow: 64_000 });
    expect(await client.profile("other")).toMatchObject({ supportsVision: false, supportsTemperature: true });
  });
});

describe("createOpenAIClient", () => {
  it("refuses an empty key at once, and keeps a wrong one out of errors", async () => {
    expect(() => createOpenAIClient({ apiKey: "" })).toThrow(expect.objectContaining({ code: "auth" }));
    const { client } = await open("responses", { script: [] }, { apiKey: "sk-wrong-and-secret" });
    const error = await client.run(request(), context()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: "invalid", code: "auth" });
    expect(JSON.stringify(error) + String(error)).not.toContain("sk-wrong-and-secret");
  });

  it.each([
    ["wants it", "required", true],
    ["refuses it", "refused", false],
  ] as const)(
    "VA-17 sends thinking back to a server that %s only there",
    async (_, reasoningContent, returnsReasoning) => {
      const profiles = [{ id: "local-model", returnsReasoning }];
      const blocks = [
        { type: "thinking", text: "Let me look." },
        { type: "tool_use", name: "look", input: {} },
      ] as const;
      const script = [{ blocks }, text("seen")];
      const { client, server } = await open(
        "chat",
        { script, models: ["local-model"], lenient: true, reasoningContent },
        { profiles },
      );
      const model = "local-model";
      const first = await client.run(request({ model, tools: [LOOK] }), context());
      const results = message("tool_result", [toolResult(first.toolCalls[0]!.id)]);
      const foreign = [
        { ...message("assistant", [{ type: "reasoning", text: "of another" }, toolCall("c0")]), model: "other" },
        message("tool_result", [toolResult("c0")]),
      ];
      const messages = [...request().messages, ...foreign, first.message, results];
      expect(await client.run(request({ model, messages, tools: [LOOK] }), context())).toMatchObject({
        content: "seen",
      });
      expect(server.refusals).toEqual([]);
      const sent = server.requests[1]?.messages as { role: string; reasoning_content?: string }[];
      const thoughts = sent.filter(({ role }) => role === "assistant").map((answer) => answer.reasoning_content);
      expect(thoughts).toEqual(returnsReasoning ? ["", "Let me look."] : [undefined, undefined]);
    },
  );

  it.each([
    ["https://api.deepseek.com", true],
    ["https://api.moonshot.cn/v1", true],
    ["https://api.z.ai/api/paas/v4", true],
    ["https://notdeepseek.com/v1", false],
    ["https://api.groq.com/openai/v1", false],
  ])("knows whether the server at %s wants thinking back", async (baseURL, returnsReasoning) => {
    const client = createOpenAIClient({ apiKey: "k", baseURL, refreshProfiles: false });
    expect(await client.profile("some-model")).toMatchObject({ returnsReasoning });
  });

  it("knows no model that is neither built in nor listed", async () => {
    const { client } = await open("responses", { script: [] });
    await expect(client.profile("gpt-99")).rejects.toMatchObject({ code: "unknown_model" });
  });

  it("VI-16 has prices and a measure of pictures for every built-in model", () => {
    for (const { price, imageTokens } of OPENAI_PROFILES) {
      expect(price).toMatchObject({ asOf: "2026-11-15" });
      expect(imageTokens?.(1_280, 720)).toBeGreaterThanOrEqual(920);
      expect(imageTokens?.(1_280, 720, "low")).toBeLessThan(1_000);
    }
  });
});

const LOOK = { name: "look", description: "Looks.", parameters: { type: "object" } };

async function compatible(raw: OpenAIReply["raw"]) {
  return open("chat", { script: [{ raw }], models: ["local-model"], lenient: true });
}

async function open(
  api: Api,
  options: Partial<OpenAILoopbackOptions>,
  clientOptions: Partial<OpenAIClientOptions> = {},
): Promise<{ readonly client: LLMClient; readonly server: OpenAILoopback }> {
  const server = await startOpenAILoopback({ api, script: [], ...options });
  servers.push(server);
  const client = createOpenAIClient({
    api,
    apiKey: server.apiKey,
    baseURL: server.url,
    ...clientOptions,
  });
  return { client, server };
}

type AskOptions = Partial<OpenAIClientOptions> & Pick<CallContext, "artifacts">;

async function ask(
  api: Api,
  parts: Partial<LLMRequest>,
  { artifacts = createMemoryArtifactStore(), ...clientOptions }: AskOptions = {},
  reply: OpenAIReply = text("ok"),
) {
  const { client, server } = await open(api, { script: [reply] }, clientOptions);
  const response = await client.run(request(parts), { ...context(), artifacts });
  const body: OpenAIRequest = server.requests[0]!;
  return { response, body, server };
}

function request(parts: Partial<LLMRequest> = {}): LLMRequest {
  const messages = [message("user", [{ type: "text", text: "Hi" }])];
  return { model: DEFAULT_OPENAI_MODEL, system: [], messages, tools: [], ...parts };
}

function context(): CallContext {
  return {
    signal: new AbortController().signal,
    clock: systemClock,
    messageId: "m1",
    timers: { firstEventMs: 5_000, idleMs: 5_000, attemptMs: 10_000 },
  };
}

function message(role: Message["role"], parts: readonly Part[]): Message {
  return { id: "m", role, parts, ts: "2026-01-01T00:00:00.000Z", origin: "human" };
}

function toolCall(id: string): Part {
  return { type: "tool_call", call: { id, toolName: "look", arguments: {}, state: "complete" } };
}

function toolResult(callId: string, content: ToolResultPart["content"] = []): ToolResultPart {
  return { type: "tool_result", callId, toolName: "look", outcome: "ok", content };
}

function text(words: string): OpenAIReply {
  return { blocks: [{ type: "text", text: words }] };
}
