import { describe, expect, it } from "vitest";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "../anthropic.ts";
import { createOpenAIClient, DEFAULT_OPENAI_MODEL } from "../openai.ts";
import { startAnthropicLoopback } from "../testing/anthropic-loopback.ts";
import { startOpenAILoopback } from "../testing/openai-loopback.ts";
import { collectEvents, createTestAgent, testMessage, testTool } from "../testing/test-agent.ts";
import { systemClock } from "../types/clock.ts";
import type { CallContext, LLMClient, LLMRequest } from "./llm-client.ts";
import type { FetchLike } from "./watched-fetch.ts";

const DIALECTS = ["anthropic", "responses", "chat"] as const;
type Dialect = (typeof DIALECTS)[number];

describe.each(DIALECTS)("a malformed stream of the %s dialect", (dialect) => {
  it.each([
    ["an event that is not JSON", 'event: message_start\ndata: {"type": "secret words\n\n'],
    ["an event that is no object", "event: message_start\ndata: null\n\n"],
    ["an event without its fields", FIELDLESS[dialect]],
    ["arguments for a call that never had a name", NAMELESS[dialect]],
  ])("is a protocol error after one request: %s", async (_, body) => {
    const { agent, asked } = open(dialect, [body, body]);
    const { outcome } = await agent.talk("Hi");
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "agent", code: "protocol", retryable: false } });
    expect(outcome).not.toMatchObject({ error: { message: expect.stringContaining("secret words") } });
    expect(asked()).toBe(1);
  });
});

describe("a TypeError in code of the host", () => {
  const broken = (): never => {
    throw new TypeError("Cannot read properties of undefined (reading 'x')");
  };

  it("is not a provider that cannot be reached, and is not tried again: an artifact store", async () => {
    const { client, asked } = open("anthropic", []);
    const picture = { type: "image", artifactId: "a1", mimeType: "image/png" } as const;
    const request = requestOf(DEFAULT_ANTHROPIC_MODEL, [picture]);
    const call = client.run(request, { ...context(), artifacts: { get: async () => broken() } });
    await expect(call).rejects.toMatchObject({ kind: "agent", code: "unexpected", retryable: false });
    expect(asked()).toBe(0);
  });

  it.each(DIALECTS)("is not a provider that cannot be reached: a fetch, for %s", async (dialect) => {
    const client = clientOf(dialect, async () => broken());
    const call = client.run(requestOf(MODELS[dialect], []), context());
    await expect(call).rejects.toMatchObject({ kind: "agent", code: "unexpected", retryable: false });
  });

  it.each(DIALECTS)("differs from a connection that failed, for %s", async (dialect) => {
    const client = clientOf(dialect, async () => {
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });
    });
    const call = client.run(requestOf(MODELS[dialect], []), context());
    await expect(call).rejects.toMatchObject({ kind: "network", code: "connect", retryable: true });
  });
});

describe("the items of a Responses stream", () => {
  const call = (id: string, callId: string, args: object) => ({
    type: "function_call",
    id,
    call_id: callId,
    name: "look",
    arguments: JSON.stringify(args),
    status: "completed",
  });
  const one = call("fc_1", "call_1", { at: 1 });
  const two = call("fc_2", "call_2", { at: 2 });
  const item = (type: "added" | "done", output_index: number | undefined, of: object) => ({
    type: `response.output_item.${type}`,
    output_index,
    item: of,
  });
  const completed = (output: readonly object[]) => ({ type: "response.completed", response: { output, usage: USAGE } });

  it.each<[string, readonly object[], readonly number[]]>([
    ["a gap in the index", [item("done", 0, one), item("done", 2, two), completed([one, two])], [1, 2]],
    ["an index that does not begin at zero", [item("done", 3, one), completed([one])], [1]],
    ["the same index for all", [item("done", 0, one), item("done", 0, two), completed([one, two])], [1, 2]],
    ["no index at all", [item("done", undefined, one), item("done", undefined, two), completed([one, two])], [1, 2]],
    [
      "another id of an item in each event",
      [item("added", 0, { ...one, id: "a" }), item("done", 0, { ...one, id: "b" }), completed([{ ...one, id: "c" }])],
      [1],
    ],
    ["an end that is told twice", [item("done", 0, one), item("done", 0, one), completed([one])], [1]],
    ["nothing but the end", [completed([one, two])], [1, 2]],
    ["an item that only the end tells", [item("done", 0, one), completed([one, two])], [1, 2]],
    [
      "arguments before the item",
      [
        { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: one.arguments },
        item("done", 0, one),
        completed([one]),
      ],
      [1],
    ],
  ])("run each function once: %s", async (_, events, expected) => {
    const { agent, ran } = open("responses", [sse(events), DONE]);
    const { outcome } = await agent.talk("Look");
    expect(outcome).toMatchObject({ status: "finished", text: "done" });
    expect(ran).toEqual(expected);
  });
});

