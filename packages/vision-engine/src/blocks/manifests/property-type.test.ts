import { describe, expect, it } from "vitest";
import { BLOCK_MANIFESTS } from "../block.ts";
import { describeLiterals, literalFits, parsePropertyType } from "./property-type.ts";

describe("parsePropertyType", () => {
  it("separates literals from selectors", () => {
    expect(parsePropertyType("int{>0} | sel<integer|float> | null")).toMatchObject({
      literals: [{ words: "a whole number > 0" }, { words: "null" }],
      kinds: ["integer", "float"],
      stepTargets: false,
    });
  });

  it("keeps brackets inside a choice", () => {
    const { literals } = parsePropertyType("enum(Area|Area (mask)) | sel<string>");
    expect(literals.map(({ choices }) => choices)).toEqual([["Area", "Area (mask)"]]);
  });

  it("reads every notation of the catalogue", () => {
    for (const { properties } of BLOCK_MANIFESTS) {
      for (const { type } of properties) {
        const { literals, kinds, stepTargets } = parsePropertyType(type);
        expect(literals.length > 0 || kinds.length > 0 || stepTargets, type).toBe(true);
      }
    }
  });

  it("finds the defaults that the catalogue itself keeps out of range", () => {
    const misfits = BLOCK_MANIFESTS.flatMap((block) =>
      block.properties
        .filter(({ default: value = null }) => value !== null)
        .filter((property) => !literalFits(parsePropertyType(property.type).literals, property.default ?? null))
        .map(({ name }) => `${block.type} ${name}`),
    );
    expect(misfits).toEqual(["roboflow_core/continue_if@v1 stop_delay"]);
  });
});

describe("literalFits", () => {
  it.each([
    ["float{>=0.0,<=1.0}", 1, true],
    ["float{>=0.0,<=1.0}", 1.01, false],
    ["int", 2.5, false],
    ["bool", 0, false],
    ["str | null", null, true],
    ["list[str]", ["a", 1], false],
    ["list[str]{items>=1}", [], false],
    ["list[sel<image>]", ["$inputs.image"], true],
    ["dict[str]", { a: "b" }, true],
    ["tuple[int, int]", [1], false],
  ] as const)("%s takes %j: %j", (notation, value, answer) => {
    expect(literalFits(parsePropertyType(notation).literals, value as never)).toBe(answer);
  });
});

describe("describeLiterals", () => {
  it("says it in words", () => {
    const { literals } = parsePropertyType("float{>=0.0,<=1.0} | enum(a|b) | null");
    expect(describeLiterals(literals)).toBe('a number >= 0 and <= 1 or one of "a", "b" or null');
  });
});
