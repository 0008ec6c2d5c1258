// "what happened", "how many came", "when was the last" → search_events and recall
import {
  type EventTotals,
  eventInWords,
  noneOf,
  parseEventLines,
  parseEventTotals,
  totalsInWords,
} from "../answers/events.ts";
import { firstLines } from "../answers/evidence.ts";
import { countOf, joinWords } from "../class-words.ts";
import type { Act, Clause, Slots } from "../intent.ts";
import { type Period, today } from "../slots/find-period.ts";
import { chooseCameras } from "./choose-camera.ts";
import { type House, type Plan, type PlannedCall, type Steps, say, type ToolAnswer } from "./plan.ts";

const SHOWN = 8;
const LONG_AGO = "1970-01-01T00:00:00.000Z";

export function* planPast({ act, slots, words }: Clause, house: House): Plan {
  if (act.kind !== "past") return say("");
  const asked = askedFor(act, slots, house);
  if (slots.unknownCamera !== undefined) {
    const chosen = chooseCameras(slots, house.known);
    if ("question" in chosen) return chosen.question;
  }
  const searches = searchCalls(asked);
  const withMemory = act.asked === "list";
  const answers = yield withMemory ? [...searches, recallCall(words, slots)] : searches;
  const found = yield* orSeen(answers.slice(0, searches.length), asked);
  const failed = found.find(({ ok }) => !ok);
  if (failed !== undefined) return say(`I could not search: ${failed.text}`);
  if (act.asked === "count") return say(countAnswer(found, asked, act));
  if (act.asked === "last") return say(lastAnswer(found, asked));
  return say([listAnswer(found, asked), memoryAnswer(answers.at(-1))].filter(Boolean).join("\n"));
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
}

function askedFor(act: Extract<Act, { kind: "past" }>, slots: Slots, { clock }: House): Asked {
  const whole = { ...today(clock), from: LONG_AGO, words: "so far" };
  const usual = act.asked === "last" ? whole : today(clock);
  const isSeeing = act.asked === "list" && act.eventKind === "appeared" && slots.classes.length === 0;
  const kind = isSeeing ? undefined : act.eventKind;
  return {
    slots,
    period: slots.period ?? usual,
    most: act.asked === "last" ? 1 : SHOWN,
    ...(kind && { eventKind: kind }),
    ...(act.direction && { direction: act.direction }),
  };
}

/** The tool takes one camera and one class, so each pair is a search; all of them are made at once. */
function searchCalls({ slots, period, eventKind, direction, most }: Asked): readonly PlannedCall[] {
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

function lastAnswer(answers: readonly ToolAnswer[], { slots, period }: Asked): string {
  const [newest] = answers
    .flatMap(({ text }) => parseEventLines(text))
    .toSorted((a, b) => b.time.localeCompare(a.time));
  if (newest === undefined) return `I have ${noneOf(slots.classes)} on record${place(slots)} ${period.words}.`;
  return `The last was at ${newest.time} on ${newest.camera}: ${newest.text}`;
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

function memoryAnswer(answer: ToolAnswer | undefined): string {
  if (answer?.ok !== true || !answer.text.startsWith("- ")) return "";
  const notes = answer.text.split("\n").filter((line) => line.startsWith("- "));
  return `From memory:\n${firstLines(notes.join("\n"), 3)}`;
}

/** What was seen over a time, in figures, with the newest notes. */
export function* planSummary({ slots, words }: Clause, house: House): Plan {
  const period = slots.period ?? today(house.clock);
  const asked: Asked = { slots, period, most: SHOWN };
  const searches = searchCalls(asked);
  const answers = yield [...searches, recallCall(words, slots)];
  const failed = answers.slice(0, searches.length).find(({ ok }) => !ok);
  if (failed !== undefined) return say(`I could not search: ${failed.text}`);
  const text = listAnswer(answers.slice(0, searches.length), asked);
  return say(["Summary.", text, memoryAnswer(answers.at(-1))].filter(Boolean).join("\n"));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
