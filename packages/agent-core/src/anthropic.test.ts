import { afterEach, describe, expect, it } from "vitest";
import {
  type AnthropicClientOptions,
  createAnthropicClient,
  DEFAULT_ANTHROPIC_MODEL,
  type FetchLike,
  type ImageFitter,
} from "./anthropic.ts";
import {
  type ArtifactStore,
  type CallContext,
  createMemoryArtifactStore,
  type ImagePart,
  type LLMClient,
  type LLMRequest,
  type LLMResponse,
  type Message,
  type Part,
  systemClock,
  type ToolResultPart,
} from "./index.ts";
import { type AnthropicLoopback, type LoopbackOptions, startAnthropicLoopback } from "./testing/anthropic-loopback.ts";
import { createFakeClock } from "./testing/fake-clock.ts";
import type { LoopbackFault } from "./testing/fault-plan.ts";
import { LLM_CONTRACT_TEXT, type LlmContractAnswer, llmClientContract } from "./testing/llm-client-contract.ts";
import { PNG_1X1 } from "./testing/sample-images.ts";
import type { LoopbackReply } from "./testing/wire-reply.ts";

const servers: AnthropicLoopback[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe("the contract of clients", () => {
  const replies: Record<LlmContractAnswer, LoopbackOptions> = {
    text: { script: [text(LLM_CONTRACT_TEXT)] },
    two_calls: { script: [{ blocks: [1, 2].map((at) => ({ type: "tool_use", name: "look", input: { at } })) }] },
    stall: { script: [text(LLM_CONTRACT_TEXT)], faults: [{ kind: "stall", afterEvent: 4 }] },
    failure: { script: [], faults: [{ kind: "status", status: 400 }] },
  };
  for (const { name, run } of llmClientContract(async (answer) => {
    const { client, server } = await open(replies[answer]);
    return { client, model: DEFAULT_ANTHROPIC_MODEL, close: server.close };
  })) {
    it(`AI-1 AI-14 ${name}`, run);
  }
});

describe("requests", () => {
  it("AI-2 VA-6 marks the last tool and the last system block for the cache", async () => {
    const { body } = await ask({
      system: [
        { id: "session", text: "You help Ada.", stability: "session" },
        { id: "who", text: "Be brief.", stability: "static" },
      ],
      tools: ["a", "b"].map((name) => ({ name, description: name, parameters: { type: "object" } })),
    });
    expect(body.system).toEqual([
      { type: "text", text: "Be brief." },
      { type: "text", text: "You help Ada.", cache_control: { type: "ephemeral" } },
    ]);
    expect(body.tools).toEqual([
      { name: "a", description: "a", input_schema: { type: "object" } },
      { name: "b", description: "b", input_schema: { type: "object" }, cache_control: { type: "ephemeral" } },
    ]);
  });

  it("VA-6 puts cache marks where the plan wants them", async () => {
    const { body, server } = await ask({
      system: [{ id: "who", text: "Be brief.", stability: "static" }],
      messages: [
        { ...message("user", [{ type: "text", text: "Look" }]), id: "u1" },
        message("assistant", [toolCall("c1")]),
        { ...message("tool_result", [toolResult("c1")]), id: "r1" },
      ],
      cache: {
        breakpoints: [
          { after: { system: "who" }, ttl: "1h" },
          { after: { message: "u1" }, ttl: "5m" },
          { after: { message: "r1" }, ttl: "5m" },
        ],
        reason: "test",
      },
    });
    expect(server.refusals).toEqual([]);
    expect(body.system).toEqual([{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }]);
    const marks = body.messages.map(({ content }) => (content as { cache_control?: object }[]).at(-1)?.cache_control);
    expect(marks).toEqual([{ type: "ephemeral" }, undefined, { type: "ephemeral" }]);
  });

  it("AI-3 takes defaults, and warns instead of sending a temperature", async () => {
    const plain = await ask({ config: { maxTokens: 0, temperature: -1 } });
    expect(plain.body).toMatchObject({
      max_tokens: 16_000,
      thinking: { type: "adaptive", display: "summarized" },
    });
    expect(plain.response.warnings).toEqual([]);
    const warm = await ask({ config: { maxTokens: 99, temperature: 0.7, effort: "low" } });
    expect(warm.body).toMatchObject({ max_tokens: 99, output_config: { effort: "low" } });
    expect(warm.body).not.toHaveProperty("temperature");
    expect(warm.response.warnings).toEqual([expect.objectContaining({ code: "temperature_ignored" })]);
  });

  it("AI-11 folds all results of a turn into one message, before what was said meanwhile", async () => {
    const { body } = await ask({
      messages: [
        message("user", [{ type: "text", text: "Look" }]),
        message("assistant", [toolCall("c1"), toolCall("c2")]),
        message("tool_result", [toolResult("c1")]),
        message("user", [{ type: "text", text: "hurry" }]),
        message("tool_result", [toolResult("c2")]),
      ],
    });
    expect(body.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(body.messages[2]?.content).toEqual([
      { type: "tool_result", tool_use_id: "c1" },
      { type: "tool_result", tool_use_id: "c2" },
      { type: "text", text: "hurry" },
    ]);
  });

  it("shows state notes as text and leaves out what is empty", async () => {
    const { body } = await ask({
      messages: [
        message("user", [
          { type: "text", text: "" },
          { type: "text", text: "Hi" },
          { type: "state_note", text: "two jobs run" },
        ]),
        message("assistant", []),
      ],
    });
    expect(body.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          { type: "text", text: "<state>\ntwo jobs run\n</state>" },
        ],
      },
    ]);
  });

  it("VI-6 VI-12 VI-21.1 reads the bytes of pictures when the request is built", async () => {
    const artifacts = createMemoryArtifactStore();
    const { id } = await artifacts.put(PNG_1X1, { mimeType: "image/png", namespace: "input_image" });
    const picture: Part = { type: "image", artifactId: id, mimeType: "image/png" };
    const { body, server } = await ask({ messages: [message("user", [picture])] }, artifacts);
    const data = Buffer.from(PNG_1X1).toString("base64");
    expect(body.messages[0]?.content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
    ]);
    expect(server.refusals).toEqual([]);
  });

  it("VI-11 VI-21.6 puts words in the place of a picture whose bytes are gone, and warns", async () => {
    const picture: Part = { type: "image", artifactId: "art_gone", mimeType: "image/png", alt: "the gate" };
    const { body, response } = await ask({ messages: [message("user", [picture])] });
    expect(JSON.stringify(body.messages)).toContain("image unavailable: the gate");
    expect(response.warnings).toEqual([expect.objectContaining({ code: "image_unavailable" })]);
  });

  it("VI-12 shows pictures inside the result of a tool", async () => {
    const artifacts = createMemoryArtifactStore();
    const { id } = await artifacts.put(PNG_1X1, { mimeType: "image/png", namespace: "tool_image" });
    const picture: ImagePart = { type: "image", artifactId: id, mimeType: "image/png" };
    const result: Part = { ...toolResult("c1"), content: [{ type: "text", text: "seen" }, picture] };
    const messages = [
      message("user", [{ type: "text", text: "Look" }]),
      message("assistant", [toolCall("c1")]),
      message("tool_result", [result]),
    ];
    const { body, server } = await ask({ messages }, artifacts);
    expect(server.refusals).toEqual([]);
    const [block] = body.messages[2]!.content as { content: { type: string }[] }[];
    expect(block?.content.map(({ type }) => type)).toEqual(["text", "image"]);
  });

  it("VI-8 VI-21.5 says what to do when pictures come with a call without a store", async () => {
    const { client, server } = await open({ script: [text("ok")] });
    const picture: Part = { type: "image", artifactId: "art_x", mimeType: "image/png" };
    await expect(client.run(request({ messages: [message("user", [picture])] }), context())).rejects.toMatchObject({
      kind: "capability",
      code: "client_no_vision",
      message: expect.stringContaining("artifact store"),
    });
    expect(server.requests).toHaveLength(0);
  });

  it("VI-6 lets a preparer make pictures fit, and leaves out what does not", async () => {
    const artifacts = createMemoryArtifactStore();
    const { id } = await artifacts.put(PNG_1X1, { mimeType: "image/png", namespace: "input_image" });
    const picture: Part = { type: "image", artifactId: id, mimeType: "image/tiff" };
    const asked: object[] = [];
    const imagePreparer: ImageFitter = {
      async prepare(bytes, options) {
        asked.push(options);
        return { bytes, mimeType: "image/png" };
      },
    };
    const prepared = await open({ script: [text("ok")] }, { imagePreparer });
    await prepared.client.run(request({ messages: [message("user", [picture])] }), { ...context(), artifacts });
    expect(prepared.server.refusals).toEqual([]);
    expect(asked).toEqual([expect.objectContaining({ maxEdge: 8_000, mimeType: "image/tiff" })]);
    const { response } = await ask({ messages: [message("user", [picture])] }, artifacts);
    expect(response.warnings).toEqual([expect.objectContaining({ code: "image_unfit" })]);
  });

  it("VI-7 shows no picture to a model that is not known to see", async () => {
    const picture: Part = { type: "image", artifactId: "art_x", mimeType: "image/png", alt: "the gate" };
    const { body, response } = await ask({ model: "claude-unheard-of", messages: [message("user", [picture])] });
    expect(JSON.stringify(body.messages)).toContain("image not shown");
    expect(response.warnings).toEqual([expect.objectContaining({ code: "image_not_shown" })]);
    expect(body).not.toHaveProperty("thinking");
  });
});

