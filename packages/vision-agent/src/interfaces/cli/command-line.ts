// arguments → one command with its flags → an exit code
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { addAppCommands } from "./app-command-line.ts";
import type { AppFlags, BackendFlags, ChatFlags, InitFlags, JsonFlags, ParityFlags } from "./app-flags.ts";
import type { Commands, Run } from "./commands.ts";
import type { EvalFlags } from "./eval-command.ts";
import { EXIT_USAGE } from "./exit-codes.ts";
import { withJson } from "./workspace-flags.ts";

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
  $ vision-agent                                   serve, and open the dashboard
  $ vision-agent init                              find keys, prove them, add a camera
  $ vision-agent ask "What do you see on street?"
  $ vision-agent chat --continue
  $ vision-agent watch add "a person enters the left half of street"
  $ vision-agent events --camera street --class person --json
  $ vision-agent serve --camera yard=sim://warehouse --port 8080 --no-open
  $ vision-agent backend parity --image street.jpg --model coco/3

Without a key everything works by plain rules; with ANTHROPIC_API_KEY or OPENAI_API_KEY a language model answers.
The workspace is --workspace DIR, else VISION_AGENT_HOME, else ~/.vision_agent.
Exit codes: 0 well, 1 failed, 2 wrong usage, 3 waits for your answer (vision-agent pauses).`;

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

function createProgram({ version, writeOut, writeError }: CommandLineOptions, run: Run): Command {
  const program = new Command("vision-agent")
    .description("Tell it in plain words what matters; it watches the cameras and tells you with a picture.")
    .version(version, "-V, --version", "print the version")
    .configureOutput({ writeOut, writeErr: writeError })
    .showSuggestionAfterError()
    .showHelpAfterError("Add --help to see what is possible.")
    .addHelpText("after", EXAMPLES)
    .exitOverride();
  addTalkCommands(program, run);
  addAppCommands(program, run);
  addSetupCommands(program, run);
  addBackendCommands(program, run);
  addEvalCommand(program, run);
  return program;
}

function addTalkCommands(program: Command, run: Run): void {
  withServeFlags(program.command(WITHOUT_A_WORD, { hidden: true })).action((flags: CommanderServeFlags) =>
    run((commands) => commands.open({ ...toAppFlags(flags), open: flags.open })),
  );

  withServeFlags(program.command("serve").description("serve the dashboard and the API (the default)")).action(
    (flags: CommanderServeFlags) => run((commands) => commands.serve({ ...toAppFlags(flags), open: flags.open })),
  );

  withSession(withAppFlags(program.command("chat").description("talk in the terminal"))).action(
    (flags: CommanderFlags & SessionFlags) =>
      run((commands) => commands.chat({ ...toAppFlags(flags), ...toSession(flags) })),
  );

  withSession(withAppFlags(program.command("ask").description("ask one question and leave")))
    .argument("<text...>", "what you want to know or have done")
    .option("--image <file>", "a picture that goes with it (repeatable)", collect, [])
    .option("--json", "print the outcome as JSON", false)
    .addHelpText(
      "after",
      "\nThe exit code is 3 when the agent waits for your yes: vision-agent pauses shows the question.",
    )
    .action((words: readonly string[], flags: CommanderFlags & SessionFlags & { image: string[]; json: boolean }) => {
      const { image: images, json } = flags;
      const app = { ...toAppFlags(flags), ...toSession(flags) };
      return run((commands) => commands.ask(words.join(" "), { ...app, images, json }));
    });
}

const DOCTOR_HELP = `
Looks at Node, the workspace, config.yaml, keys (each proven by one tiny call), cameras, models, servers, disk and
ffmpeg, and says for each thing wrong how to mend it. The exit code is 1 when something does not work.`;

const INIT_HELP = `
Makes the workspace, looks for keys in the environment, .env and config.yaml, proves them with one tiny call, and adds
cameras. It asks in a terminal; with --yes, or without a terminal, it asks nothing. Nothing that is there is overwritten;
a key that you type is kept in .env of the workspace, readable by you alone.

Examples:
  $ vision-agent init
  $ vision-agent init --yes --provider offline --camera yard=rtsp://192.168.1.20/stream`;

