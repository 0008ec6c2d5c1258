// a watch, or a change of one → the pictures of a clip or a period → what it would have told, beside what it tells now
import type {
  AlertDifference,
  FootageGap,
  SceneEvent,
  Watch,
  WatchReplay,
  WatchReplayRequest,
  WatchRequest,
} from "@vision-agent/protocol";
import { outputsOf } from "../watches/condition-interests.ts";
import type { PlaceFinder } from "../watches/condition-reading.ts";
import type { Modes } from "../watches/open-modes.ts";
import { withChanges } from "../watches/watch-differences.ts";
import { WatchError } from "../watches/watch-error.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import { quietReason, type TimeContext } from "../watches/watch-times.ts";
import { compareAlerts, type TimedAlert, type TimedDifference } from "./compare-alerts.ts";
import { openReplayInputs, type ReplayInputs, type ReplaySources } from "./replay-inputs.ts";
import { type Replayed, replayWatches } from "./replay-watches.ts";

/** From less, nobody can tell how a day would be. */
const LEAST_SECONDS = 600;
const MOST_PICTURES = 3;
/** A picture so close shows it. */
const SAME_MOMENT_MS = 5000;
const PROPOSED = "proposed";

export interface CreateReplayOptions extends TimeContext, ReplaySources {
  readonly watches: Pick<WatchRegistry, "list" | "check">;
  readonly placeOf: PlaceFinder;
  readonly modes: Pick<Modes, "at">;
  readonly events: {
    list(filter: { camera: string; from: string; to: string; limit: number }): readonly SceneEvent[];
  };
}

/** Changes nothing. Rejects with `WatchError`, or when a clip cannot be read. */
export type ReplayWatch = (request: WatchReplayRequest, signal: AbortSignal) => Promise<WatchReplay>;

export function createReplay(options: CreateReplayOptions): ReplayWatch {
  return async (request, signal) => {
    const { proposed, current } = findWatches(request, options);
    const both = current ? [proposed, current] : [proposed];
    const opened = await openReplayInputs(request, both, { ...options, signal });
    const replayed = await replayWatches({
      watches: both,
      placeOf: options.placeOf,
      quiet: (watch, ms) =>
        isUndated(request) ? undefined : quietReason(watch, ms, { ...options, mode: options.modes.at(ms) }),
      inputs: opened.inputs,
    });
    return toReport({ request, proposed, current, opened, replayed }, options);
  };
}

/** As it would be, and as it is now. */
function findWatches(
  { watch: asked, changes }: WatchReplayRequest,
  { watches, clock }: CreateReplayOptions,
): { readonly proposed: Watch; readonly current: Watch | undefined } {
  const key = (typeof asked === "string" ? asked : asked.words).toLowerCase();
  const current = watches.list().find(({ id, words }) => id.toLowerCase() === key || words.toLowerCase() === key);
  if (typeof asked === "string" && current === undefined) {
    const names = watches.list().map(({ id, words }) => `${id} "${words}"`);
    throw new WatchError("not_found", `There is no watch ${asked}. There are: ${names.join(", ") || "none"}.`);
  }
  const base: WatchRequest = typeof asked === "string" ? current! : asked;
  const wanted = watches.check(changes === undefined ? base : withChanges<WatchRequest>(base, changes));
  const created_at = new Date(clock.now()).toISOString();
  return { proposed: { ...wanted, id: PROPOSED, enabled: true, created_at }, current };
}

interface Judged {
  readonly request: WatchReplayRequest;
  readonly proposed: Watch;
  readonly current: Watch | undefined;
  readonly opened: ReplayInputs;
  readonly replayed: Replayed;
}

