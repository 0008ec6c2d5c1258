// stop, pause, resume → the pipelines, watches and tasks that are meant
import type { PipelineStatus, WatchReport } from "@vision-agent/protocol";
import { NO_PIPELINES } from "../../../tools/pipeline-tools.ts";
import type { Clause, Control, Known, Slots } from "../intent.ts";
import { momentOf, type WallClock } from "../slots/find-period.ts";
import { joinWords } from "../words/class-words.ts";
import { toPlainWords } from "../words/plain-words.ts";
import { refuseUnknownCamera } from "./choose.ts";
import {
  type App,
  ask,
  callOne,
  dataOf,
  failure,
  type Made,
  need,
  type Plan,
  type Steps,
  say,
  type WishOf,
} from "./plan.ts";

type ControlClause = WishOf<Control>["clause"];

/** A pipeline or a watch that runs. */
interface Running {
  readonly kind: "pipeline" | "watch";
  readonly id: string;
  /** By which people call it. */
  readonly name: string;
  readonly label: string;
  readonly cameras: readonly string[];
  readonly isAbout: (className: string) => boolean;
  /** It counts across a line. */
  readonly counts: boolean;
  /** A watch started it, and it goes with that watch. */
  readonly isOfWatch: boolean;
}

/** `made`: what this conversation made last, for "stop it". */
export function* planControl({ clause }: WishOf<Control>, app: App, made: readonly Made[]): Plan {
  const { act } = clause;
  if (act.what === "named") yield* refuseUnknownCamera(clause.slots, app.known);
  if (act.what === "tasks") return yield* planTasks(act);
  const [pipelines, watches] = yield [
    { tool: "list_pipelines", args: {} },
    { tool: "list_watches", args: {} },
  ];
  const listed = dataOf(pipelines, "list_pipelines");
  if (listed === undefined) return failure("I could not find out what runs", pipelines);
  const running = toRunning(listed.pipelines, dataOf(watches, "list_watches")?.watches ?? [], app.known);
  const { wanted, spared } = splitSpared(clause, app);
  const kept = spared === undefined ? [] : (named(spared, running) ?? []);
  const chosen = choose(wanted, running, made).filter((one) => !kept.includes(one));
  if (chosen.length === 0 && spared !== undefined)
    return say(`Nothing else is running, so there was nothing to ${act.kind}.`);
  if (chosen.length === 0) return nothingChosen(act.kind, running);
  return act.kind === "stop"
    ? yield* stopAll(chosen, listed.pipelines)
    : yield* switchAll(act.kind, clause, chosen, app);
}

function toRunning(
  pipelines: readonly PipelineStatus[],
  watches: readonly WatchReport[],
  known: Known,
): readonly Running[] {
  const ofWatches = watches.flatMap((watch) => watch.pipelines.map(({ pipeline_id }) => pipeline_id));
  return [
    ...pipelines.map(({ pipeline_id: id, name, video_reference }) => ({
      kind: "pipeline" as const,
      id,
      name,
      label: name,
      cameras: [video_reference],
      isAbout: (className: string) => name.includes(className),
      counts: /count/.test(name) || known.pipelines.some((pipeline) => pipeline.name === name && pipeline.counts),
      isOfWatch: ofWatches.includes(id),
    })),
    ...watches.map(({ id, words, cameras, classes }) => ({
      kind: "watch" as const,
      id,
      name: id,
      label: `${id} ("${words}")`,
      cameras,
      isAbout: (className: string) => classes.includes(className),
      counts: false,
      isOfWatch: false,
    })),
  ];
}

const SPARES =
  /^(.*?)\b(?:except(?: for)?|apart from|other than|excluding|besides|save for|but(?: not| for)?|(?<!\b(?:do|does|did) )not|leaving|keeping)\b (.+)$/;

