import { describe, expect, it } from "vitest";
import { parseSignals } from "./signals.ts";

describe("parseSignals", () => {
  it.each([
    ["a colon", 'GENERATE_ACTIONS: {"a": 1}', { a: 1 }],
    ["no colon", 'GENERATE_ACTIONS {"a": 1}', { a: 1 }],
    ["a line break", 'GENERATE_ACTIONS:\n[1, {"b": "]"}]', [1, { b: "]" }]],
    ["a code fence", 'GENERATE_ACTIONS\n```json\n{"a": "x } \\" y"}\n```', { a: 'x } " y' }],
    ["words around it", 'First. GENERATE_ACTIONS: {"a": {"b": []}} Then.', { a: { b: [] } }],
  ])("SC-4 reads a signal with %s", (_, text, data) => {
    expect(parseSignals(text)).toEqual([{ name: "GENERATE_ACTIONS", data }]);
  });

  it("SC-4 reads all three, in their order", () => {
    const text = 'STORE_MEASUREMENT {"v":1} GENERATE_ASSET {"n":"a"} GENERATE_ACTIONS []';
    expect(parseSignals(text).map(({ name }) => name)).toEqual([
      "STORE_MEASUREMENT",
      "GENERATE_ASSET",
      "GENERATE_ACTIONS",
    ]);
  });

  it.each([
    ["no JSON behind it", "I will GENERATE_ACTIONS tomorrow"],
    ["JSON that does not end", 'GENERATE_ACTIONS {"a": 1'],
    ["JSON that is none", "GENERATE_ACTIONS {a: 1}"],
    ["another name", 'REGENERATE_ACTIONS_2 {"a": 1}'],
    ["nothing", ""],
  ])("takes a text with %s as a text", (_, text) => {
    expect(parseSignals(text)).toEqual([]);
  });

  it("reads other names where they are given", () => {
    expect(parseSignals('ALERT {"x":1} GENERATE_ASSET {}', ["ALERT"])).toEqual([{ name: "ALERT", data: { x: 1 } }]);
    expect(parseSignals('ALERT {"x":1}', [])).toEqual([]);
  });
});
