// questions about the past → searches of the events, and what memory holds beside
import type { ToolDataOf } from "@vision-agent/protocol";
import { createLocalTime } from "../../../memory/local-time.ts";
import { eventInWords, firstLines, momentInWords, noneOf, totalsInWords } from "../answers/findings.ts";
import { noteInWords } from "../answers/fitting-notes.ts";
import type { Slots } from "../intent.ts";
import { lately, type Period, today, type WallClock } from "../slots/find-period.ts";
import { countOf, joinWords } from "../words/class-words.ts";
import { refuseUnknownCamera } from "./choose.ts";
import {
  type App,
  dataOf,
  endWith,
  failure,
  type Plan,
  type PlannedCall,
  type Steps,
  say,
  type ToolAnswer,
  type Wish,
  type WishOf,
} from "./plan.ts";

const SHOWN = 8;
/** Events tell when something came and went; how long it was there, and where or when there was most, nobody works out. */
const UNMEASURED =
  "I cannot rank that: how long each one stayed is not recorded, and I do not compare hours or cameras. What I have:";

type PastAct = WishOf<"past">["clause"]["act"];

/** From the beginning until now. */
export function everSince(clock: WallClock): Period {
  return { ...today(clock), from: "1970-01-01T00:00:00.000Z", words: "so far" };
}

export function* planPast({ clause: { act, slots, words } }: WishOf<"past">, { known, clock }: App): Plan {
  const asked = askedFor(act, slots, clock);
  yield* refuseUnknownCamera(slots, known);
  const withMemory = act.asked === "list" || act.asked === "ranked";
  const first = yield* search(asked, withMemory ? [recallCall(words, slots)] : []);
  const other = first.total > 0 ? undefined : otherKind(asked);
  const found = other === undefined ? first : yield* search({ ...asked, direction: undefined, eventKind: other });
  if (isUnknown(slots) && found.total === 0) return say(unknownAnswer(slots.thing, asked));
  if (act.asked === "count") return say(countAnswer(found, asked, act));
  if (act.asked === "last" || act.asked === "first") return say(endAnswer(found, asked, clock));
  const parts = [
    act.asked === "ranked" ? UNMEASURED : "",
    listAnswer(found, asked, clock),
    memoryAnswer(first.beside[0], asked, clock),
  ];
  return say(parts.filter(Boolean).join("\n"));
}

/** What was seen over a time, in figures, with the newest notes. */
export function* planSummary(wish: Wish, app: App): Plan {
  const act = { kind: "past", asked: "list" } as const;
  const { text } = yield* planPast({ ...wish, clause: { ...wish.clause, act } }, app);
  return say(`Summary.\n${text}`);
}

/** Where no line counted, who came into view or left it is the nearest that is known; where nothing told of coming, a line may have. */
function otherKind({ direction, eventKind, slots }: PastQuestion): string | undefined {
  if (direction === "out") return "left";
  if (eventKind === "line_crossed") return "appeared";
  return eventKind === "appeared" && slots.classes.length > 0 ? "line_crossed" : undefined;
}

interface PastQuestion {
  readonly slots: Slots;
  readonly period: Period;
  readonly eventKind?: string;
  readonly direction?: "in" | "out";
  readonly most: number;
  /** The first of them is wanted, not the last. */
  readonly isFirst: boolean;
}

function askedFor({ asked, eventKind, direction }: PastAct, slots: Slots, clock: WallClock): PastQuestion {
  const isSeeing = asked === "list" && eventKind === "appeared" && slots.classes.length === 0;
  return {
    slots: isUnknown(slots) ? { ...slots, classes: [slots.thing] } : slots,
    period: slots.period ?? (asked === "last" ? everSince(clock) : lately(clock)),
    most: asked === "last" || asked === "first" ? 1 : SHOWN,
    isFirst: asked === "first",
    eventKind: isSeeing ? undefined : eventKind,
    direction,
  };
}

/** A model of the person's own may have found what no detector here has a class for. */
function isUnknown(slots: Slots): slots is Slots & { readonly thing: string } {
  return slots.classes.length === 0 && slots.thing !== undefined;
}

interface Found extends Pick<ToolDataOf<"search_events">, "total" | "is_cut" | "totals" | "events"> {
  /** What the calls beside the searches gave. */
  readonly beside: readonly ToolAnswer[];
}

