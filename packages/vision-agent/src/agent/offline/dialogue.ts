// a turn + what is open and made → what is wanted now: a new wish, an answer to a question, a change of what was made, or the same question again
import { CHANGING_TOOLS } from "@vision-agent/protocol";
import { isQuestion } from "./acts/reading.ts";
import {
  changeClause,
  changedBy,
  isAboutAlerts,
  isAboutWatch,
  isChange,
  isLimiting,
  isMarkedChange,
  isOpenLength,
} from "./clauses/change-clause.ts";
import { isOfLast, type SpokenTarget } from "./clauses/pointed-at.ts";
import type { Clause, Known, Slots } from "./intent.ts";
import { askFirst } from "./kind/ask-first.ts";
import { isSure, isSureChange } from "./kind/judge-sentence.ts";
import { type App, type Batch, dataOf, type Made, type PlanRun, runPlan, type Wish } from "./plans/plan.ts";
import { planClause } from "./plans/plan-clause.ts";
import { planChange } from "./plans/watch.ts";
import { readInstruction } from "./read-instruction.ts";
import type { SpokenTurn } from "./read-turn.ts";
import { DURATION } from "./slots/amounts.ts";
import { fill, hasAny, namesNothing } from "./slots/fill-slots.ts";
import type { WallClock } from "./slots/find-period.ts";
import { toPlainWords } from "./words/plain-words.ts";

export interface DialogueContext {
  readonly known: Known;
  readonly clock: WallClock;
  readonly modelFor: (camera: string) => string;
}

/** One wish of a turn with how far it got. */
interface Played {
  readonly wish: Wish;
  readonly run: PlanRun;
}

interface MadeBy {
  readonly wish: Wish;
  readonly what: Made;
}

/** What is kept of a conversation between two turns. */
export interface DialogueState {
  /** Questions that wait for an answer, with what a yes does. */
  readonly open: readonly { readonly wish: Wish; readonly proposal?: Clause | undefined }[];
  /** The only wish of the last turn. */
  readonly last?: Wish | undefined;
  /** What turns made and is still there, oldest first. */
  readonly made: readonly (readonly MadeBy[])[];
  /** What was made, changed or tried last: "it". */
  readonly touched: readonly Made[];
  /** The last turn changed something that was there before. */
  readonly altered: boolean;
}

export const NO_STATE: DialogueState = { open: [], made: [], touched: [], altered: false };

const MOST_MADE = 6;

type MadeTarget = SpokenTarget & Pick<MadeBy, "wish">;

export interface TurnPlayed {
  readonly runs: readonly PlanRun[];
  /** After this turn, where it needs no more calls. */
  readonly state: DialogueState;
}

/** Plays the turn that stands now, on what the turns before it left open and made. */
export function playTurn(turn: SpokenTurn, state: DialogueState, context: DialogueContext): TurnPlayed {
  const read = (words: string, hasImage: boolean): readonly Clause[] =>
    readInstruction(words, { known: context.known, clock: context.clock, hasImage });
  const app: App = { ...context, images: turn.images, read: (words) => read(words, false) };
  const fresh = read(turn.text, turn.hasImage);
  const { touched } = state;
  let { batches } = turn;
  const played: Played[] = [];
  for (const wish of wishesOf(turn, fresh, state)) {
    const plan = isOrphanChange(wish) ? planChange(wish, app, touched) : planClause(wish, touched, app);
    const run = runPlan(plan, batches, (calls) => askFirst(calls, wish));
    played.push({ wish, run });
    if (run.calls !== undefined) break;
    batches = batches.slice(run.used.length);
  }
  return { runs: played.map(({ run }) => run), state: stateAfter(played, state) };
}

function stateAfter(played: readonly Played[], before: DialogueState): DialogueState {
  const open = played.flatMap(({ wish, run: { outcome } }) =>
    outcome?.open === true
      ? [{ wish: { ...wish, replaces: outcome.replaces ?? wish.replaces }, proposal: outcome.proposal }]
      : [],
  );
  const gone = played.flatMap(({ run }) => removedIn(run.used));
  const made = played.flatMap(({ wish, run }) => madeIn(run.used).map((what) => ({ wish, what })));
  const left = before.made.map((earlier) =>
    earlier.filter(({ what }) => !gone.includes(what.id) && !gone.includes(ALL)),
  );
  const [only, another] = played;
  const used = played.flatMap(({ run }) => run.used);
  const touched = used.flatMap(touchedIn);
  // What came back or went by an undo has other ids than those that are kept here.
  if (used.some(isUndo)) return { ...NO_STATE, open };
  return {
    open,
    last: another === undefined ? only?.wish : undefined,
    made: [...left, made].filter((each) => each.length > 0).slice(-MOST_MADE),
    touched: (touched.length > 0 ? touched : before.touched).filter(
      ({ id }) => !gone.includes(id) && !gone.includes(ALL),
    ),
    altered: used.some(alters) && !used.some(begins),
  };
}

