// arguments → one command with its flags → an exit code
import { Command, CommanderError, InvalidArgumentError, type Option } from "commander";
import { addAppCommands, withJson } from "./app-command-line.ts";
import type { AppFlags, BackendFlags, ChatFlags, InitFlags, JsonFlags, ParityFlags } from "./app-flags.ts";
import type { CommandRunner, Commands } from "./commands.ts";
import type { EvalFlags } from "./eval-command.ts";
import { EXIT_USAGE } from "./exit-codes.ts";

export interface CommandLineOptions {
  /** Without the program and the script. */
  readonly argv: readonly string[];
  readonly version: string;
  /** Called by a command that runs: help and version need none of it. */
  readonly loadCommands: () => Promise<Commands>;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
}

const EXAMPLES = `
Examples:
  $ vision-agent                                   start the server and open the dashboard
  $ vision-agent init                              find and test API keys, add a camera
  $ vision-agent ask "What do you see on street?"
  $ vision-agent chat --continue
  $ vision-agent watch add "a person enters the left half of street"
  $ vision-agent events --camera street --class person --json
  $ vision-agent serve --camera yard=sim://warehouse --port 8080 --no-open
  $ vision-agent backend parity --image street.jpg --model coco/3

Without an API key the offline interpreter answers; with ANTHROPIC_API_KEY or OPENAI_API_KEY a language model does.
The workspace is --workspace DIR, else VISION_AGENT_HOME, else ~/.vision_agent.
Exit codes: 0 success, 1 failure, 2 wrong usage, 3 waiting for your answer (see: vision-agent pauses).`;

/** Resolves with the exit code: 0 well, 1 failed, 2 wrong usage. Rejects with what a command rejects with. */
export async function runCommandLine(options: CommandLineOptions): Promise<number> {
  let exitCode = 0;
  const program = createProgram(options, async (work) => {
    exitCode = await work(await options.loadCommands());
  });
  try {
    await program.parseAsync([...withDefaultCommand(options.argv)], { from: "user" });
    return exitCode;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return thrown.exitCode === 0 ? 0 : EXIT_USAGE;
  }
}

function createProgram({ version, writeOut, writeError }: CommandLineOptions, run: CommandRunner): Command {
  const program = new Command("vision-agent")
    .description("Say in plain words what matters. It watches your cameras and sends you a picture when it happens.")
    .version(version, "-V, --version", "print the version")
    .configureOutput({ writeOut, writeErr: writeError })
    .configureHelp({ optionDescription: describeOption })
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .showSuggestionAfterError()
    .showHelpAfterError("Add --help for usage.")
    .addHelpText("after", EXAMPLES)
    .exitOverride();
  addTalkCommands(program, run);
  addAppCommands(program, run);
  addSetupCommands(program, run);
  addBackendCommands(program, run);
  addEvalCommand(program, run);
  return program;
}

/** Without "(default: false)" and "(default: [])", which tell nobody anything. */
function describeOption({ defaultValue, description }: Option): string {
  return typeof defaultValue === "string" ? `${description} (default: ${defaultValue})` : description;
}

function addTalkCommands(program: Command, run: CommandRunner): void {
  withServeFlags(program.command(WITHOUT_A_WORD, { hidden: true })).action((flags: CommanderServeFlags) =>
    run((commands) => commands.open({ ...toAppFlags(flags), open: flags.open })),
  );

  withServeFlags(
    program.command("serve").description("start the server with the dashboard and the API (default)"),
  ).action((flags: CommanderServeFlags) =>
    run((commands) => commands.serve({ ...toAppFlags(flags), open: flags.open })),
  );

  withSession(program.command("chat").description("chat in the terminal")).action(
    (flags: CommanderFlags & SessionFlags) =>
      run((commands) => commands.chat({ ...toAppFlags(flags), ...toSession(flags) })),
  );

  withSession(program.command("ask").description("ask one question, print the answer and exit"))
    .argument("<text...>", "your question or request")
    .option("--image <file>", "attach a picture (repeatable)", collect, [])
    .option("--json", "print the result as JSON", false)
    .addHelpText(
      "after",
      '\nExample:\n  $ vision-agent ask "What do you see on street?"\n\nThe exit code is 3 when the agent waits for your approval; vision-agent pauses shows the question.',
    )
    .action((words: readonly string[], flags: CommanderFlags & SessionFlags & { image: string[]; json: boolean }) => {
      const { image: images, json } = flags;
      const app = { ...toAppFlags(flags), ...toSession(flags) };
      return run((commands) => commands.ask(words.join(" "), { ...app, images, json }));
    });
}

const DOCTOR_HELP = `
Checks Node, the workspace, config.yaml, API keys (with one small call each), cameras, models, servers, disk space and
ffmpeg, and suggests a fix for each problem. The exit code is 1 when something does not work.`;

const INIT_HELP = `
Creates the workspace, looks for API keys in the environment, .env and config.yaml, tests each with one small call, and
adds cameras. It asks questions in a terminal, and none with --yes or without a terminal. Existing files are kept. A key
that you type is saved in .env in the workspace, readable only by you.

Examples:
  $ vision-agent init
  $ vision-agent init --yes --provider offline --camera yard=rtsp://192.168.1.20/stream`;

