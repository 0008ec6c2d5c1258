import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseNotes, toMarkdown, withoutComments, withoutNotes } from "./note-text.ts";

const DAY = "memory/2026-02-11.md";
const AT = { day: "2026-02-11", time: "14:05" };

describe("notes as Markdown", () => {
  it("are one item of a list with time, camera and what programs need", () => {
    const note = { content: "A truck\n\nat the dock ", category: "observation", camera: "cam 1" } as const;
    expect(toMarkdown(note, AT)).toBe("- 14:05 [cam 1] A truck\n  at the dock\n");
    const withMetadata = toMarkdown({ ...note, content: "A", metadata: { event: "-->" } }, AT);
    expect(withMetadata).toBe('- 14:05 [cam 1] A <!-- {"event":"--\\u003e"} -->\n');
    expect(toMarkdown({ content: "It opens at 6", category: "knowledge" }, AT)).toBe("- 2026-02-11 It opens at 6\n");
  });

  it("come back as they were, whatever they say", () => {
    const line = fc.constantFrom(
      "[x] done",
      "14:05 late",
      "[gate] open",
      "# Title",
      "```",
      "\\ a",
      "<!-- b -->",
      "- c",
      "2026-01-01 d",
    );
    const content = fc.array(fc.oneof(line, fc.string({ unit: "binary", maxLength: 20 })), {
      minLength: 1,
      maxLength: 4,
    });
    const note = fc.record(
      {
        content: content.map((lines) => lines.join("\n")),
        category: fc.constantFrom("observation" as const, "knowledge" as const),
        camera: fc.constantFrom("gate", "Tür 2"),
        metadata: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean())),
      },
      { requiredKeys: ["content", "category"] },
    );
    fc.assert(
      fc.property(fc.array(note, { minLength: 1, maxLength: 4 }), (notes) => {
        const kept = notes.filter(({ content }) => tidy(content) !== "" && !content.includes("&lt;!--"));
        const path = (category: string): string => (category === "observation" ? DAY : "memory/KNOWLEDGE.md");
        for (const category of ["observation", "knowledge"]) {
          const own = kept.filter((one) => one.category === category);
          const parsed = parseNotes(path(category), own.map((one) => toMarkdown(one, AT)).join(""));
          expect(parsed.map(({ text, camera, day }) => ({ text, camera, day }))).toEqual(
            own.map(({ content, camera }) => ({ text: tidy(content), camera, day: AT.day })),
          );
          expect(parsed.map(({ metadata }) => JSON.stringify(metadata))).toEqual(
            own.map(({ metadata }) => JSON.stringify(metadata)),
          );
        }
      }),
      { seed: 7, numRuns: 150 },
    );
  });
});

describe("what a person wrote", () => {
  const markdown = `# 2026-02-11

A first thought
over two lines.

## Dock

* 9:05 [dock] It was wet.

  And cold.
- [x] call somebody
- [a link](http://example.org) to read
<!-- not
for you -->
- after a comment <!-- {not json} -->
\`\`\`
# no heading

- no item
\`\`\`
`;

  it("is found by item and paragraph with the line it begins at", () => {
    const notes = parseNotes(DAY, markdown);
    expect(notes.map(({ line, heading, text }) => [line, heading, text])).toEqual([
      [3, "", "A first thought\nover two lines."],
      [8, "Dock", "It was wet.\nAnd cold."],
      [11, "Dock", "[x] call somebody"],
      [12, "Dock", "[a link](http://example.org) to read"],
      [15, "Dock", "after a comment\n```\n# no heading\n- no item\n```"],
    ]);
    expect(notes[1]).toMatchObject({ time: "09:05", camera: "dock", day: "2026-02-11", category: "observation" });
  });

  it("hides no later note behind a fence or a comment that is never closed", () => {
    const later = toMarkdown({ content: "Later", category: "observation", metadata: { a: 1 } }, AT);
    const notes = parseNotes(DAY, `\`\`\`\ncode\n\n<!-- forgotten\n\n${later}`);
    expect(notes.at(-1)).toMatchObject({ text: "Later", metadata: { a: 1 } });
  });

  it("is taken out with all its lines, and nothing else with it", () => {
    const markdown =
      "# Day\r\n\n- 10:00 [door] One.\n  More.\n\n  Still.\n- 11:00 [yard] Two.\n\nThree.\n<!-- a\nb -->\n- [door] Four.\n";
    const { text, removed } = withoutNotes("memory/2026-05-20.md", markdown, ({ camera }) => camera === "door");
    expect(removed.map((note) => note.text)).toEqual(["One.\nMore.\nStill.", "Four."]);
    expect(text).toBe("# Day\n\n- 11:00 [yard] Two.\n\nThree.\n<!-- a\nb -->\n");
    expect(withoutNotes("memory/2026-05-20.md", markdown, () => false).text).toBe(markdown);
  });

  it("counts as a preference only under its heading", () => {
    const user = "# About you\n\n- Name: Ada\n\n## Preferences\n\n- No alarms at night\n\n## Other\n\n- Tall\n";
    expect(parseNotes("USER.md", user).map(({ text, category }) => [text, category])).toEqual([
      ["No alarms at night", "preference"],
    ]);
  });

  it("has no date where there is none in the calendar", () => {
    expect(parseNotes("memory/2026-13-40.md", "- 12:00 x")[0]).toMatchObject({ category: "knowledge", text: "x" });
    expect(parseNotes("memory/KNOWLEDGE.md", "- 2026-99-99 x")[0]!.day).toBeUndefined();
  });

  it("is shown without comments", () => {
    expect(withoutComments('- a <!-- {"b":1} -->\n- c\n')).toBe("- a\n- c\n");
  });
});

function tidy(text: string): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.replace(/\p{Cc}+/gu, " ").trim());
  return lines.filter((line) => line !== "").join("\n");
}