/** What the calls of a batch were about, where something was done. */
function touchedIn(batch: Batch): readonly Made[] {
  const { calls, answers } = batch;
  const named = calls.flatMap(({ tool, args }, at): readonly Made[] => {
    if (answers[at]?.ok !== true || tool.startsWith("get_")) return [];
    if (typeof args.watch_id === "string") return [{ kind: "watch", id: args.watch_id }];
    return typeof args.pipeline_id === "string" ? [{ kind: "pipeline", id: args.pipeline_id }] : [];
  });
  return [...named, ...madeIn([batch])];
}

function alters({ calls, answers }: Batch): boolean {
  return calls.some(({ tool }, at) => answers[at]?.ok === true && CHANGING_TOOLS.has(tool));
}

function isUndo({ calls, answers }: Batch): boolean {
  return calls.some(({ tool }, at) => tool === "undo" && answers[at]?.ok === true);
}

function begins({ calls }: Batch): boolean {
  return calls.some(({ tool, args }) => (tool === "create_watch" && !args.replaces) || tool === "start_pipeline");
}

/** A change, and nothing was made in this conversation: one of the watches of the app may be meant. */
function isOrphanChange({ clause, replaces }: Wish): boolean {
  const { act, slots, words } = clause;
  const plain = toPlainWords(words);
  const isBareCamera = slots.cameras.length > 0 && slots.classes.length === 0 && plain.split(" ").length < 3;
  const canBe =
    act.kind === "calmer" ||
    (act.kind === "none" && isMarkedChange(clause, plain)) ||
    (act.kind === "watch" && (isAboutWatch(plain) || isLimiting(clause, plain)));
  return replaces.length === 0 && !clause.judged.asks && canBe && !isBareCamera && isChange([clause], words);
}

function wishesOf(turn: SpokenTurn, said: readonly Clause[], state: DialogueState): readonly Wish[] {
  const fresh = said.filter(({ act }) => act.kind !== "aside");
  const asides = said.filter(({ act }) => act.kind === "aside");
  const answered = state.open.length > 0 ? answerQuestion(state.open, fresh, turn.text) : undefined;
  if (answered !== undefined) return answered;
  if (state.altered && fresh.every(takesBack) && fresh.length === 1)
    return fresh.map((clause) => toSureWish({ ...clause, act: { kind: "undo", isPlain: true, again: false } }));
  const again = askAgain(state.last, fresh);
  if (again !== undefined) return [again];
  const changes = isChange(fresh, turn.text) && !fresh.some(({ judged }) => judged.asks);
  const canBe = fresh.every(isAboutAlerts) ? tellsSomebody : makesSomething;
  const targets: readonly MadeTarget[] = state.made
    .flat()
    .map(({ wish, what }) => ({ ...wish.clause.slots, classes: thingsOf(wish.clause), ...what, wish }));
  const meant = fresh.reduce((left, change) => changedBy(left, change, state.touched), targets).map(({ wish }) => wish);
  const all = changes ? lastMade(state, (wish) => canBe(wish) && meant.includes(wish)) : [];
  const made = all.filter(({ wish }) => fresh.every((clause) => leavesSomething(wish.clause, clause)));
  if (made.length > 0) {
    const changed = changeMade(made, fresh);
    const isAllRead = asides.length === 0;
    if (changed.length > 0)
      return [...changed.map((wish) => ({ ...wish, isSure: wish.isSure && isAllRead })), ...asides.map(toSureWish)];
    const [first] = fresh;
    if (first !== undefined && fresh.every(({ act }) => act.kind !== "look" && act.kind !== "past"))
      return [toSureWish({ ...first, act: { kind: "unchanged" } })];
  }
  return [...fresh, ...asides].map((clause) => {
    const wanted = withAct(clause, fresh);
    const isAllRead = asides.every(({ slots }) => slots.model !== undefined && slots.model === wanted.slots.model);
    const isLater = STOPS_THEN.test(toPlainWords(turn.text)) && wanted.act.kind !== "watch";
    const isClear = isOrphanChange(toSureWish(wanted)) ? isSureChange(wanted) : isSure(wanted);
    return {
      clause: wanted,
      isSure: isClear && isAllRead && !isLater && !fresh.some((other) => other !== clause && isLacking(other)),
      replaces: [],
    };
  });
}

