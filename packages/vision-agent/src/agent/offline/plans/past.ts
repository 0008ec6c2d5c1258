// questions about the past → searches of the events, and what memory holds beside
import type { ToolDataOf } from "@vision-agent/protocol";
import { createLocalTime } from "../../../memory/local-time.ts";
import { formatPassage } from "../../../tools/memory-tools.ts";
import { formatMoment } from "../../../workspace/format-time.ts";
import { directionNote, eventInWords, noneOf, totalsInWords } from "../answers/findings.ts";
import type { Slots } from "../intent.ts";
import { lately, type Period, today, type WallClock } from "../slots/find-period.ts";
import { countOf, joinWords } from "../words/class-words.ts";
import { refuseUnknownCamera } from "./choose.ts";
import { countCrossings } from "./crossings.ts";
import {
  type App,
  callOne,
  dataOf,
  endWith,
  failure,
  type Plan,
  type Steps,
  say,
  type Wish,
  type WishOf,
} from "./plan.ts";

const SHOWN = 8;
const MOST_NOTES = 3;
/** Events tell when something came and went; how long it was there, and where or when there was most, nobody works out. */
const UNMEASURED =
  "I cannot rank that: how long each one stayed is not recorded, and I do not compare hours or cameras. What I have:";

type PastAct = WishOf<"past">["clause"]["act"];
type Found = Pick<ToolDataOf<"search_events">, "total" | "totals" | "events">;

interface PastQuestion extends Pick<PastAct, "asked" | "eventKind" | "direction"> {
  readonly cameras: readonly string[];
  readonly classes: readonly string[];
  readonly period: Period;
  readonly clock: WallClock;
}

/** From the beginning until now. */
export function everSince(clock: WallClock): Period {
  return { ...today(clock), from: "1970-01-01T00:00:00.000Z", words: "so far" };
}

export function* planPast({ clause: { act, slots, words } }: WishOf<"past">, { known, clock }: App): Plan {
  yield* refuseUnknownCamera(slots, known);
  const question = toQuestion(act, slots, clock);
  if (question.asked === "count" && question.eventKind === "line_crossed") {
    const crossed = yield* countCrossings({ ...question, ...question.period }, known);
    if (crossed !== undefined) return say(crossed);
  }
  const first = yield* search(question);
  const other = first.total > 0 ? undefined : otherKind(question);
  const found = other === undefined ? first : yield* search({ ...question, direction: undefined, eventKind: other });
  const notes = act.asked === "list" || act.asked === "ranked" ? yield* recallNotes(words, question) : [];
  const answer = found.total === 0 ? [noneInWords(question, slots)] : foundInWords(found, question);
  return say([...answer, directionNote(slots.way), ...notes].filter((line) => line !== "").join("\n"));
}

/** What was seen over a time, in figures, with the newest notes. */
export function* planSummary(wish: Wish, app: App): Plan {
  const act = { kind: "past", asked: "list" } as const;
  const { text } = yield* planPast({ ...wish, clause: { ...wish.clause, act } }, app);
  return say(`Summary.\n${text}`);
}

function toQuestion({ asked, eventKind, direction }: PastAct, slots: Slots, clock: WallClock): PastQuestion {
  const { cameras, thing, period = asked === "last" ? everSince(clock) : lately(clock) } = slots;
  // A model of the person's own may have found what no detector here has a class for.
  const classes = slots.classes.length === 0 && thing !== undefined ? [thing] : slots.classes;
  const isSeeing = asked === "list" && eventKind === "appeared" && slots.classes.length === 0;
  return { asked, cameras, classes, period, clock, direction, eventKind: isSeeing ? undefined : eventKind };
}

/** Where no line counted, who came into view or left it is the nearest that is known; where nothing told of coming, a line may have. */
function otherKind({ direction, eventKind, classes }: PastQuestion): string | undefined {
  if (direction === "out") return "left";
  if (eventKind === "line_crossed") return "appeared";
  return eventKind === "appeared" && classes.length > 0 ? "line_crossed" : undefined;
}

