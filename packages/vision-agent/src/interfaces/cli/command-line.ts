// arguments → one command with its flags → an exit code
import { Command, CommanderError } from "commander";
import type { AskFlags, HouseFlags, ServeFlags } from "./house-flags.ts";
import { EXIT_USAGE } from "./start-failure.ts";

/** What the commands do; each resolves with the exit code. */
export interface Commands {
  serve(flags: ServeFlags): Promise<number>;
  chat(flags: HouseFlags): Promise<number>;
  ask(text: string, flags: AskFlags): Promise<number>;
}

export interface CommandLineOptions {
  /** Without the program and the script. */
  readonly argv: readonly string[];
  readonly version: string;
  readonly commands: Commands;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
}

const EXAMPLES = `
Examples:
  $ vision-agent                                   serve, and open the dashboard
  $ vision-agent ask "What do you see on street?"
  $ vision-agent chat
  $ vision-agent serve --camera yard=sim://warehouse --port 8080 --no-open

Without a key everything works by plain rules; with ANTHROPIC_API_KEY a language model answers.
The workspace is --workspace DIR, else VISION_AGENT_HOME, else ~/.vision_agent.`;

/** Resolves with the exit code: 0 well, 1 failed, 2 wrong usage. Rejects with what a command rejects with. */
export async function runCommandLine(options: CommandLineOptions): Promise<number> {
  const result = { exitCode: 0 };
  const program = createProgram(options, result);
  try {
    await program.parseAsync([...withDefaultCommand(options.argv)], { from: "user" });
    return result.exitCode;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return thrown.exitCode === 0 ? 0 : EXIT_USAGE;
  }
}

function createProgram(options: CommandLineOptions, result: { exitCode: number }): Command {
  const { version, commands, writeOut, writeError } = options;
  const program = new Command("vision-agent")
    .description("Tell it in plain words what matters; it watches the cameras and tells you with a picture.")
    .version(version, "-V, --version", "print the version")
    .configureOutput({ writeOut, writeErr: writeError })
    .showSuggestionAfterError()
    .addHelpText("after", EXAMPLES)
    .exitOverride();

  withHouseFlags(program.command("serve").description("serve the dashboard and the API (the default)"))
    .option("--no-open", "do not open a browser")
    .action(async (flags: CommanderFlags & { open: boolean }) => {
      result.exitCode = await commands.serve({ ...toHouseFlags(flags), open: flags.open });
    });

  withHouseFlags(program.command("chat").description("talk in the terminal")).action(async (flags: CommanderFlags) => {
    result.exitCode = await commands.chat(toHouseFlags(flags));
  });

  withHouseFlags(program.command("ask").description("ask one question and leave"))
    .argument("<text...>", "what you want to know or have done")
    .option("--image <file>", "a picture that goes with it (repeatable)", collect, [])
    .option("--json", "print the outcome as JSON", false)
    .action(async (words: readonly string[], flags: CommanderFlags & { image: string[]; json: boolean }) => {
      const { image: images, json } = flags;
      result.exitCode = await commands.ask(words.join(" "), { ...toHouseFlags(flags), images, json });
    });

  return program;
}

interface CommanderFlags {
  readonly host?: string;
  readonly port?: string;
  readonly workspace?: string;
  readonly camera: readonly string[];
  readonly demo: boolean;
}

function withHouseFlags(command: Command): Command {
  return command
    .option("--host <address>", "address to listen on (127.0.0.1)")
    .option("--port <number>", "port to listen on (4750; 0 takes a free one)")
    .option("--workspace <dir>", "folder where everything is kept")
    .option("--camera <name=source>", "camera for this run, in place of CAMERAS.md (repeatable)", collect, [])
    .option("--no-demo", "do not start the demo pipeline");
}

function toHouseFlags({ host, port, workspace, camera, demo }: CommanderFlags): HouseFlags {
  return {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(workspace !== undefined && { workspace }),
    cameras: camera,
    demo,
  };
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

const WITH_VALUE: ReadonlySet<string> = new Set(["--host", "--port", "--workspace", "--camera", "--image"]);
const ABOUT: ReadonlySet<string> = new Set(["-h", "--help", "-V", "--version"]);

/** Flags alone mean `serve`; a word that is no command stays where it is, so that it is called unknown. */
function withDefaultCommand(argv: readonly string[]): readonly string[] {
  const hasWord = argv.some((word, at) => !word.startsWith("-") && !WITH_VALUE.has(argv[at - 1] ?? ""));
  return hasWord || argv.some((word) => ABOUT.has(word)) ? argv : ["serve", ...argv];
}
