import { describe, expect, it } from "vitest";
import { runCommandLine } from "./command-line.ts";

const NONE = { cameras: [], demo: true };
const PLAIN = { json: false };

describe("the command line", () => {
  it.each<[readonly string[], unknown]>([
    [[], ["open", { ...NONE, open: true }]],
    [
      ["--no-open", "--port", "0"],
      ["open", { ...NONE, open: false, port: "0" }],
    ],
    [
      ["--workspace", "/w", "--port=0"],
      ["open", { ...NONE, open: true, port: "0", workspace: "/w" }],
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
      ["chat", { ...NONE, workspace: "/w", continue: false, verbose: false }],
    ],
    [
      ["chat", "--session", "session_1"],
      ["chat", { ...NONE, session: "session_1", continue: false, verbose: false }],
    ],
    [
      ["chat", "--continue"],
      ["chat", { ...NONE, continue: true, verbose: false }],
    ],
    [
      ["chat", "--verbose"],
      ["chat", { ...NONE, continue: false, verbose: true }],
    ],
    [
      ["ask", "what now?"],
      ["ask", "what now?", { ...NONE, images: [], json: false, continue: false, verbose: false }],
    ],
    [
      ["ask", "what", "is", "running", "--json"],
      ["ask", "what is running", { ...NONE, images: [], json: true, continue: false, verbose: false }],
    ],
    [
      ["ask", "what is this?", "--image", "a.jpg", "--image", "b.png", "--json"],
      ["ask", "what is this?", { ...NONE, images: ["a.jpg", "b.png"], json: true, continue: false, verbose: false }],
    ],
    [["watch"], ["app", { name: "watch list", words: [], options: {} }, PLAIN]],
    [["mode"], ["app", { name: "mode", words: [], options: {} }, PLAIN]],
    [
      ["mode", "away"],
      ["app", { name: "mode", words: ["away"], options: {} }, PLAIN],
    ],
    [
      ["watch", "add", "a cat comes", "--workspace", "/w"],
      ["app", { name: "watch add", words: ["a cat comes"], options: {} }, { json: false, workspace: "/w" }],
    ],
    [
      ["watch", "pause", "w1", "--json"],
      ["app", { name: "watch pause", words: ["w1"], options: {} }, { json: true }],
    ],
    [
      ["pipelines", "list"],
      ["app", { name: "pipelines list", words: [], options: {} }, PLAIN],
    ],
    [
      ["pipelines", "stop", "street-count"],
      ["app", { name: "pipelines stop", words: ["street-count"], options: {} }, PLAIN],
    ],
    [
      ["events", "--camera", "street", "--class", "person", "--kind", "left", "--from", "08:00", "--search", "red van"],
      [
        "app",
        {
          name: "events",
          words: [],
          options: { camera: "street", class: "person", kind: "left", from: "08:00", search: "red van", limit: "50" },
        },
        PLAIN,
      ],
    ],
    [
      ["alerts", "--limit", "3"],
      ["app", { name: "alerts", words: [], options: { limit: "3" } }, PLAIN],
    ],
    [
      ["memory", "search", "red", "van", "--camera", "street"],
      ["app", { name: "memory search", words: ["red van"], options: { camera: "street" } }, PLAIN],
    ],
    [
      ["sessions", "--json"],
      ["app", { name: "sessions", words: [], options: {} }, { json: true }],
    ],
    [["usage"], ["app", { name: "usage", words: [], options: {} }, PLAIN]],
    [["pauses"], ["app", { name: "pauses list", words: [], options: {} }, PLAIN]],
    [
      ["pauses", "answer", "p1", "the left one"],
      ["app", { name: "pauses answer", words: ["p1", "the left one"], options: {} }, PLAIN],
    ],
    [
      ["models", "--json"],
      ["models", { json: true }],
    ],
    [
      ["doctor", "--workspace", "/w"],
      ["doctor", { json: false, workspace: "/w" }],
    ],
    [
      ["init", "--yes", "--provider", "offline", "--camera", "a=sim://street", "--server-url", "http://s"],
      ["init", { json: false, yes: true, provider: "offline", cameras: ["a=sim://street"], serverUrl: "http://s" }],
    ],
    [
      ["eval", "--provider", "offline", "--set", "d"],
      ["eval", { provider: "offline", set: "d", json: false }],
    ],
    [
      ["backend", "list", "--workspace", "/w", "--json"],
      ["backend list", { workspace: "/w", json: true }],
    ],
    [
      ["backend", "parity", "--image", "a b.jpg", "--model", "coco/3"],
      ["backend parity", { image: "a b.jpg", model: "coco/3", json: false }],
    ],
    [
      ["backend", "parity", "--camera", "launcher", "--spec", "s.json"],
      ["backend parity", { camera: "launcher", spec: "s.json", json: false }],
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
    [["backend", "lst"], /unknown command 'lst'\n\(Did you mean list\?\)/],
    [["backend", "parity", "--imge", "a"], /unknown option '--imge'/],
    [["--port"], /argument missing/],
    [["watch", "add"], /missing required argument 'words'/],
    [["init", "--provider", "hal"], /Allowed are anthropic, openai, offline\./],
    [["eval"], /required option '--provider <name>' not specified/],
    [["eval", "--provider", "oracle"], /Allowed are offline, anthropic, openai\./],
  ])("answers %j with a sentence and exit code 2", async (argv, message) => {
    const { called, exitCode, errors } = await run(argv);
    expect(errors).toMatch(message);
    expect(exitCode).toBe(2);
    expect(called).toEqual([]);
  });

  it("loads no command to help", async () => {
    const loadCommands = () => Promise.reject(new Error("loaded"));
    const silent = { version: "1", loadCommands, writeOut: () => undefined, writeError: () => undefined };
    expect(await runCommandLine({ ...silent, argv: ["--help"] })).toBe(0);
    expect(await runCommandLine({ ...silent, argv: ["watch", "add", "--help"] })).toBe(0);
    await expect(runCommandLine({ ...silent, argv: ["sessions"] })).rejects.toThrow("loaded");
  });

  it("says in each help what a command is about, and defaults as they are typed", async () => {
    const watch = (await run(["watch", "--help"])).output;
    expect(watch).toMatch(/pause \[options\] <id> +pause a watch\n/);
    expect(watch).toContain("show the help of a command");
    expect((await run(["events", "--help"])).output).toContain("how many at most (default: 50)");
    expect((await run(["chat", "--help"])).output).toContain("port to listen on (default: a free one)");
    expect((await run(["serve", "--help"])).output).toContain("port to listen on (default: 4750; 0 picks a free one)");
    expect((await run(["eval", "--help"])).output).toContain("who answers (required)");
  });

  it("helps with examples, and prints its version", async () => {
    const help = await run(["--help"]);
    expect(help.exitCode).toBe(0);
    expect(help.output).toContain('$ vision-agent ask "What do you see on street?"');
    expect((await run(["ask", "--help"])).output).toContain("--json");
    expect(help.output).toMatch(/-h, --help +show this help/);
    expect((await run(["backend", "parity", "--help"])).output).toContain("within 2 pixels and 0.02");
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
    loadCommands: async () => ({
      open: (flags) => call("open", flags),
      serve: (flags) => call("serve", flags),
      chat: (flags) => call("chat", flags),
      ask: (flags, words) => call("ask", ...words, flags),
      app: (command, flags) => call("app", command, flags),
      models: (flags) => call("models", flags),
      doctor: (flags) => call("doctor", flags),
      init: (flags) => call("init", flags),
      "backend list": (flags) => call("backend list", flags),
      "backend parity": (flags) => call("backend parity", flags),
      eval: (flags) => call("eval", flags),
    }),
    writeOut: (text) => {
      output += text;
    },
    writeError: (text) => {
      errors += text;
    },
  });
  return { called, exitCode, output, errors };
}
