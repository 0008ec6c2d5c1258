// arguments → one command with its flags → an exit code
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { AppCommand, AppCommandName } from "./app-commands.ts";
import type { AskFlags, ChatFlags, InitFlags, JsonFlags, ParityFlags, ServeFlags } from "./app-flags.ts";
import type { EvalFlags } from "./eval-command.ts";
import { EXIT_USAGE } from "./exit-codes.ts";

/** What the commands do, by name; each resolves with the exit code. */
export interface Commands {
  /** The command without a word: what `interface.type` says. */
  open(flags: ServeFlags): Promise<number>;
  serve(flags: ServeFlags): Promise<number>;
  chat(flags: ChatFlags): Promise<number>;
  ask(flags: AskFlags, words: readonly string[]): Promise<number>;
  init(flags: InitFlags): Promise<number>;
  doctor(flags: JsonFlags): Promise<number>;
  models(flags: JsonFlags): Promise<number>;
  "backend list"(flags: JsonFlags): Promise<number>;
  "backend parity"(flags: ParityFlags): Promise<number>;
  eval(flags: EvalFlags): Promise<number>;
  /** Those that ask an app for its lists, or change them. */
  app(command: AppCommand, flags: JsonFlags): Promise<number>;
}
type OwnName = Exclude<keyof Commands, "app">;
type TalkName = "open" | "serve" | "chat" | "ask";

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

const MASK_HELP = `
Masks are painted black where frames are decoded, before anything else sees them. --set replaces the masks there were.

Examples:
  $ vision-agent camera mask front-door
  $ vision-agent camera mask front-door --set "0,0 0.4,0 0.4,0.3 0,0.3; 0.8,0 1,0 1,0.2"
  $ vision-agent camera mask front-door --clear`;

const REPLAY_HELP = `
Nothing is changed, and no model is asked. Each alert is marked: + gained, - lost, ~ moved, against the watch as it is now.
The same input gives the same output. --footage takes about as long as the period, and needs a camera that is recorded (camera record NAME on).

Examples:
  $ vision-agent replay yesterday --watch watch_1 --change '{"cooldown_seconds": 600}'
  $ vision-agent replay driveway.mp4 --watch night.json --starts 2026-05-20T22:00
  $ vision-agent replay 2026-05-20T08:00/2026-05-20T12:00 --watch "a person at the gate" --camera gate --json
  $ vision-agent replay 14:00/14:30 --watch watch_1 --change '{"min_confidence": 0.3}' --footage`;

const ACCOUNT_HELP = `
An owner sees and changes everything. A viewer sees the cameras it is given, their events and alerts, and changes nothing;
it cannot talk to the agent, which acts as owner. On this computer no account is needed.

Examples:
  $ vision-agent account add anna --role owner
  $ vision-agent account add guest --cameras street,dock --password-file guest-password.txt`;

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

/** An argument or option as commander reads it, and what it means. */
type Declared = readonly [form: string, about: string, rules?: OptionRules];

interface OptionRules {
  readonly usual?: string;
  readonly allowed?: readonly string[];
  readonly required?: boolean;
  /** May be given several times; the flags hold a list, under the plural of its name. */
  readonly repeatable?: boolean;
}

/** One command; `watch add` is the verb of a group. */
interface CommandForm {
  readonly about: string;
  readonly takes?: readonly Declared[];
  /** Default: those of every command that is about a workspace. */
  readonly options?: readonly Declared[];
  /** Told after the options. */
  readonly help?: string;
}

const GROUPS: Readonly<Record<string, { readonly about: string; readonly help?: string; readonly usual?: string }>> = {
  watch: { about: "manage watches: list, add, remove, pause, resume, mute, test", usual: "list" },
  pipelines: { about: "manage running pipelines: list, stop, pause, resume", usual: "list" },
  memory: { about: "search what is remembered between conversations" },
  egress: { about: "pictures that left this machine, and which may: list, rules, allow, ask, never", usual: "list" },
  pauses: { about: "answer what waits for you: list, answer", usual: "list" },
  camera: { about: "mask, record, rename or remove a camera" },
  account: { about: "manage who may sign in: list, add, remove, password", help: ACCOUNT_HELP, usual: "list" },
  logins: { about: "manage the browsers that are signed in: list, revoke", usual: "list" },
  destinations: { about: "places that you let the agent reach: list, remove", usual: "list" },
  backend: { about: "inspect the backends and their Inference servers", help: BACKEND_HELP },
};