/** "Everything except the yard": what is meant, and what has to stay. */
function splitSpared(
  clause: ControlClause,
  { read }: App,
): { readonly wanted: ControlClause; readonly spared?: ControlClause } {
  const { act } = clause;
  const [, meant = "", kept = ""] = SPARES.exec(act.words) ?? [];
  const [first] = meant.trim() === "" ? [] : read(meant);
  const [spared] = kept === "" ? [] : read(kept);
  if (first === undefined || spared === undefined) return { wanted: clause };
  const wanted = {
    ...clause,
    slots: { ...clause.slots, cameras: first.slots.cameras, classes: first.slots.classes, excluded: [] },
    act: { ...act, words: meant.trim() },
  };
  return { wanted, spared: { ...spared, act: { ...act, what: "named", words: kept } } };
}

function choose(clause: ControlClause, running: readonly Running[], made: readonly Made[]): readonly Running[] {
  const { what, words } = clause.act;
  if (what === "pipelines") return running.filter(({ kind }) => kind === "pipeline");
  if (what === "watches") return running.filter(({ kind }) => kind === "watch");
  return named(clause, running) ?? (what === "everything" ? running : guess(words, running, made));
}

/** By its name or id, its camera, or the things it is about; undefined when none of these is said. */
function named({ act, slots }: ControlClause, running: readonly Running[]): readonly Running[] | undefined {
  const { what, words } = act;
  const { cameras, classes } = slots;
  const called = running.filter(({ id, name }) =>
    [name, id].some((word) => ` ${words} `.includes(` ${toPlainWords(word)} `)),
  );
  if (called.length > 0) return called;
  const ofClasses = (all: readonly Running[]) => all.filter(({ isAbout }) => classes.some(isAbout));
  if (cameras.length === 0) return classes.length > 0 && what !== "everything" ? ofClasses(running) : undefined;
  const here = running.filter((one) => one.cameras.some((camera) => cameras.includes(camera)));
  const counting = COUNTS.test(words) ? here.filter(({ name }) => /count/.test(name)) : [];
  return [counting, ofClasses(here)].find((some) => some.length > 0) ?? here;
}

const COUNTS = /\bcount(?:s|ing)?\b/;

/** Nothing is named: what was made last, the only one of its kind, or the only one at all. */
function guess(words: string, running: readonly Running[], made: readonly Made[]): readonly Running[] {
  if (COUNTS.test(words)) return running.filter(({ counts }) => counts);
  const last = running.filter(({ id }) => made.some((one) => one.id === id));
  if (/\b(?:it|that|this|last)\b/.test(words) && last.length > 0) return last;
  const watches = running.filter(({ kind }) => kind === "watch");
  const meansWatches = /\bwatch(?:es|ing)?\b|\balerts?\b|\btell(?:ing)?\b/.test(words);
  const meansOne = /\b(?:watch|alert)\b/.test(words);
  if (meansWatches && watches.length > 0) return watches.length > 1 && meansOne ? [] : watches;
  const free = running.filter(({ isOfWatch }) => !isOfWatch);
  return free.length === 1 ? free : [];
}

function nothingChosen(control: Control, running: readonly Running[]) {
  const [first] = running;
  if (first === undefined) return say(`${NO_PIPELINES} There is nothing to ${control}.`);
  const names = joinWords(running.map(({ label }) => label));
  return ask(
    `I am not sure which one you mean. Running: ${names}. Say "${control} ${first.name}" or "${control} everything".`,
  );
}

/** All at once, so that one question names everything. The pipelines that only a removed watch needed stop with it. */
function* stopAll(chosen: readonly Running[], before: readonly PipelineStatus[]): Plan {
  const watches = chosen.filter(({ kind }) => kind === "watch");
  const pipelines = chosen.filter(({ kind }) => kind === "pipeline");
  const own = pipelines.filter(({ isOfWatch }) => !isOfWatch || watches.length === 0);
  const all = own.length > 1 && own.length === before.length;
  const answers = yield [
    ...watches.map(({ id, label }) => ({
      tool: "remove_watch",
      args: { watch_id: id },
      will: `remove ${label}`,
    })),
    ...(all ? [{ id: "all", name: "everything that runs" }] : own).map(({ id, name }) => ({
      tool: "stop_pipeline",
      args: { pipeline_id: id },
      will: `stop ${name}`,
    })),
  ];
  const gone = watches.filter((_, at) => answers[at]?.ok === true).map(({ label }) => label);
  const removed = gone.length === 0 ? "" : `Removed ${joinWords(gone)}.`;
  const failures = answers.filter(({ ok }) => !ok).map(({ text }) => text);
  if (pipelines.length === 0) return say(removed, ...failures);
  const now = dataOf(yield* callOne("list_pipelines", {}), "list_pipelines")?.pipelines ?? [];
  const stopped = pipelines.filter(({ id }) => !now.some(({ pipeline_id }) => pipeline_id === id));
  return say(
    removed,
    stopped.length === 0 ? "Nothing was stopped." : `Stopped ${joinWords(stopped.map(({ name }) => name))}.`,
    ...failures,
    now.length === 0 ? NO_PIPELINES : `Still running: ${now.map(({ name }) => name).join(", ")}.`,
  );
}