function addSetupCommands(program: Command, run: Run): void {
  withJson(program.command("init").description("set up: find keys, prove them, add cameras"))
    .option("--yes", "ask nothing", false)
    .option("--provider <name>", "anthropic, openai or offline", oneOf(["anthropic", "openai", "offline"]))
    .option("--server-url <url>", "an Inference server to use")
    .option("--camera <name=source>", "a camera to add (repeatable)", collect, [])
    .addHelpText("after", INIT_HELP)
    .action(({ camera, serverUrl, ...flags }: Omit<InitFlags, "cameras"> & { camera: string[] }) =>
      run((commands) => commands.init({ ...flags, cameras: camera, ...(serverUrl !== undefined && { serverUrl }) })),
    );

  withJson(program.command("doctor").description("find what is wrong and say how to mend it"))
    .addHelpText("after", DOCTOR_HELP)
    .action((flags: JsonFlags) => run((commands) => commands.doctor(flags)));

  withJson(program.command("models").description("models that can be had without a key, and which are here")).action(
    (flags: JsonFlags) => run((commands) => commands.models(flags)),
  );
}

const BACKEND_HELP = `
A backend runs workflows: direct on this machine, http and webrtc on Roboflow Inference servers. Which one a house
uses is inference.backend of config.yaml; servers are inference.server_url and inference.servers.`;

const PARITY_HELP = `
Examples:
  $ vision-agent backend parity --image street.jpg --model coco/3
  $ vision-agent backend parity --camera front-door --spec count.json --json

The same picture goes through direct, http and webrtc. Boxes of the same class at the same place are compared; the exit
code is 0 when all agree within 2 pixels and 0.02, 1 when they do not or fewer than two could run, 2 for wrong usage.
Times are those of the first question (models are loaded), of the same again, and what the backend itself says it took.
Without --spec and --model the model is coco/3. For the same weights here and there, put them into inference.local_models.`;

function addBackendCommands(program: Command, run: Run): void {
  const group = program
    .command("backend")
    .description("look at the backends and their Inference servers")
    .addHelpText("after", BACKEND_HELP);

  withJson(group.command("list").description("servers: reachable, version, latency, pipelines"))
    .addHelpText("after", "\nThe exit code is 0 when a server answers, else 1.")
    .action((flags: BackendFlags) => run((commands) => commands.listBackends(flags)));

  withJson(group.command("parity").description("run one workflow on every backend and compare"))
    .option("--image <file>", "a picture to look at")
    .option("--camera <name>", "or a camera of CAMERAS.md, or a source")
    .option("--spec <file>", "a workflow as JSON")
    .option("--model <id>", "or only a model")
    .addHelpText("after", PARITY_HELP)
    .action((flags: ParityFlags) => run((commands) => commands.compareBackends(flags)));
}

function addEvalCommand(program: Command, run: Run): void {
  program
    .command("eval")
    .description("run a set of instructions on a model and judge what came of them")
    .requiredOption("--provider <name>", "offline, anthropic or openai", oneOf(["offline", "anthropic", "openai"]))
    .option("--model <name>", "the model; else the provider's usual one")
    .option("--set <dir>", "a folder of instruction files; else those of this project")
    .option("--only <name>", "one instruction, or one family")
    .option("--report <dir>", "where report.json and report.md go (eval-report)")
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

function withAppFlags(command: Command): Command {
  return command
    .option("--host <address>", "address to listen on (127.0.0.1)")
    .option("--port <number>", "port to listen on (4750; 0 takes a free one)")
    .option("--workspace <dir>", "folder where everything is kept")
    .option("--camera <name=source>", "camera for this run, in place of CAMERAS.md (repeatable)", collect, [])
    .option("--no-demo", "do not start the demo pipeline");
}

function withServeFlags(command: Command): Command {
  return withAppFlags(command).option("--no-open", "do not open a browser");
}

interface SessionFlags {
  readonly session?: string;
  readonly continue: boolean;
  readonly verbose: boolean;
}

function withSession(command: Command): Command {
  return command
    .option("--verbose", "show what each tool was given and what it answered", false)
    .option("--session <id>", "go on with this conversation (vision-agent sessions lists them)")
    .option("--continue", "go on with the last conversation", false);
}

function toSession({ session, continue: last, verbose }: SessionFlags): Omit<ChatFlags, keyof AppFlags> {
  return { session, continueLast: last, verbose };
}

function toAppFlags({ host, port, workspace, camera, demo }: CommanderFlags): AppFlags {
  return {
    host,
    port,
    workspace,
    cameras: camera,
    demo,
  };
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
