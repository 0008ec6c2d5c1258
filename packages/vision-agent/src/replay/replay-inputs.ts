// a request for a replay → what was seen: on a clip, in the trace of a period, or in what was recorded of it
import { isAbsolute } from "node:path";
import type { Clock } from "@vision-agent/agent-core";
import type { FootageGap, Watch, WatchReplayRequest } from "@vision-agent/protocol";
import { type SceneInput, timeOfInput } from "../scene/follow-camera.ts";
import { mergeByTime } from "../store/merge-by-time.ts";
import type { RecordedPiece } from "../store/recordings.ts";
import { detectorsFor } from "../watches/camera-assignments.ts";
import { camerasOf, lookedForOn } from "../watches/condition-interests.ts";
import { WatchError } from "../watches/watch-error.ts";
import type { ClipRun, FootageRun } from "./clip-frames.ts";
import { type FootagePeriod, withGaps } from "./footage-gaps.ts";

const DAY_MS = 86_400_000;

export interface ReplaySources {
  /** What was seen on a camera, in the order of time. */
  readonly seenIn: (period: FootagePeriod) => AsyncIterable<readonly SceneInput[]>;
  /** What is seen in a clip. Rejects when it cannot be read. */
  readonly seenOn: (clip: ClipRun) => AsyncIterable<readonly SceneInput[]>;
  /** What was recorded of a camera, oldest first. */
  readonly piecesIn: (period: FootagePeriod) => Promise<readonly Pick<RecordedPiece, "path" | "fromMs">[]>;
  /** What is seen in that. Rejects when none of it can be read. */
  readonly seenOnFootage: (run: FootageRun) => AsyncIterable<readonly SceneInput[]>;
  /** The detector that looks at clips and footage unless the watch names another. */
  readonly clipModel: string;
  readonly clock: Pick<Clock, "now">;
}

export interface ReplayInputs {
  readonly inputs: AsyncIterable<readonly SceneInput[]>;
  /** Of the period, as far as it is over, all cameras together; absent for a clip. */
  readonly askedSeconds?: number;
  /** Only of footage; complete once all inputs were taken. */
  readonly gaps?: readonly FootageGap[];
}

/** Rejects with `WatchError`. */
export async function openReplayInputs(
  request: WatchReplayRequest,
  watches: readonly Watch[],
  sources: ReplaySources & { readonly signal: AbortSignal },
): Promise<ReplayInputs> {
  const { clip, camera, from, to, footage = false } = request;
  const cameras = [...new Set(watches.flatMap(camerasOf))];
  const chosen = camera === undefined ? undefined : cameras.find((one) => one.toLowerCase() === camera.toLowerCase());
  if (camera !== undefined && chosen === undefined) {
    throw new WatchError("invalid", `The watch is not on ${camera}. Its cameras: ${cameras.join(", ")}.`);
  }
  if (clip !== undefined) {
    if (from !== undefined || to !== undefined || footage) {
      throw new WatchError("invalid", "Give a clip, or a period with from, to and footage, not both.");
    }
    return { inputs: inputsOfClip({ ...request, clip, camera: chosen ?? cameras[0] ?? "" }, watches, sources) };
  }
  const nowMs = sources.clock.now();
  const toMs = to === undefined ? nowMs : Date.parse(to);
  const fromMs = from === undefined ? toMs - DAY_MS : Date.parse(from);
  if (fromMs >= toMs) throw new WatchError("invalid", "The period ends before it begins: give from before to.");
  const periods = (chosen === undefined ? cameras : [chosen]).map((one) => ({ camera: one, fromMs, toMs }));
  const endMs = Math.max(fromMs, Math.min(toMs, nowMs));
  const askedSeconds = Math.round(((endMs - fromMs) * periods.length) / 1000);
  if (!footage) return { inputs: inOrder(periods.map((period) => sources.seenIn(period))), askedSeconds };
  const ended = periods.map((period) => ({ ...period, toMs: endMs }));
  return { ...(await openFootage(ended, watches, sources)), askedSeconds };
}

function inputsOfClip(
  { clip, starts, camera }: WatchReplayRequest & { readonly clip: string; readonly camera: string },
  watches: readonly Watch[],
  { seenOn, clipModel, clock, signal }: ReplaySources & { readonly signal: AbortSignal },
): AsyncIterable<readonly SceneInput[]> {
  // An address would be opened over the network; a path from somewhere is anybody's.
  if (!isAbsolute(clip)) throw new WatchError("invalid", "clip is the whole path of a video file on this machine.");
  if (starts !== undefined && Date.parse(starts) > clock.now())
    throw new WatchError("invalid", "starts is in the future: give the time at which the clip was taken.");
  const run = { path: clip, camera, startMs: starts === undefined ? 0 : Date.parse(starts), signal };
  return inOrder(detectorsOn(camera, watches, clipModel).map((detector) => seenOn({ ...run, ...detector })));
}

/** Each camera is read once for each detector. One that has nothing of the period is one gap. */
async function openFootage(
  periods: readonly FootagePeriod[],
  watches: readonly Watch[],
  { piecesIn, seenOnFootage, clipModel, signal }: ReplaySources & { readonly signal: AbortSignal },
): Promise<ReplayInputs> {
  const recorded = await Promise.all(
    periods.map(async (period) => {
      const pieces = (await piecesIn(period)).map(({ path, fromMs }) => ({ path, startMs: fromMs }));
      return { period, pieces };
    }),
  );
  if (recorded.every(({ pieces }) => pieces.length === 0)) {
    const names = periods.map(({ camera }) => camera);
    const commands = names.map((name) => `"vision-agent camera record ${name} on"`).join(" and ");
    const message = `Nothing was recorded of ${names.join(" and ")} in that time. Leave footage out to judge what was noted then; ${commands} records from now on.`;
    throw new WatchError("not_found", message);
  }
  const gaps: FootageGap[] = [];
  const feeds = recorded.map(({ period, pieces }) => {
    const detectors = pieces.length === 0 ? [] : detectorsOn(period.camera, watches, clipModel);
    const seen = detectors.map((detector) => seenOnFootage({ ...period, ...detector, pieces, signal }));
    return withGaps(mergeByTime(seen, timeOfInput), period, (gap) => gaps.push(gap));
  });
  return { inputs: inOrder(feeds), gaps };
}

/** Each with its own score, once. */
function detectorsOn(camera: string, watches: readonly Watch[], usual: string): ReturnType<typeof detectorsFor> {
  const detectors = watches.flatMap((watch) => detectorsFor(lookedForOn(watch, camera), usual));
  return [...new Map(detectors.map((one) => [JSON.stringify(one), one])).values()];
}

/** Several cameras in one order of time. */
async function* inOrder(feeds: readonly AsyncIterable<readonly SceneInput[]>[]): AsyncGenerator<readonly SceneInput[]> {
  for await (const input of mergeByTime(feeds, timeOfInput)) yield [input];
}