const WORKSPACE: Declared = ["--workspace <dir>", "folder for all data and settings"];
const JSON_OUTPUT: Declared = ["--json", "print JSON"];
const COMMON: readonly Declared[] = [WORKSPACE, JSON_OUTPUT];
const WATCH_ID: readonly Declared[] = [["<id>", "the id that watch list shows"]];
const PIPELINE_ID: readonly Declared[] = [["<id>", "its id or name"]];
const CAMERA_AND_HOST: readonly Declared[] = [
  ["<camera>", "its name, or * for all"],
  ["<destination>", "host name, such as api.anthropic.com, or * for all"],
];
const ACCOUNT_NAME: readonly Declared[] = [["<name>", "name of the account"]];
const PASSWORD_FILE: Declared = ["--password-file <file>", "read the password from a file (- is standard input)"];
const CAMERA: Declared = ["--camera <name>", "only this camera"];
const EVAL_PROVIDER: OptionRules = { allowed: ["offline", "anthropic", "openai"], required: true };
const LIMIT: Declared = ["--limit <number>", "how many at most", { usual: "50" }];

function appOptions(usualPort: string): readonly Declared[] {
  return [
    ["--host <address>", "address to listen on (default: 127.0.0.1)"],
    ["--port <number>", `port to listen on (default: ${usualPort})`],
    WORKSPACE,
    [
      "--camera <name=source>",
      "use this camera instead of CAMERAS.md (repeatable); NAME=- asks for its address, NAME=@FILE and NAME=env:VARIABLE read it",
      { repeatable: true },
    ],
    ["--no-demo", "do not start the demo pipeline"],
  ];
}

const SERVE: readonly Declared[] = [...appOptions("4750; 0 picks a free one"), ["--no-open", "do not open a browser"]];
/** They talk to the app that runs on the workspace; the server of one that is started for them is nobody else's. */
const TALK: readonly Declared[] = [
  ...appOptions("a free one"),
  ["--verbose", "show the arguments and results of tools"],
  ["--session <id>", "continue this conversation (list them with: vision-agent sessions)"],
  ["--continue", "continue the last conversation"],
];

