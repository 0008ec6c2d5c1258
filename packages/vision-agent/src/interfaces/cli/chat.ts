// a terminal ⇄ a conversation, with news above the line that is typed
import { createInterface, type Interface } from "node:readline/promises";
import type { Camera } from "@vision-agent/protocol";
import PQueue from "p-queue";
import { createColors } from "picocolors";
import { replaceAddresses, withoutCredentials } from "../../workspace/camera-address.ts";
import type { FilePort } from "../../workspace/file-port.ts";
import { reasonOf } from "../../workspace/kinded-error.ts";
import type { ApiClient } from "./api-client.ts";
import type { Terminal } from "./app-flags.ts";
import { CHAT_COMMANDS, TerminalChat } from "./chat-loop.ts";
import type { AppConnection } from "./connect-app.ts";
import { type ImageProtocol, INLINE_WIDTH, toInlineImage } from "./inline-image.ts";
import type { Colours } from "./print-run.ts";
import { createProgressLine, type ProgressLine, withProgress } from "./progress-line.ts";
import { createPromptScreen, type PromptScreen } from "./prompt-screen.ts";
import { printable } from "./terminal-text.ts";
import { type SignalSource, whenToldToStop } from "./when-told-to-stop.ts";
import { columnsOf, wrapWords } from "./wrap-words.ts";

export interface ChatSessionOptions {
  /** Connects; told where news goes, before and while the person types. */
  readonly connect: (onNotice: (message: string) => void) => Promise<AppConnection>;
  /** The conversation to go on with; undefined begins one. */
  readonly pickSession: (app: AppConnection) => Promise<string | undefined>;
  readonly terminal: Terminal;
  readonly signals: SignalSource;
  readonly history: LineHistory;
  readonly protocol: ImageProtocol | undefined;
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** Tells the arguments and results of tools, too. */
  readonly verbose: boolean;
}

/** Resolves with the exit code when the person leaves. */
export async function chat(options: ChatSessionOptions): Promise<number> {
  const { stdin, stdout, stderr } = options.terminal;
  const stop = whenToldToStop(options.signals);
  let screen: PromptScreen | undefined;
  const progress = createProgressLine(stdout);
  const onNotice = (message: string): void => {
    progress.erase();
    const line = `${printable(message)}\n`;
    if (screen === undefined) stderr.write(line);
    else screen.tell(line);
  };
  const app = await withProgress(progress, "Starting Vision Agent", () => options.connect(onNotice));
  try {
    const session = await options.pickSession(app);
    const lines = createInterface({
      input: stdin,
      output: stdout,
      terminal: stdin.isTTY === true,
      historySize: MOST_LINES,
      removeHistoryDuplicates: true,
      history: stdin.isTTY ? await options.history.load() : [],
      completer: createCompleter(app),
    });
    screen = createPromptScreen(lines, stdout);
    keepHistory(lines, options.history, screen);
    await talk({ ...options, app, session, lines, screen, progress, told: stop.told });
  } finally {
    await app.close();
    stop.dispose();
  }
  return 0;
}

interface Talk extends ChatSessionOptions {
  readonly app: AppConnection;
  readonly session: string | undefined;
  readonly lines: Interface;
  readonly screen: PromptScreen;
  readonly progress: ProgressLine;
  readonly told: Promise<void>;
}

async function talk(options: Talk): Promise<void> {
  const { app, session, lines, screen, progress, told, terminal, protocol, readFile, verbose } = options;
  const { stdin, stdout } = terminal;
  const colours = createColors(stdout.isTTY === true);
  const draw = (picture: string): void => {
    progress.erase();
    stdout.write(picture);
  };
  const write = (text: string): void => draw(printable(text));
  const columns = (): number | undefined => columnsOf(stdout);
  const conversation = new TerminalChat({
    ...app,
    session,
    drawPicture: protocol && (async (id) => toInlineImage(await app.client.picture(id, INLINE_WIDTH), protocol)),
    write,
    draw,
    colours,
    columns,
    verbose,
    progress,
    readFile,
  });
  lines.setPrompt(stdin.isTTY ? "> " : "");
  const leave = Promise.withResolvers<"quit">();
  let warned = false;
  lines.on("SIGINT", () => {
    const stopped = conversation.interrupt();
    if (!stopped && screen.forget()) return;
    if (warned && !stopped) return leave.resolve("quit");
    warned = true;
    write(colours.dim(`\n${stopped ? "Stopping. " : ""}Press Ctrl-C again to leave.\n`));
    if (!stopped) screen.ask();
  });
  void told.then(() => leave.resolve("quit"));
  void leave.promise.then(() => lines.close());
  const going = session === undefined ? "" : ` Continuing ${session}.`;
  const greeting = `${app.greeting}${going} Type /help for the commands, /quit to leave.`;
  write(`${colours.dim(wrapWords(greeting, columns()))}\n`);
  let open = true;
  lines.once("close", () => {
    open = false;
  });
  const quiet = new AbortController();
  const alerts = printAlerts({
    ...app,
    tell: (text) => screen.tell(printable(text)),
    timeOf: toClockTime,
    colours,
    columns,
    signal: quiet.signal,
  });
  screen.ask();
  for await (const line of lines) {
    screen.take();
    warned = false;
    if ((await Promise.race([conversation.line(line), leave.promise])) === "quit") break;
    if (open) screen.ask();
  }
  lines.close();
  quiet.abort();
  await alerts;
  const { session: ended } = conversation;
  if (ended !== undefined && stdin.isTTY) write(colours.dim(`Continue with: vision-agent chat --session ${ended}\n`));
}

