import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgentError } from "../types/errors.ts";
import type { Json } from "../types/json.ts";
import { toPointer, valueAt, withAppended, without, withValue } from "./json-pointer.ts";

describe("JSON Pointer", () => {
  it("AF-6 reads by the examples of RFC 6901", () => {
    const document: Json = { foo: ["bar", "baz"], "": 0, "a/b": 1, "m~n": 8 };
    expect(valueAt(document, "")).toBe(document);
    expect(valueAt(document, "/foo/0")).toBe("bar");
    expect(valueAt(document, "/")).toBe(0);
    expect(valueAt(document, "/a~1b")).toBe(1);
    expect(valueAt(document, "/m~0n")).toBe(8);
    expect(valueAt(document, "/foo/2")).toBeUndefined();
    expect(valueAt(document, "/foo/01")).toBeUndefined();
  });

  it("AF-6 finds again what was set, under any names", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), fc.json(), (tokens, text) => {
        const value = JSON.parse(text) as Json;
        const pointer = toPointer(...tokens);
        expect(valueAt(withValue({}, pointer, value), pointer)).toEqual(value);
      }),
      { numRuns: 50, seed: 1 },
    );
  });

  it("leaves the document it was given as it was", () => {
    const document: Json = { list: [1, 2], deep: { a: 1 } };
    const before = JSON.stringify(document);
    expect(withValue(document, "/list/0", 9)).toEqual({ list: [9, 2], deep: { a: 1 } });
    expect(withValue(document, "/list/-", 3)).toEqual({ list: [1, 2, 3], deep: { a: 1 } });
    expect(withAppended(document, "/list", 3)).toEqual({ list: [1, 2, 3], deep: { a: 1 } });
    expect(withAppended(document, "/fresh", 3)).toEqual({ list: [1, 2], deep: { a: 1 }, fresh: [3] });
    expect(without(document, "/deep/a")).toEqual({ list: [1, 2], deep: {} });
    expect(without(document, "/list/0")).toEqual({ list: [2], deep: { a: 1 } });
    expect(without(document, "/nowhere/at/all")).toBe(document);
    expect(JSON.stringify(document)).toBe(before);
  });

  it("does not reach the prototype", () => {
    const changed = withValue({}, "/__proto__/polluted", true);
    expect(Object.hasOwn({}, "polluted")).toBe(false);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(valueAt(changed, "/__proto__/polluted")).toBe(true);
    expect(valueAt({}, "/constructor")).toBeUndefined();
  });

  it.each([
    ["no slash", () => valueAt({}, "a")],
    ["an index beyond the end", () => withValue({ list: [] }, "/list/1", 0)],
    ["a name in a list", () => withValue({ list: [] }, "/list/x", 0)],
    ["a place inside a number", () => withValue({ a: 1 }, "/a/b", 0)],
    ["appending to an object", () => withAppended({ a: {} }, "/a", 0)],
    ["removing everything", () => without({}, "")],
  ])("refuses %s", (_, act) => {
    expect(act).toThrowError(expect.objectContaining({ kind: "invalid", code: "bad_pointer" }));
    expect(act).toThrow(AgentError);
  });
});