/** Of all its sides and steps. */
function thingsOf({ slots, then = [] }: Clause): readonly string[] {
  const { classes, near, together = [] } = slots;
  return [...classes, ...near, ...together, ...then.flatMap((step) => thingsOf(step))];
}

const TAKES_BACK = /\b(?:cancel|scrap|ditch|drop|forget(?: about)?|call) (?:that|it|this)\b/;

/** "No, cancel that": what was changed last, not what it was changed on. */
function takesBack({ act, slots, words }: Clause): boolean {
  return act.kind === "stop" && namesNothing(slots) && TAKES_BACK.test(toPlainWords(words));
}

/** "Tell me when it leaves and then stop": nothing stops by itself when something happens. */
const STOPS_THEN = /\b(?:when|if|as soon as|once)\b.*\bthen (?:stop|end|cancel|remove|pause|resume|delete)\b/;

/** Beside a wish for quiet, for a trial or to take something back, nothing else is done without a yes. */
function isLacking({ act }: Clause): boolean {
  return act.kind === "quiet" || act.kind === "trial" || act.kind === "undo";
}

function toSureWish(clause: Clause): Wish {
  return { clause, replaces: [], isSure: true };
}

/** "No more cars" changes what tells of cars and trucks; what tells of cars alone ends. */
function leavesSomething({ act: made, slots: earlier }: Clause, { act, slots }: Clause): boolean {
  if (act.kind !== "stop") return true;
  if (slots.cameras.length > 0) {
    const others = earlier.cameras.filter((camera) => !slots.cameras.includes(camera));
    return made.kind === "watch" && others.length > 0 && others.length < earlier.cameras.length;
  }
  if (slots.classes.length === 0) return true;
  const left = earlier.classes.filter((name) => !slots.classes.includes(name));
  return left.length > 0 && left.length < earlier.classes.length;
}

/** Of the last turn that made something which is still there. */
function lastMade({ made }: DialogueState, isMeant: (wish: Wish) => boolean): readonly MadeBy[] {
  return made.map((turn) => turn.filter(({ wish }) => isMeant(wish))).findLast((turn) => turn.length > 0) ?? [];
}

/** What a change of a watch of the app made is changed as that watch, not as the words of the change. */
function makesSomething({ clause: { act } }: Wish): boolean {
  return ["watch", "count", "detect", "run"].includes(act.kind);
}

function tellsSomebody({ clause }: Wish): boolean {
  return clause.act.kind === "watch";
}

const ALL = "all";

/** Which argument of a tool names what is gone after it. */
const REMOVED_ID: Readonly<Record<string, string>> = {
  remove_watch: "watch_id",
  create_watch: "replaces",
  stop_pipeline: "pipeline_id",
};

/** Ids that were stopped, removed or replaced since. */
function removedIn(batches: readonly Batch[]): readonly unknown[] {
  return batches.flatMap(({ calls, answers }) =>
    calls.filter((_, at) => answers[at]?.ok === true).map(({ tool, args }) => args[REMOVED_ID[tool] ?? ""]),
  );
}

function madeIn(batches: readonly Batch[]): readonly Made[] {
  const answers = batches.flatMap((batch) => batch.answers);
  return answers.flatMap((answer): readonly Made[] => {
    const watch = dataOf(answer, "create_watch")?.watch;
    if (watch !== undefined) return [{ kind: "watch", id: watch.id }];
    const pipeline = dataOf(answer, "start_pipeline")?.pipeline;
    return pipeline === undefined ? [] : [{ kind: "pipeline", id: pipeline.pipeline_id }];
  });
}

