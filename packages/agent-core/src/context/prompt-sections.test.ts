import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allocateTokens,
  createPromptSections,
  fillTemplate,
  type PromptSection,
  type PromptWarning,
} from "./prompt-sections.ts";
import { createCharCounter } from "./token-counter.ts";

describe("createPromptSections", () => {
  it("VA-14 AI-21 orders static before session, each by priority, and keeps volatile text out of the system prompt", async () => {
    const prompt = createPromptSections([
      section("place", "session", 9),
      section("clock", "volatile", 9),
      section("examples", "static", 1),
      section("identity", "static", 5),
    ]);
    expect(await prompt.system()).toEqual([
      { id: "identity", text: "text of identity", stability: "static" },
      { id: "examples", text: "text of examples", stability: "static" },
      { id: "place", text: "text of place", stability: "session" },
    ]);
    expect(await prompt.state()).toBe("text of clock");
  });

  it("SC-5 VA-14 switches sections by the mode of the run", async () => {
    const prompt = createPromptSections([
      section("identity", "static", 5),
      { ...section("actions", "static", 4), when: (mode) => mode !== "heartbeat" },
      { ...section("checklist", "volatile", 4), when: (mode) => mode === "heartbeat" },
    ]);
    expect((await prompt.system()).map(({ id }) => id)).toEqual(["identity", "actions"]);
    expect((await prompt.system("heartbeat")).map(({ id }) => id)).toEqual(["identity"]);
    expect(await prompt.state()).toBe("");
    expect(await prompt.state("heartbeat")).toBe("text of checklist");
  });

  it("VA-15 cuts what is too long, visibly, and warns", async () => {
    const warnings: PromptWarning[] = [];
    const long = { ...section("notes", "session", 1), maxTokens: 50, render: () => `begin ${"x".repeat(9_000)} end` };
    const prompt = createPromptSections([long], { onWarning: (warning) => warnings.push(warning) });
    const [block] = await prompt.system();
    expect(createCharCounter().text(block?.text ?? "")).toBeLessThanOrEqual(50);
    expect(block?.text).toMatch(/^begin x+\n\[… \d+ characters left out …\]\nx+ end$/);
    expect(warnings).toMatchObject([{ code: "prompt_cut", section: "notes" }]);
  });

  it("AF-35 serves higher priorities first when all together have a limit", async () => {
    const warnings: PromptWarning[] = [];
    const words = (length: number) => () => "x".repeat(length);
    const sections = [
      { ...section("less", "static", 1), render: words(700) },
      { ...section("most", "static", 9), render: words(350) },
      { ...section("least", "session", 0), render: words(350) },
    ];
    const prompt = createPromptSections(sections, { maxTokens: 200, onWarning: (warning) => warnings.push(warning) });
    const blocks = await prompt.system();
    expect(blocks.map(({ id, text }) => [id, createCharCounter().text(text)])).toEqual([
      ["most", 100],
      ["less", 100],
    ]);
    expect(warnings.map(({ code, section: id }) => [code, id])).toEqual([
      ["prompt_cut", "less"],
      ["prompt_left_out", "least"],
    ]);
  });

  it("complaint 20: renders a static section once for each mode, so that the prefix stays as it was", async () => {
    let count = 0;
    const counting = { ...section("now", "static", 1), render: () => `rendered ${++count}` };
    const prompt = createPromptSections([counting]);
    expect(await prompt.system()).toEqual(await prompt.system());
    expect((await prompt.system("heartbeat"))[0]?.text).toBe("rendered 2");
  });

  it("renders again after a failure, and leaves out what is empty", async () => {
    let fails = true;
    const shaky = {
      ...section("shaky", "static", 1),
      render: async () => (fails ? Promise.reject(new Error("disk")) : "fine"),
    };
    const prompt = createPromptSections([shaky, { ...section("empty", "session", 2), render: () => " " }]);
    await expect(prompt.system()).rejects.toThrow("disk");
    fails = false;
    expect((await prompt.system()).map(({ text }) => text)).toEqual(["fine"]);
  });

  it("refuses two sections of one name", () => {
    expect(() => createPromptSections([section("a", "static", 1), section("a", "session", 1)])).toThrowError(
      expect.objectContaining({ kind: "invalid", code: "duplicate_section" }),
    );
  });
});

describe("fillTemplate", () => {
  it("AF-24 AF-35 puts values in their places and does not look into them", () => {
    expect(
      fillTemplate("I am {{name}}, {{ name }} of {{ place.id }}.", { name: "{{place.id}}", "place.id": "X" }),
    ).toBe("I am {{place.id}}, {{place.id}} of X.");
  });

  it("says which value is missing", () => {
    expect(() => fillTemplate("{{toString}}", { name: "x" })).toThrowError(
      expect.objectContaining({ code: "missing_value", message: expect.stringContaining("toString") }),
    );
  });
});

describe("allocateTokens", () => {
  it("AF-35 never gives more than there is or is wished, and never less to whom comes first", () => {
    const wish = fc.record({ tokens: fc.nat(300), priority: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 8 }), fc.nat(600), (list, total) => {
        const wishes = list.map((one, at) => ({ ...one, id: String(at) }));
        const given = allocateTokens(total, wishes);
        const of = (id: string): number => given.get(id) ?? -1;
        expect([...given.values()].reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(total);
        for (const one of wishes) {
          expect(of(one.id)).toBeGreaterThanOrEqual(0);
          expect(of(one.id)).toBeLessThanOrEqual(one.tokens);
          for (const other of wishes) {
            if (other.priority > one.priority && of(one.id) > 0) expect(of(other.id)).toBe(other.tokens);
          }
        }
      }),
      { numRuns: 50, seed: 5 },
    );
  });

  it("AF-35 shares evenly among equals whose wishes are too large", () => {
    const wishes = [
      { id: "a", tokens: 10, priority: 1 },
      { id: "b", tokens: 90, priority: 1 },
      { id: "c", tokens: 90, priority: 1 },
    ];
    expect([...allocateTokens(100, wishes)]).toEqual([
      ["a", 10],
      ["b", 45],
      ["c", 45],
    ]);
  });
});

function section(id: string, stability: PromptSection["stability"], priority: number): PromptSection {
  return { id, stability, priority, render: () => `text of ${id}` };
}
