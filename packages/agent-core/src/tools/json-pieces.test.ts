import { describe, expect, it } from "vitest";
import { jsonPieces, jsonWithin, textPieces } from "./json-pieces.ts";

const ROW = { id: 1, name: "Zürich 東京", tags: ["a", null, true], at: new Date(0), none: undefined, "": {} };

describe("jsonPieces", () => {
  it.each([
    ["a small value", ROW],
    ["a long list", Array.from({ length: 40_000 }, (_, id) => ({ ...ROW, id }))],
    ["an object of many fields", Object.fromEntries(Array.from({ length: 40_000 }, (_, id) => [`k${id}`, ROW]))],
    ["a long text inside", { before: 1, text: 'say "ä😀"\n'.repeat(90_000), after: [2] }],
    ["large things that are nested", { a: { b: [[Array.from({ length: 90_000 }, () => "word")], 1] }, c: [] }],
    ["things that JSON leaves out", { list: [undefined, () => 1, Symbol("x"), 1], gone: () => 1, n: Number.NaN }],
    ["a value with a JSON form of its own", { url: new URL("http://x/y"), nested: [{ toJSON: () => ({ a: 1 }) }] }],
    ["empty things", { a: {}, b: [], c: "" }],
  ])("gives what JSON.stringify gives for %s", (_, value) => {
    expect([...jsonPieces(value)].join("")).toBe(JSON.stringify(value));
  });

  it("cuts what is long into pieces, and reads no more of it than is asked for", () => {
    let read = 0;
    const rows = Array.from({ length: 5_000 }, () => ({
      get text() {
        read += 1;
        return "x".repeat(1_000);
      },
    }));
    const pieces = jsonPieces(rows);
    pieces.next();
    expect(pieces.next().value?.length).toBeLessThan(300_000);
    expect(read).toBeLessThan(1_500);
    read = 0;
    expect(jsonWithin(rows, 10_000)).toBeUndefined();
    expect(read).toBeLessThan(1_500);
  });

  it.each([
    ["a bigint", { id: 12345678901234567890n }, { id: "12345678901234567890" }],
    ["a Map", { m: new Map([["a", 1]]) }, { m: { a: 1 } }],
    ["a Map of other keys", new Map([[1, new Set(["x"])]]), [[1, ["x"]]]],
    ["a Set", new Set([1, 2n]), [1, "2"]],
    ["an Error", [new RangeError("too far")], [{ name: "RangeError", message: "too far" }]],
    ["bytes", { file: new Uint8Array(3), buffer: Buffer.from("ab") }, { file: "[3 bytes]", buffer: "[2 bytes]" }],
    ["a cycle", cyclic(), { list: ["[circular]"], name: "round" }],
    ["a property that throws", throwing(), { good: 1, bad: "[cannot be read: no such row]" }],
    ["a property that throws in a list", [1, throwing()], [1, { good: 1, bad: "[cannot be read: no such row]" }]],
  ])("makes %s readable", (_, value, expected) => {
    expect(JSON.parse([...jsonPieces(value)].join(""))).toEqual(expected);
  });

  it("names what is nested too deep instead of failing", () => {
    let deep: unknown = "end";
    for (let at = 0; at < 50_000; at++) deep = [deep];
    expect([...jsonPieces(deep)].join("")).toContain("[nested too deep]");
  });

  it("has nothing for a function or a symbol", () => {
    expect([...jsonPieces(() => 1), ...jsonPieces(Symbol("x")), ...jsonPieces(undefined)]).toEqual([]);
  });

  it("shows every text before it is cut", () => {
    const hide = (text: string): string => text.replaceAll("hunter-22", "***");
    const long = `${"x".repeat(262_140)}hunter-22${"y".repeat(10)}`;
    for (const value of [long, { long, short: "hunter-22" }, [new Set([long]), { "hunter-22": 1n }]]) {
      const json = [...jsonPieces(value, hide)].join("");
      expect(json).not.toContain("hunter-22");
      expect(json).toContain("***");
    }
  });
});

describe("textPieces", () => {
  it("never cuts a character in two", () => {
    const text = `x${"😀".repeat(300_000)}`;
    const pieces = [...textPieces(text)];
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces.join("")).toBe(text);
  });
});

function cyclic(): object {
  const round: { list: unknown[]; name: string } = { list: [], name: "round" };
  round.list.push(round);
  return round;
}

function throwing(): object {
  return {
    good: 1,
    get bad(): never {
      throw new Error("no such row");
    },
  };
}