/** All that the last turn made changes alike, unless the words name a camera or a thing of one of them. */
function changeMade(made: readonly MadeBy[], fresh: readonly Clause[]): readonly Wish[] {
  const wishes = [...new Set(made.map(({ wish }) => wish))];
  const [change] = fresh;
  if (change === undefined) return [];
  const named = wishes.filter(({ clause: { slots } }) =>
    change.slots.excluded.some((name) => slots.classes.includes(name)),
  );
  const chosen = wishes.length > 1 && named.length > 0 ? named : wishes;
  return chosen
    .map((wish) => ({
      clause: { ...fresh.reduce(changeClause, wish.clause), judged: change.judged, called: change.called },
      isSure: fresh.every((said) => isSureChange(said) && !isOpenLength(wish.clause.slots, said)),
      replaces: made.filter((one) => one.wish === wish).map(({ what }) => what),
    }))
    .filter(({ clause }, at) => differs(clause, chosen[at]?.clause));
}

/** Whether anything that is done for it is another. */
function differs(clause: Clause, before: Clause | undefined): boolean {
  const told = ({ act, then, slots: { period, once, ...slots } }: Clause): string =>
    JSON.stringify([
      act.kind,
      then?.map((step) => step.slots),
      Object.entries(slots).toSorted(([one], [other]) => one.localeCompare(other)),
    ]);
  return before === undefined || told(clause) !== told(before);
}

const ANSWER_WORDS = 6;

/** Undefined when the words are no answer but something new. */
function answerQuestion(
  open: DialogueState["open"],
  fresh: readonly Clause[],
  text: string,
): readonly Wish[] | undefined {
  const [answer, another] = fresh;
  if (answer === undefined || another !== undefined) return undefined;
  const proposals = open.flatMap(({ wish, proposal }) =>
    proposal ? [{ ...wish, clause: proposal, isSure: true }] : [],
  );
  if (answer.act.kind === "yes" && proposals.length > 0) return proposals;
  if (answer.act.kind === "no") return [toSureWish(answer)];
  const plain = toPlainWords(text);
  // "Should I …?" is answered by yes or no, or by what is to be otherwise; whatever wants something is said anew.
  if (isQuestion(plain) || (proposals.length > 0 && answer.act.kind !== "none")) return undefined;
  if (proposals.length > 0) {
    const changed = proposals.map((wish) => ({ ...wish, clause: changeClause(wish.clause, answer), isSure: false }));
    const isChanged = changed.every(({ clause }, at) => differs(clause, proposals[at]?.clause));
    return isChanged && !isWhole(answer.slots) && isSureChange(answer) ? changed : undefined;
  }
  const isAnswer = open.every(({ wish: { clause } }) => fillsGap(clause, answer, plain));
  return isAnswer ? open.map(({ wish }) => ({ ...wish, clause: complete(wish.clause, answer, plain) })) : undefined;
}

/** It leaves nothing open, so it is a wish of its own. */
function isWhole({ cameras, classes }: Slots): boolean {
  return cameras.length > 0 && classes.length > 0;
}

/** What a watch has, and no order that waits for a name or a time. */
const OF_WATCHES = ["days", "modes", "severity", "cooldownSeconds", "againSeconds", "zone", "line", "way"] as const;
const DECLINES = /\b(?:not|don't|doesn't|no|never|forget|sorry|nothing|fine)\b/;

/** A few words that name what was missing, or the wish again with it, and nothing else. */
function fillsGap({ act, slots: wanted }: Clause, { act: said, slots }: Clause, plain: string): boolean {
  const isAgain = said.kind === act.kind && !(said.kind === "quiet" && act.kind === "quiet" && said.ends !== act.ends);
  const isShort = plain.split(" ").length <= ANSWER_WORDS && ["none", "look", "image", "past"].includes(said.kind);
  if ((!isAgain && !isShort) || DECLINES.test(plain)) return false;
  // "Make it weekends only" is no answer to "which one?".
  if ("words" in act && ((isOfLast(plain) && !isOfLast(act.words)) || hasAny(slots, ...OF_WATCHES))) return false;
  if (["stop", "pause", "resume", "run", "camera", "quiet"].includes(act.kind)) return true;
  const isOther =
    (wanted.cameras.length > 0 && slots.cameras.length > 0) || (wanted.classes.length > 0 && slots.classes.length > 0);
  if (isOther && said.kind !== "none") return false;
  if (wanted.cameras.length === 0) return slots.cameras.length > 0;
  return slots.classes.length > 0 || slots.anything || hasAny(slots, "zone", "seconds", "atLeast", "fps");
}

