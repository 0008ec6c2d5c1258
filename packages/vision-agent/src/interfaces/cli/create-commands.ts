// a command with its flags → what happens in the terminal

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { EnvironmentVariables } from "@vision-agent/agent-core";
import { createColors } from "picocolors";
import { expandHome } from "../../config/environment.ts";
import { isAsleep, runAppCommand } from "./app-commands.ts";
import type { AppFlags, AppLauncher, ChatFlags, JsonFlags, RunningApp, ServeFlags, Terminal } from "./app-flags.ts";
import { ask } from "./ask.ts";
import { chat, createLineHistory } from "./chat.ts";
import type { Commands } from "./command-line.ts";
import { type AppConnection, connectApp, pickSession } from "./connect-app.ts";
import type { EvalCommandOptions } from "./eval-command.ts";
import { UsageError } from "./exit-codes.ts";
import { findImageProtocol } from "./inline-image.ts";
import { toJsonText, toTable } from "./list-text.ts";
import { createProgressLine, withProgress } from "./progress-line.ts";
import { readCameras } from "./read-cameras.ts";
import { printable } from "./terminal-text.ts";
import { type SignalSource, whenToldToStop } from "./when-told-to-stop.ts";
import { columnsOf } from "./wrap-words.ts";

export interface CommandsOptions {
  readonly launcher: AppLauncher;
  readonly terminal: Terminal;
  readonly signals: SignalSource;
  readonly platform: NodeJS.Platform;
  readonly env: EnvironmentVariables;
  /** Such as `24.15.0`. */
  readonly nodeVersion: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What `eval` needs beside the terminal. */
  readonly evals: Omit<EvalCommandOptions, "launcher" | "write" | "notice">;
}

/** Name of the file in the workspace that keeps what was typed in the chat. */
const HISTORY = ".chat_history";

export function createCommands(options: CommandsOptions): Commands {
  const { launcher, terminal } = options;
  const { stdout, stderr } = terminal;
  const write = (text: string): void => void stdout.write(printable(text));
  const progress = createProgressLine(stderr);
  const notice = (message: string): void => {
    progress.erase();
    stderr.write(`${printable(message)}\n`);
  };
  const withApp = async (flags: AppFlags, work: (app: AppConnection) => Promise<number>): Promise<number> => {
    const app = await withProgress(progress, "Starting Vision Agent", () => connectApp(launcher, flags, notice));
    return work(app).finally(app.close);
  };
  const askAddress = createAddressReader(terminal);
  const withCameras = async <F extends { readonly cameras: readonly string[] }>(flags: F): Promise<F> => ({
    ...flags,
    cameras: await readCameras(flags.cameras, {
      ask: askAddress,
      readFile: readGivenFile,
      env: options.env,
      warn: notice,
    }),
  });
  return {
    open: async (flags) => openUsual(options, await withCameras(flags)),
    serve: async (flags) => serve(options, await withCameras(flags)),
    chat: async (flags) => startChat(options, await withCameras(flags)),
    async ask(given, [text = ""]) {
      const flags = await withCameras(given);
      const images = await Promise.all(flags.images.map(readGivenFile));
      return withApp(flags, async ({ client, pictureAt }) =>
        ask({
          client,
          text,
          images,
          json: flags.json,
          pictureAt,
          session: await pickSession(client, flags),
          writeOut: write,
          writeError: (words) => void stderr.write(printable(words)),
          colours: createColors(stderr.isTTY === true),
          columns: () => columnsOf(stdout),
          verbose: flags.verbose,
          progress,
        }),
      );
    },
    app: (command, { json, workspace }) =>
      withApp({ cameras: [], demo: false, asleep: isAsleep(command), workspace }, ({ client, pictureAt }) =>
        runAppCommand(
          {
            client,
            json,
            write,
            pictureAt,
            now: options.now,
            readFile: readGivenFile,
            readPassword: (...asked) => readPassword(terminal, ...asked),
            progress,
          },
          command,
        ),
      ),
    async models(flags) {
      const models = await (await launcher.openSetup(flags)).models();
      const rows = models.map(({ id, cached, summary }) => [id, cached ? "here" : "-", summary]);
      write(flags.json ? toJsonText(models) : toTable([["model", "", ""], ...rows]));
      return 0;
    },
    doctor: (flags) => doctor(options, flags),
    async init(flags) {
      const { setUp } = await import("./init.ts");
      const asks = !flags.yes && !flags.json && terminal.stdin.isTTY === true;
      return setUp(
        { setup: await launcher.openSetup(flags), write, ...(asks && { ask: createAsker(terminal) }) },
        await withCameras(flags),
      );
    },
    async "backend list"(flags) {
      const { listBackends } = await import("./backend-commands.ts");
      return listBackends({ launcher, write, notice }, flags);
    },
    async "backend parity"(flags) {
      const { compareBackends } = await import("./backend-commands.ts");
      return compareBackends({ launcher, write, notice, readFile: readGivenFile }, flags);
    },
    async eval(flags) {
      const { runEvalCommand } = await import("./eval-command.ts");
      return runEvalCommand({ ...options.evals, launcher, write, notice }, flags);
    },
  };
}

/** Without a word: the dashboard, or the chat where `interface.type` says so and somebody sits at a terminal. */
async function openUsual(options: CommandsOptions, flags: ServeFlags): Promise<number> {
  const { stdin, stdout } = options.terminal;
  const { type } = (await (await options.launcher.openSetup(flags)).loadConfig()).interface;
  if (type === "cli" && stdin.isTTY && stdout.isTTY && flags.open) {
    return startChat(options, { ...flags, continue: false });
  }
  return serve(options, flags);
}

