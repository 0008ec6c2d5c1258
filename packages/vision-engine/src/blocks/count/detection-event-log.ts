// tracked boxes → who was seen, from when to when
import type { DetectionTable } from "../../frames/detections.ts";
import { type BlockInputs, type BlockValue, block, detectionsOf, imageOf, numberOf } from "../block.ts";
import { RecentVideos } from "../track/track-ids.ts";

/** Times in seconds: since 1970, and since the first frame of the video. */
interface Appearance {
  readonly trackerId: number;
  readonly className: string;
  readonly firstFrame: number;
  readonly firstSeconds: number;
  readonly firstRelative: number;
  lastFrame: number;
  lastSeconds: number;
  lastRelative: number;
  frames: number;
}

interface VideoLog {
  readonly appearances: Map<number, Appearance>;
  frame: number;
  lastFlush: number;
  firstSeconds: number | undefined;
}

const MOST_VIDEOS = 100;

export const detectionEventLog = block({
  type: "roboflow_core/detection_event_log@v1",
  description: "Keeps a log of tracked objects: when each was first and last seen, and for how many frames.",
  phrase: "logs who was seen when",
  start: (context) => {
    const videos = new RecentVideos<VideoLog>(MOST_VIDEOS, () => ({
      appearances: new Map(),
      frame: 0,
      lastFlush: 1,
      firstSeconds: undefined,
    }));
    return (inputs) => {
      const detections = detectionsOf(inputs, "detections");
      const video = imageOf(inputs, "image").videoOrDefault(context.now());
      const log = videos.of(video.videoIdentifier);
      const threshold = numberOf(inputs, "frame_threshold");
      log.frame += 1;
      const gone = takeGone(log, inputs).filter(({ frames }) => frames >= threshold);
      noteAll(log, detections, video.timestamp.seconds);
      const all = [...log.appearances.values()];
      const logged = all.filter(({ frames }) => frames >= threshold);
      const pending = all.filter(({ frames }) => frames < threshold);
      return {
        event_log: { logged: toDictionary(logged), pending: toDictionary(pending) },
        detections,
        total_logged: logged.length,
        total_pending: pending.length,
        complete_events: toDictionary(gone),
      };
    };
  },
});

/** Removes what has not been seen for long; looks only every `flush_interval` frames. */
function takeGone(log: VideoLog, inputs: BlockInputs): readonly Appearance[] {
  if (log.frame - log.lastFlush < numberOf(inputs, "flush_interval")) return [];
  log.lastFlush = log.frame;
  const stale = numberOf(inputs, "stale_frames");
  const gone = [...log.appearances.values()].filter(({ lastFrame }) => log.frame - lastFrame > stale);
  for (const { trackerId } of gone) log.appearances.delete(trackerId);
  return gone;
}

function noteAll(log: VideoLog, detections: DetectionTable, seconds: number): void {
  log.firstSeconds ??= seconds;
  const relative = seconds - log.firstSeconds;
  for (const [row, trackerId] of (detections.trackerId ?? []).entries()) {
    const known = log.appearances.get(trackerId);
    if (known === undefined) {
      log.appearances.set(trackerId, {
        trackerId,
        className: classOf(detections, row),
        firstFrame: log.frame,
        firstSeconds: seconds,
        firstRelative: relative,
        lastFrame: log.frame,
        lastSeconds: seconds,
        lastRelative: relative,
        frames: 1,
      });
      continue;
    }
    known.lastFrame = log.frame;
    known.lastSeconds = seconds;
    known.lastRelative = relative;
    known.frames += 1;
  }
}

function classOf({ data, classId }: DetectionTable, row: number): string {
  const name = data.class_name?.[row] ?? undefined;
  if (name !== undefined) return String(name);
  return classId === undefined ? "unknown" : `class_${classId[row]}`;
}

function toDictionary(appearances: readonly Appearance[]): BlockValue {
  const entries = appearances.map((seen) => [
    String(seen.trackerId),
    {
      tracker_id: seen.trackerId,
      class_name: seen.className,
      first_seen_frame: seen.firstFrame,
      first_seen_timestamp: seen.firstSeconds,
      last_seen_frame: seen.lastFrame,
      last_seen_timestamp: seen.lastSeconds,
      first_seen_relative: seen.firstRelative,
      last_seen_relative: seen.lastRelative,
      frame_count: seen.frames,
    },
  ]);
  return Object.fromEntries(entries);
}
