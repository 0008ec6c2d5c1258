// alerts that were sent or held back, and why somebody was told, or was not
import { describeWatchWhy, type ToolDataOf, type Why } from "@vision-agent/protocol";
import { formatMoment, formatTime } from "../../../workspace/format-time.ts";
import { counted } from "../answers/findings.ts";
import type { Slots } from "../intent.ts";
import { lately, type Period, type WallClock } from "../slots/find-period.ts";
import { joinWords } from "../words/class-words.ts";
import { toPlainWords } from "../words/plain-words.ts";
import { refuseUnknownCamera } from "./choose.ts";
import { everSince } from "./past.ts";
import { type App, dataOf, endWith, failure, need, type Plan, type Steps, say, type Wish } from "./plan.ts";

const UNKNOWN = { failed: "I could not find out" };
const SHOWN = 10;
const HELD = /\b(?:suppress\w*|h[eo]ld back|withheld|swallowed|silenced|not sent|didn't send)\b/;
const NOT = /\b(?:not|never|nothing|no|miss(?:ed)?|muted|quiet|silent)\b|n't\b/;

/** Sent, held back and seen are three numbers. */
export function* planAlerts({ clause: { slots, words } }: Wish, { clock }: App): Plan {
  const period = slots.period ?? everSince(clock);
  const isHeld = HELD.test(toPlainWords(words));
  const told = yield* listAlerts(slots, period, isHeld ? "suppressed" : "sent");
  const { seen, sent, suppressed } = told.total;
  const figures =
    sent + suppressed === 0
      ? `No alert was sent ${period.words}, and none held back.`
      : `${counted(sent, "alert")} sent ${period.words}, ${suppressed} held back; ${seen} seen in all.`;
  const lines = isHeld
    ? told.suppressed.map((one) => `- ${formatTime(one.timestamp, clock)} ${one.camera}: ${one.reason}`)
    : told.alerts.map((one) => `- ${formatTime(one.timestamp, clock)} ${named(one)}${one.test ? " (a test)" : ""}`);
  const all = isHeld ? suppressed : sent;
  const cut = all > lines.length ? [`The last ${lines.length}:`] : [];
  return say([figures, ...cut, ...lines].join("\n"));
}

type AlertsListed = Pick<ToolDataOf<"list_alerts">, "total" | "alerts" | "suppressed">;
type ToldAlertData = AlertsListed["alerts"][number];

function named({ camera, text }: Pick<ToldAlertData, "camera" | "text">): string {
  return camera === "" ? text : `${camera}: ${text}`;
}

/** Of all cameras that are named, or of all there are; oldest first. */
function* listAlerts({ cameras }: Slots, { from, to }: Period, state: "sent" | "suppressed"): Steps<AlertsListed> {
  const places = cameras.length === 0 ? [undefined] : cameras;
  const answers = yield places.map((camera) => ({
    tool: "list_alerts",
    args: { camera, from, to, state, max_results: SHOWN },
  }));
  const failed = answers.find(({ ok }) => !ok);
  if (failed !== undefined) return yield* endWith(failure(UNKNOWN.failed, failed));
  const told = answers.flatMap((answer) => dataOf(answer, "list_alerts") ?? []);
  const newest = <T extends { readonly timestamp: string }>(all: readonly T[]): T[] =>
    all.toSorted((one, other) => one.timestamp.localeCompare(other.timestamp)).slice(-SHOWN);
  const sum = (of: (total: AlertsListed["total"]) => number): number =>
    told.reduce((all, { total }) => all + of(total), 0);
  return {
    total: {
      seen: sum(({ seen }) => seen),
      sent: sum(({ sent }) => sent),
      suppressed: sum(({ suppressed }) => suppressed),
    },
    alerts: newest(told.flatMap(({ alerts }) => alerts)),
    suppressed: newest(told.flatMap(({ suppressed }) => suppressed)),
  };
}

/** Of the minute that is named; else of the last alert, or the last that was held back. */
export function* planWhy({ clause: { slots, words } }: Wish, { clock, known }: App): Plan {
  yield* refuseUnknownCamera(slots, known);
  const period = slots.period ?? lately(clock);
  const { watches } = yield* need("list_watches", UNKNOWN);
  const asked = slots.cameras.length > 0 ? slots.cameras : [...new Set(watches.flatMap(({ cameras }) => cameras))];
  const looking = watches.filter(({ cameras }) => cameras.some((camera) => asked.includes(camera)));
  if (looking.length === 0)
    return say(
      `Nothing is watched${slots.cameras.length === 0 ? "" : ` on ${joinWords(slots.cameras)}`}, so nobody was told by a watch. Say "tell me when a person appears" to begin.`,
    );
  if (period.at !== undefined) {
    // The middle of the minute that the clocks showed.
    const at = new Date(Math.min(Date.parse(period.at) + 30_000, clock.nowMs)).toISOString();
    const about = yield* explain(asked.slice(0, MOST_ASKED).map((camera) => ({ camera, at })));
    return say(about.map((why) => whyInWords(why, formatTime(period.at ?? at, clock), clock)).join("\n"));
  }
  const plain = toPlainWords(words);
  const isNot = HELD.test(plain) || NOT.test(plain);
  const told = yield* listAlerts(slots, period, isNot ? "suppressed" : "sent");
  const [held, sent] = [told.suppressed.at(-1), told.alerts.at(-1)];
  if (held !== undefined) {
    const head = `The last one held back was ${formatMoment(held.timestamp, clock)} on ${held.camera}: ${held.reason}`;
    // What a pipeline tells of itself has no watch that could be changed.
    const [why] = held.watch_id === undefined ? [] : yield* explain([{ id: held.event_id }]);
    return say([head, ...(why === undefined ? [] : watchLines(why, clock))].join("\n"));
  }
  if (sent !== undefined) return say(yield* whySent(sent, clock));
  const quiet = looking.filter(({ state }) => state.kind !== "on").map((one) => `"${one.words}": ${one.state.text}.`);
  return say(
    `${isNot ? "Nothing was held back" : "No alert was sent"} ${period.words}, and ${told.total.sent === 0 ? "no watch saw what it waits for" : `${counted(told.total.sent, "alert")} sent`}.`,
    ...quiet,
    `Name the minute to learn more: "why didn't you tell me at ${formatTime(clock.nowMs - 600_000, clock).slice(-5)} on ${asked[0]}?"`,
  );
}

const MOST_ASKED = 6;

function* whySent(alert: ToldAlertData, clock: WallClock): Steps<string> {
  const head = `The last alert was ${formatMoment(alert.timestamp, clock)}, ${named(alert)}`;
  if (alert.test) return `${head} It was a test that somebody asked for.`;
  if (alert.event_id === undefined) return `${head} No watch sent it: I was asked to.`;
  const [why] = yield* explain([{ id: alert.id }]);
  const reason = why?.decisions.find(({ alert_id }) => alert_id === alert.id)?.reason;
  return say(head, reason ?? "").text;
}

function* explain(questions: readonly { readonly [key: string]: unknown }[]): Steps<readonly Why[]> {
  const answers = yield questions.map((args) => ({ tool: "explain_event", args }));
  const failed = answers.find(({ ok }) => !ok);
  if (failed !== undefined) return yield* endWith(failure(UNKNOWN.failed, failed));
  return answers.flatMap((answer) => dataOf(answer, "explain_event") ?? []);
}

function whyInWords(why: Why, time: string, clock: WallClock): string {
  return [`${why.camera}, ${time}:`, ...watchLines(why, clock)].join("\n");
}

function watchLines({ camera, watches }: Why, clock: WallClock): readonly string[] {
  if (watches.length === 0) return [`- No watch looks at ${camera}.`];
  return watches.map((one) => `- ${describeWatchWhy(one, (instant) => formatTime(instant, clock))}`);
}
