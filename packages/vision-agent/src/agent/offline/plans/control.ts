// stop, pause, resume → the pipelines, watches and tasks that are meant
import type { PipelineStatus, WatchReport } from "@vision-agent/protocol";
import { NO_PIPELINES } from "../../../tools/pipeline-tools.ts";
import { failure } from "../answers/findings.ts";
import type { Act, Clause, Control, Known, Slots } from "../intent.ts";
import { momentOf, type WallClock } from "../slots/find-period.ts";
import { joinWords } from "../words/class-words.ts";
import { toPlainWords } from "../words/plain-words.ts";
import { unknownCamera } from "./choose.ts";
import {
  type App,
  ask,
  callOne,
  dataOf,
  type Made,
  type Plan,
  type PlannedCall,
  type Steps,
  say,
  type ToolAnswer,
} from "./plan.ts";

type ControlAct = Extract<Act, { kind: Control }>;

interface RunningNow {
  readonly pipelines: readonly PipelineStatus[];
  readonly watches: readonly WatchReport[];
}

/** `made`: what this conversation made last, for "stop it". */
export function* planControl(clause: Clause, made: readonly Made[], app: App): Plan {
  const act = clause.act as ControlAct;
  if (clause.slots.unknownCamera !== undefined && clause.slots.cameras.length === 0 && act.what === "named") {
    return ask(unknownCamera(clause.slots.unknownCamera, app.known));
  }
  if (act.what === "tasks") return yield* planTasks(act);
  const [pipelines, watches] = yield [
    { tool: "list_pipelines", args: {} },
    { tool: "list_watches", args: {} },
  ];
  const listed = dataOf(pipelines, "list_pipelines");
  if (listed === undefined) return failure("I could not find out what runs", pipelines);
  const running: RunningNow = {
    pipelines: listed.pipelines,
    watches: dataOf(watches, "list_watches")?.watches ?? [],
  };
  const { wanted, spared } = splitSpared(clause, app);
  const chosen = without(choose(wanted, running, { made, known: app.known }), spared, running);
  if (isEmpty(chosen) && spared !== undefined)
    return say(`Nothing else is running, so there was nothing to ${act.kind}.`);
  if (isEmpty(chosen)) return nothingChosen(act.kind, running);
  return act.kind === "stop" ? yield* stopAll(chosen, running) : yield* switchAll(act.kind, clause, chosen, app);
}

const SPARES =
  /^(.*?)\b(?:except(?: for)?|apart from|other than|excluding|besides|save for|but(?: not| for)?|(?<!\b(?:do|does|did) )not|leaving|keeping)\b (.+)$/;

/** "Everything except the yard": what is meant, and what has to stay. */
function splitSpared(clause: Clause, { read }: App): { readonly wanted: Clause; readonly spared?: Clause } {
  const act = clause.act as ControlAct;
  const [, meant = "", kept = ""] = SPARES.exec(act.words) ?? [];
  const [first] = meant.trim() === "" ? [] : read(meant);
  const [spared] = kept === "" ? [] : read(kept);
  if (first === undefined || spared === undefined) return { wanted: clause };
  const wanted: Clause = {
    ...clause,
    slots: { ...clause.slots, cameras: first.slots.cameras, classes: first.slots.classes, excluded: [] },
    act: { ...act, words: meant.trim() },
  };
  return { wanted, spared: { ...spared, act: { ...act, what: "named", words: kept } } };
}

/** What was named to be spared stays, and nothing of it is guessed. */
function without(chosen: RunningNow, spared: Clause | undefined, running: RunningNow): RunningNow {
  if (spared === undefined) return chosen;
  const kept = named(spared, running) ?? { pipelines: [], watches: [] };
  return {
    pipelines: chosen.pipelines.filter(({ pipeline_id: id }) => !kept.pipelines.some((one) => one.pipeline_id === id)),
    watches: chosen.watches.filter(({ id }) => !kept.watches.some((one) => one.id === id)),
  };
}

interface Hints {
  readonly made: readonly Made[];
  readonly known: Known;
}

function choose(clause: Clause, running: RunningNow, hints: Hints): RunningNow {
  const act = clause.act as ControlAct;
  if (act.what === "pipelines") return { ...running, watches: [] };
  if (act.what === "watches") return { ...running, pipelines: [] };
  const meant = named(clause, running);
  if (meant !== undefined) return meant;
  return act.what === "everything" ? running : guess(act.words, running, hints);
}

/** By its name or id, its camera, or the things it is about; undefined when none of these is said. */
function named(clause: Clause, running: RunningNow): RunningNow | undefined {
  const { what, words } = clause.act as ControlAct;
  const { cameras, classes } = clause.slots;
  const called = only(running, ({ id, name }) =>
    [name, id].some((word) => ` ${words} `.includes(` ${toPlainWords(word)} `)),
  );
  if (!isEmpty(called)) return called;
  if (cameras.length > 0) return onCameras(running, clause.slots, words);
  return classes.length > 0 && what !== "everything" ? ofClasses(running, classes) : undefined;
}