describe.each(DIALECTS)("an answer of the %s dialect", (dialect) => {
  it("with two equal ids: each call gets an id of its own, and the server takes the results", async () => {
    const { agent, ran, bodies } = open(dialect, [TWINS[dialect], LAST[dialect]]);
    const run = agent.executor.execute(testMessage("Look"));
    const events = await collectEvents(run);
    expect(await run.outcome).toMatchObject({ status: "finished", text: "done" });
    expect(ran).toEqual([1, 2]);
    const ids = events.flatMap((event) => (event.type === "tool_call" ? [event.call.id] : []));
    expect(ids[0]).toBe("same");
    expect(new Set(ids).size).toBe(2);
    const shown = events.flatMap((event) => (event.type === "tool_input_delta" ? [event.callId] : []));
    expect(new Set(shown)).toEqual(new Set(ids));
    for (const id of ids) expect(bodies()[1]?.split(`"${id}"`)).toHaveLength(3);
  });

  it("without the start of its text is read all the same", async () => {
    const { client } = open(dialect, [STARTLESS[dialect]]);
    const response = await client.run(requestOf(MODELS[dialect], []), context());
    expect(response).toMatchObject({ content: "Hello there", stopReason: "complete" });
  });
});

describe("a strict server that uses the id of a call again, in one answer and in the next", () => {
  const input = (at: number) => ({ type: "tool_use", name: "look", input: { at }, id: "same" }) as const;
  const thinking = { type: "thinking", text: "Hm" } as const;
  const twins = (first: number) => ({ blocks: [thinking, input(first), input(first + 1)] });
  const script = [twins(1), twins(3), { blocks: [{ type: "text", text: "done" }] as const }];

  it.each(DIALECTS)("takes every result, over the %s dialect", async (dialect) => {
    const server =
      dialect === "anthropic"
        ? await startAnthropicLoopback({ script })
        : await startOpenAILoopback({ api: dialect, script });
    const options = { apiKey: server.apiKey, baseURL: server.url };
    const client =
      dialect === "anthropic" ? createAnthropicClient(options) : createOpenAIClient({ ...options, api: dialect });
    const { agent, ran } = agentOf(client, MODELS[dialect]);
    const { outcome, events } = await agent.talk("Look");
    await server.close();
    expect(outcome).toMatchObject({ status: "finished", text: "done" });
    expect(ran).toEqual([1, 2, 3, 4]);
    expect(server.refusals).toEqual([]);
    const ids = events.flatMap((event) => (event.type === "tool_call" ? [event.call.id] : []));
    const shown = events.flatMap((event) => (event.type === "tool_input_delta" ? [event.callId] : []));
    expect(new Set(ids).size).toBe(4);
    expect([...new Set(shown)]).toEqual(ids);
  });
});

const MODELS: Readonly<Record<Dialect, string>> = {
  anthropic: DEFAULT_ANTHROPIC_MODEL,
  responses: DEFAULT_OPENAI_MODEL,
  chat: DEFAULT_OPENAI_MODEL,
};
const USAGE = { input_tokens: 10, output_tokens: 5 };

function sse(events: readonly object[]): string {
  return events
    .map((event) => `event: ${"type" in event ? event.type : "x"}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}

function chunks(deltas: readonly object[], finish_reason: string): string {
  const choices = [...deltas.map((delta) => ({ index: 0, delta })), { index: 0, delta: {}, finish_reason }];
  return choices.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`).join("");
}

function anthropicEvents(blocks: readonly object[], stop_reason: string): string {
  return sse([
    { type: "message_start", message: { model: "m", usage: USAGE } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason }, usage: USAGE },
    { type: "message_stop" },
  ]);
}

function anthropicCall(index: number, at: number): readonly object[] {
  const content_block = { type: "tool_use", id: "same", name: "look", input: {} };
  return [
    { type: "content_block_start", index, content_block },
    { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: `{"at":${at}}` } },
    { type: "content_block_stop", index },
  ];
}

