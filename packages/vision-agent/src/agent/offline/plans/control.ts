// stop, pause, resume → the pipelines, watches and tasks that are meant
import type { PipelineStatus, WatchReport } from "@vision-agent/protocol";
import { NO_PIPELINES } from "../../../tools/pipeline-tools.ts";
import { toTarget } from "../answers/watch-words.ts";
import { oneOrAll, pointedAt, type SpokenTarget } from "../clauses/pointed-at.ts";
import type { Control, Slots } from "../intent.ts";
import { momentOf, type WallClock } from "../slots/find-period.ts";
import { findClasses, joinWords } from "../words/class-words.ts";
import { refuseUnknownCamera } from "./choose.ts";
import { type App, ask, callOne, dataOf, type Made, need, type Plan, type Steps, say, type WishOf } from "./plan.ts";

type ControlAct = WishOf<Control>["clause"]["act"];

/** A pipeline or a watch that runs. */
interface Running extends SpokenTarget {
  readonly kind: "pipeline" | "watch";
  /** By which people call it. */
  readonly name: string;
  readonly label: string;
  readonly counts?: boolean;
  /** Of the watches that look through it; it goes with the last of them. */
  readonly watches?: readonly string[];
}

const UNKNOWN = { failed: "I could not find out what runs" };

/** `made`: what this conversation made last, for "stop it". */
export function* planControl({ clause }: WishOf<Control>, app: App, made: readonly Made[]): Plan {
  const { act, slots } = clause;
  if (act.what === "named") yield* refuseUnknownCamera(slots, app.known);
  if (act.what === "tasks") return yield* planTasks(act);
  const { pipelines } = yield* need("list_pipelines", UNKNOWN);
  const { watches } = yield* need("list_watches", UNKNOWN);
  const running = toRunning(pipelines, watches);
  const [, meant = act.words, spared] = SPARES.exec(act.words) ?? [];
  const read = (words: string): Choice => ({ slots: app.read(words)[0]?.slots ?? slots, running, made });
  const kept = spared === undefined ? [] : choose({ ...act, what: "named", words: spared }, read(spared));
  const choice = spared === undefined ? { slots, running, made } : read(meant);
  const all = choose({ ...act, words: meant }, choice) ?? guess(act.words, running);
  // Where nobody knows what has to stay, nothing ends. What stays keeps what it looks through.
  const stays = ({ id, watches: through = [] }: Running): boolean =>
    kept?.some((one) => one.id === id || through.includes(one.id)) === true;
  const isKnown = spared === undefined || (kept !== undefined && kept.length > 0);
  const left = isKnown ? all.filter((one) => !stays(one)) : [];
  if (left.length === 0 && spared !== undefined && isKnown && all.length > 0)
    return say(`Nothing else is running, so there was nothing to ${act.kind}.`);
  const chosen = oneOrAllOf(left, meant);
  if (running.length === 0) return say(`${NO_PIPELINES} There is nothing to ${act.kind}.`);
  if (chosen.length === 0) {
    const offered = left.length > 0 ? left.filter(({ kind }) => kind === "watch") : running;
    const labels = joinWords(offered.map(({ label }) => label));
    return ask(
      `I am not sure which one you mean. Running: ${labels}. Say "${act.kind} ${offered[0]?.name}" or "${act.kind} everything".`,
    );
  }
  // A tool asks about each watch alone; who says yes to that has not heard of the pipelines.
  const own = chosen.filter((one) => one.kind === "pipeline" && !isOfWatch(one));
  const isMixed = own.length > 0 && chosen.some(({ kind }) => kind === "watch");
  if (act.kind === "stop" && spared !== undefined && isMixed && act.isListed !== true) {
    const labels = joinWords([...chosen.filter(({ kind }) => kind === "watch"), ...own].map(({ label }) => label));
    return { text: `Should I stop ${labels}?`, open: true, proposal: { ...clause, act: { ...act, isListed: true } } };
  }
  return act.kind === "stop" ? yield* stopAll(chosen, pipelines) : yield* switchAll(act.kind, slots, chosen, app.clock);
}

function toRunning(pipelines: readonly PipelineStatus[], watches: readonly WatchReport[]): readonly Running[] {
  const watchesOf = (id: string): readonly string[] =>
    watches.filter(({ pipelines: all }) => all.some(({ pipeline_id }) => pipeline_id === id)).map((watch) => watch.id);
  return [
    ...pipelines.map(({ pipeline_id: id, name, video_reference, shapes }) => ({
      kind: "pipeline" as const,
      id,
      name,
      label: name,
      cameras: [video_reference],
      classes: findClasses(name.split("-")),
      counts: /count/.test(name) || shapes.some(({ kind }) => kind === "line"),
      watches: watchesOf(id),
    })),
    ...watches.map((watch) => {
      const { id } = watch;
      return { ...toTarget(watch), kind: "watch" as const, name: id, label: `${id} ("${watch.words}")` };
    }),
  ];
}

function isOfWatch({ watches = [] }: Running): boolean {
  return watches.length > 0;
}

/** Of several watches the one that the words mean, with what only it looks through; none where nothing says which. */
function oneOrAllOf(chosen: readonly Running[], words: string): readonly Running[] {
  const watches = oneOrAll(
    chosen.filter(({ kind }) => kind === "watch"),
    words,
  );
  return watches === undefined ? [] : chosen.filter((one) => one.kind === "pipeline" || watches.includes(one));
}

/** "Everything except the yard": what is meant, and what has to stay. */
const SPARES =
  /^(.+?) (?:except(?: for)?|apart from|other than|excluding|besides|but(?: not| for)?|(?<!\b(?:do|does|did) )not|leaving|keeping) (.+)$/;
