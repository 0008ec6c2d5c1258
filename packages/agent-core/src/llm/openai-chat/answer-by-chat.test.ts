import { describe, expect, it } from "vitest";
import { type CallPiece, ToolCallSlots } from "./call-slots.ts";

const A = '{"at":1}';
const B = '{"at":2}';

describe("ToolCallSlots", () => {
  it.each<[string, CallPiece[], [string, string, string][]]>([
    [
      "the specification's pieces",
      [
        piece({ index: 0, id: "a", name: "look" }),
        piece({ index: 0, json: '{"at"' }),
        piece({ index: 0, json: ":1}" }),
      ],
      [["a", "look", A]],
    ],
    [
      "two calls whose pieces alternate",
      [
        piece({ index: 0, id: "a", name: "look" }),
        piece({ index: 1, id: "b", name: "rest" }),
        piece({ index: 0, json: A }),
        piece({ index: 1, json: B }),
      ],
      [
        ["a", "look", A],
        ["b", "rest", B],
      ],
    ],
    [
      "an index that is always 0, with new ids",
      [piece({ index: 0, id: "a", name: "look", json: A }), piece({ index: 0, id: "b", name: "look", json: B })],
      [
        ["a", "look", A],
        ["b", "look", B],
      ],
    ],
    [
      "an index that is always 0, without ids",
      [piece({ index: 0, name: "look", json: A }), piece({ index: 0, name: "look", json: B })],
      [
        ["new1", "look", A],
        ["new2", "look", B],
      ],
    ],
    [
      "no index, the id only once",
      [piece({ id: "a", name: "look" }), piece({ json: '{"at"' }), piece({ json: ":1}" })],
      [["a", "look", A]],
    ],
    [
      "no index and no id, whole calls in one chunk",
      [piece({ name: "look", json: A }), piece({ name: "look", json: B })],
      [
        ["new1", "look", A],
        ["new2", "look", B],
      ],
    ],
    [
      "an id that is repeated with every piece",
      [piece({ id: "a", name: "look", json: '{"at"' }), piece({ id: "a", json: ":1}" })],
      [["a", "look", A]],
    ],
    [
      "an id and a name that are repeated with every piece",
      [
        piece({ index: 0, id: "a", name: "look", json: '{"at"' }),
        piece({ index: 0, id: "a", name: "look", json: ":1}" }),
      ],
      [["a", "look", A]],
    ],
    [
      "an id that is null at first",
      [piece({ index: 0, name: "look" }), piece({ index: 0, id: "a", json: A })],
      [["new1", "look", A]],
    ],
    [
      "the same id for two calls",
      [piece({ index: 0, id: "a", name: "look", json: A }), piece({ index: 1, id: "a", name: "look", json: B })],
      [
        ["a", "look", A],
        ["new2", "look", B],
      ],
    ],
    [
      "a whole call that is told again at the end",
      [piece({ index: 0, id: "a", name: "look", json: A }), piece({ index: 0, id: "a", name: "look", json: A })],
      [["a", "look", A]],
    ],
    ["arguments as an object", [piece({ index: 0, id: "a", name: "look", json: { at: 1 } })], [["a", "look", A]]],
    [
      "an empty end",
      [piece({ id: "a", name: "look", json: A }), piece({ id: "a", name: "", json: "" })],
      [["a", "look", A]],
    ],
    ["an empty piece", [piece({ index: 0, json: "" })], []],
  ])("complaint 15: understands %s", (_, pieces, expected) => {
    const slots = new ToolCallSlots((number) => `new${number}`);
    for (const one of pieces) slots.take(one);
    expect(slots.calls().map(({ id, name, json }) => [id, name, json])).toEqual(expected);
  });

  it("refuses arguments of a call that never gets a name", () => {
    const slots = new ToolCallSlots((number) => `new${number}`);
    slots.take(piece({ index: 0, json: A }));
    expect(() => slots.calls()).toThrow(expect.objectContaining({ code: "protocol" }));
  });

  it("shows arguments under the id that the call will have", () => {
    const slots = new ToolCallSlots((number) => `new${number}`);
    expect(slots.take(piece({ name: "look", json: A }))).toEqual({
      type: "tool_args",
      callId: "new1",
      toolName: "look",
      json: A,
    });
  });
});

function piece({
  index,
  id,
  name = null,
  json = null,
}: {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string | null;
  readonly json?: string | object | null;
}): CallPiece {
  return { index: index ?? null, id: id ?? null, function: { name, arguments: json } };
}
