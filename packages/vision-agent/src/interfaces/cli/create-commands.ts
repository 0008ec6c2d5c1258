// a command with its flags → what happens in the terminal
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { createColors } from "picocolors";
import { ask } from "./ask.ts";
import { TerminalChat } from "./chat-loop.ts";
import type { Commands } from "./command-line.ts";
import { connectHouse } from "./connect-house.ts";
import type { HouseDoor, HouseFlags, RunningHouse, ServeFlags, Terminal } from "./house-flags.ts";
import { openBrowser } from "./open-browser.ts";
import { printAlerts } from "./print-alerts.ts";
import { createPromptScreen, type PromptScreen } from "./prompt-screen.ts";
import { UsageError } from "./start-failure.ts";
import { type SignalSource, whenToldToStop } from "./when-told-to-stop.ts";

export interface CommandsOptions {
  readonly door: HouseDoor;
  readonly terminal: Terminal;
  readonly signals: SignalSource;
  readonly platform: NodeJS.Platform;
}

export function createCommands(options: CommandsOptions): Commands {
  const { door, terminal } = options;
  const { stdout, stderr } = terminal;
  const notice = (message: string): void => void stderr.write(`${message}\n`);
  return {
    serve: (flags) => serve(options, flags),
    chat: (flags) => chat(options, flags),
    async ask(text, flags) {
      const images = await Promise.all(flags.images.map(readPicture));
      const { client, pictureAt, close } = await connectHouse(door, flags, notice);
      try {
        return await ask({
          client,
          text,
          images,
          json: flags.json,
          pictureAt,
          writeOut: (words) => void stdout.write(words),
          writeError: (words) => void stderr.write(words),
          colours: createColors(stderr.isTTY === true),
        });
      } finally {
        await close();
      }
    },
  };
}

async function serve({ door, terminal, signals, platform }: CommandsOptions, flags: ServeFlags): Promise<number> {
  const { stdout, stderr } = terminal;
  const stop = whenToldToStop(signals);
  const starting = door.start(flags, (message) => void stderr.write(`${message}\n`));
  const house = await Promise.race([starting, stop.told]);
  if (house !== undefined) {
    stdout.write(toReadyText(house));
    if (flags.open && terminal.hasScreen && stdout.isTTY) openBrowser(house.address, platform);
    await stop.told;
  }
  await (await starting).stop();
  stop.dispose();
  return 0;
}

async function chat({ door, terminal, signals }: CommandsOptions, flags: HouseFlags): Promise<number> {
  const { stdin, stdout, stderr } = terminal;
  const stop = whenToldToStop(signals);
  const colours = createColors(stdout.isTTY === true);
  let screen: PromptScreen | undefined;
  const house = await connectHouse(door, flags, (message) => {
    if (screen === undefined) stderr.write(`${message}\n`);
    else screen.tell(`${message}\n`);
  });
  const write = (text: string): void => void stdout.write(text);
  const conversation = new TerminalChat({ ...house, write, colours, readFile: readPicture });
  const lines = createInterface({ input: stdin, output: stdout, terminal: stdin.isTTY === true });
  lines.setPrompt(stdin.isTTY ? "> " : "");
  const prompt = createPromptScreen(lines, stdout);
  screen = prompt;
  const leave = Promise.withResolvers<"quit">();
  let warned = false;
  lines.on("SIGINT", () => {
    const stopped = conversation.interrupt();
    if (!stopped && prompt.forget()) return;
    if (warned && !stopped) return leave.resolve("quit");
    warned = true;
    write(colours.dim(`\n${stopped ? "stopping; " : ""}Ctrl-C again leaves\n`));
    if (!stopped) prompt.ask();
  });
  void stop.told.then(() => leave.resolve("quit"));
  void leave.promise.then(() => lines.close());
  write(`${colours.dim(`${house.greeting} /help shows the commands, /quit leaves.`)}\n`);
  let open = true;
  lines.once("close", () => {
    open = false;
  });
  const quiet = new AbortController();
  const alerts = printAlerts({ ...house, tell: prompt.tell, timeOf: toClockTime, colours, signal: quiet.signal });
  prompt.ask();
  for await (const line of lines) {
    prompt.take();
    warned = false;
    if ((await Promise.race([conversation.line(line), leave.promise])) === "quit") break;
    if (open) prompt.ask();
  }
  lines.close();
  quiet.abort();
  await alerts;
  await house.close();
  stop.dispose();
  return 0;
}

async function readPicture(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new UsageError(`The file ${path} cannot be read.`, { cause });
  }
}

/** Hours, minutes and seconds as the clock on the wall shows them. */
function toClockTime(timestamp: string): string {
  return new Date(timestamp).toTimeString().slice(0, 8);
}

function toReadyText({ address, folder, speaker, cameras, demo }: RunningHouse): string {
  return [
    `Vision Agent is ready at ${address}`,
    `  workspace  ${folder}`,
    `  answers    ${speaker}`,
    `  cameras    ${cameras.join(", ") || "none; add them to CAMERAS.md"}`,
    ...(demo === undefined ? [] : [`  demo       ${demo}`]),
    "",
  ].join("\n");
}
