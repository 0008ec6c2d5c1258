import { createColors } from "picocolors";
import { describe, expect, it } from "vitest";
import { printable } from "./terminal-text.ts";

describe("what a terminal prints", () => {
  it.each([
    ["clears the screen", "a\u001b[2Jb", "a[2Jb"],
    ["sets the title", "a\u001b]0;owned\u0007b", "a]0;ownedb"],
    ["writes to the clipboard in one character", "a\u009d52;c;AAAA\u009cb", "a52;c;AAAAb"],
    ["hides words", "a\u001b[8mb", "a[8mb"],
    ["overwrites the line", "safe\rdanger\b\b", "safedanger"],
    ["turns words round", "invoice\u202egpj.exe\u2066\u200f", "invoicegpj.exe"],
  ])("is not what %s", (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("has its lines, tabs, colours and the writing of all people", () => {
    const { red, dim, yellow } = createColors(true);
    const text = `${red("a")}\n\t${dim("é 猫 👍🏽")} ${yellow("שלום")}\n`;
    expect(printable(text)).toBe(text);
  });
});
