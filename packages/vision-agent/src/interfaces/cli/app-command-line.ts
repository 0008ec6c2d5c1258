// arguments of the commands that ask an app for its lists, or change them
import type { Command } from "commander";
import type { AppCommand } from "./app-commands.ts";
import type { JsonFlags } from "./app-flags.ts";
import type { CommandRunner } from "./commands.ts";

type Verb = "pause" | "resume" | "remove" | "stop";
const VERBS: Readonly<Record<Verb, string>> = {
  pause: "pause it",
  resume: "resume it",
  remove: "remove it",
  stop: "stop it for good",
};

/** They talk to the app that runs on the workspace; where none does, one is started for the command. */
export function addAppCommands(program: Command, run: CommandRunner): void {
  const does = (toCommand: (...words: string[]) => AppCommand) => {
    return (...given: unknown[]): Promise<void> => {
      const words = given.filter((one) => typeof one === "string");
      const flags = given.find((one): one is JsonFlags => typeof one === "object" && one !== null && "json" in one);
      return run((commands) => commands.app(toCommand(...words), flags ?? { json: false }));
    };
  };
  addWatch(program, does);
  addPipelines(program, does);
  addLists(program, run, does);
  addPauses(program, does);
}

type Does = (toCommand: (...words: string[]) => AppCommand) => (...given: unknown[]) => Promise<void>;

function addWatch(program: Command, does: Does): void {
  const group = program.command("watch").description("manage watches: list, add, remove, pause, resume");
  withJson(group.command("list", { isDefault: true }).description("list the watches and their status")).action(
    does(() => ({ kind: "watch_list" })),
  );
  withJson(
    group.command("add").description('add one in plain words: watch add "a person enters the left half of street"'),
  )
    .argument("<words>", "what to watch for")
    .action(does((words = "") => ({ kind: "watch_add", words })));
  for (const verb of ["remove", "pause", "resume"] as const) {
    withJson(group.command(verb).description(VERBS[verb]))
      .argument("<id>", "the id that watch list shows")
      .action(does((id = "") => ({ kind: "watch_change", verb, id })));
  }
}

function addPipelines(program: Command, does: Does): void {
  const group = program.command("pipelines").description("manage running pipelines: list, stop, pause, resume");
  withJson(
    group.command("list", { isDefault: true }).description("list the pipelines with their cameras and frame rates"),
  ).action(does(() => ({ kind: "pipeline_list" })));
  for (const verb of ["stop", "pause", "resume"] as const) {
    withJson(group.command(verb).description(VERBS[verb]))
      .argument("<id>", "its id or name")
      .action(does((id = "") => ({ kind: "pipeline_change", verb, id })));
  }
}

interface EventOptions extends JsonFlags {
  readonly camera?: string;
  readonly class?: string;
  readonly kind?: string;
  readonly from?: string;
  readonly to?: string;
  readonly search?: string;
  readonly limit: string;
}

function addLists(program: Command, run: CommandRunner, does: Does): void {
  withJson(program.command("events").description("list what happened on the cameras, newest first"))
    .option("--camera <name>", "only this camera")
    .option("--class <name>", "only this class, such as person")
    .option("--kind <kind>", "only this kind: appeared, left, line_crossed, zone_entered, stayed, camera_down, …")
    .option("--from <time>", "start time: 2026-05-20, 2026-05-20T14:00 or 14:00 today")
    .option("--to <time>", "end time")
    .option("--search <words>", "only events with all of these words")
    .option("--limit <number>", "how many at most", "50")
    .action(({ camera, class: className, kind: eventKind, from, to, search, limit, ...flags }: EventOptions) =>
      run((commands) =>
        commands.app({ kind: "event_list", camera, className, eventKind, from, to, search, limit }, flags),
      ),
    );

  withJson(program.command("alerts").description("list the alerts, newest first"))
    .option("--limit <number>", "how many at most", "50")
    .action(({ limit, ...flags }: JsonFlags & { limit: string }) =>
      run((commands) => commands.app({ kind: "alert_list", limit }, flags)),
    );

  const memory = program.command("memory").description("search what is remembered between conversations");
  withJson(memory.command("search").description("find notes by words and by meaning"))
    .argument("<words...>", "what to look for")
    .option("--camera <name>", "only this camera")
    .option("--from <day>", "first day, such as 2026-05-20")
    .option("--to <day>", "last day")
    .action((words: readonly string[], { camera, from, to, ...flags }: EventOptions) =>
      run((commands) => commands.app({ kind: "memory_search", words: words.join(" "), camera, from, to }, flags)),
    );

  withJson(program.command("sessions").description("list conversations, most recent first")).action(
    does(() => ({ kind: "session_list" })),
  );
  withJson(program.command("usage").description("show tokens and cost, today and before")).action(
    does(() => ({ kind: "usage" })),
  );
}

function addPauses(program: Command, does: Does): void {
  const group = program.command("pauses").description("answer what waits for you: list, answer");
  withJson(group.command("list", { isDefault: true }).description("list the open questions, oldest first")).action(
    does(() => ({ kind: "pause_list" })),
  );
  withJson(group.command("answer").description("approve, deny or answer a question"))
    .argument("<id>", "the id that pauses list shows")
    .argument("<answer>", "yes, no, or your answer")
    .action(does((id = "", answer = "") => ({ kind: "pause_answer", id, answer })));
}

/** What every command takes that is about a workspace. */
export function withJson(command: Command): Command {
  return command.option("--workspace <dir>", "folder for all data and settings").option("--json", "print JSON", false);
}