const COUNTS = /\bcount(?:s|ing)?\b/;
const OF_PIPELINES = /\b(?:count\w*|detect\w*|track\w*|look\w*|find\w*|pipelines?|workflows?|models?)\b/;

interface Choice {
  readonly slots: Slots;
  readonly running: readonly Running[];
  readonly made: readonly Made[];
}

/** By name or id, by its camera and the things it is about, or as what was made last; undefined when none of these is said. */
function choose({ what, words }: ControlAct, { slots, running, made }: Choice): readonly Running[] | undefined {
  const isCount = COUNTS.test(words);
  const some = running.filter(
    (one) =>
      (what === "pipelines" || what === "watches" ? what.startsWith(one.kind) : true) &&
      (!isCount || one.counts === true),
  );
  const pointed = pointedAt(some, { slots, words, touched: made }) ?? (isCount || what !== "named" ? some : undefined);
  // A pipeline whose name says nothing may look for these, where it is a pipeline that is spoken of.
  const isOpen = pointed?.length === 0 && slots.classes.length > 0 && OF_PIPELINES.test(words);
  return isOpen
    ? some.filter((one) => one.kind === "pipeline" && one.classes.length === 0 && !isOfWatch(one))
    : pointed;
}

/** Nothing is named: the only watch or all of them, or the only one at all. */
function guess(words: string, running: readonly Running[]): readonly Running[] {
  const watches = running.filter(({ kind }) => kind === "watch");
  if (/\b(?:watch(?:es|ing)?|alerts?|tell(?:ing)?)\b/.test(words) && watches.length > 0)
    return watches.length > 1 && /\b(?:watch|alert)\b/.test(words) ? [] : watches;
  const free = running.filter((one) => !isOfWatch(one));
  return free.length === 1 ? free : [];
}

/**
 * All at once where everything is meant, so that one question names it; else what somebody is asked about comes first,
 * for a no ends the rest. The pipelines that only a removed watch needed stop with it.
 */
function* stopAll(chosen: readonly Running[], before: readonly PipelineStatus[]): Plan {
  const watches = chosen.filter(({ kind }) => kind === "watch");
  const pipelines = chosen.filter(({ kind }) => kind === "pipeline");
  const own = pipelines.filter((one) => !isOfWatch(one) || watches.length === 0);
  const isAll = pipelines.length > 1 && pipelines.length === before.length && own.length > 0;
  const stops = isAll ? [{ id: "all", name: "everything that runs" }] : own;
  const removing = watches.map(({ id, label }) => {
    return { tool: "remove_watch", args: { watch_id: id }, will: `remove ${label}` };
  });
  const stopping = stops.map(({ id, name }) => {
    return { tool: "stop_pipeline", args: { pipeline_id: id }, will: `stop ${name}` };
  });
  const answers = isAll ? yield [...removing, ...stopping] : [...(yield removing), ...(yield stopping)];
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

function* switchAll(control: "pause" | "resume", slots: Slots, chosen: readonly Running[], clock: WallClock): Plan {
  const pipelines = chosen.filter(({ kind }) => kind === "pipeline");
  if (pipelines.length === 0) {
    const cameras = joinWords(chosen.flatMap((watch) => watch.cameras));
    return say(
      `I cannot ${control} a watch, only pipelines, and found none for ${cameras}. "Mute" keeps the watch quiet for a while, "stop" removes it.`,
    );
  }
  const answers = yield pipelines.map(({ id, name }) => ({
    tool: `${control}_pipeline`,
    args: { pipeline_id: id },
    will: `${control} ${name}`,
  }));
  const done = pipelines.filter((_, at) => answers[at]?.ok === true);
  const word = control === "pause" ? "Paused" : "Resumed";
  const names = joinWords(done.map(({ name, id }) => `${name} (${id})`));
  return say(
    done.length === 0 ? `Nothing was ${word.toLowerCase()}.` : `${word} ${names}.`,
    control === "pause" && done.length > 0 ? yield* resumeLater(done, slots, clock) : "",
    ...answers.filter(({ ok }) => !ok).map(({ text }) => text),
  );
}

/** "For ten minutes", "until 6 pm": a task resumes what was paused. */
function* resumeLater(pipelines: readonly Running[], { seconds, hours, end }: Slots, clock: WallClock): Steps<string> {
  if (seconds === undefined && hours === undefined && end === undefined) return "";
  const said = end === undefined ? clock.nowMs + (seconds ?? 0) * 1000 : Date.parse(end.at);
  const ends = hours === undefined ? said : momentOf({ time: hours.to, tomorrow: false }, clock);
  const at = new Date(Math.floor(ends / 60_000) * 60_000 + 60_000).toISOString();
  const instructions = pipelines.map(({ name }) => `resume ${name}`).join("; ");
  const answer = yield* callOne(
    "schedule_task",
    { instructions, at, tools: ["resume_pipeline"] },
    `${instructions} at ${at}`,
  );
  const task = dataOf(answer, "schedule_task")?.task;
  return task !== undefined
    ? `It goes on at ${at} by the task ${task.id}.`
    : `It does not go on by itself: ${answer.text} Say "resume" when you want it.`;
}

function* planTasks({ words, kind }: ControlAct): Plan {
  const listed = yield* need("list_tasks", { failed: "I could not find out" });
  const tasks = listed.tasks.filter(({ kind: what }) => what !== "heartbeat");
  if (kind !== "stop") return say("Tasks cannot be paused; they can be cancelled and made again.");
  if (tasks.length === 0) return say("No task is scheduled.");
  const named = tasks.filter(({ id }) => words.includes(id.toLowerCase()));
  const all = /\b(?:all|every|everything|both)\b/.test(words) || tasks.length === 1 ? tasks : [];
  const chosen = named.length > 0 ? named : all;
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