describe("models", () => {
  const listed = {
    id: "claude-haiku-5-5",
    type: "model",
    max_input_tokens: 700_000,
    max_tokens: 90_000,
    deprecated_at: "2026-10-01T00:00:00Z",
    retires_at: null,
    capabilities: {
      image_input: { supported: true },
      structured_outputs: { supported: true },
      effort: { supported: true, low: { supported: true }, medium: { supported: true }, high: { supported: false } },
      thinking: {
        supported: true,
        types: {
          adaptive: { supported: true },
          enabled: { supported: false },
          disabled: { supported: false },
          between_tools: { supported: false },
        },
      },
    },
  };

  it("VI-7 fills profiles from the provider's own list, under what is configured", async () => {
    const profiles = [{ id: "claude-haiku-5-5", maxOutput: 5_000 }];
    const { client } = await open({ script: [], models: [listed] }, { profiles });
    await expect
      .poll(() => client.profile("claude-haiku-5-5"))
      .toMatchObject({
        contextWindow: 700_000,
        maxOutput: 5_000,
        reasoning: { modes: ["adaptive"], efforts: ["low", "medium"] },
        lifecycle: { deprecatedAt: "2026-10-01T00:00:00Z" },
        price: { asOf: "2026-11-15" },
        source: "config",
      });
  });

  it("warns once of a model that goes away", async () => {
    const clock = createFakeClock(Date.UTC(2026, 10, 15));
    const { client } = await open({ script: [text("a"), text("b")], models: [listed] }, { clock });
    const model = "claude-haiku-5-5";
    await expect.poll(() => client.profile(model)).toMatchObject({ contextWindow: 700_000 });
    const first = await client.run(request({ model }), context());
    const second = await client.run(request({ model }), context());
    expect([first.warnings, second.warnings]).toEqual([[expect.objectContaining({ code: "model_deprecated" })], []]);
  });

  it("lives with the built-in table when there is no list, and says so once", async () => {
    const { server } = await open({ script: [text("a"), text("b"), text("c")] });
    const withoutList: FetchLike = async (input, init) => {
      if (String(input).includes("/v1/models")) return new Response("{}", { status: 404 });
      return fetch(input, init);
    };
    const client = createAnthropicClient({ apiKey: server.apiKey, baseURL: server.url, fetch: withoutList });
    const warnings: unknown[] = [];
    for (let turn = 0; turn < 3; turn++) warnings.push(...(await client.run(request(), context())).warnings);
    expect(warnings).toEqual([expect.objectContaining({ code: "profiles_builtin" })]);
  });

  it("answers at once although the list of models hangs", async () => {
    const { server } = await open({ script: [text("a")] });
    const hanging: FetchLike = (input, init) =>
      String(input).includes("/v1/models") ? new Promise(() => undefined) : fetch(input, init);
    // Its time does not pass: the wait for the list never ends.
    const options = { apiKey: server.apiKey, baseURL: server.url, fetch: hanging, clock: createFakeClock() };
    expect(await createAnthropicClient(options).run(request(), context())).toMatchObject({ content: "a" });
  });

  it("counts tokens as the provider does", async () => {
    const { client } = await open({ script: [] });
    const few = (await client.countTokens?.(request(), context())) ?? 0;
    const long = request({ messages: [message("user", [{ type: "text", text: "x".repeat(4_000) }])] });
    expect((await client.countTokens?.(long, context())) ?? 0).toBeGreaterThan(few + 900);
  });
});

