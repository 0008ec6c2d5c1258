import { describe, expect, it } from "vitest";
import { toApiPage, undocumented } from "./api-page.ts";
import { exportsOf, firstSentence, toLine } from "./exported-name.ts";

const DECLARATIONS = new Map([
  [
    "index",
    'export { createThing, type Thing, type Word } from "./things/thing.ts";\nexport { LIMIT } from "./limit.ts";',
  ],
  ["limit", "/** The most there may be. */\nexport declare const LIMIT = 3;"],
  [
    "things/thing",
    `
/** AF-1: makes a thing. Throws when it cannot. */
export declare function createThing(name: string): Thing;
export declare function createThing(name: string, options: {
    readonly size: number;
}): Thing;
export type Thing = Pick<BigThing, keyof BigThing>;
declare class BigThing {
    #private;
    constructor(name: string);
    /** What it is called, e.g. by people. */
    get name(): string;
    grow(by: number): void;
}
export type Word =
/** To begin with. */
{
    readonly type: "start";
}
 | {
    readonly type: "end";
    readonly at: number;
};
`,
  ],
]);

describe("the exported names of an entry", () => {
  const [createThing, thing, word, limit] = exportsOf(DECLARATIONS, "index");

  it("has every overload and the first sentence without requirement ids", () => {
    expect(createThing).toEqual({
      name: "createThing",
      signatures: [
        "function createThing(name: string): Thing",
        "function createThing(name: string, options: { size: number }): Thing",
      ],
      sentence: "Makes a thing.",
      members: [],
    });
  });

  it("shows what is behind Pick<Class, keyof Class>, but nothing private", () => {
    expect(thing?.signatures).toEqual(["type Thing = { … }"]);
    expect(thing?.members).toEqual([
      { signature: "name: string", sentence: "What it is called, e.g. by people." },
      { signature: "grow(by: number): void", sentence: "" },
    ]);
  });

  it("lists the alternatives of a union", () => {
    expect(word?.members).toEqual([
      { signature: '{ type: "start" }', sentence: "To begin with." },
      { signature: '{ type: "end"; at: number }', sentence: "" },
    ]);
  });

  it("has constants with their value", () => {
    expect(limit).toMatchObject({ signatures: ["const LIMIT = 3"], sentence: "The most there may be." });
  });

  it("throws for a name that leads nowhere", () => {
    const broken = new Map(DECLARATIONS).set("index", 'export { nothing } from "./limit.ts";');
    expect(() => exportsOf(broken, "index")).toThrow("limit declares no nothing.");
  });

  it("makes a page and names what has no sentence", () => {
    const entries = [{ specifier: "@x/things", names: exportsOf(DECLARATIONS, "index") }];
    expect(undocumented(entries)).toEqual(["Thing", "Word"]);
    expect(toApiPage(entries)).toContain("### LIMIT\n\n`const LIMIT = 3`\n\nThe most there may be.\n");
  });
});

it("a first sentence ends at its full stop", () => {
  expect(firstSentence("*\n * One (AF-2) of 1.5.\n * Two.\n ")).toBe("One of 1.5.");
});

it("a long signature is whole", () => {
  const name = "a".repeat(300);
  expect(toLine(`type X = { readonly ${name}: string; };`)).toBe(`type X = { ${name}: string }`);
});
