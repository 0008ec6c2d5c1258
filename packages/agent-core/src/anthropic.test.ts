import { afterEach, describe, expect, it } from "vitest";
import {
  type AnthropicClientOptions,
  createAnthropicClient,
  DEFAULT_ANTHROPIC_MODEL,
  type FetchLike,
} from "./anthropic.ts";
import {
  type ArtifactStore,
  type CallContext,
  createMemoryArtifactStore,
  type LLMClient,
  type LLMRequest,
  type LLMResponse,
  type Message,
  type Part,
  systemClock,
} from "./index.ts";
import {
  type AnthropicLoopback,
  createFakeClock,
  LLM_CONTRACT_TEXT,
  type LlmContractAnswer,
  type LoopbackFault,
  type LoopbackOptions,
  type LoopbackReply,
  llmClientContract,
  PNG_1X1,
  startAnthropicLoopback,
} from "./testing.ts";

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
    expect(warm.response.warnings).toEqual([expect.stringMatching(/^temperature_ignored: /)]);
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

  it("VI-6 VI-12 reads the bytes of pictures when the request is built", async () => {
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
    expect(response.warnings).toEqual([expect.stringMatching(/^image_unavailable: /)]);
  });

  it("VI-7 shows no picture to a model that is not known to see", async () => {
    const picture: Part = { type: "image", artifactId: "art_x", mimeType: "image/png", alt: "the gate" };
    const { body } = await ask({ model: "claude-unheard-of", messages: [message("user", [picture])] });
    expect(JSON.stringify(body.messages)).toContain("image not shown");
    expect(body).not.toHaveProperty("thinking");
  });
});

describe("responses", () => {
  it("AI-5 AI-7 reads text, thinking, calls and usage", async () => {
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

  it("joins pieces that are cut at every byte", async () => {
    const { response } = await ask({}, undefined, text("größer 😀"), { kind: "bytes" });
    expect(response.content).toBe("größer 😀");
  });

  it("marks calls that were cut off or are not JSON", async () => {
    const cut = await ask({}, undefined, {
      blocks: [{ type: "tool_use", name: "look", input: '{"at": "ga' }],
      stopReason: "max_tokens",
    });
    expect(cut.response).toMatchObject({
      stopReason: "max_tokens",
      toolCalls: [{ state: "truncated", arguments: {} }],
    });
    const broken = await ask({}, undefined, { blocks: [{ type: "tool_use", name: "look", input: "[1, 2" }] });
    expect(broken.response.toolCalls).toMatchObject([{ state: "unparseable", arguments: {} }]);
  });
});

describe("failures", () => {
  it.each<[string, LoopbackFault, object]>([
    [
      "a clean early end",
      { kind: "eof", afterEvent: 5 },
      { kind: "network", code: "truncated_stream", retryable: true },
    ],
    ["a dropped socket", { kind: "drop", afterEvent: 5 }, { kind: "network", code: "reset", retryable: true }],
    [
      "an error event",
      { kind: "error_event", afterEvent: 4, type: "overloaded_error" },
      { kind: "agent", code: "overloaded", retryable: true },
    ],
    [
      "a rate limit",
      { kind: "status", status: 429, type: "rate_limit_error", headers: { "retry-after": "2" } },
      { kind: "rate_limit", code: "rate_limited", retryAfterMs: 2_000 },
    ],
    [
      "a page that is no stream",
      { kind: "body", contentType: "text/html", text: "<html>proxy</html>" },
      { kind: "network", code: "truncated_stream" },
    ],
    [
      "data that is no JSON",
      { kind: "body", contentType: "text/event-stream", text: "event: message_start\ndata: {oops\n\n" },
      { kind: "agent", code: "protocol", retryable: true },
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
    expect(() => createAnthropicClient({ apiKey: "", artifacts: createMemoryArtifactStore() })).toThrow(
      expect.objectContaining({ code: "auth" }),
    );
  });
});

describe("timers", () => {
  it.each<[string, LoopbackFault, Partial<CallContext["timers"]>]>([
    ["first_event", { kind: "stall", afterEvent: 0 }, { firstEventMs: 60 }],
    ["idle", { kind: "stall", afterEvent: 5 }, { idleMs: 60 }],
  ])("AI-15 ends a stalled call with %s", async (code, fault, timers) => {
    const { client, server } = await open({ script: [text("a long answer")], faults: [fault] });
    await expect(client.run(request(), context(timers))).rejects.toMatchObject({ kind: "timeout", code });
    await expect.poll(() => server.openConnections(), { timeout: 5_000 }).toBe(0);
  });

  it("is patient with a server that only pings, until the attempt has taken too long", async () => {
    const clock = createFakeClock();
    const { fetch, send } = openWire();
    const artifacts = createMemoryArtifactStore();
    const client = createAnthropicClient({ apiKey: "test-key", artifacts, fetch });
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
    const artifacts = createMemoryArtifactStore();
    const client = createAnthropicClient({ apiKey: "test-key", artifacts, fetch });
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
  const artifacts = createMemoryArtifactStore();
  const client = createAnthropicClient({ apiKey: server.apiKey, baseURL: server.url, artifacts, ...clientOptions });
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
  const { client, server } = await open({ script: [reply], faults: [fault] }, { artifacts });
  const response = await client.run(request(parts), context());
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

function toolResult(callId: string): Part {
  return { type: "tool_result", callId, toolName: "look", outcome: "ok", content: [] };
}

function text(words: string): LoopbackReply {
  return { blocks: [{ type: "text", text: words }] };
}

function blockTypes(content: unknown): readonly string[] {
  return (content as { type: string }[]).map(({ type }) => type);
}