describe("responses", () => {
  it("complaint 17: gives every stop reason of the provider a name", async () => {
    const wire = ["end_turn", "stop_sequence", "pause_turn", "model_context_window_exceeded", "compaction"];
    const stops = [];
    for (const stopReason of wire)
      stops.push((await ask({}, undefined, { ...text("x"), stopReason })).response.stopReason);
    expect(stops).toEqual(["complete", "stop_sequence", "pause", "context_exceeded", "compaction"]);
  });

  it("AI-8 tells what a refusal is about", async () => {
    const { response } = await ask({}, undefined, {
      blocks: [],
      stopReason: "refusal",
      stopDetails: { type: "refusal", category: "bio", explanation: "no" },
    });
    expect(response).toMatchObject({ stopReason: "refusal", stopDetail: { category: "bio", explanation: "no" } });
  });

  it("VA-10 reports both lives of the cache, server tools and extra passes", async () => {
    const { response } = await ask({}, undefined, {
      ...text("x"),
      usage: {
        cache_creation_input_tokens: 30,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
        output_tokens_details: { thinking_tokens: 7 },
        server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
        iterations: [
          { type: "compaction", input_tokens: 500, output_tokens: 50 },
          { type: "message", input_tokens: 12, output_tokens: 20 },
        ],
      },
    });
    expect(response.usage).toMatchObject({
      cacheWriteTokens: 30,
      cacheWrite1hTokens: 20,
      reasoningTokens: 7,
      serverToolRequests: 3,
      extraIterations: [{ inputTokens: 500, outputTokens: 50 }],
    });
  });

  it("VA-5 sends the provider's own blocks back as they came", async () => {
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "rain" } };
    const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ type: "x", secret: "==" }] };
    const summary = { type: "compaction", content: "so far", encrypted_content: "abc" };
    const { client, server } = await open({
      script: [
        {
          blocks: [
            {
              type: "provider",
              start: { ...search, input: {} },
              deltas: [
                { type: "input_json_delta", partial_json: '{"query":' },
                { type: "input_json_delta", partial_json: '"rain"}' },
              ],
              whole: search,
            },
            { type: "provider", start: found, whole: found },
            {
              type: "provider",
              start: { type: "compaction", content: null, encrypted_content: null },
              deltas: [{ type: "compaction_delta", content: "so far", encrypted_content: "abc" }],
              whole: summary,
            },
            { type: "text", text: "Searching" },
          ],
          stopReason: "pause_turn",
        },
        text("done"),
      ],
    });
    const first = await client.run(request(), context());
    await client.run(request({ messages: [...request().messages, first.message] }), context());
    expect(server.requests[1]?.messages[1]?.content).toEqual([
      search,
      found,
      summary,
      { type: "text", text: "Searching" },
    ]);
  });

  it("complaint 7: binds thinking to everything before it", async () => {
    const blocks: LoopbackReply["blocks"] = [
      { type: "thinking", text: "Hm" },
      { type: "text", text: "Yes" },
    ];
    const { client } = await open({ script: [{ blocks }] });
    const first = await client.run(request(), context());
    const edited = [message("user", [{ type: "text", text: "Hi, edited" }]), first.message, request().messages[0]!];
    await expect(client.run(request({ messages: edited }), context())).rejects.toMatchObject({
      kind: "invalid",
      code: "reasoning_binding",
    });
  });

  it("AI-5 AI-6 AI-7 reads text, thinking, calls and usage", async () => {
    const { response } = await ask({}, undefined, {
      blocks: [
        { type: "thinking", text: "Hm, let me see" },
        { type: "text", text: "Looking" },
        { type: "tool_use", name: "look", input: { at: "gate" } },
        { type: "tool_use", name: "rest", input: {} },
      ],
      usage: { output_tokens: 58, cache_read_input_tokens: 9_000 },
    });
    expect(response).toMatchObject({ content: "Looking", stopReason: "tool_use", requestId: "req_1" });
    expect(response.toolCalls).toMatchObject([
      { toolName: "look", arguments: { at: "gate" }, state: "complete" },
      { toolName: "rest", arguments: {}, state: "complete" },
    ]);
    expect(response.usage).toEqual({
      inputTokens: 12,
      outputTokens: 58,
      cacheReadTokens: 9_000,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      estimated: false,
    });
  });

  it("VA-17 sends signed thinking back unmodified, and only to the model that wrote it", async () => {
    const blocks: LoopbackReply["blocks"] = [
      { type: "thinking", text: "Hm" },
      { type: "redacted_thinking", data: "b3BhcXVl" },
      { type: "tool_use", name: "look", input: { at: 1 } },
    ];
    const { client, server } = await open({ script: [{ blocks }, text("seen"), text("other model")] });
    const first = await client.run(request(), context());
    const messages = [
      ...request().messages,
      first.message,
      message("tool_result", [toolResult(first.toolCalls[0]?.id ?? "")]),
    ];
    await client.run(request({ messages }), context());
    await client.run(request({ messages, model: "claude-haiku-5-5" }), context());
    expect(server.refusals).toEqual([]);
    const types = server.requests.slice(1).map(({ messages: sent }) => blockTypes(sent[1]?.content));
    expect(types).toEqual([["thinking", "redacted_thinking", "tool_use"], ["tool_use"]]);
  });

  it("complaint 8: marks calls that were cut off or are not JSON", async () => {
    const cut = await ask({}, undefined, {
      blocks: [{ type: "tool_use", name: "look", input: '{"at": "ga' }],
      stopReason: "max_tokens",
    });
    expect(cut.response).toMatchObject({
      stopReason: "max_tokens",
      toolCalls: [{ state: "truncated", arguments: {}, rawArguments: '{"at": "ga' }],
    });
    const broken = await ask({}, undefined, { blocks: [{ type: "tool_use", name: "look", input: "[1, 2" }] });
    expect(broken.response.toolCalls).toMatchObject([{ state: "unparseable", arguments: {} }]);
  });
});