function complete(clause: Clause, { slots }: Clause, plain: string): Clause {
  const { act } = clause;
  const merged = withoutUnknown(fill(slots, clause.slots), slots);
  if (clause.then !== undefined && merged.withinSeconds === undefined && slots.seconds !== undefined)
    return { ...clause, slots: { ...clause.slots, withinSeconds: slots.seconds } };
  if (act.kind === "stop" || act.kind === "pause" || act.kind === "resume" || act.kind === "quiet")
    return { ...clause, act: { ...act, words: `${act.words} ${plain}` }, slots: merged };
  const name = /([\w-]+)$/.exec(plain)?.[1];
  const isWorkspace =
    act.kind === "run" && merged.workflow !== undefined && merged.workspace === undefined && name !== undefined;
  const place = slots.cameras.length > 0 ? ` on ${slots.cameras.join(" and ")}` : undefined;
  const words = place === undefined ? clause.words : clause.words.replace(/[.!?\s]+$/, "") + place;
  return { ...clause, words, slots: isWorkspace ? { ...merged, workspace: name } : merged };
}

/** What was unknown is forgotten once its place is filled. */
function withoutUnknown(merged: Slots, answer: Slots): Slots {
  const { unknownCamera, unknownZone, thing, ...rest } = merged;
  return {
    ...rest,
    ...(unknownCamera !== undefined && answer.cameras.length === 0 && { unknownCamera }),
    ...(unknownZone !== undefined && answer.zone === undefined && { unknownZone }),
    ...(thing !== undefined && answer.classes.length === 0 && !answer.anything && { thing }),
  };
}

/** "And on the dock?", "and yesterday?": the question before, about something else. */
function askAgain(before: Wish | undefined, fresh: readonly Clause[]): Wish | undefined {
  const [clause, another] = fresh;
  if (clause === undefined || another !== undefined || before === undefined) return undefined;
  const { slots } = clause;
  const { act, slots: earlier } = before.clause;
  const isFollowing = /^(?:and|or|what about|how about|what if)\b/.test(toPlainWords(clause.words));
  const isFragment = clause.act.kind === "none" || (clause.act.kind === "past" && isFollowing);
  if (act.kind === "preview" && isFollowing && ["none", "past", "look", "recall"].includes(clause.act.kind))
    return toSureWish(askOfOther(before.clause, clause));
  const names = slots.cameras.length > 0 || slots.classes.length > 0 || slots.period !== undefined;
  if (!["look", "past", "totals", "summary"].includes(act.kind) || !isFragment || !names) return undefined;
  return toSureWish({ ...before.clause, slots: withoutUnknown(fill(slots, earlier), slots) });
}

const SPAN = new RegExp(`\\b${DURATION}\\b`);

/** "And with 10 minutes?", "and yesterday?": the same question with another figure, time or limit. */
function askOfOther({ words, slots, ...earlier }: Clause, said: Clause): Clause {
  const plain = toPlainWords(said.words);
  const asked = words.replace(/[?.!\s]+$/, "");
  const [span] = SPAN.exec(plain) ?? [];
  const more = plain.replace(/^(?:and|or|what about|how about|what if)(?: (?:with|if))? /, "");
  const longer = `${asked} ${/\b(?:if|with|using)\b/.test(asked) ? "and" : "if"} ${more}`;
  const other = span !== undefined && SPAN.test(asked) ? asked.replace(SPAN, span) : longer;
  const { period } = said.slots;
  return { ...earlier, slots: { ...slots, ...(period && { period }) }, words: period ? words : other };
}

/** A thing and a camera without a verb: a watch where a limit is named, else looked at; a model is run there. */
function withAct(clause: Clause, all: readonly Clause[]): Clause {
  const { act, slots, bare } = clause;
  if (act.kind !== "none" || slots.cameras.length === 0 || clause.judged.asks) return clause;
  const rest = bare.replace(/\b(?:on|at|in|the|please|camera|cam|and)\b|@c/g, "");
  const isLimited = hasAny(slots, "seconds", "atLeast", "hours", "cooldownSeconds");
  if (slots.classes.length > 0 && isLimited) return { ...clause, act: { kind: "watch" } };
  if (slots.classes.length > 0 && all.length > 1) return { ...clause, act: { kind: "detect" } };
  if (slots.classes.length > 0 || rest.trim() === "") return { ...clause, act: { kind: "look", howMany: false } };
  return hasAny(slots, "model", "workflow") ? { ...clause, act: { kind: "run" } } : clause;
}