function textDelta(text: string): object {
  return { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
}

function chatCall(index: number, at: number): readonly object[] {
  const begin = { index, id: "same", type: "function", function: { name: "look", arguments: "" } };
  return [{ tool_calls: [begin] }, { tool_calls: [{ index, function: { arguments: `{"at":${at}}` } }] }];
}

function responsesCall(output_index: number, at: number): readonly object[] {
  const item = { type: "function_call", id: `fc_${at}`, call_id: "same", name: "look" };
  const whole = { ...item, arguments: `{"at":${at}}`, status: "completed" };
  return [
    { type: "response.output_item.added", output_index, item },
    { type: "response.function_call_arguments.delta", output_index, item_id: item.id, delta: whole.arguments },
    { type: "response.output_item.done", output_index, item: whole },
  ];
}

const completedEmpty = { type: "response.completed", response: { usage: USAGE } };
const outputText = (delta: string): object => ({
  type: "response.output_text.delta",
  item_id: "msg_1",
  output_index: 0,
  delta,
});

const STARTLESS: Readonly<Record<Dialect, string>> = {
  anthropic: anthropicEvents([textDelta("Hello "), textDelta("there")], "end_turn"),
  responses: sse([outputText("Hello "), outputText("there"), completedEmpty]),
  chat: chunks([{ content: "Hello " }, { content: "there" }], "stop"),
};
const TWINS: Readonly<Record<Dialect, string>> = {
  anthropic: anthropicEvents([...anthropicCall(0, 1), ...anthropicCall(1, 2)], "tool_use"),
  responses: sse([...responsesCall(0, 1), ...responsesCall(1, 2), completedEmpty]),
  chat: chunks([...chatCall(0, 1), ...chatCall(1, 2)], "tool_calls"),
};
const DONE = sse([outputText("done"), completedEmpty]);
const LAST: Readonly<Record<Dialect, string>> = {
  anthropic: anthropicEvents([textDelta("done")], "end_turn"),
  responses: DONE,
  chat: chunks([{ content: "done" }], "stop"),
};
const FIELDLESS: Readonly<Record<Dialect, string>> = {
  anthropic: sse([{ type: "message_start" }]),
  responses: sse([{ type: "response.output_item.done", output_index: 0 }]),
  chat: `data: ${JSON.stringify({ choices: [null] })}\n\n`,
};
const NAMELESS: Readonly<Record<Dialect, string>> = {
  anthropic: anthropicEvents(
    [{ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "{}" } }],
    "tool_use",
  ),
  responses: sse([
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: "{}" },
    completedEmpty,
  ]),
  chat: chunks([{ tool_calls: [{ index: 0, id: "c1", function: { arguments: "{}" } }] }], "tool_calls"),
};

function clientOf(dialect: Dialect, fetch: FetchLike): LLMClient {
  const options = { apiKey: "test-key", fetch, refreshProfiles: false };
  return dialect === "anthropic" ? createAnthropicClient(options) : createOpenAIClient({ ...options, api: dialect });
}

/** A server that answers with these bodies, whatever it is asked. */
function open(dialect: Dialect, bodies: readonly string[]) {
  const sent: string[] = [];
  const client = clientOf(dialect, async (_, init) => {
    sent.push(String(init?.body));
    return new Response(bodies[sent.length - 1], { headers: { "content-type": "text/event-stream" } });
  });
  return { ...agentOf(client, MODELS[dialect]), client, bodies: () => sent, asked: () => sent.length };
}

function agentOf(llm: LLMClient, model: string) {
  const ran: number[] = [];
  const look = testTool("look", async ({ at }) => {
    ran.push(Number(at));
    return "quiet";
  });
  const agent = createTestAgent([], { llm, model, clock: systemClock, tools: [look], random: () => 0 });
  return { agent, ran };
}

function requestOf(model: string, parts: LLMRequest["messages"][number]["parts"]): LLMRequest {
  const said = [...parts, { type: "text" as const, text: "Hi" }];
  const message = { id: "u1", role: "user", parts: said, ts: "2026-01-01T00:00:00.000Z", origin: "human" } as const;
  return { model, system: [], messages: [message], tools: [] };
}

function context(): CallContext {
  const timers = { firstEventMs: 5_000, idleMs: 5_000, attemptMs: 10_000 };
  return { signal: new AbortController().signal, clock: systemClock, messageId: "m1", timers };
}
