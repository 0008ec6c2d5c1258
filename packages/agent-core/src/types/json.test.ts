import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, type Json, sha256Of } from "./json.ts";

describe("canonicalJson", () => {
  it("complaint 21: gives the same text for the same arguments in any order", () => {
    const one = { zone: { width: 1, height: 2 }, names: ["b", "a"] };
    const other = { names: ["b", "a"], zone: { height: 2, width: 1 } };
    expect(canonicalJson(one)).toBe('{"names":["b","a"],"zone":{"height":2,"width":1}}');
    expect(sha256Of(other)).toBe(sha256Of(one));
  });

  it("keeps every value", () => {
    const json = fc.jsonValue() as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 50 },
    );
  });
});
