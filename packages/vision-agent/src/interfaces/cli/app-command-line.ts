// arguments of the commands that ask an app for its lists, or change them
import type { Command } from "commander";
import type { AppCommandName } from "./app-commands.ts";
import type { CommandRunner } from "./commands.ts";

/** A name or flag as commander reads it, what it means, and its default. */
type Declared = readonly [form: string, about: string, usual?: string];

interface AppCommandLine {
  readonly about: string;
  readonly takes?: readonly Declared[];
  readonly options?: readonly Declared[];
}

const GROUPS: Readonly<Record<string, string>> = {
  watch: "manage watches: list, add, remove, pause, resume",
  pipelines: "manage running pipelines: list, stop, pause, resume",
  memory: "search what is remembered between conversations",
  pauses: "answer what waits for you: list, answer",
};

const WATCH_ID: readonly Declared[] = [["<id>", "the id that watch list shows"]];
const PIPELINE_ID: readonly Declared[] = [["<id>", "its id or name"]];
const CAMERA: Declared = ["--camera <name>", "only this camera"];
const LIMIT: Declared = ["--limit <number>", "how many at most", "50"];

const COMMANDS: Readonly<Record<AppCommandName, AppCommandLine>> = {
  "watch list": { about: "list the watches and their status" },
  "watch add": {
    about: 'add a watch in plain words, such as "a person enters the left half of street"',
    takes: [["<words>", "what to watch for"]],
  },
  "watch remove": { about: "remove a watch", takes: WATCH_ID },
  "watch pause": { about: "pause a watch", takes: WATCH_ID },
  "watch resume": { about: "resume a paused watch", takes: WATCH_ID },
  "pipelines list": { about: "list the pipelines with their cameras and frame rates" },
  "pipelines stop": { about: "stop a pipeline for good", takes: PIPELINE_ID },
  "pipelines pause": { about: "pause a pipeline", takes: PIPELINE_ID },
  "pipelines resume": { about: "resume a paused pipeline", takes: PIPELINE_ID },
  events: {
    about: "list what happened on the cameras, newest first",
    options: [
      CAMERA,
      ["--class <name>", "only this class, such as person"],
      ["--kind <kind>", "only this kind: appeared, left, line_crossed, zone_entered, stayed, camera_down, …"],
      ["--from <time>", "start time: 2026-05-20, 2026-05-20T14:00 or 14:00 today"],
      ["--to <time>", "end time"],
      ["--search <words>", "only events with all of these words"],
      LIMIT,
    ],
  },
  alerts: { about: "list the alerts, newest first", options: [LIMIT] },
  "memory search": {
    about: "find notes by words and by meaning",
    takes: [["<words...>", "what to look for"]],
    options: [CAMERA, ["--from <day>", "first day, such as 2026-05-20"], ["--to <day>", "last day"]],
  },
  sessions: { about: "list conversations, most recent first" },
  usage: { about: "show tokens and cost, today and before" },
  "pauses list": { about: "list the open questions, oldest first" },
  "pauses answer": {
    about: "approve, deny or answer a question",
    takes: [
      ["<id>", "the id that pauses list shows"],
      ["<answer>", "yes, no, or your answer"],
    ],
  },
};

/** They talk to the app that runs on the workspace; where none does, one is started for the command. */
export function addAppCommands(program: Command, run: CommandRunner): void {
  for (const name of Object.keys(COMMANDS) as AppCommandName[]) {
    const { about, takes = [], options = [] } = COMMANDS[name];
    const [word = "", verb] = name.split(" ");
    const command = verb === undefined ? program.command(word) : addVerb(program, word, verb);
    withJson(command.description(about));
    for (const [form, meaning] of takes) command.argument(form, meaning);
    for (const [form, meaning, usual] of options) command.option(form, meaning, usual);
    command.action((...given: unknown[]) => {
      const words = given.slice(0, takes.length).flatMap((one) => (Array.isArray(one) ? one.join(" ") : String(one)));
      const { json, workspace, ...chosen } = command.opts();
      return run((commands) => commands.app({ name, words, options: chosen }, { json, workspace }));
    });
  }
}

/** Without a verb a group lists. */
function addVerb(program: Command, word: string, verb: string): Command {
  const group =
    program.commands.find((one) => one.name() === word) ?? program.command(word).description(GROUPS[word] ?? "");
  return group.command(verb, { isDefault: verb === "list" });
}

/** What every command takes that is about a workspace. */
export function withJson(command: Command): Command {
  return command.option("--workspace <dir>", "folder for all data and settings").option("--json", "print JSON", false);
}
