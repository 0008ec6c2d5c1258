import { describe, expect, it } from "vitest";
import type { Json, JsonSchema } from "../types/json.ts";
import { createArgumentCompiler } from "./argument-check.ts";

const compile = createArgumentCompiler();

describe("createArgumentCompiler", () => {
  it("AF-28 says where, what was expected and what came", () => {
    const schema = {
      type: "object",
      properties: { zone: { type: "object", properties: { width: { type: "integer", minimum: 1 } } } },
    };
    expect(check(schema, { zone: { width: "wide" } })).toEqual(['zone.width: expected integer, got "wide"']);
    expect(check(schema, { zone: { width: 0 } })).toEqual(["zone.width: must be >= 1, got 0"]);
  });

  it("AF-28 names the property that was probably meant", () => {
    const schema = { type: "object", properties: { threshold: {}, mode: {} }, additionalProperties: false };
    expect(check(schema, { treshold: 1 })).toEqual([
      'arguments: there is no property "treshold"; did you mean "threshold"?',
    ]);
    expect(check(schema, { zzz: 1 })).toEqual(['arguments: there is no property "zzz"; known: threshold, mode']);
  });

  it("names the missing property with its type", () => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    expect(check(schema, {})).toEqual(['arguments: expected the property "name" (string), got none']);
  });

  it("lists what is allowed and the nearest of it", () => {
    const schema = { type: "object", properties: { shape: { enum: ["polygon", "line"] }, kind: { const: "x" } } };
    expect(check(schema, { shape: "poligon", kind: 3 })).toEqual([
      'shape: expected one of "polygon", "line", got "poligon"; did you mean "polygon"?',
      'kind: expected "x", got 3',
    ]);
  });

  it("tells what is wrong in the branches of a choice instead of that no branch fits", () => {
    const schema = { type: "object", properties: { at: { anyOf: [{ type: "string" }, { type: "number" }] } } };
    expect(check(schema, { at: true })).toEqual(["at: expected string, got true", "at: expected number, got true"]);
  });

  it("bounds the list and the values in it", () => {
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    const schema = { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "number" }])) };
    const problems = check(schema, Object.fromEntries(names.map((name) => [name, "x".repeat(1_000)])));
    expect(problems).toHaveLength(9);
    expect(problems.at(-1)).toBe("and 12 more");
    expect(problems[0]?.length).toBeLessThan(120);
  });

  it("reads schemas of other dialects", () => {
    const schema = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", required: ["a"] };
    expect(check(schema, { a: 1 })).toEqual([]);
  });
});

function check(schema: JsonSchema, args: { [key: string]: Json }): readonly string[] {
  return compile(schema)(args);
}