describe("failures", () => {
  it.each<[string, LoopbackFault, object]>([
    [
      "an error event",
      { kind: "error_event", afterEvent: 4, type: "overloaded_error" },
      { kind: "agent", code: "overloaded", retryable: true },
    ],
    [
      "a spend limit, which no wait mends",
      { kind: "status", status: 429, type: "rate_limit_error", code: "enforced_spend_limit_reached" },
      { kind: "budget", code: "provider_spend_limit", retryable: false },
    ],
    [
      "a rate limit",
      { kind: "status", status: 429, type: "rate_limit_error", headers: { "retry-after": "2" } },
      { kind: "rate_limit", code: "rate_limited", retryAfterMs: 2_000 },
    ],
  ])("AI-17 names %s, after one request", async (_, fault, expected) => {
    const { client, server } = await open({ script: [text("a long answer")], faults: [fault] });
    await expect(client.run(request(), context())).rejects.toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  });

  it("fails visibly for a stop reason that it does not know, and for none", async () => {
    const novel = await open({ script: [{ ...text("x"), stopReason: "novel" }] });
    await expect(novel.client.run(request(), context())).rejects.toMatchObject({ code: "unknown_stop_reason" });
    const none = await open({ script: [{ ...text("x"), stopReason: null }] });
    await expect(none.client.run(request(), context())).rejects.toMatchObject({ code: "truncated_stream" });
  });

  it("AI-17 cannot reach a server that is not there", async () => {
    const { client, server } = await open({ script: [] });
    await server.close();
    await expect(client.run(request(), context())).rejects.toMatchObject({ kind: "network", retryable: true });
  });

  it("AI-20 keeps the key out of an error about it", async () => {
    const { client } = await open({ script: [] }, { apiKey: "sk-wrong-and-secret" });
    const error = await client.run(request(), context()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: "invalid", code: "auth" });
    expect(JSON.stringify(error) + String(error)).not.toContain("sk-wrong-and-secret");
  });

  it("refuses an empty key at once", () => {
    expect(() => createAnthropicClient({ apiKey: "" })).toThrow(expect.objectContaining({ code: "auth" }));
  });
});

