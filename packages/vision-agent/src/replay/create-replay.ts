// a watch, or a change of one → the pictures of a clip or a period → what it would have told, beside what it tells now
import { isAbsolute } from "node:path";
import type { Clock } from "@vision-agent/agent-core";
import type {
  AlertDifference,
  SceneEvent,
  Watch,
  WatchReplay,
  WatchReplayRequest,
  WatchRequest,
} from "@vision-agent/protocol";
import { type SceneInput, timeOfInput } from "../scene/follow-camera.ts";
import { mergeByTime } from "../store/merge-by-time.ts";
import { detectorsFor } from "../watches/camera-assignments.ts";
import { camerasOf, lookedForOn, outputsOf } from "../watches/condition-interests.ts";
import type { PlaceFinder } from "../watches/condition-reading.ts";
import type { Modes } from "../watches/open-modes.ts";
import { withChanges } from "../watches/watch-differences.ts";
import { WatchError } from "../watches/watch-error.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import { quietReason, type TimeContext } from "../watches/watch-times.ts";
import type { ClipRun } from "./clip-frames.ts";
import { compareAlerts, type TimedAlert, type TimedDifference } from "./compare-alerts.ts";
import { type Replayed, replayWatches } from "./replay-watches.ts";

const DAY_MS = 86_400_000;
/** From less, nobody can tell how a day would be. */
const LEAST_SECONDS = 600;
const MOST_PICTURES = 3;
/** A picture so close shows it. */
const SAME_MOMENT_MS = 5000;
const PROPOSED = "proposed";

export interface FootagePeriod {
  readonly camera: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface CreateReplayOptions extends TimeContext {
  readonly watches: Pick<WatchRegistry, "list" | "check">;
  readonly placeOf: PlaceFinder;
  readonly modes: Pick<Modes, "at">;
  /** What was seen on a camera, in the order of time. */
  readonly seenIn: (period: FootagePeriod) => AsyncIterable<readonly SceneInput[]>;
  /** What is seen in a clip. Rejects when it cannot be read. */
  readonly seenOn: (clip: ClipRun) => AsyncIterable<readonly SceneInput[]>;
  /** The detector that looks at clips unless the watch names another. */
  readonly clipModel: string;
  readonly events: {
    list(filter: { camera: string; from: string; to: string; limit: number }): readonly SceneEvent[];
  };
  readonly clock: Pick<Clock, "now">;
}

/** Changes nothing. Rejects with `WatchError`, or when a clip cannot be read. */
export type ReplayWatch = (request: WatchReplayRequest, signal: AbortSignal) => Promise<WatchReplay>;

export function createReplay(options: CreateReplayOptions): ReplayWatch {
  return async (request, signal) => {
    const { proposed, current } = findWatches(request, options);
    const both = current ? [proposed, current] : [proposed];
    const replayed = await replayWatches({
      watches: both,
      placeOf: options.placeOf,
      quiet: (watch, ms) =>
        isUndated(request) ? undefined : quietReason(watch, ms, { ...options, mode: options.modes.at(ms) }),
      inputs: inputsFor(request, both, { ...options, signal }),
    });
    return toReport({ request, proposed, current, replayed }, options);
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

function inputsFor(
  { clip, starts, camera, from, to }: WatchReplayRequest,
  watches: readonly Watch[],
  options: CreateReplayOptions & { readonly signal: AbortSignal },
): AsyncIterable<readonly SceneInput[]> {
  const cameras = [...new Set(watches.flatMap(camerasOf))];
  const chosen = camera === undefined ? undefined : cameras.find((one) => one.toLowerCase() === camera.toLowerCase());
  if (camera !== undefined && chosen === undefined) {
    throw new WatchError("invalid", `The watch is not on ${camera}. Its cameras: ${cameras.join(", ")}.`);
  }
  if (clip !== undefined) {
    if (from !== undefined || to !== undefined) {
      throw new WatchError("invalid", "Give a clip, or a period with from and to, not both.");
    }
    // An address would be opened over the network; a path from somewhere is anybody's.
    if (!isAbsolute(clip)) throw new WatchError("invalid", "clip is the whole path of a video file on this machine.");
    const stands = chosen ?? cameras[0] ?? "";
    const detectors = watches.flatMap((watch) => detectorsFor(lookedForOn(watch, stands), options.clipModel));
    const different = new Map(detectors.map((one) => [JSON.stringify(one), one]));
    const startMs = starts === undefined ? 0 : Date.parse(starts);
    const run = { path: clip, camera: stands, startMs, signal: options.signal };
    return inOrder([...different.values()].map((detector) => options.seenOn({ ...run, ...detector })));
  }
  const toMs = to === undefined ? options.clock.now() : Date.parse(to);
  const fromMs = from === undefined ? toMs - DAY_MS : Date.parse(from);
  if (fromMs >= toMs) throw new WatchError("invalid", "The period ends before it begins: give from before to.");
  const periods = (chosen === undefined ? cameras : [chosen]).map((one) =>
    options.seenIn({ camera: one, fromMs, toMs }),
  );
  return inOrder(periods);
}

/** Several cameras in one order of time. */
async function* inOrder(
  periods: readonly AsyncIterable<readonly SceneInput[]>[],
): AsyncGenerator<readonly SceneInput[]> {
  for await (const input of mergeByTime(periods, timeOfInput)) yield [input];
}

interface Judged {
  readonly request: WatchReplayRequest;
  readonly proposed: Watch;
  readonly current: Watch | undefined;
  readonly replayed: Replayed;
}

function toReport(judged: Judged, options: CreateReplayOptions): WatchReplay {
  const { request, proposed, current, replayed } = judged;
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
    ...{ seen, sent: alerts.length, sent_per_day: perDay(alerts.length) },
    suppressed: [...suppressed].map(([gate, count]) => ({ gate, count })).sort((a, b) => (a.gate < b.gate ? -1 : 1)),
    alerts: compareAlerts(before?.alerts ?? [], shown).map((one) => (isUndated(request) ? withoutDates(one) : one)),
    ...(proposed.check && {
      check: { questions, per_day: perDay(questions), most_usd_per_day: proposed.check.daily_usd },
    }),
    not_judged: notJudged(judged),
  };
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
  const { clip } = request;
  const hasTimes = proposed.active_hours ?? proposed.days ?? proposed.dates ?? proposed.modes;
  return [
    ...(replayed.span === undefined ? ["There are no pictures of that time: nothing could be judged."] : []),
    ...(replayed.span && replayed.seconds < LEAST_SECONDS
      ? [`Only ${replayed.seconds} s were seen, too little to tell how a day would be.`]
      : []),
    ...(isUndated(request) && hasTimes
      ? ["The clip has no date: its times were left out of account. Say when it starts."]
      : []),
    ...(clip !== undefined && outputsOf(proposed).length > 0
      ? ["Outputs of pipelines are not known for a clip: that part of the condition never came true."]
      : []),
    ...(proposed.check ? ["The vision model was not asked: each of these alerts would first be checked."] : []),
  ];
}
