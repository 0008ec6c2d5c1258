// "what happened", "how many came", "when was the last" → search_events and recall

import { createLocalTime } from "../../../memory/local-time.ts";
import {
  type EventTotals,
  eventInWords,
  noneOf,
  parseEventLines,
  parseEventTotals,
  totalsInWords,
} from "../answers/events.ts";
import { firstLines } from "../answers/evidence.ts";
import type { Act, Clause, Slots } from "../intent.ts";
import { lately, type Period, today } from "../slots/find-period.ts";
import { countOf, joinWords } from "../words/class-words.ts";
import { chooseCameras } from "./choose-camera.ts";
import { type App, type Plan, type PlannedCall, type Steps, say, type ToolAnswer } from "./plan.ts";

const SHOWN = 8;
/** Events tell when something came and went; how long it was there, and where or when there was most, nobody works out. */
const UNMEASURED =
  "I cannot rank that: how long each one stayed is not recorded, and I do not compare hours or cameras. What I have:";
const LONG_AGO = "1970-01-01T00:00:00.000Z";

export function* planPast({ act, slots, words }: Clause, app: App): Plan {
  if (act.kind !== "past") return say("");
  const asked = askedFor(act, slots, app);
  if (slots.unknownCamera !== undefined) {
    const chosen = chooseCameras(slots, app.known);
    if ("question" in chosen) return chosen.question;
  }
  const searches = searchCalls(asked);
  const withMemory = act.asked === "list" || act.asked === "ranked";
  const answers = yield withMemory ? [...searches, recallCall(words, slots)] : searches;
  const found = yield* orSeen(answers.slice(0, searches.length), asked);
  const failed = found.find(({ ok }) => !ok);
  if (failed !== undefined) return say(`I could not search: ${failed.text}`);
  if (isUnknown(slots) && mergeTotals(found).all === 0) return say(unknownAnswer(slots.thing, asked));
  if (act.asked === "count") return say(countAnswer(found, asked, act));
  if (act.asked === "last" || act.asked === "first") return say(endAnswer(found, asked));
  const unknown = act.asked === "ranked" ? UNMEASURED : "";
  return say([unknown, listAnswer(found, asked), memoryAnswer(answers.at(-1), asked, app)].filter(Boolean).join("\n"));
}

/** Where no line counted, who came into view or left it is the nearest that is known; where nothing told of coming, a line may have. */
function* orSeen(found: readonly ToolAnswer[], asked: Asked): Steps<readonly ToolAnswer[]> {
  const { direction, ...rest } = asked;
  const other = otherKind(asked);
  if (other === undefined || found.some(({ ok }) => !ok) || mergeTotals(found).all > 0) return found;
  return yield searchCalls({ ...rest, eventKind: other });
}

function otherKind({ direction, eventKind, slots }: Asked): string | undefined {
  if (direction === "out") return "left";
  if (eventKind === "line_crossed") return "appeared";
  return eventKind === "appeared" && slots.classes.length > 0 ? "line_crossed" : undefined;
}

interface Asked {
  readonly slots: Slots;
  readonly period: Period;
  readonly eventKind?: string;
  readonly direction?: "in" | "out";
  readonly most: number;
  /** The first of them is wanted, not the last. */
  readonly isFirst: boolean;
}

function askedFor(act: Extract<Act, { kind: "past" }>, slots: Slots, { clock }: App): Asked {
  const whole = { ...today(clock), from: LONG_AGO, words: "so far" };
  const usual = act.asked === "last" ? whole : lately(clock);
  const isSeeing = act.asked === "list" && act.eventKind === "appeared" && slots.classes.length === 0;
  const kind = isSeeing ? undefined : act.eventKind;
  return {
    slots: isUnknown(slots) ? { ...slots, classes: [slots.thing] } : slots,
    period: slots.period ?? usual,
    most: act.asked === "last" || act.asked === "first" ? 1 : SHOWN,
    isFirst: act.asked === "first",
    ...(kind && { eventKind: kind }),
    ...(act.direction && { direction: act.direction }),
  };
}

/** A model of the person's own may have found what no detector here has a class for. */
function isUnknown(slots: Slots): slots is Slots & { readonly thing: string } {
  return slots.classes.length === 0 && slots.thing !== undefined;
}

/** The tool takes one camera and one class, so each pair is a search; all of them are made at once. */
function searchCalls({ slots, period, eventKind, direction, most, isFirst }: Asked): readonly PlannedCall[] {
  const cameras = slots.cameras.length === 0 ? [undefined] : slots.cameras;
  const classes = slots.classes.length === 0 ? [undefined] : slots.classes;
  return cameras.flatMap((camera) =>
    classes.map((class_name) => ({
      tool: "search_events",
      args: {
        ...(camera !== undefined && { camera }),
        ...(class_name !== undefined && { class_name }),
        ...(eventKind !== undefined && { kind: eventKind }),
        ...(direction !== undefined && { direction }),
        from: period.from,
        to: period.to,
        max_results: most,
        ...(isFirst && { order: "oldest" }),
      },
    })),
  );
}