/** They talk to the app that runs on the workspace; where none does, one is started for the command. */
const APP_COMMANDS: Readonly<Record<AppCommandName, CommandForm>> = {
  "watch list": { about: "list the watches and their status" },
  "watch add": {
    about: 'add a watch in plain words, such as "a person enters the left half of street"',
    takes: [["<words>", "what to watch for"]],
  },
  "watch remove": { about: "remove a watch", takes: WATCH_ID },
  "watch pause": { about: "pause a watch", takes: WATCH_ID },
  "watch resume": { about: "resume a paused watch", takes: WATCH_ID },
  "watch test": {
    about: "send an alert of a watch now, marked as a test, with a current picture",
    takes: WATCH_ID,
    options: [...COMMON, ["--camera <name>", "picture of this camera of the watch (default: its first)"]],
  },
  "watch mute": {
    about: "no alerts of a watch until a time: 14:00, 2026-05-20T14:00, or off",
    takes: [...WATCH_ID, ["<until>", "a time, or off"]],
  },
  replay: {
    about: "show which alerts a watch, or a change of one, would have sent on a video or in a period",
    takes: [["<footage>", "a video file, today, yesterday, 2026-05-20 or FROM/TO"]],
    options: [
      ...COMMON,
      ["--watch <watch>", "id or words of a watch; or a new one as JSON or in a .json file", { required: true }],
      ["--change <json>", 'what would change of it, such as {"cooldown_seconds": 600}'],
      CAMERA,
      ["--starts <time>", "when the video was taken; without it, hours, days and modes are left out of account"],
      [
        "--footage",
        "run the detectors again over what was recorded of the period (default: judge what was noted then)",
      ],
    ],
    help: REPLAY_HELP,
  },
  why: {
    about: "why watches told or did not, around a time (default: now): 14:00, 2026-05-20T14:00",
    takes: [
      ["<camera>", "its name"],
      ["[time]", "within a minute of it"],
    ],
    options: [...COMMON, ["--watch <id>", "only this watch"]],
  },
  mode: { about: "show the mode, or set it: home, away, night or an own name", takes: [["[name]", "the new mode"]] },
  undo: {
    about: "undo the last change of the last 24 hours, whoever made it",
    takes: [["[step]", "the id of another change, from undo --list"]],
    options: [
      ["--list", "only list what was changed, newest first"],
      ["--redo", "do again what was undone last"],
      ...COMMON,
    ],
  },
  places: { about: "list the zones and lines of a camera that have a name", takes: [["<camera>", "its name"]] },
  "pipelines list": { about: "list the pipelines with their cameras and frame rates" },
  "pipelines stop": { about: "stop a pipeline for good", takes: PIPELINE_ID },
  "pipelines pause": { about: "pause a pipeline", takes: PIPELINE_ID },
  "pipelines resume": { about: "resume a paused pipeline", takes: PIPELINE_ID },
  events: {
    about: "list or count what happened on the cameras",
    options: [
      ...COMMON,
      CAMERA,
      ["--class <name>", "only this class, such as person"],
      ["--kind <kind>", "only this kind: appeared, left, line_crossed, zone_entered, stayed, camera_down, …"],
      ["--from <time>", "start time: 2026-05-20, 2026-05-20T14:00 or 14:00 today"],
      ["--to <time>", "end time"],
      ["--search <words>", "only events with all of these words"],
      ["--direction <in|out>", "only crossings of a line this way"],
      ["--visit <id>", "only events of this visit"],
      [
        "--by <names>",
        "count by one or two of hour, day, class, direction, camera, kind, visit, watch, area: --by day,class",
      ],
      ["--order <end>", "newest (default) or oldest first"],
      ["--after <id>", "continue after this event"],
      LIMIT,
    ],
  },
  alerts: { about: "list the alerts, newest first", options: [...COMMON, LIMIT] },
  "memory search": {
    about: "find notes by words and by meaning",
    takes: [["<words...>", "what to look for"]],
    options: [...COMMON, CAMERA, ["--from <day>", "first day, such as 2026-05-20"], ["--to <day>", "last day"]],
  },
  sessions: { about: "list conversations, most recent first" },
  usage: { about: "show tokens and cost, today and before" },
  limit: {
    about: "show what models may cost, or set it in dollars: a day, a month (or none)",
    takes: [
      ["[daily]", "dollars a day"],
      ["[monthly]", "dollars a month, or none"],
    ],
  },
  "egress list": {
    about: "list the pictures that left this machine, newest first",
    options: [...COMMON, CAMERA, ["--since <time>", "start time: 2026-05-20, 2026-05-20T14:00 or 14:00 today"], LIMIT],
  },
  "egress rules": { about: "list which pictures may be sent where" },
  "egress allow": { about: "allow pictures of a camera to be sent to a destination", takes: CAMERA_AND_HOST },
  "egress ask": { about: "ask once more before pictures of a camera are sent", takes: CAMERA_AND_HOST },
  "egress never": { about: "never send pictures of a camera to a destination", takes: CAMERA_AND_HOST },
  forget: {
    about: "remove what cameras showed: events, pictures, notes, alerts, pictures in conversations",
    options: [
      ...COMMON,
      CAMERA,
      ["--from <time>", "start time: 2026-05-20, 2026-05-20T14:00 or 14:00 today"],
      ["--to <time>", "end time"],
      ["--event <id>", "this event and its picture alone"],
      ["--visit <id>", "everything of the camera while somebody was there: the id of an event of the visit"],
      ["--yes", "remove it; without it, only show what would be removed"],
    ],
    help: "\nExample:\n  $ vision-agent forget --camera front-door --from 14:00 --to 14:30\n\nThe exit code is 3 when something would be removed and --yes is missing.",
  },
  "pauses list": { about: "list the open questions, oldest first" },
  "camera rename": {
    about: "give a camera another name; its watches, pipelines and places follow",
    takes: [
      ["<name>", "its name"],
      ["<new-name>", "its new name"],
    ],
  },
  "camera remove": {
    about: "remove a camera; what it saw stays",
    takes: [["<name>", "its name"]],
    options: [...COMMON, ["--force", "also when watches or pipelines use it: they go with it"]],
  },
  "camera mask": {
    about: "show, set or clear the parts of a camera's picture that nobody may see",
    takes: [["<name>", "name of the camera"]],
    options: [
      ...COMMON,
      ["--set <masks>", "corners as fractions of width and height, masks separated by ;"],
      ["--clear", "remove all masks"],
    ],
    help: MASK_HELP,
  },
  "camera record": {
    about: "show whether a camera is recorded, or turn it on or off",
    takes: [
      ["<name>", "name of the camera"],
      ["[on|off]", "record it from now on, or no longer"],
    ],
    help: "\nThe stream is copied as it comes, over the connection that the camera has anyway; how much is kept: recording in config.yaml.",
  },
  "account list": { about: "list the accounts" },
  "account add": {
    about: "add an account; asks for its password",
    takes: ACCOUNT_NAME,
    options: [
      ...COMMON,
      ["--role <role>", "owner or viewer", { usual: "viewer", allowed: ["owner", "viewer"] }],
      ["--cameras <names>", "cameras that a viewer sees, such as street,dock (default: all)"],
      PASSWORD_FILE,
    ],
  },
  "account remove": { about: "remove an account and sign it out", takes: ACCOUNT_NAME },
  "account password": {
    about: "change a password and sign the account out",
    takes: ACCOUNT_NAME,
    options: [...COMMON, PASSWORD_FILE],
  },
  "logins list": { about: "list the browsers that are signed in" },
  "logins revoke": { about: "sign a browser out", takes: [["<id>", "the id that logins list shows"]] },
  link: { about: "print a link that signs one browser in, once" },
  audit: { about: "list who changed what, newest first", options: [...COMMON, LIMIT] },
  "pauses answer": {
    about: "approve, deny or answer a question",
    takes: [
      ["<id>", "the id that pauses list shows"],
      ["<answer>", "yes, no, or your answer"],
    ],
  },
  "destinations list": { about: "list approved addresses, recipients, files and services" },
  "destinations remove": {
    about: "ask about a destination again",
    takes: [["<id>", "the id that destinations list shows"]],
  },
};