function* switchAll(control: "pause" | "resume", { slots }: Clause, chosen: readonly Running[], { clock }: App): Plan {
  const pipelines = chosen.filter(({ kind }) => kind === "pipeline");
  if (pipelines.length === 0) {
    const cameras = joinWords(chosen.flatMap((watch) => watch.cameras));
    return say(`I pause and resume pipelines, and found none for ${cameras}. "Stop" removes the watch.`);
  }
  const answers = yield pipelines.map(({ id, name }) => ({
    tool: `${control}_pipeline`,
    args: { pipeline_id: id },
    will: `${control} ${name}`,
  }));
  const done = pipelines.filter((_, at) => answers[at]?.ok === true);
  const word = control === "pause" ? "Paused" : "Resumed";
  const head =
    done.length === 0
      ? `Nothing was ${word.toLowerCase()}.`
      : `${word} ${joinWords(done.map(({ name, id }) => `${name} (${id})`))}.`;
  const end = control === "pause" && done.length > 0 ? endOf(slots, clock) : undefined;
  const later = end === undefined ? "" : yield* resumeLater(done, end);
  return say(head, later, ...answers.filter(({ ok }) => !ok).map(({ text }) => text));
}

/** "For ten minutes", "until 6 pm": when it is to go on. */
function endOf({ seconds, hours }: Slots, clock: WallClock): number | undefined {
  if (seconds !== undefined) return clock.nowMs + seconds * 1000;
  return hours === undefined ? undefined : momentOf({ time: hours.to, tomorrow: false }, clock);
}

/** "for ten minutes": a task resumes what was paused. */
function* resumeLater(pipelines: readonly Running[], ms: number): Steps<string> {
  const at = new Date(Math.floor(ms / 60_000) * 60_000 + 60_000).toISOString();
  const instructions = pipelines.map(({ name }) => `resume ${name}`).join("; ");
  const answer = yield* callOne("schedule_task", { instructions, at });
  const task = dataOf(answer, "schedule_task")?.task;
  return task !== undefined
    ? `It goes on at ${at} by the task ${task.id}.`
    : `It does not go on by itself: ${answer.text} Say "resume" when you want it.`;
}

function* planTasks({ words, kind }: ControlClause["act"]): Plan {
  const listed = yield* need("list_tasks", { failed: "I could not find out" });
  const tasks = listed.tasks.filter(({ kind: what }) => what !== "heartbeat");
  if (kind !== "stop") return say("Tasks cannot be paused; they can be cancelled and made again.");
  const named = tasks.filter(({ id }) => words.includes(id.toLowerCase()));
  const all = /\b(?:all|every|everything|both)\b/.test(words) || tasks.length === 1;
  const chosen = named.length > 0 || !all ? named : tasks;
  if (tasks.length === 0) return say("No task is scheduled.");
  if (chosen.length === 0) {
    const lines = tasks.map(({ id, schedule, instructions }) => `- ${id}: ${schedule}, "${instructions}"`);
    return ask(`Which task do you mean?\n${lines.join("\n")}`);
  }
  const answers = yield chosen.map(({ id, instructions }) => ({
    tool: "cancel_task",
    args: { task_id: id },
    will: `cancel the task "${instructions}"`,
  }));
  return say(...answers.map(({ text }) => text));
}
