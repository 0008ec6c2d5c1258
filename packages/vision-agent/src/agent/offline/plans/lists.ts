// what runs, what is watched, what was told, and why
import { NO_PIPELINES } from "../../../tools/list-pipelines.ts";
import { parsePipelineLines } from "../../../tools/pipeline-lines.ts";
import { eventInWords, parseEventLines } from "../answers/events.ts";
import { failure } from "../answers/evidence.ts";
import { parseWatchLines, type WatchLine } from "../answers/watch-words.ts";
import type { Clause, Known, Listable, Slots } from "../intent.ts";
import { lately, today } from "../slots/find-period.ts";
import { joinWords } from "../words/class-words.ts";
import { type App, callOne, type Plan, say } from "./plan.ts";

const TOLD = "condition_true";
const SHOWN = 10;

export function* planList(clause: Clause, app: App): Plan {
  const what: Listable = clause.act.kind === "list" ? clause.act.what : "pipelines";
  switch (what) {
    case "cameras":
      return say(
        clause.slots.unknownCamera === undefined
          ? camerasInWords(app.known)
          : `No camera is called "${clause.slots.unknownCamera}". ${camerasInWords(app.known)}`,
      );
    case "tasks": {
      const answer = yield* callOne("list_tasks", {});
      return say(answer.ok ? answer.text : `I could not find out: ${answer.text}`);
    }
    case "alerts":
      return yield* planAlerts(clause, app);
    case "watches":
      return yield* planWatches(clause);
    case "pipelines":
      return yield* planPipelines(clause);
  }
}

export function camerasInWords({ cameras }: Known): string {
  const names = cameras.map(({ name }) => name);
  if (names.length === 0) return "No camera is set up yet. Add one to CAMERAS.md in the workspace.";
  return names.length === 1
    ? `There is one camera: ${names[0]}.`
    : `There are ${names.length} cameras: ${joinWords(names)}.`;
}

function* planPipelines({ slots }: Clause): Plan {
  const answer = yield* callOne("list_pipelines", {});
  if (!answer.ok) return failure("I could not find out", answer);
  const running = parsePipelineLines(answer.text).filter(({ camera }) => isAsked(camera, slots));
  if (running.length === 0) return say(NO_PIPELINES);
  const lines = running.map(({ name, camera, state }) => `- ${name} on ${camera}: ${state}`);
  return say([`${counted(running.length, "pipeline")}:`, ...lines].join("\n"));
}

function* planWatches({ slots }: Clause): Plan {
  const answer = yield* callOne("list_watches", {});
  if (!answer.ok) return failure("I could not find out", answer);
  const watches = parseWatchLines(answer.text).filter(({ cameras }) =>
    cameras.some((camera) => isAsked(camera, slots)),
  );
  if (watches.length === 0) return say('Nothing is watched. "What is running?" lists the pipelines.');
  return say([`${counted(watches.length, "watch", "watches")}:`, ...watches.map(watchInWords)].join("\n"));
}

function isAsked(camera: string, { cameras }: Slots): boolean {
  return cameras.length === 0 || cameras.includes(camera);
}

function watchInWords({ id, words, what, cameras, rest }: WatchLine): string {
  return `- ${id} "${words}": ${what} on ${cameras.join(", ")}; ${rest}`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function* planAlerts({ slots }: Clause, { clock }: App): Plan {
  const period = slots.period ?? { ...today(clock), from: "1970-01-01T00:00:00.000Z", words: "so far" };
  const [camera] = slots.cameras;
  const answer = yield* callOne("search_events", {
    kind: TOLD,
    from: period.from,
    to: period.to,
    max_results: SHOWN,
    ...(camera !== undefined && { camera }),
  });
  if (!answer.ok) return say(`I could not find out: ${answer.text}`);
  const events = parseEventLines(answer.text);
  if (events.length === 0) return say(`No watch has come true ${period.words}.`);
  return say([`What watches told of ${period.words}, newest first:`, ...events.map(eventInWords)].join("\n"));
}

/** Why somebody was told, or was not: the watches there are, and when each came true. */
export function* planWhy({ slots, bare }: Clause, { clock }: App): Plan {
  const period = slots.period ?? lately(clock);
  const [camera] = slots.cameras;
  const [list, told] = yield [
    { tool: "list_watches", args: {} },
    {
      tool: "search_events",
      args: { kind: TOLD, from: period.from, to: period.to, max_results: 5, ...(camera !== undefined && { camera }) },
    },
  ];
  if (list?.ok !== true) return say(`I could not find out: ${list?.text ?? ""}`);
  const watches = parseWatchLines(list.text).filter(({ cameras }) => camera === undefined || cameras.includes(camera));
  if (watches.length === 0)
    return say(
      `Nothing is watched${camera === undefined ? "" : ` on ${camera}`}, so nobody was told by a watch. Say "tell me when a person appears" to begin.`,
    );
  const events = told?.ok === true ? parseEventLines(told.text) : [];
  const rules = watches.map(watchInWords);
  const isNot = /\b(?:not|n't|never|nothing|no)\b|n't\b/.test(bare);
  const head = isNot
    ? "You are told when one of these comes true, in its hours, and not again within its cooldown:"
    : "You were told because one of these came true:";
  const proof =
    events.length === 0
      ? `None came true ${period.words}.`
      : `Came true ${period.words}:\n${events.map(eventInWords).join("\n")}`;
  return say([head, ...rules, proof].join("\n"));
}
