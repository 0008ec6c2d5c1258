import { describe, expect, it } from "vitest";
import { detectionsOf } from "../testing/index.ts";
import { numberText, parsePattern, toJsonText, toSource } from "./python-text.ts";
import { compareValues, isEqual, isIn, isTruthy, lengthOf, roundTo, sliceText, toFloat } from "./python-values.ts";

describe("values", () => {
  it.each([
    [2.5, 0, 2],
    [3.5, 0, 4],
    [2.675, 2, 2.67],
    [0.125, 2, 0.12],
    [-0.375, 2, -0.38],
    [1234.5, -2, 1200],
  ])("round %d to %d digits as %d: ties go to the even one", (value, digits, rounded) => {
    expect(roundTo(value, digits)).toBe(rounded);
  });

  it("are equal by content, and numbers equal truths", () => {
    expect(isEqual([1, { a: [true] }], [1, { a: [1] }])).toBe(true);
    expect(isEqual("1", 1)).toBe(false);
    const found = detectionsOf([{ className: "person", box: [0, 0, 1, 1] }]);
    expect(isEqual(found, detectionsOf([{ className: "person", box: [0, 0, 1, 1] }]))).toBe(true);
    expect(isEqual(found, detectionsOf([{ className: "person", box: [0, 0, 1, 2] }]))).toBe(false);
  });

  it("are false when empty or zero", () => {
    expect([0, "", [], {}, null, detectionsOf([])].map(isTruthy)).toEqual(Array(6).fill(false));
    expect([1, "0", [0], { a: null }].map(isTruthy)).toEqual(Array(4).fill(true));
  });

  it("count and cut characters, not halves of them", () => {
    expect(lengthOf("a😀b")).toBe(3);
    expect(sliceText("a😀b", 0, -1)).toBe("a😀");
  });

  it("refuse what has no order and no elements", () => {
    expect(() => compareValues(1, "1")).toThrow("cannot be put in order");
    expect(() => isIn(1, "123")).toThrow("cannot be looked for");
    expect(() => lengthOf(5)).toThrow("no length");
    expect(compareValues([1, 2], [1, 3])).toBeLessThan(0);
  });

  it("read numbers as Python does", () => {
    expect([" 1_000.5 ", "1e3", "-inf", true].map(toFloat)).toEqual([1000.5, 1000, Number.NEGATIVE_INFINITY, 1]);
    expect(() => toFloat("0x10")).toThrow("is no number");
    expect(() => toFloat("")).toThrow("is no number");
  });
});

describe("text", () => {
  it.each([
    [1e16, "1e+16"],
    [0.00001, "1e-05"],
    [123456789012345.0, "123456789012345.0"],
    [-0, "-0.0"],
  ])("writes the float %d as %s", (value, text) => {
    expect(numberText(value, "float")).toBe(text);
  });

  it("quotes as `repr` and escapes as `json.dumps`", () => {
    expect(toSource({ a: "it's", b: [null, true, "x\n"] })).toBe(`{'a': "it's", 'b': [None, True, 'x\\n']}`);
    expect(toJsonText({ name: "Zoë", list: [1, 2.5] })).toBe('{"name": "Zo\\u00eb", "list": [1, 2.5]}');
  });
});

describe("patterns", () => {
  it.each([
    ["(?P<word>ab)(?P=word)", "xabab", true],
    ["^car$", "car\n", true],
    ["^car$", "car\nx", false],
    ["(?i)STOP", "please stop", true],
    ["[$]5", "$5", true],
    ["\\Aab\\Z", "ab\n", false],
  ])("%s finds itself in %j: %s", (pattern, text, found) => {
    expect(parsePattern(pattern).test(text)).toBe(found);
  });

  it("that are broken are named", () => {
    expect(() => parsePattern("(")).toThrow('The pattern "(" is not understood');
  });
});