async function serve({ launcher, terminal, signals, platform }: CommandsOptions, flags: ServeFlags): Promise<number> {
  const { stdout, stderr } = terminal;
  const stop = whenToldToStop(signals);
  const starting = launcher.start(flags, (message) => void stderr.write(`${printable(message)}\n`));
  const app = await Promise.race([starting, stop.told]);
  if (app !== undefined) {
    stdout.write(printable(toReadyText(app)));
    if (flags.open && terminal.hasScreen && stdout.isTTY) openBrowser(app.link, platform);
    await stop.told;
  }
  await (await starting).stop();
  stop.dispose();
  return 0;
}

async function startChat(options: CommandsOptions, flags: ChatFlags): Promise<number> {
  const { launcher, terminal, signals, env } = options;
  const { folder, files } = await launcher.openSetup(flags);
  return chat({
    connect: (onNotice) => connectApp(launcher, flags, onNotice),
    pickSession: ({ client }) => pickSession(client, flags),
    terminal,
    signals,
    history: createLineHistory({ files, path: join(folder, HISTORY) }),
    protocol: terminal.stdout.isTTY ? findImageProtocol(env) : undefined,
    readFile: readGivenFile,
    verbose: flags.verbose ?? false,
  });
}

async function doctor({ launcher, terminal, nodeVersion }: CommandsOptions, flags: JsonFlags): Promise<number> {
  const { examine, createChecks } = await import("./doctor.ts");
  const { stdout, stderr } = terminal;
  const { workspace } = flags;
  const running = await launcher.findRunning({ workspace, cameras: [], demo: false });
  const checks = createChecks({
    setup: await launcher.openSetup(flags),
    nodeVersion,
    running: running?.address,
    async servers() {
      const backends = await launcher.openBackends(
        { workspace },
        (message) => void stderr.write(`${printable(message)}\n`),
      );
      return backends.servers().finally(backends.close);
    },
  });
  const colours = createColors(stdout.isTTY === true);
  return examine({ checks, json: flags.json, write: (text) => void stdout.write(printable(text)), colours });
}

function createAsker({ stdin, stdout }: Terminal) {
  return async (question: string, { hidden = false }: { readonly hidden?: boolean } = {}): Promise<string> => {
    stdout.write(question);
    // Echoes go nowhere: what is typed must not stay on the screen.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: stdin, output: hidden ? nowhere : stdout, terminal: true });
    try {
      return await lines.question("");
    } finally {
      lines.close();
      if (hidden) stdout.write("\n");
    }
  };
}

/** Typed twice where somebody sits at a terminal; a script gives a file or pipes it. */
async function readPassword(terminal: Terminal, question: string, file: string | undefined): Promise<string> {
  if (file !== undefined && file !== "-") {
    const bytes = await readGivenFile(file);
    return firstLine(new TextDecoder().decode(bytes));
  }
  if (terminal.stdin.isTTY !== true) return firstLine(await text(terminal.stdin));
  const ask = createAsker({ ...terminal, stdout: terminal.stderr });
  const password = await ask(question, { hidden: true });
  if (password !== (await ask("Again: ", { hidden: true }))) throw new UsageError("The two passwords differ.");
  return password;
}

/** One line for each address, typed unseen or piped in. */
function createAddressReader(terminal: Terminal): (question: string) => Promise<string> {
  let piped: Promise<string[]> | undefined;
  return async (question) => {
    if (terminal.stdin.isTTY === true) {
      return createAsker({ ...terminal, stdout: terminal.stderr })(question, { hidden: true });
    }
    piped ??= text(terminal.stdin).then((all) => all.split(/\r?\n/));
    return (await piped).shift() ?? "";
  };
}

function firstLine(given: string): string {
  return given.split(/\r?\n/, 1)[0] ?? "";
}

async function readGivenFile(path: string): Promise<Uint8Array> {
  try {
    return await readFile(expandHome(path));
  } catch (cause) {
    throw new UsageError(`The file ${path} cannot be read.`, { cause });
  }
}

function toReadyText({ address, others, link, folder, speaker, cameras, demo }: RunningApp): string {
  return [
    `Vision Agent is ready at ${address}`,
    `  sign in    ${link}`,
    "             (works once, within 15 minutes; for another link: vision-agent link)",
    ...(others === undefined ? [] : [`  others     ${others.url}`]),
    ...(others?.fingerprint === undefined ? [] : [`             certificate SHA-256 ${others.fingerprint}`]),
    `  workspace  ${folder}`,
    `  answers    ${speaker}`,
    `  cameras    ${cameras.join(", ") || "none; add them to CAMERAS.md"}`,
    ...(demo === undefined ? [] : [`  demo       ${demo}`]),
    "",
  ].join("\n");
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  linux: ["xdg-open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Shows an address in the person's browser. Nothing happens where that is not possible. */
function openBrowser(address: string, platform: NodeJS.Platform): void {
  const opener = OPENERS[platform];
  if (opener === undefined) return;
  const [command, ...args] = opener;
  const child = spawn(command, [...args, address], { stdio: "ignore", detached: true });
  // No browser is no failure: the address is printed as well.
  child.on("error", () => undefined);
  child.unref();
}