const WITHOUT_A_WORD = "open";

const TALK_COMMANDS: Readonly<Record<TalkName, CommandForm>> = {
  [WITHOUT_A_WORD]: { about: "", options: SERVE },
  serve: { about: "start the server with the dashboard and the API (default)", options: SERVE },
  chat: { about: "chat in the terminal", options: TALK },
  ask: {
    about: "ask one question, print the answer and exit",
    takes: [["<text...>", "your question or request"]],
    options: [
      ...TALK,
      ["--image <file>", "attach a picture (repeatable)", { repeatable: true }],
      ["--json", "print the result as JSON"],
    ],
    help: '\nExample:\n  $ vision-agent ask "What do you see on street?"\n\nThe exit code is 3 when the agent waits for your approval; vision-agent pauses shows the question.',
  },
};

const SETUP_COMMANDS: Readonly<Record<Exclude<OwnName, TalkName>, CommandForm>> = {
  init: {
    about: "set up: find and test API keys, add cameras",
    options: [
      ...COMMON,
      ["--yes", "ask no questions"],
      ["--provider <name>", "anthropic, openai or offline", { allowed: ["anthropic", "openai", "offline"] }],
      ["--server-url <url>", "an Inference server to use"],
      [
        "--camera <name=source>",
        "a camera to add (repeatable); NAME=-, NAME=@FILE or NAME=env:VARIABLE keep a password off the command line",
        { repeatable: true },
      ],
    ],
    help: INIT_HELP,
  },
  doctor: { about: "diagnose problems and suggest fixes", help: DOCTOR_HELP },
  models: { about: "list the models that need no key, and which are downloaded" },
  "backend list": {
    about: "list the servers: reachable, version, latency, pipelines",
    help: "\nThe exit code is 0 when a server responds, else 1.",
  },
  "backend parity": {
    about: "run one workflow on every backend and compare the results",
    options: [
      ...COMMON,
      ["--image <file>", "the picture to use"],
      ["--camera <name>", "instead of --image: a camera from CAMERAS.md, or a source"],
      ["--spec <file>", "a workflow as JSON"],
      ["--model <id>", "instead of --spec: only a model"],
    ],
    help: PARITY_HELP,
  },
  eval: {
    about: "run a set of instructions against a model and score the results",
    options: [
      ["--provider <name>", "who answers (required): offline, anthropic or openai", EVAL_PROVIDER],
      ["--model <name>", "the model (default: the provider's usual one)"],
      ["--set <dir>", "a folder of instruction files (default: this project's)"],
      ["--only <name>", "run one instruction or one family"],
      ["--report <dir>", "folder for report.json and report.md (default: eval-report)"],
      JSON_OUTPUT,
    ],
  },
};

