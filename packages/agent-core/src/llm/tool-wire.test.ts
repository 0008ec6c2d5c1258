import { describe, expect, it } from "vitest";
import { isStrictSchema, toClosedSchema, toToolCall } from "./tool-wire.ts";

describe("toClosedSchema", () => {
  it("closes objects at every depth and leaves alone what says something itself", () => {
    const open = { type: "object", properties: { a: { anyOf: [{ type: "object", additionalProperties: true }] } } };
    expect(toClosedSchema(open)).toEqual({ ...open, additionalProperties: false });
    expect(toClosedSchema({ type: "array", items: { type: "object" } })).toEqual({
      type: "array",
      items: { type: "object", additionalProperties: false },
    });
  });

  it("does not take a property called type for a schema", () => {
    const schema = { type: "object", properties: { type: { type: "string" } }, additionalProperties: false };
    expect(toClosedSchema(schema)).toEqual(schema);
  });
});

describe("toToolCall", () => {
  it.each(["12345678901234567890", "9007199254740993", "-9007199254740993", "1e999"])(
    "complaint 8: does not round %s, and keeps what the model sent",
    (id) => {
      const json = `{"name":"a 1","in":[{"id":${id}}]}`;
      const call = toToolCall({ id: "c", name: "t", json, cut: false });
      expect(call).toEqual({ id: "c", toolName: "t", arguments: {}, rawArguments: json, state: "unparseable" });
    },
  );

  it.each(["9007199254740992", "0.1", "1e21", "10000000000000000000000", "3.14159265358979323846"])("takes %s", (n) => {
    const call = toToolCall({ id: "c", name: "t", json: `{"n":${n}}`, cut: false });
    expect(call).toMatchObject({ state: "complete", arguments: { n: Number(n) } });
  });

  it("takes any digits in a string", () => {
    const json = '{"id":"12345678901234567890 \\" 12345678901234567890"}';
    expect(toToolCall({ id: "c", name: "t", json, cut: false })).toMatchObject({ state: "complete" });
  });
});

describe("isStrictSchema", () => {
  it.each<[object, boolean]>([
    [{ type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false }, true],
    [{ type: "object", properties: { a: { type: "string" } }, required: [], additionalProperties: false }, false],
    [{ type: "object", properties: {} }, false],
    [{ type: "array", items: { type: "object" } }, false],
    [{ type: "string" }, true],
  ])("%j → %s", (schema, strict) => {
    expect(isStrictSchema(schema as never)).toBe(strict);
  });
});
