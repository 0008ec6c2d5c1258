import { describe, expect, it } from "vitest";
import { readAnswer } from "../testing/wire-answer.ts";

const ONE = '{"x":1}';
const TWO = '{"x":2}';

describe("a Responses stream", () => {
  it.each<[string, readonly object[], readonly string[]]>([
    ["neither ids nor indexes", [added(call({}, "")), piece({}), done(call({})), end([call({})])], [ONE]],
    [
      "another id in each event",
      [added(call({ id: "a" }, "")), done(call({ id: "b" })), end([call({ id: "c" })])],
      [ONE],
    ],
    [
      "another id, and an index that jumps",
      [added(call({ id: "a" }, ""), 0), piece({ item_id: "a", output_index: 0 }), done(call({ id: "b" }), 1), end([])],
      [ONE],
    ],
    [
      "an item that begins again after its end",
      [done(call({ id: "a" }), 0), added(call({ id: "b" }, ONE), 0), end([])],
      [ONE],
    ],
    ["an end with another id and no call id", [done(TEXT, 0), done(call({ id: "a" }), 2), end([nameless("b")])], [ONE]],
    [
      "an end with other ids throughout",
      [done(call({ id: "a" }), 0), end([{ ...nameless("b"), call_id: "c9" }])],
      [ONE],
    ],
    [
      "an end that is told twice",
      [done(call({ id: "a" }), 5), end([call({ id: "a" })]), end([call({ id: "q" })])],
      [ONE],
    ],
    [
      "other spaces and another order of keys",
      [done(call({ id: "a" }, '{"x":1,"y":2}'), 0), end([call({ id: "b" }, '{ "y": 2, "x": 1 }')])],
      ['{"x":1,"y":2}'],
    ],
    ["one call id for two calls", [done(call({ id: "a" }), 0), done(call({ id: "b" }, TWO), 1), end([])], [ONE, TWO]],
    [
      "two equal calls with ids of their own, of which the stream told one",
      [done(call({ id: "a" }), 0), end([call({ id: "a" }), { ...call({ id: "b" }), call_id: "c2" }])],
      [ONE, ONE],
    ],
  ])("holds each call once: %s", async (_, events, expected) => {
    const { toolCalls } = await readAnswer("responses", events);
    expect(toolCalls.map((one) => JSON.stringify(one.arguments))).toEqual(expected);
    expect(toolCalls[0]?.id).toBe("c1");
  });
});

describe("a Responses stream without ids", () => {
  const [anonymous, again] = [bare(""), bare(ONE)];
  it.each<[string, readonly object[], readonly string[]]>([
    ["one index each", [added(anonymous, 0), done(again, 0), added(anonymous, 1), done(again, 1), end([])], [ONE, ONE]],
    [
      "empty ids, one index each",
      [done({ ...again, id: "", call_id: "" }, 0), done({ ...again, id: "" }, 1), end([])],
      [ONE, ONE],
    ],
    [
      "one after the other",
      [added(anonymous), piece({}), done(again), added(anonymous), piece({}), done(again), end([])],
      [ONE, ONE],
    ],
    [
      "one after the other, and the end",
      [added(anonymous), done(again), added(anonymous), done(again), end([again, again])],
      [ONE, ONE],
    ],
    ["only in the end", [end([again, again])], [ONE, ONE]],
    ["one told twice", [added(anonymous), done(again), done(again), end([again])], [ONE]],
    ["one index told twice", [done(again, 0), done(again, 0), end([again])], [ONE]],
    [
      "call ids that come late",
      [
        added(anonymous),
        done(bare(ONE, "c1")),
        added(anonymous),
        done(bare(ONE, "c2")),
        end([bare(ONE, "c1"), bare(ONE, "c2")]),
      ],
      [ONE, ONE],
    ],
    [
      "call ids that change",
      [
        added(bare("", "t1"), 0),
        done(bare(ONE, "c1"), 0),
        added(bare("", "t2"), 1),
        done(bare(ONE, "c2"), 1),
        end([bare(ONE, "c1"), bare(ONE, "c2")]),
      ],
      [ONE, ONE],
    ],
    [
      "arguments only in their own event",
      [
        added(anonymous, 0),
        { type: "response.function_call_arguments.done", output_index: 0, arguments: ONE },
        end([]),
      ],
      [ONE],
    ],
    [
      "announced together",
      [added(bare("", "c1")), added(bare("", "c2")), done(bare(TWO, "c2")), done(bare(ONE, "c1")), end([])],
      [ONE, TWO],
    ],
  ])("holds each call once, with its own arguments: %s", async (_, events, expected) => {
    const { toolCalls } = await readAnswer("responses", events);
    expect(toolCalls.map((one) => JSON.stringify(one.arguments))).toEqual(expected);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(expected.length);
  });

  it.each<[string, readonly object[]]>([
    ["alone", [added(anonymous), end([])]],
    ["beside another call", [added(bare("", "t1")), done(bare(ONE, "c1")), end([bare(ONE, "c1")])]],
    ["with an end that is not one", [done({ ...bare(""), status: "incomplete" }, 0), end([])]],
  ])("refuses a call whose arguments never came: %s", async (_, events) => {
    await expect(readAnswer("responses", events)).rejects.toMatchObject({ code: "protocol" });
  });

  it("takes a call that ended with no arguments", async () => {
    const { toolCalls } = await readAnswer("responses", [added(anonymous, 0), done(anonymous, 0), end([])]);
    expect(toolCalls).toMatchObject([{ state: "complete", arguments: {} }]);
  });
});