function addSetupCommands(program: Command, run: CommandRunner): void {
  withJson(program.command("init").description("set up: find and test API keys, add cameras"))
    .option("--yes", "ask no questions", false)
    .option("--provider <name>", "anthropic, openai or offline", oneOf(["anthropic", "openai", "offline"]))
    .option("--server-url <url>", "an Inference server to use")
    .option("--camera <name=source>", "a camera to add (repeatable)", collect, [])
    .addHelpText("after", INIT_HELP)
    .action(({ camera, serverUrl, ...flags }: Omit<InitFlags, "cameras"> & { camera: string[] }) =>
      run((commands) => commands.init({ ...flags, cameras: camera, serverUrl })),
    );

  withJson(program.command("doctor").description("diagnose problems and suggest fixes"))
    .addHelpText("after", DOCTOR_HELP)
    .action((flags: JsonFlags) => run((commands) => commands.doctor(flags)));

  withJson(program.command("models").description("list the models that need no key, and which are downloaded")).action(
    (flags: JsonFlags) => run((commands) => commands.models(flags)),
  );
}

const BACKEND_HELP = `
A backend runs workflows: direct on this machine, http and webrtc on Roboflow Inference servers. Choose it with
inference.backend in config.yaml, and name servers in inference.server_url and inference.servers.`;

const PARITY_HELP = `
Examples:
  $ vision-agent backend parity --image street.jpg --model coco/3
  $ vision-agent backend parity --camera front-door --spec count.json --json

Runs the same picture on direct, http and webrtc and compares boxes of the same class in the same place. The exit code is
0 when all agree within 2 pixels and 0.02, 1 when they differ or fewer than two could run, 2 for wrong usage. Times are for
the first call (models are loaded), for a second one, and as the backend itself reports them.
Without --spec and --model the model is coco/3. To use the same weights everywhere, name them in inference.local_models.`;

function addBackendCommands(program: Command, run: CommandRunner): void {
  const group = program
    .command("backend")
    .description("inspect the backends and their Inference servers")
    .addHelpText("after", BACKEND_HELP);

  withJson(group.command("list").description("list the servers: reachable, version, latency, pipelines"))
    .addHelpText("after", "\nThe exit code is 0 when a server responds, else 1.")
    .action((flags: BackendFlags) => run((commands) => commands.listBackends(flags)));

  withJson(group.command("parity").description("run one workflow on every backend and compare the results"))
    .option("--image <file>", "the picture to use")
    .option("--camera <name>", "instead of --image: a camera from CAMERAS.md, or a source")
    .option("--spec <file>", "a workflow as JSON")
    .option("--model <id>", "instead of --spec: only a model")
    .addHelpText("after", PARITY_HELP)
    .action((flags: ParityFlags) => run((commands) => commands.compareBackends(flags)));
}

function addEvalCommand(program: Command, run: CommandRunner): void {
  program
    .command("eval")
    .description("run a set of instructions against a model and score the results")
    .requiredOption(
      "--provider <name>",
      "who answers (required): offline, anthropic or openai",
      oneOf(["offline", "anthropic", "openai"]),
    )
    .option("--model <name>", "the model (default: the provider's usual one)")
    .option("--set <dir>", "a folder of instruction files (default: this project's)")
    .option("--only <name>", "run one instruction or one family")
    .option("--report <dir>", "folder for report.json and report.md (default: eval-report)")
    .option("--json", "print JSON", false)
    .action((flags: EvalFlags) => run((commands) => commands.evaluate(flags)));
}

interface CommanderFlags {
  readonly host?: string;
  readonly port?: string;
  readonly workspace?: string;
  readonly camera: readonly string[];
  readonly demo: boolean;
}
type CommanderServeFlags = CommanderFlags & { readonly open: boolean };

function withAppFlags(command: Command, usualPort: string): Command {
  return command
    .option("--host <address>", "address to listen on (default: 127.0.0.1)")
    .option("--port <number>", `port to listen on (default: ${usualPort})`)
    .option("--workspace <dir>", "folder for all data and settings")
    .option("--camera <name=source>", "use this camera instead of CAMERAS.md (repeatable)", collect, [])
    .option("--no-demo", "do not start the demo pipeline");
}

function withServeFlags(command: Command): Command {
  return withAppFlags(command, "4750; 0 picks a free one").option("--no-open", "do not open a browser");
}

interface SessionFlags {
  readonly session?: string;
  readonly continue: boolean;
  readonly verbose: boolean;
}

/** They talk to the app that runs on the workspace; the server of one that is started for them is nobody else's. */
function withSession(command: Command): Command {
  return withAppFlags(command, "a free one")
    .option("--verbose", "show the arguments and results of tools", false)
    .option("--session <id>", "continue this conversation (list them with: vision-agent sessions)")
    .option("--continue", "continue the last conversation", false);
}

function toSession({ session, continue: last, verbose }: SessionFlags): Omit<ChatFlags, keyof AppFlags> {
  return { session, continueLast: last, verbose };
}

function toAppFlags({ host, port, workspace, camera, demo }: CommanderFlags): AppFlags {
  return { host, port, workspace, cameras: camera, demo };
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function oneOf(allowed: readonly string[]): (value: string) => string {
  return (value) => {
    if (allowed.includes(value)) return value;
    throw new InvalidArgumentError(`Allowed are ${allowed.join(", ")}.`);
  };
}

const WITHOUT_A_WORD = "open";
const ABOUT: ReadonlySet<string> = new Set(["-h", "--help", "-V", "--version"]);
const WITHOUT_VALUE: ReadonlySet<string> = new Set(["--no-open", "--no-demo"]);

/** Flags alone mean the default; a word that is no command stays where it is, so that it is called unknown. */
function withDefaultCommand(argv: readonly string[]): readonly string[] {
  const isValue = (at: number): boolean => {
    const before = argv[at - 1] ?? "";
    return before.startsWith("--") && !before.includes("=") && !WITHOUT_VALUE.has(before);
  };
  const hasWord = argv.some((word, at) => !word.startsWith("-") && !isValue(at));
  return hasWord || argv.some((word) => ABOUT.has(word)) ? argv : [WITHOUT_A_WORD, ...argv];
}