/** The tool takes one camera and one class, so each pair is a search; all of them are made at once. */
function* search(asked: PastQuestion, beside: readonly PlannedCall[] = []): Steps<Found> {
  const { slots, period, eventKind, direction, most, isFirst } = asked;
  const cameras = slots.cameras.length === 0 ? [undefined] : slots.cameras;
  const classes = slots.classes.length === 0 ? [undefined] : slots.classes;
  const calls = cameras.flatMap((camera) =>
    classes.map((class_name) => {
      const range = { from: period.from, to: period.to, max_results: most, order: isFirst ? "oldest" : undefined };
      return { tool: "search_events", args: { camera, class_name, kind: eventKind, direction, ...range } };
    }),
  );
  const answers = yield [...calls, ...beside];
  const searched = answers.slice(0, calls.length);
  const failed = searched.find(({ ok }) => !ok);
  if (failed !== undefined) return yield* endWith(failure("I could not search", failed));
  const found = searched.flatMap((answer) => dataOf(answer, "search_events") ?? []);
  return {
    total: found.reduce((sum, { total }) => sum + total, 0),
    is_cut: found.some(({ is_cut }) => is_cut),
    totals: found.flatMap(({ totals }) => totals),
    events: found.flatMap(({ events }) => events).toSorted((a, b) => a.timestamp.localeCompare(b.timestamp)),
    beside: answers.slice(calls.length),
  };
}

function recallCall(query: string, { cameras }: Slots): PlannedCall {
  return { tool: "recall", args: { query, max_results: 3, camera_id: cameras[0] } };
}

/** `on street today`. */
function during({ slots, period }: PastQuestion): string {
  return slots.cameras.length === 0 ? period.words : `on ${joinWords(slots.cameras)} ${period.words}`;
}

function countAnswer({ total, totals, is_cut }: Found, asked: PastQuestion, act: PastAct): string {
  const { classes } = asked.slots;
  if (total === 0)
    return `${capital(noneOf(classes))} ${classes.length === 0 ? "was recorded" : didOf(act)} ${during(asked)}, as far as anything was watching.`;
  const figure = classes.length === 1 ? countOf(total, classes[0] ?? "") : `${total} in all`;
  const detail = totals.length > 1 ? ` (${totalsInWords(totals)})` : "";
  const most = is_cut ? " At least: the log holds more than I can count." : "";
  const eventKind = act.direction === undefined ? (totals[0]?.kind ?? act.eventKind) : act.eventKind;
  return `${figure} ${didOf({ ...act, eventKind })} ${during(asked)}${detail}. One that leaves and comes back counts again.${most}`;
}

function didOf({ eventKind, direction }: Pick<PastAct, "eventKind" | "direction">): string {
  if (eventKind === "left") return "left";
  if (direction !== undefined) return direction === "in" ? "went in" : "went out";
  return eventKind === "line_crossed" ? "crossed a line" : "appeared";
}

function unknownAnswer(thing: string, asked: PastQuestion): string {
  return `I have no "${thing}" on record ${during(asked)}: no detector here finds it, and no model of yours that ran told of one.`;
}

function endAnswer({ events }: Found, asked: PastQuestion, clock: WallClock): string {
  const event = asked.isFirst ? events[0] : events.at(-1);
  if (event === undefined) return `I have ${noneOf(asked.slots.classes)} on record ${during(asked)}.`;
  return `The ${asked.isFirst ? "first" : "last"} was at ${momentInWords(event.timestamp, clock)} on ${event.camera}: ${event.text}`;
}

function listAnswer({ total, totals, events }: Found, asked: PastQuestion, clock: WallClock): string {
  const { slots, period } = asked;
  if (total === 0)
    return `I have ${noneOf(slots.classes)} on record ${during(asked)}. Only what a pipeline or watch sees is recorded.`;
  const place = slots.cameras.length === 0 ? "" : ` on ${joinWords(slots.cameras)}`;
  const shown = events.toReversed().slice(0, SHOWN);
  const more = total > shown.length ? [`… and ${total - shown.length} more.`] : [];
  const head = `${capital(period.words)}${place}: ${totalsInWords(totals)}.`;
  return [head, ...shown.map((event) => eventInWords(event, clock)), ...more].join("\n");
}

function memoryAnswer(answer: ToolAnswer | undefined, { period }: PastQuestion, { timeZone }: WallClock): string {
  const local = createLocalTime(timeZone);
  const shown = (moment: string): string => {
    const { day, time } = local(Date.parse(moment));
    return `${day} ${time}`;
  };
  // A note of an hour stands at its beginning.
  const [from, to] = [shown(period.from).replace(/:\d\d$/, ":00"), shown(period.to)];
  const notes = (dataOf(answer, "recall")?.passages ?? []).filter(({ day, time }) => {
    const at = day === undefined || time === undefined ? undefined : `${day} ${time}`;
    return at === undefined || (at >= from && at <= to);
  });
  return notes.length === 0 ? "" : `From memory:\n${firstLines(notes.map(noteInWords).join("\n"), 3)}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
