import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LiteralAutomaton } from "./literal-automaton.ts";

const letters = fc.string({ unit: fc.constantFrom("a", "b", "é"), minLength: 1, maxLength: 6 });

describe("LiteralAutomaton", () => {
  it("knows at each place the longest word that ends there and the longest that is begun", () => {
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 8 }),
        fc.string({ unit: fc.constantFrom("a", "b", "é") }),
        (words, text) => {
          const automaton = new LiteralAutomaton(words, { backwards: false });
          let state = 0;
          for (let at = 0; at < text.length; at++) {
            state = automaton.next(state, text.charCodeAt(at));
            const read = text.slice(0, at + 1);
            const ended = words.filter((word) => read.endsWith(word)).map(({ length }) => length);
            expect(automaton.longest[state]).toBe(Math.max(0, ...ended));
            const begun = words.flatMap((word) =>
              Array.from({ length: word.length }, (_, length) => length).filter((length) =>
                read.endsWith(word.slice(0, length)),
              ),
            );
            expect(automaton.depths[automaton.unfinished[state] ?? 0]).toBe(Math.max(0, ...begun));
          }
        },
      ),
    );
  });
});
