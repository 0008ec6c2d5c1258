// arguments of the commands that ask an app for its lists, or change them
import type { Command } from "commander";
import type { AppCommand } from "./app-commands.ts";
import type { JsonFlags } from "./app-flags.ts";
import type { Run } from "./commands.ts";
import { withJson } from "./workspace-flags.ts";

type Verb = "pause" | "resume" | "remove" | "stop";
const VERBS: Readonly<Record<Verb, string>> = {
  pause: "tell nothing and look at nothing for now",
  resume: "go on",
  remove: "watch no longer",
  stop: "stop for good",
};

/** They talk to the app that runs on the workspace; where none does, one is started for the command. */
export function addAppCommands(program: Command, run: Run): void {
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
  const group = program.command("watch").description("what you are told of: list, add, remove, pause, resume");
  withJson(group.command("list", { isDefault: true }).description("what is watched and how it is doing")).action(
    does(() => ({ kind: "watch_list" })),
  );
  withJson(group.command("add").description('in plain words: watch add "a person enters the left half of street"'))
    .argument("<words>", "what you want to be told of")
    .action(does((words = "") => ({ kind: "watch_add", words })));
  for (const verb of ["remove", "pause", "resume"] as const) {
    withJson(group.command(verb).description(VERBS[verb]))
      .argument("<id>", "as watch list shows it")
      .action(does((id = "") => ({ kind: "watch_change", verb, id })));
  }
}

function addPipelines(program: Command, does: Does): void {
  const group = program.command("pipelines").description("what runs: list, stop, pause, resume");
  withJson(group.command("list", { isDefault: true }).description("pipelines with their cameras and speeds")).action(
    does(() => ({ kind: "pipeline_list" })),
  );
  for (const verb of ["stop", "pause", "resume"] as const) {
    withJson(group.command(verb).description(VERBS[verb]))
      .argument("<id>", "its id or its name")
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

function addLists(program: Command, run: Run, does: Does): void {
  withJson(program.command("events").description("what happened in front of the cameras, newest first"))
    .option("--camera <name>", "on this camera")
    .option("--class <name>", "about this class, such as person")
    .option("--kind <kind>", "of this kind: appeared, left, line_crossed, zone_entered, stayed, camera_down, …")
    .option("--from <time>", "from this time on: 2026-05-20, 2026-05-20T14:00 or 14:00 today")
    .option("--to <time>", "up to this time")
    .option("--search <words>", "that hold all of these words")
    .option("--limit <number>", "at most so many", "50")
    .action(({ camera, class: className, kind: eventKind, from, to, search, limit, ...flags }: EventOptions) =>
      run((commands) =>
        commands.app({ kind: "event_list", camera, className, eventKind, from, to, search, limit }, flags),
      ),
    );

  withJson(program.command("alerts").description("what you were told, newest first"))
    .option("--limit <number>", "at most so many", "50")
    .action(({ limit, ...flags }: JsonFlags & { limit: string }) =>
      run((commands) => commands.app({ kind: "alert_list", limit }, flags)),
    );

  const memory = program.command("memory").description("what is remembered between conversations");
  withJson(memory.command("search").description("find notes by words and meaning"))
    .argument("<words...>", "what you look for")
    .option("--camera <name>", "about this camera")
    .option("--from <day>", "first day, 2026-05-20")
    .option("--to <day>", "last day")
    .action((words: readonly string[], { camera, from, to, ...flags }: EventOptions) =>
      run((commands) => commands.app({ kind: "memory_search", words: words.join(" "), camera, from, to }, flags)),
    );

  withJson(program.command("sessions").description("conversations, most recently used first")).action(
    does(() => ({ kind: "session_list" })),
  );
  withJson(program.command("usage").description("tokens and dollars, today and before")).action(
    does(() => ({ kind: "usage" })),
  );
}

function addPauses(program: Command, does: Does): void {
  const group = program.command("pauses").description("what waits for your answer: list, answer");
  withJson(group.command("list", { isDefault: true }).description("questions that wait, oldest first")).action(
    does(() => ({ kind: "pause_list" })),
  );
  withJson(group.command("answer").description("yes, no, or the answer to a question"))
    .argument("<id>", "as pauses list shows it")
    .argument("<answer>", "yes, no, or your words")
    .action(does((id = "", answer = "") => ({ kind: "pause_answer", id, answer })));
}
