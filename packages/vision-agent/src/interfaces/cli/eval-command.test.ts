import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@vision-agent/agent-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AppLauncher } from "./app-flags.ts";
import { type EvalFlags, runEvalCommand } from "./eval-command.ts";

const GREETING = "say: Hello\ncorrect: Louder\nhouse: { cameras: {} }\nexpect: { answer: { all: [hello] } }\n";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "eval-command-"));
  await mkdir(join(folder, "set/greetings"), { recursive: true });
  await mkdir(join(folder, "scratch"));
  await writeFile(join(folder, "set/greetings/hello.yaml"), GREETING);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("vision-agent eval", () => {
  it("prints the rates, writes both reports, and leaves nothing else behind", async () => {
    const app = fakeDoor(() => ({ text: "hello there" }));
    const { code, out, notices } = await evaluate(app);
    expect(code).toBe(0);
    expect(out).toMatch(/greetings\s+1\s+1 \(100 %\)\s+1 \(100 %\)\s+\$0\.0000/);
    expect(notices).toEqual([expect.stringContaining("greetings/hello: right (")]);
    expect(await readFile(join(folder, "report/report.md"), "utf8")).toContain("offline interpreter answered");
    const report = JSON.parse(await readFile(join(folder, "report/report.json"), "utf8"));
    expect(report).toMatchObject({ speaker: "offline interpreter", total: { instructions: 1, first_try: 1 } });
    expect(await readdir(join(folder, "scratch"))).toEqual([]);
    expect(app.running).toBe(0);
  });

  it("says the correction when the first answer is wrong, in the same conversation", async () => {
    const said: string[] = [];
    const { code, out } = await evaluate(
      fakeDoor((text) => {
        said.push(text);
        return { text: said.length === 1 ? "what?" : "HELLO" };
      }),
      { json: true },
    );
    expect(said).toEqual(["Hello", "Louder"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ total: { first_try: 0, after_correction: 1 } });
  });

  it("says yes where a yes is asked for, and answers a question with the next words", async () => {
    const answers: unknown[] = [];
    const { out } = await evaluate(
      fakeDoor(
        () => ({ status: "paused", reason: "May I?", pause_id: "pause_yes" }),
        (id, answer) => {
          answers.push([id, answer]);
          if (id === "pause_question") return { text: "hello" };
          return { status: "paused", reason: "Which one?", pause_id: "pause_question" };
        },
      ),
      { json: true },
    );
    expect(answers).toEqual([
      ["pause_yes", { decision: "approve" }],
      ["pause_question", { decision: "answer", text: "Louder" }],
    ]);
    expect(JSON.parse(out)).toMatchObject({
      total: { after_correction: 1 },
      results: [{ turns: [{ answer: "Which one?" }, {}] }],
    });
  });

  it("says no where the file says that the person does not agree", async () => {
    await writeFile(join(folder, "set/greetings/hello.yaml"), `agrees: false\n${GREETING}`);
    const answers: unknown[] = [];
    await evaluate(
      fakeDoor(
        () => ({ status: "paused", reason: "May I?", pause_id: "pause_yes" }),
        (_, answer) => {
          answers.push(answer);
          return { text: "hello" };
        },
      ),
    );
    expect(answers).toEqual([{ decision: "deny" }]);
  });

  it("does not let the offline interpreter pass for a model", async () => {
    const app = fakeDoor(() => ({ text: "hello" }));
    await expect(evaluate(app, { provider: "anthropic" })).rejects.toThrow("no key for anthropic");
    expect(app.running).toBe(0);
  });

  it("refuses a set with a mistake by file and line", async () => {
    const app = fakeDoor(() => ({ text: "hello" }));
    await writeFile(join(folder, "set/greetings/broken.yaml"), "say: Hello\nhous: {}\n");
    await expect(evaluate(app)).rejects.toThrow(/greetings\/broken\.yaml:2: there is no key hous/);
    await expect(evaluate(app, { set: join(folder, "nowhere") })).rejects.toThrow("there is no such folder");
  });

  it("ends with 1 when an instruction could not be run", async () => {
    await writeFile(join(folder, "set/greetings/hello.yaml"), GREETING.replace("house:", "images: [gone.jpg]\nhouse:"));
    const { code, notices } = await evaluate(fakeDoor(() => ({ text: "hello" })));
    expect(code).toBe(1);
    expect(notices[0]).toContain("could not be run");
  });
});

async function evaluate(launcher: Pick<AppLauncher, "start">, flags: Partial<EvalFlags> = {}) {
  let out = "";
  const notices: string[] = [];
  const code = await runEvalCommand(
    {
      launcher,
      write: (text) => {
        out += text;
      },
      notice: (message) => notices.push(message),
      ownSet: join(folder, "set"),
      temporaryFolder: join(folder, "scratch"),
      clock: systemClock,
      timeZone: "UTC",
    },
    { provider: "offline", json: false, report: join(folder, "report"), ...flags },
  );
  return { code, out, notices };
}

type Reply = Readonly<Record<string, unknown>>;

/** A door to apps that answer by the functions alone. */
function fakeDoor(
  say: (text: string) => Reply,
  resume: (pauseId: string, answer: unknown) => Reply = () => ({}),
): Pick<AppLauncher, "start"> & { readonly running: number } {
  let running = 0;
  return {
    get running() {
      return running;
    },
    async start({ workspace = "" }) {
      await mkdir(join(workspace, "memory"), { recursive: true });
      await mkdir(join(workspace, "sessions"), { recursive: true });
      const server = await listen(say, resume);
      running += 1;
      const { port } = server.address() as AddressInfo;
      const stop = async (): Promise<void> => {
        server.closeAllConnections();
        if (server.listening) running -= 1;
        server.close();
      };
      const address = `http://127.0.0.1:${port}`;
      const where = { address, link: address, token: "t", folder: workspace };
      return { ...where, speaker: "", cameras: [], stop };
    },
  };
}

const OUTCOME = { status: "finished", text: "", images: [], reason: "complete" };
const PAUSE = {
  session_id: "s",
  run_id: "r",
  choices: [],
  created_at: "2026-01-01T10:00:00.000Z",
  expires_at: null,
  calls: [],
};
const PLAIN: Readonly<Record<string, unknown>> = {
  "/healthz": { status: "ok", version: "1", mode: "offline", speaker: "offline interpreter", uptime_seconds: 1 },
  "/api/sessions": { id: "session_1" },
  "/api/pipelines": [],
  "/api/watches": [],
  "/api/alerts": [],
  "/api/cameras": [],
  "/api/jobs": [],
  "/api/mode": { mode: "home", since: "2026-01-01T10:00:00.000Z", set_by: "person", schedule: [] },
  "/api/pauses": [
    { ...PAUSE, id: "pause_yes", kind: "approval", prompt: "May I?" },
    { ...PAUSE, id: "pause_question", kind: "ask_user", prompt: "Which one?" },
  ],
};

async function listen(
  say: (text: string) => Reply,
  resume: (pauseId: string, answer: unknown) => Reply,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { pathname } = new URL(request.url ?? "", "http://app");
    if (pathname.endsWith("/messages")) {
      response.end(JSON.stringify({ ...OUTCOME, ...say(JSON.parse(text).text) }));
    } else if (pathname.startsWith("/api/pauses/")) {
      response.end(JSON.stringify({ ...OUTCOME, ...resume(pathname.split("/").at(-1) ?? "", JSON.parse(text)) }));
    } else response.end(JSON.stringify(PLAIN[pathname] ?? null));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}