/** The tool takes one camera and one class, so each pair is a search; all of them are made at once. */
function* search({ asked, cameras, classes, period, eventKind, direction }: PastQuestion): Steps<Found> {
  const { from, to } = period;
  const order = asked === "first" ? "oldest" : undefined;
  const pairs = orNone(cameras).flatMap((camera) => orNone(classes).map((class_name) => ({ camera, class_name })));
  const answers = yield pairs.map((pair) => ({
    tool: "search_events",
    args: { ...pair, kind: eventKind, direction, from, to, order, max_results: SHOWN },
  }));
  const failed = answers.find(({ ok }) => !ok);
  if (failed !== undefined) return yield* endWith(failure("I could not search", failed));
  const found = answers.flatMap((answer) => dataOf(answer, "search_events") ?? []);
  return {
    total: found.reduce((sum, { total }) => sum + total, 0),
    totals: found.flatMap(({ totals }) => totals),
    events: found.flatMap(({ events }) => events).toSorted((a, b) => a.timestamp.localeCompare(b.timestamp)),
  };
}

function orNone(names: readonly string[]): readonly (string | undefined)[] {
  return names.length === 0 ? [undefined] : names;
}

/** `on street today`. */
function during({ cameras, period }: PastQuestion): string {
  return cameras.length === 0 ? period.words : `on ${joinWords(cameras)} ${period.words}`;
}

function noneInWords(question: PastQuestion, { classes, thing }: Slots): string {
  const none = `I have ${noneOf(question.classes)} on record ${during(question)}.`;
  return classes.length === 0 && thing !== undefined
    ? `${none} No detector here finds that, and no model of yours that ran told of one.`
    : `${none} Only what a pipeline or watch sees is recorded.`;
}

function countInWords({ total, totals }: Found, question: PastQuestion): string {
  const { classes, direction } = question;
  const [{ kind } = { kind: "appeared" }, another] = totals;
  const went = direction !== undefined && kind === "line_crossed" ? `went ${direction}` : undefined;
  const all = totalsInWords(totals);
  const only = went === undefined ? all : `${countOf(total, classes[0] ?? "thing")} ${went}`;
  const figure = another === undefined ? only : `${total} in all (${all})`;
  return `${figure} ${during(question)}. One that leaves and comes back counts again.`;
}

function foundInWords(found: Found, question: PastQuestion): readonly string[] {
  const { asked, clock, cameras, period } = question;
  const { total, totals, events } = found;
  if (asked === "count") return [countInWords(found, question)];
  const [end] = asked === "first" ? events : events.slice(-1);
  if (end !== undefined && (asked === "first" || asked === "last"))
    return [`The ${asked} was ${formatMoment(end.timestamp, clock)} on ${end.camera}: ${end.text}`];
  const place = cameras.length === 0 ? "" : ` on ${joinWords(cameras)}`;
  const when = period.words.charAt(0).toUpperCase() + period.words.slice(1);
  const shown = events.toReversed().slice(0, SHOWN);
  return [
    ...(asked === "ranked" ? [UNMEASURED] : []),
    `${when}${place}: ${totalsInWords(totals)}.`,
    ...shown.map((event) => eventInWords(event, clock)),
    ...(total > shown.length ? [`… and ${total - shown.length} more.`] : []),
  ];
}

/** Notes of those days. */
function* recallNotes(query: string, { cameras, period, clock }: PastQuestion): Steps<readonly string[]> {
  const local = createLocalTime(clock.timeZone);
  const [from, to] = [Date.parse(period.from), Date.parse(period.to) - 1].map((ms) => local(ms).day);
  const answer = yield* callOne("recall", { query, max_results: MOST_NOTES, camera_id: cameras[0], from, to });
  const notes = dataOf(answer, "recall")?.passages ?? [];
  return notes.length === 0 ? [] : ["From memory:", ...notes.map(formatPassage)];
}