describe("a chat stream", () => {
  const first = { index: 0, id: "a", function: { name: "fire", arguments: ONE } };
  it.each<[string, readonly object[], readonly string[]]>([
    ["told again with other spaces", [calls(first), calls({ ...first, function: spaced() })], [ONE]],
    ["told again without its id", [calls(first), calls({ index: 0, function: first.function })], [ONE]],
    ["told again under another index", [calls(first), calls({ ...first, index: 1 })], [ONE]],
    ["a function_call beside it", [{ function_call: first.function, tool_calls: [first] }], [ONE]],
    ["a function_call before it", [{ function_call: first.function }, calls(first)], [ONE]],
    [
      "a function_call whose pieces come beside its own",
      [
        { function_call: { name: "fire", arguments: "" }, ...calls({ ...first, function: { name: "fire" } }) },
        { function_call: { arguments: ONE }, ...calls({ index: 0, function: { arguments: ONE } }) },
      ],
      [ONE],
    ],
    ["equal calls with ids of their own", [calls(first), calls({ ...first, index: 1, id: "b" })], [ONE, ONE]],
    ["one id for two calls", [calls(first), calls({ ...first, index: 1, function: other() })], [ONE, TWO]],
    ["equal calls without ids", [calls(unnamed(0)), calls(unnamed(1))], [ONE, ONE]],
    ["equal calls without ids in one chunk", [calls(unnamed(0), unnamed(1))], [ONE, ONE]],
    ["equal calls with empty ids", [calls({ ...unnamed(0), id: "" }), calls({ ...unnamed(1), id: "" })], [ONE, ONE]],
    ["equal calls with neither ids nor indexes in one chunk", [calls(unnamed(), unnamed())], [ONE, ONE]],
    ["those told again", [calls(unnamed(), unnamed()), calls(unnamed(), unnamed())], [ONE, ONE]],
    [
      "a function_call before equal calls without ids",
      [{ function_call: first.function }, calls(unnamed(0), unnamed(1))],
      [ONE, ONE],
    ],
  ])("holds each call once: %s", async (_, deltas, expected) => {
    const choices = [...deltas.map((delta) => ({ index: 0, delta })), { index: 0, delta: {}, finish_reason: "stop" }];
    const { toolCalls } = await readAnswer(
      "chat",
      choices.map((choice) => ({ choices: [choice] })),
    );
    expect(toolCalls.map((one) => JSON.stringify(one.arguments))).toEqual(expected);
  });

  it("runs no call whose id and index came again with other arguments", async () => {
    const deltas = [calls(first), calls({ ...first, function: other() }), {}];
    const choices = deltas.map((delta) => ({ index: 0, delta, finish_reason: "tool_calls" }));
    const { toolCalls } = await readAnswer(
      "chat",
      choices.map((choice) => ({ choices: [choice] })),
    );
    expect(toolCalls).toMatchObject([{ state: "unparseable" }]);
  });
});

describe("an Anthropic stream", () => {
  it("holds a call once whose block is told again under another index", async () => {
    const content_block = { type: "tool_use", id: "a", name: "fire", input: { x: 1 } };
    const { toolCalls } = await readAnswer("anthropic", [
      { type: "message_start", message: { model: "m", usage: {} } },
      { type: "content_block_start", index: 0, content_block },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} },
      { type: "message_stop" },
    ]);
    expect(toolCalls).toMatchObject([{ id: "a", arguments: { x: 1 } }]);
  });
});

const TEXT = { type: "message", id: "m", content: [{ type: "output_text", text: "hi" }] };

function call(ids: { readonly id?: string }, args = ONE) {
  return { type: "function_call", call_id: "c1", name: "fire", arguments: args, ...ids };
}

/** Without an item id, and without a call id where none is given. */
function bare(args: string, call_id?: string) {
  return { type: "function_call", name: "fire", arguments: args, call_id };
}

function nameless(id: string): object {
  return { type: "function_call", id, name: "fire", arguments: ONE };
}

function added(item: object, output_index?: number): object {
  return { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } };
}

function piece(where: { readonly item_id?: string; readonly output_index?: number }): object {
  return { type: "response.function_call_arguments.delta", delta: ONE, ...where };
}

function done(item: object, output_index?: number): object {
  return { type: "response.output_item.done", output_index, item };
}

function end(output: readonly object[]): object {
  return { type: "response.completed", response: { output, usage: { input_tokens: 1, output_tokens: 1 } } };
}

function calls(...tool_calls: readonly object[]): object {
  return { tool_calls };
}

function unnamed(index?: number): object {
  return { index, function: { name: "fire", arguments: ONE } };
}

function spaced(): object {
  return { name: "fire", arguments: '{ "x": 1 }' };
}

function other(): object {
  return { name: "fire", arguments: TWO };
}