/** Asked anew at each Tab: cameras come and go. */
function createCompleter({ client }: AppConnection): (line: string) => Promise<[string[], string]> {
  return async (line) => {
    const cameras = await client.get<Camera[]>("/api/cameras").catch(() => []); // a Tab completes nothing
    return completeLine(line, { commands: CHAT_COMMANDS, cameras: cameras.map(({ name }) => name) });
  };
}

function keepHistory(lines: Interface, history: LineHistory, screen: PromptScreen): void {
  let told = false;
  lines.on("history", (typed: string[]) => {
    history.save(typed).catch((error: unknown) => {
      if (!told) screen.tell(`What you type is not kept: ${reasonOf(error)}\n`);
      told = true;
    });
  });
}

/** Hours, minutes and seconds in local time. */
function toClockTime(timestamp: string): string {
  return new Date(timestamp).toTimeString().slice(0, 8);
}

/** As readline wants it: ways to go on, and the part of the line that they replace. */
type Completion = [ways: string[], replaced: string];

/** Commands at the beginning of a line, names of cameras anywhere else. */
export function completeLine(
  line: string,
  words: { readonly commands: readonly string[]; readonly cameras: readonly string[] },
): Completion {
  if (/^\/\S*$/.test(line)) {
    const ways = words.commands.filter((command) => command.startsWith(line));
    return [ways.map((way) => `${way} `), line];
  }
  const begun = /\S*$/.exec(line)?.[0] ?? "";
  if (begun === "") return [[], begun];
  const ways = words.cameras.filter((name) => name.toLowerCase().startsWith(begun.toLowerCase()));
  return [ways.map((way) => `${way} `), begun];
}

interface AlertPrinterOptions {
  readonly client: Pick<ApiClient, "alerts">;
  /** Takes whole lines. */
  readonly tell: (text: string) => void;
  /** An instant (ISO 8601) as a person reads it. */
  readonly timeOf: (timestamp: string) => string;
  readonly colours: Colours;
  readonly pictureAt: (artifactId: string) => string;
  /** Width of the terminal; absent or undefined leaves lines as they are. */
  readonly columns?: () => number | undefined;
  /** Ends the printing. */
  readonly signal: AbortSignal;
}

/** Resolves when the signal fires or the connection is lost, which is told. Never rejects. */
export async function printAlerts(options: AlertPrinterOptions): Promise<void> {
  const { client, tell, timeOf, colours, pictureAt, columns, signal } = options;
  try {
    for await (const { severity, timestamp, text, picture } of client.alerts(signal)) {
      const evidence = picture === undefined ? "" : `${colours.dim(`  picture: ${pictureAt(picture)}`)}\n`;
      const line = wrapWords(`! ${severity} ${timeOf(timestamp)} ${text}`, columns?.());
      tell(`${colours.yellow(line)}\n${evidence}`);
    }
  } catch (error) {
    if (!signal.aborted) tell(`Alerts are no longer shown here: ${error instanceof Error ? error.message : error}\n`);
  }
}

/** Lines that were typed before, newest first, as readline wants them. */
interface LineHistory {
  load(): Promise<string[]>;
  /** Passwords inside addresses are left out. The last call wins. */
  save(lines: readonly string[]): Promise<void>;
}

export const MOST_LINES = 500;

export function createLineHistory(options: { readonly files: FilePort; readonly path: string }): LineHistory {
  const { files, path } = options;
  const queue = new PQueue({ concurrency: 1 });
  return {
    async load() {
      const text = (await files.readText(path)) ?? "";
      return text
        .split("\n")
        .filter((line) => line !== "")
        .reverse()
        .slice(0, MOST_LINES);
    },
    save(lines) {
      const text = lines
        .slice(0, MOST_LINES)
        .map((line) => `${replaceAddresses(line, withoutCredentials)}\n`)
        .reverse()
        .join("");
      return queue.add(() => files.writeAtomic(path, text));
    },
  };
}