/** Nothing is named: what was made last, the only one of its kind, or the only one at all. */
function guess(words: string, running: RunningNow, { made, known }: Hints): RunningNow {
  const { pipelines, watches } = running;
  if (/\bcount(?:s|ing)?\b/.test(words)) {
    return { pipelines: pipelines.filter(({ name }) => counts(name, known)), watches: [] };
  }
  const last = only(running, ({ id }) => made.some((one) => one.id === id));
  if (/\b(?:it|that|this|last)\b/.test(words) && !isEmpty(last)) return last;
  const meansWatches = /\bwatch(?:es|ing)?\b|\balerts?\b|\btell(?:ing)?\b/.test(words);
  const meansOne = /\b(?:watch|alert)\b/.test(words);
  if (meansWatches && watches.length > 0)
    return { pipelines: [], watches: watches.length > 1 && meansOne ? [] : watches };
  const free = pipelines.filter((pipeline) => !isOfWatch(pipeline, watches));
  return free.length + watches.length === 1 ? { pipelines: free, watches } : { pipelines: [], watches: [] };
}

function only(
  running: RunningNow,
  isMeant: (one: { readonly id: string; readonly name: string }) => boolean,
): RunningNow {
  return {
    pipelines: running.pipelines.filter(({ pipeline_id: id, name }) => isMeant({ id, name })),
    watches: running.watches.filter(({ id }) => isMeant({ id, name: id })),
  };
}

function isEmpty({ pipelines, watches }: RunningNow): boolean {
  return pipelines.length + watches.length === 0;
}

function counts(name: string, { pipelines }: Known): boolean {
  return /count/.test(name) || pipelines.some((pipeline) => pipeline.name === name && pipeline.counts);
}

function onCameras({ pipelines, watches }: RunningNow, slots: Clause["slots"], words: string): RunningNow {
  const here = {
    pipelines: pipelines.filter(({ video_reference: camera }) => slots.cameras.includes(camera)),
    watches: watches.filter(({ cameras }) => cameras.some((camera) => slots.cameras.includes(camera))),
  };
  if (/\bcount(?:s|ing)?\b/.test(words)) {
    const counting = here.pipelines.filter(({ name }) => /count/.test(name));
    if (counting.length > 0) return { pipelines: counting, watches: [] };
  }
  const narrowed = slots.classes.length === 0 ? here : ofClasses(here, slots.classes);
  return narrowed.pipelines.length + narrowed.watches.length > 0 ? narrowed : here;
}

function ofClasses({ pipelines, watches }: RunningNow, classes: readonly string[]): RunningNow {
  return {
    pipelines: pipelines.filter(({ name }) => classes.some((one) => name.includes(one))),
    watches: watches.filter((watch) => classes.some((one) => watch.classes.includes(one))),
  };
}

/** A watch's pipeline goes with it. */
function isOfWatch({ pipeline_id }: PipelineStatus, watches: readonly WatchReport[]): boolean {
  return watches.some(({ pipelines }) => pipelines.some((one) => one.pipeline_id === pipeline_id));
}

function nothingChosen(control: Control, { pipelines, watches }: RunningNow) {
  if (pipelines.length + watches.length === 0) return say(`${NO_PIPELINES} There is nothing to ${control}.`);
  const names = joinWords([
    ...pipelines.map(({ name }) => name),
    ...watches.map(({ id, words }) => `${id} ("${words}")`),
  ]);
  const first = pipelines[0]?.name ?? watches[0]?.id;
  return ask(
    `I am not sure which one you mean. Running: ${names}. Say "${control} ${first}" or "${control} everything".`,
  );
}

/** Watches first: the pipelines that only they needed stop with them. */
function* stopAll(chosen: RunningNow, before: RunningNow): Plan {
  const texts: string[] = [];
  if (chosen.watches.length > 0) {
    const answers = yield chosen.watches.map(({ id, words }) => ({
      tool: "remove_watch",
      args: { watch_id: id },
      will: `remove ${id} ("${words}")`,
    }));
    const gone = chosen.watches.filter((_, at) => answers[at]?.ok === true);
    if (gone.length > 0) texts.push(`Removed ${joinWords(gone.map(({ id, words }) => `${id} ("${words}")`))}.`);
    texts.push(...answers.filter(({ ok }) => !ok).map(({ text }) => text));
  }
  if (chosen.pipelines.length === 0) return say(texts.join(" "));
  const now = chosen.watches.length > 0 ? yield* runningNow(before.pipelines) : before.pipelines;
  const left = chosen.pipelines.filter(({ pipeline_id: id }) => now.some((one) => one.pipeline_id === id));
  const ended = chosen.pipelines.filter((pipeline) => !left.includes(pipeline)).map(({ name }) => name);
  const all = left.length > 1 && left.length === now.length;
  const answers = yield all ? [stopCall("all")] : left.map(({ pipeline_id, name }) => stopCall(pipeline_id, name));
  return say([...texts, stoppedWords(answers, ended, now)].join(" "));
}