describe("timers", () => {
  it("is patient with a server that only pings, until the attempt has taken too long", async () => {
    const clock = createFakeClock();
    const { fetch, send } = openWire();
    const client = createAnthropicClient({ apiKey: "test-key", fetch, refreshProfiles: false });
    const answer = client.run(request(), { ...context({ idleMs: 1_000, attemptMs: 10_000 }), clock });
    const failure = expect(answer).rejects.toMatchObject({ kind: "timeout", code: "attempt" });
    for (let elapsedMs = 0; elapsedMs < 10_000; elapsedMs += 900) {
      await send('event: ping\ndata: {"type":"ping"}\n\n');
      await clock.advance(900);
    }
    await failure;
    expect(clock.sleepers).toBe(0);
  });

  it("AI-15 notices silence after the first byte although the first byte was early", async () => {
    const clock = createFakeClock();
    const { fetch, send } = openWire();
    const client = createAnthropicClient({ apiKey: "test-key", fetch, refreshProfiles: false });
    const answer = client.run(request(), { ...context({ firstEventMs: 9_000, idleMs: 1_000 }), clock });
    const failure = expect(answer).rejects.toMatchObject({ kind: "timeout", code: "idle" });
    await send(": hello\n\n");
    await clock.advance(1_000);
    await failure;
  });

  it("closes the connection when the reader leaves", async () => {
    const fault: LoopbackFault = { kind: "stall", afterEvent: 5 };
    const { client, server } = await open({ script: [text("a long answer")], faults: [fault] });
    const stream = client.stream(request(), context());
    for await (const delta of stream) if (delta.type === "text") break;
    await expect(stream.result()).rejects.toMatchObject({ kind: "cancelled" });
    await expect.poll(() => server.openConnections(), { timeout: 5_000 }).toBe(0);
  });
});

