import { describe, expect, it } from "vitest";
import {
  readAnswer,
  toEventBody,
  type WireName,
  wireClient,
  wireContext,
  wireRequest,
} from "../testing/wire-answer.ts";

describe("an event with a field of another kind, or without one, is a protocol error", () => {
  it.each<[string, readonly unknown[]]>([
    ["a list", [[1, 2]]],
    ["a text that is a number", [block({ type: "text", text: 5 })]],
    ["a text block without text", [block({ type: "text" })]],
    ["a piece of text without text", [block({ type: "text", text: "" }), delta({ type: "text_delta" })]],
    ["a piece of text that is an object", [block({ type: "text", text: "" }), delta({ type: "text_delta", text: {} })]],
    ["a block without a type", [block({})]],
    ["a call without a name", [block({ type: "tool_use", id: "a", input: {} })]],
    ["a call with an empty name", [block({ type: "tool_use", id: "a", name: "", input: {} })]],
    ["a call whose name is a number", [block({ type: "tool_use", id: "a", name: 5, input: {} })]],
    ["a call without an id", [block({ type: "tool_use", name: "look", input: {} })]],
    ["a call whose id is a number", [block({ type: "tool_use", id: 5, name: "look", input: {} })]],
    [
      "arguments that are a number",
      [block({ type: "tool_use", id: "a", name: "look" }), delta({ type: "input_json_delta", partial_json: 5 })],
    ],
    [
      "a signature that is a number",
      [block({ type: "thinking", thinking: "" }), delta({ type: "signature_delta", signature: 7 })],
    ],
    ["a stop reason that is a number", [{ type: "message_delta", delta: { stop_reason: 5 } }]],
  ])("anthropic: %s", async (_, events) => {
    const isAlone = Array.isArray(events[0]);
    await expectProtocol("anthropic", isAlone ? events : [START, ...events, ...STOP]);
  });

  it.each<[string, unknown]>([
    ["a list", [1]],
    ["a text in place of an object", "x"],
    ["content that is a number", said({ content: 5 })],
    ["content that is an object", said({ content: { a: 1 } })],
    ["reasoning that is an object", said({ reasoning_content: { a: 1 }, content: "x" })],
    ["a call whose name is a number", said({ tool_calls: [{ index: 0, id: "a", function: { name: 5 } }] })],
    ["a call whose id is a number", said({ tool_calls: [{ index: 0, id: 7, function: { name: "t" } }] })],
    ["arguments that are a number", said({ tool_calls: [{ id: "a", function: { name: "t", arguments: 5 } }] })],
    ["arguments that are a list", said({ tool_calls: [{ id: "a", function: { name: "t", arguments: [1] } }] })],
    ["calls that are no list", said({ tool_calls: { a: 1 } })],
    ["a reason that is a number", { choices: [{ index: 0, delta: { content: "x" }, finish_reason: 5 }] }],
  ])("chat: %s", (_, event) => expectProtocol("chat", [event, said({}, "stop")]));

  it.each<[string, object]>([
    ["an item that is a text", done("x")],
    ["an item without a type", done({})],
    ["a text that is a number", done({ type: "message", id: "m", content: [{ type: "output_text", text: 5 }] })],
    ["content that is an object", done({ type: "message", id: "m", content: { a: 1 } })],
    ["a summary that is an object", done({ type: "reasoning", id: "r", summary: {} })],
    ["a piece that is a number", { type: "response.output_text.delta", output_index: 0, item_id: "m", delta: 5 }],
    ["a call whose name is a number", done({ type: "function_call", id: "f", call_id: "c", name: 5 })],
    ["a call whose id is a number", done({ type: "function_call", id: "f", call_id: 5, name: "t" })],
    ["arguments that are an object", done({ type: "function_call", call_id: "c", name: "t", arguments: { a: 1 } })],
    ["an item of the end that is a text", { type: "response.completed", response: { output: ["x"] } }],
  ])("responses: %s", (_, event) => expectProtocol("responses", [event, COMPLETED]));
});

describe("a Responses stream whose events all have one number", () => {
  it.each([0, -1, 7])("is read to its end: %i", async (sequence_number) => {
    const pieces = ["ha", "ha", "!"].map((piece) => ({ ...textPiece(piece), sequence_number }));
    const { content } = await readAnswer("responses", [
      { type: "response.created", sequence_number },
      ...pieces,
      { ...COMPLETED, sequence_number },
    ]);
    expect(content).toBe("haha!");
  });

  it("differs from one that tells an event twice", async () => {
    const [first, second] = [textPiece("ha"), textPiece("ha")].map((one, at) => ({ ...one, sequence_number: at }));
    const events = [first, first, second, second, first, { ...COMPLETED, sequence_number: 2 }];
    expect((await readAnswer("responses", events)).content).toBe("haha");
  });
});

describe("a stream without the names of its events", () => {
  it("is a protocol error for Anthropic, which goes by them", async () => {
    const client = wireClient("anthropic", async () => new Response("data: [1,2]\n\n", { headers: STREAM }));
    const call = client.run(wireRequest("anthropic"), wireContext());
    await expect(call).rejects.toMatchObject({ code: "protocol", retryable: false });
  });
});

describe("a stream that is cut within its first event", () => {
  it("is a connection that broke, and no protocol error", async () => {
    const body = toEventBody([START]).slice(0, -8);
    const client = wireClient("anthropic", async () => new Response(body, { headers: STREAM }));
    const call = client.run(wireRequest("anthropic"), wireContext());
    await expect(call).rejects.toMatchObject({ code: "truncated_stream", retryable: true });
  });
});

const STREAM = { "content-type": "text/event-stream" };
const START = { type: "message_start", message: { model: "m", usage: { input_tokens: 1, output_tokens: 1 } } };
const STOP = [
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];
const COMPLETED = { type: "response.completed", response: { usage: { input_tokens: 1, output_tokens: 1 } } };

async function expectProtocol(wire: WireName, events: readonly unknown[]): Promise<void> {
  await expect(readAnswer(wire, events)).rejects.toMatchObject({ kind: "agent", code: "protocol", retryable: false });
}

function block(content_block: object): object {
  return { type: "content_block_start", index: 0, content_block };
}

function delta(piece: object): object {
  return { type: "content_block_delta", index: 0, delta: piece };
}

function said(delta: object, finish_reason: string | null = null): object {
  return { choices: [{ index: 0, delta, finish_reason }] };
}

function done(item: unknown): object {
  return { type: "response.output_item.done", output_index: 0, item };
}

function textPiece(piece: string): object {
  return { type: "response.output_text.delta", item_id: "m", output_index: 0, delta: piece };
}