function stopCall(id: string, name = "everything that runs"): PlannedCall {
  return { tool: "stop_pipeline", args: { pipeline_id: id }, will: `stop ${name}` };
}

/** What runs now; as before when nobody can say. */
function* runningNow(before: readonly PipelineStatus[]): Steps<readonly PipelineStatus[]> {
  return dataOf(yield* callOne("list_pipelines", {}), "list_pipelines")?.pipelines ?? before;
}

/** The answer after which least runs came last; without one it is what was listed. */
function stoppedWords(
  answers: readonly ToolAnswer[],
  ended: readonly string[],
  now: readonly PipelineStatus[],
): string {
  const done = answers.flatMap((answer) => dataOf(answer, "stop_pipeline") ?? []);
  const stopped = [...ended, ...done.flatMap((each) => each.stopped.map(({ name }) => name))];
  const failed = answers.filter(({ ok }) => !ok).map(({ text }) => text);
  const [left = now] = done.map(({ pipelines }) => pipelines).toSorted((a, b) => a.length - b.length);
  const rest = left.length === 0 ? NO_PIPELINES : `Still running: ${left.map(({ name }) => name).join(", ")}.`;
  const head = stopped.length === 0 ? "Nothing was stopped." : `Stopped ${joinWords(stopped)}.`;
  return [head, ...failed, rest].join(" ");
}

function* switchAll(
  control: "pause" | "resume",
  { slots }: Clause,
  { pipelines, watches }: RunningNow,
  { clock }: App,
): Plan {
  const ofWatches = watches.flatMap(({ cameras }) => cameras);
  if (pipelines.length === 0) {
    return say(`I pause and resume pipelines, and found none for ${joinWords(ofWatches)}. "Stop" removes the watch.`);
  }
  const answers = yield pipelines.map(({ pipeline_id, name }) => ({
    tool: `${control}_pipeline`,
    args: { pipeline_id },
    will: `${control} ${name}`,
  }));
  const done = pipelines.filter((_, at) => answers[at]?.ok === true);
  const failed = answers.filter(({ ok }) => !ok).map(({ text }) => text);
  const word = control === "pause" ? "Paused" : "Resumed";
  const head =
    done.length === 0
      ? `Nothing was ${word.toLowerCase()}.`
      : `${word} ${joinWords(done.map(({ name, pipeline_id }) => `${name} (${pipeline_id})`))}.`;
  const end = control === "pause" && done.length > 0 ? endOf(slots, clock) : undefined;
  const later = end === undefined ? "" : yield* resumeLater(done, end);
  return say([head, later, ...failed].filter(Boolean).join(" "));
}

/** "For ten minutes", "until 6 pm": when it is to go on. */
function endOf({ seconds, hours }: Slots, clock: WallClock): number | undefined {
  if (seconds !== undefined) return clock.nowMs + seconds * 1000;
  return hours === undefined ? undefined : momentOf({ time: hours.to, tomorrow: false }, clock);
}

/** "for ten minutes": a task resumes what was paused. */
function* resumeLater(pipelines: readonly PipelineStatus[], ms: number): Steps<string> {
  const at = new Date(Math.floor(ms / 60_000) * 60_000 + 60_000).toISOString();
  const instructions = pipelines.map(({ name }) => `resume ${name}`).join("; ");
  const answer = yield* callOne("schedule_task", { instructions, at });
  const task = dataOf(answer, "schedule_task")?.task;
  return task !== undefined
    ? `It goes on at ${at} by the task ${task.id}.`
    : `It does not go on by itself: ${answer.text} Say "resume" when you want it.`;
}

function* planTasks({ words, kind }: ControlAct): Plan {
  const list = yield* callOne("list_tasks", {});
  const listed = dataOf(list, "list_tasks");
  if (listed === undefined) return failure("I could not find out", list);
  const tasks = listed.tasks.filter(({ kind: what }) => what !== "heartbeat");
  if (kind !== "stop") return say("Tasks cannot be paused; they can be cancelled and made again.");
  const named = tasks.filter(({ id }) => words.includes(id.toLowerCase()));
  const all = /\b(?:all|every|everything|both)\b/.test(words) || tasks.length === 1;
  const chosen = named.length > 0 || !all ? named : tasks;
  if (tasks.length === 0) return say("No task is scheduled.");
  if (chosen.length === 0)
    return ask(
      `Which task do you mean?\n${tasks.map(({ id, schedule, instructions }) => `- ${id}: ${schedule}, "${instructions}"`).join("\n")}`,
    );
  const answers = yield chosen.map(({ id, instructions }) => ({
    tool: "cancel_task",
    args: { task_id: id },
    will: `cancel the task "${instructions}"`,
  }));
  return say(answers.map(({ text }) => text).join(" "));
}
