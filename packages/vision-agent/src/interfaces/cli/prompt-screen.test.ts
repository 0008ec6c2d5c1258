import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createPromptScreen } from "./prompt-screen.ts";

const ALERT = "! info A person crossed the line on street.\n";

describe("the prompt", () => {
  it("stays whole with what was typed when news comes", async () => {
    const { screen, type, shown, typed } = open();
    screen.ask();
    await type("count the c");
    screen.tell(ALERT);
    expect(shown()).toContain(`\u001b[0J${ALERT}`);
    expect(shown().slice(shown().indexOf(ALERT))).toContain("> count the c");
    await type("ars");
    expect(typed()).toBe("count the cars");
  });

  it("leaves the cursor where it was in the line", async () => {
    const { screen, type, shown } = open();
    screen.ask();
    await type("abc\u001b[D");
    screen.tell(ALERT);
    expect(shown().endsWith("> ab\u001b7c\u001b8")).toBe(true);
  });

  it("clears every row of a line that is wider than the terminal, and nothing of the news", async () => {
    const { screen, type, shown } = open();
    screen.ask();
    await type("x".repeat(100));
    const before = shown().length;
    screen.tell(ALERT);
    const [lifted, drawn] = shown().slice(before).split(ALERT);
    expect(lifted).toContain("\u001b[2A");
    expect(drawn).toBe(`> ${"x".repeat(100)}\u001b7\u001b8`);
  });

  it("holds news back while an answer is written", async () => {
    const { screen, shown } = open();
    screen.take();
    screen.tell(ALERT);
    expect(shown()).toBe("");
    screen.ask();
    expect(shown()).toContain(ALERT);
    expect(shown().indexOf(ALERT)).toBeLessThan(shown().indexOf("> "));
  });

  it("forgets a line that was given up, wherever the cursor stands", async () => {
    const { screen, type, typed } = open();
    screen.ask();
    expect(screen.forget()).toBe(false);
    await type("wrong words\u001b[D\u001b[D");
    expect(screen.forget()).toBe(true);
    expect(typed()).toBe("");
    await type("right");
    expect(typed()).toBe("right");
  });

  it("writes plain lines where nobody sees a cursor", () => {
    const { screen, shown } = open({ terminal: false });
    screen.ask();
    screen.tell(ALERT);
    expect(shown()).toBe(`> ${ALERT}`);
  });
});

function open({ terminal = true } = {}) {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { columns: 40 });
  let text = "";
  output.on("data", (piece: Buffer) => {
    text += piece.toString();
  });
  const lines = createInterface({ input, output, terminal, prompt: "> ", escapeCodeTimeout: 1 });
  return {
    screen: createPromptScreen(lines, output),
    shown: () => text,
    typed: () => lines.line,
    async type(keys: string) {
      input.write(keys);
      await new Promise((soon) => setTimeout(soon, 5));
    },
  };
}
