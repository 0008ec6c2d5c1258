import { describe, expect, it } from "vitest";
import { isStrictSchema, toClosedSchema } from "./tool-wire.ts";

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