function toReport(judged: Judged, options: CreateReplayOptions): WatchReplay {
  const { request, proposed, current, opened, replayed } = judged;
  const { span, seconds } = replayed;
  const [after, before] = replayed.watches;
  const { seen = 0, suppressed = new Map(), questions = 0, alerts = [] } = after ?? {};
  const perDay = (count: number): number | undefined =>
    seconds < LEAST_SECONDS ? undefined : Math.round((count * 864_000) / seconds) / 10;
  const shown = request.clip === undefined ? withPictures(alerts, options) : alerts;
  return {
    words: proposed.words,
    ...(current && { against: current.id }),
    ...(span && {
      footage: isUndated(request)
        ? { seconds }
        : { from: new Date(span.fromMs).toISOString(), to: new Date(span.toMs).toISOString(), seconds },
    }),
    judged_on: judgedOn(request),
    ...(opened.askedSeconds !== undefined && { asked_seconds: opened.askedSeconds }),
    ...(opened.gaps && { gaps: opened.gaps.toSorted(byTime) }),
    ...{ seen, sent: alerts.length, sent_per_day: perDay(alerts.length) },
    suppressed: [...suppressed].map(([gate, count]) => ({ gate, count })).sort((a, b) => (a.gate < b.gate ? -1 : 1)),
    alerts: compareAlerts(before?.alerts ?? [], shown).map((one) => (isUndated(request) ? withoutDates(one) : one)),
    ...(proposed.check && {
      check: { questions, per_day: perDay(questions), most_usd_per_day: proposed.check.daily_usd },
    }),
    not_judged: notJudged(judged),
  };
}

function judgedOn({ clip, footage = false }: WatchReplayRequest): WatchReplay["judged_on"] {
  if (clip !== undefined) return "clip";
  return footage ? "footage" : "trace";
}

function byTime(one: FootageGap, other: FootageGap): number {
  return one.from.localeCompare(other.from) || one.camera.localeCompare(other.camera);
}

/** Nobody said when the clip was taken. */
function isUndated({ clip, starts }: WatchReplayRequest): boolean {
  return clip !== undefined && starts === undefined;
}

function withoutDates({ change, alert: { at, ...alert }, before }: TimedDifference): AlertDifference {
  const secondsInto = (time: string): number => Date.parse(time) / 1000;
  return {
    change,
    alert: { ...alert, footage_seconds: alert.footage_seconds ?? secondsInto(at) },
    ...(before !== undefined && { before_seconds: secondsInto(before) }),
  };
}

/** Those that were kept of the first few. */
function withPictures(alerts: readonly TimedAlert[], { events }: CreateReplayOptions): readonly TimedAlert[] {
  return alerts.map((alert, at) => {
    if (at >= MOST_PICTURES) return alert;
    const ms = Date.parse(alert.at);
    const [from, to] = [ms - SAME_MOMENT_MS, ms + SAME_MOMENT_MS].map((time) => new Date(time).toISOString());
    const near = events.list({ camera: alert.camera, from: from!, to: to!, limit: 50 });
    const distance = ({ timestamp }: SceneEvent): number => Math.abs(Date.parse(timestamp) - ms);
    const [closest] = near
      .filter(({ picture }) => picture !== undefined)
      .toSorted((one, other) => distance(one) - distance(other));
    return closest?.picture === undefined ? alert : { ...alert, picture: closest.picture };
  });
}

function notJudged({ request, proposed, replayed }: Judged): string[] {
  const hasTimes = proposed.active_hours ?? proposed.days ?? proposed.dates ?? proposed.modes;
  return [
    ...(replayed.span === undefined ? ["There are no pictures of that time: nothing could be judged."] : []),
    ...(replayed.span && replayed.seconds < LEAST_SECONDS
      ? [`Only ${replayed.seconds} s were seen, too little to tell how a day would be.`]
      : []),
    ...(isUndated(request) && hasTimes
      ? ["The clip has no date: its times were left out of account. Say when it starts."]
      : []),
    ...(judgedOn(request) !== "trace" && outputsOf(proposed).length > 0
      ? [
          `Outputs of pipelines are not known for ${request.clip === undefined ? "footage" : "a clip"}: that part of the condition never came true.`,
        ]
      : []),
    ...(proposed.check ? ["The vision model was not asked: each of these alerts would first be checked."] : []),
  ];
}
