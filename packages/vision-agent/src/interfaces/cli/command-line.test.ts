import { describe, expect, it } from "vitest";
import { runCommandLine } from "./command-line.ts";

const NONE = { cameras: [], demo: true };

describe("the command line", () => {
  it.each<[readonly string[], unknown]>([
    [[], ["serve", { ...NONE, open: true }]],
    [
      ["--no-open", "--port", "0"],
      ["serve", { ...NONE, open: false, port: "0" }],
    ],
    [
      ["serve", "--host", "127.0.0.1"],
      ["serve", { ...NONE, open: true, host: "127.0.0.1" }],
    ],
    [
      ["serve", "--camera", "a=sim://street", "--camera", "b=sim://warehouse", "--no-demo", "--workspace", "/w"],
      ["serve", { cameras: ["a=sim://street", "b=sim://warehouse"], demo: false, open: true, workspace: "/w" }],
    ],
    [
      ["chat", "--workspace", "/w"],
      ["chat", { ...NONE, workspace: "/w" }],
    ],
    [
      ["ask", "what now?"],
      ["ask", "what now?", { ...NONE, images: [], json: false }],
    ],
    [
      ["ask", "what", "is", "running", "--json"],
      ["ask", "what is running", { ...NONE, images: [], json: true }],
    ],
    [
      ["ask", "what is this?", "--image", "a.jpg", "--image", "b.png", "--json"],
      ["ask", "what is this?", { ...NONE, images: ["a.jpg", "b.png"], json: true }],
    ],
  ])("reads %j", async (argv, expected) => {
    const { called, exitCode } = await run(argv);
    expect(called).toEqual([expected]);
    expect(exitCode).toBe(0);
  });

  it("passes the exit code of the command on", async () => {
    expect((await run(["ask", "x"], 1)).exitCode).toBe(1);
  });

  it.each<[readonly string[], RegExp]>([
    [["chatt"], /unknown command 'chatt'\n\(Did you mean chat\?\)/],
    [["serve", "--prot", "1"], /unknown option '--prot'\n\(Did you mean --port\?\)/],
    [["ask"], /missing required argument 'text'/],
    [["serve", "now"], /too many arguments/],
    [["--port"], /argument missing/],
  ])("answers %j with a sentence and exit code 2", async (argv, message) => {
    const { called, exitCode, errors } = await run(argv);
    expect(errors).toMatch(message);
    expect(exitCode).toBe(2);
    expect(called).toEqual([]);
  });

  it("helps with examples, and prints its version", async () => {
    const help = await run(["--help"]);
    expect(help.exitCode).toBe(0);
    expect(help.output).toContain('$ vision-agent ask "What do you see on street?"');
    expect((await run(["ask", "--help"])).output).toContain("--json");
    expect((await run(["--version"])).output).toBe("1.2.3\n");
  });
});

async function run(argv: readonly string[], code = 0) {
  const called: unknown[] = [];
  const call = async (...words: readonly unknown[]): Promise<number> => {
    called.push(words);
    return code;
  };
  let output = "";
  let errors = "";
  const exitCode = await runCommandLine({
    argv,
    version: "1.2.3",
    commands: {
      serve: (flags) => call("serve", flags),
      chat: (flags) => call("chat", flags),
      ask: (text, flags) => call("ask", text, flags),
    },
    writeOut: (text) => {
      output += text;
    },
    writeError: (text) => {
      errors += text;
    },
  });
  return { called, exitCode, output, errors };
}