function recallCall(query: string, { cameras }: Slots): PlannedCall {
  const [camera] = cameras;
  return { tool: "recall", args: { query, max_results: 3, ...(camera !== undefined && { camera_id: camera }) } };
}

function mergeTotals(answers: readonly ToolAnswer[]): EventTotals {
  const all = answers.map(({ text }) => parseEventTotals(text));
  return {
    all: all.reduce((sum, totals) => sum + totals.all, 0),
    cut: all.some(({ cut }) => cut),
    kinds: all.flatMap(({ kinds }) => kinds),
  };
}

function place({ cameras }: Slots): string {
  return cameras.length === 0 ? "" : ` on ${joinWords(cameras)}`;
}

function countAnswer(
  answers: readonly ToolAnswer[],
  { slots, period }: Asked,
  act: Extract<Act, { kind: "past" }>,
): string {
  const totals = mergeTotals(answers);
  if (totals.all === 0)
    return `${capital(noneOf(slots.classes))} ${slots.classes.length === 0 ? "was recorded" : didOf(act)}${place(slots)} ${period.words}, as far as anything was watching.`;
  const figure = slots.classes.length === 1 ? countOf(totals.all, slots.classes[0] ?? "") : `${totals.all} in all`;
  const detail = totals.kinds.length > 1 ? ` (${totalsInWords(totals)})` : "";
  const most = totals.cut ? " At least: the log holds more than I can count." : "";
  const [kind] = totals.kinds;
  const did = act.direction === undefined && kind !== undefined ? didOf({ ...act, eventKind: kind.kind }) : didOf(act);
  return `${figure} ${did}${place(slots)} ${period.words}${detail}. One that leaves and comes back counts again.${most}`;
}

function didOf({ eventKind, direction }: Extract<Act, { kind: "past" }>): string {
  if (eventKind === "left") return "left";
  if (direction !== undefined) return direction === "in" ? "went in" : "went out";
  return eventKind === "line_crossed" ? "crossed a line" : "appeared";
}

function unknownAnswer(thing: string, { slots, period }: Asked): string {
  return `I have no "${thing}" on record${place(slots)} ${period.words}: no detector here finds it, and no model of yours that ran told of one.`;
}

function endAnswer(answers: readonly ToolAnswer[], { slots, period, isFirst }: Asked): string {
  const inOrder = answers.flatMap(({ text }) => parseEventLines(text)).toSorted((a, b) => a.time.localeCompare(b.time));
  const event = isFirst ? inOrder[0] : inOrder.at(-1);
  if (event === undefined) return `I have ${noneOf(slots.classes)} on record${place(slots)} ${period.words}.`;
  return `The ${isFirst ? "first" : "last"} was at ${event.time} on ${event.camera}: ${event.text}`;
}

function listAnswer(answers: readonly ToolAnswer[], { slots, period }: Asked): string {
  const totals = mergeTotals(answers);
  if (totals.all === 0)
    return `I have ${noneOf(slots.classes)} on record${place(slots)} ${period.words}. Only what a pipeline or watch sees is recorded.`;
  const lines = answers
    .flatMap(({ text }) => parseEventLines(text))
    .toSorted((a, b) => b.time.localeCompare(a.time))
    .slice(0, SHOWN);
  const more = totals.all > lines.length ? [`… and ${totals.all - lines.length} more.`] : [];
  return [
    `${capital(period.words)}${place(slots)}: ${totalsInWords(totals)}.`,
    ...lines.map(eventInWords),
    ...more,
  ].join("\n");
}

function memoryAnswer(answer: ToolAnswer | undefined, { period }: Asked, { clock }: App): string {
  if (answer?.ok !== true || !answer.text.startsWith("- ")) return "";
  const local = createLocalTime(clock.timeZone);
  const shown = (moment: string): string => {
    const { day, time } = local(Date.parse(moment));
    return `${day} ${time}`;
  };
  // A note of an hour stands at its beginning.
  const [from, to] = [shown(period.from).replace(/:\d\d$/, ":00"), shown(period.to)];
  const notes = answer.text.split("\n").filter((line) => {
    const at = /^- (\d{4}-\d{2}-\d{2} \d{2}:\d{2})/.exec(line)?.[1];
    return line.startsWith("- ") && (at === undefined || (at >= from && at <= to));
  });
  if (notes.length === 0) return "";
  return `From memory:\n${firstLines(notes.join("\n"), 3)}`;
}

/** What was seen over a time, in figures, with the newest notes. */
export function* planSummary({ slots, words }: Clause, app: App): Plan {
  const period = slots.period ?? lately(app.clock);
  const asked: Asked = { slots, period, most: SHOWN, isFirst: false };
  const searches = searchCalls(asked);
  const answers = yield [...searches, recallCall(words, slots)];
  const failed = answers.slice(0, searches.length).find(({ ok }) => !ok);
  if (failed !== undefined) return say(`I could not search: ${failed.text}`);
  const text = listAnswer(answers.slice(0, searches.length), asked);
  return say(["Summary.", text, memoryAnswer(answers.at(-1), asked, app)].filter(Boolean).join("\n"));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