/** A fetch whose one answer is written by hand. */
function openWire(): { readonly fetch: FetchLike; send(text: string): Promise<void> } {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  return {
    fetch: async () => new Response(readable, { headers: { "content-type": "text/event-stream" } }),
    // Resolves when the bytes were read; a reader who has gone reads no more.
    send: (text) => writer.write(Buffer.from(text)).catch(() => undefined),
  };
}

async function open(
  options: LoopbackOptions,
  clientOptions: Partial<AnthropicClientOptions> = {},
): Promise<{ readonly client: LLMClient; readonly server: AnthropicLoopback }> {
  const server = await startAnthropicLoopback(options);
  servers.push(server);
  const client = createAnthropicClient({ apiKey: server.apiKey, baseURL: server.url, ...clientOptions });
  return { client, server };
}

async function ask(
  parts: Partial<LLMRequest>,
  artifacts: ArtifactStore = createMemoryArtifactStore(),
  reply: LoopbackReply = text("ok"),
  fault?: LoopbackFault,
): Promise<{
  readonly response: LLMResponse;
  readonly body: AnthropicLoopback["requests"][number];
  readonly server: AnthropicLoopback;
}> {
  const { client, server } = await open({ script: [reply], faults: [fault] });
  const response = await client.run(request(parts), { ...context(), artifacts });
  return { response, body: server.requests[0]!, server };
}

function request(parts: Partial<LLMRequest> = {}): LLMRequest {
  const messages = [message("user", [{ type: "text", text: "Hi" }])];
  return { model: DEFAULT_ANTHROPIC_MODEL, system: [], messages, tools: [], ...parts };
}

function context(timers: Partial<CallContext["timers"]> = {}): CallContext {
  return {
    signal: new AbortController().signal,
    clock: systemClock,
    messageId: "m1",
    timers: { firstEventMs: 5_000, idleMs: 5_000, attemptMs: 10_000, ...timers },
  };
}

function message(role: Message["role"], parts: readonly Part[]): Message {
  return { id: "m", role, parts, ts: "2026-01-01T00:00:00.000Z", origin: "human" };
}

function toolCall(id: string): Part {
  return { type: "tool_call", call: { id, toolName: "look", arguments: {}, state: "complete" } };
}

function toolResult(callId: string): ToolResultPart {
  return { type: "tool_result", callId, toolName: "look", outcome: "ok", content: [] };
}

function text(words: string): LoopbackReply {
  return { blocks: [{ type: "text", text: words }] };
}

function blockTypes(content: unknown): readonly string[] {
  return (content as { type: string }[]).map(({ type }) => type);
}