function createProgram(
  { version, writeOut, writeError }: CommandLineOptions,
  run: (work: (commands: Commands) => Promise<number>) => Promise<void>,
): Command {
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
  const addAll = <N extends OwnName | AppCommandName>(
    forms: Readonly<Record<N, CommandForm>>,
    work: (commands: Commands, name: N, given: Given) => Promise<number>,
  ): void => {
    for (const name of Object.keys(forms) as N[]) {
      addCommand(program, name, forms[name], (given) => run((commands) => work(commands, name, given)));
    }
  };
  const runOwn = (commands: Commands, name: OwnName, { flags, words }: Given): Promise<number> =>
    commands[name](flags as never, words);
  addAll(TALK_COMMANDS, runOwn);
  addAll(APP_COMMANDS, (commands, name, { flags: { json, workspace, ...options }, words }) =>
    commands.app({ name, words, options }, { json, workspace }),
  );
  addAll(SETUP_COMMANDS, runOwn);
  return program;
}

/** What was typed after the name of a command. */
interface Given {
  readonly flags: JsonFlags & AppCommand["options"];
  readonly words: readonly string[];
}

function addCommand(program: Command, name: string, form: CommandForm, run: (given: Given) => Promise<void>): void {
  const { about, takes = [], options = COMMON, help = "" } = form;
  const [word = "", verb] = name.split(" ");
  const hidden = word === WITHOUT_A_WORD;
  const command = verb === undefined ? program.command(word, { hidden }) : addVerb(program, word, verb);
  command.description(about).addHelpText("after", help);
  for (const [written, meaning] of takes) command.argument(written, meaning);
  for (const declared of options) command.addOption(toOption(declared));
  command.action((...given: unknown[]) => {
    const words = given
      .slice(0, takes.length)
      .filter((one) => one !== undefined)
      .map((one) => [one].flat().join(" "));
    return run({ flags: flagsOf(command), words });
  });
}

/** Without a verb most groups list. */
function addVerb(program: Command, word: string, verb: string): Command {
  const { about = "", help = "", usual } = GROUPS[word] ?? {};
  const known = program.commands.find((one) => one.name() === word);
  const group = known ?? program.command(word).description(about).addHelpText("after", help);
  return group.command(verb, { isDefault: verb === usual });
}

/** A flag without a value is false unless it is given. */
function toOption([form, about, { usual, allowed, required = false, repeatable = false } = {}]: Declared): Option {
  const option = new Option(form, about).makeOptionMandatory(required);
  if (repeatable) return option.default([]).argParser((value, before: readonly string[]) => [...before, value]);
  if (!form.includes("<") && !option.negate) option.default(false);
  if (usual !== undefined) option.default(usual);
  return allowed === undefined ? option : option.argParser((value) => mustBeOneOf(allowed, value));
}

function mustBeOneOf(allowed: readonly string[], value: string): string {
  if (allowed.includes(value)) return value;
  throw new InvalidArgumentError(`Allowed are ${allowed.join(", ")}.`);
}

/** Lists under the plural of their name. */
function flagsOf(command: Command): Given["flags"] {
  const named = Object.entries(command.opts()).map(([name, value]) => [
    Array.isArray(value) ? `${name}s` : name,
    value,
  ]);
  return Object.fromEntries(named);
}

/** Without "(default: false)" and "(default: [])", which tell nobody anything. */
function describeOption({ defaultValue, description }: Option): string {
  return typeof defaultValue === "string" ? `${description} (default: ${defaultValue})` : description;
}

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
