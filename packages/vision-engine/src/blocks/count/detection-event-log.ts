// tracked boxes → who was seen, from when to when
import type { DetectionTable } from "../../frames/detections.ts";
import { type BlockInputs, type BlockValue, block, detectionsOf, imageOf, numberOf } from "../block.ts";
import { RecentVideos } from "../track/track-class-lock.ts";

/** As it is told. Times in seconds: since 1970, and since the first frame of the video. */
interface Appearance {
  readonly tracker_id: number;
  readonly class_name: string;
  readonly first_seen_frame: number;
  readonly first_seen_timestamp: number;
  last_seen_frame: number;
  last_seen_timestamp: number;
  readonly first_seen_relative: number;
  last_seen_relative: number;
  frame_count: number;
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
      const gone = takeGone(log, inputs).filter(({ frame_count }) => frame_count >= threshold);
      noteAll(log, detections, video.timestamp.seconds);
      const all = [...log.appearances.values()];
      const logged = all.filter(({ frame_count }) => frame_count >= threshold);
      const pending = all.filter(({ frame_count }) => frame_count < threshold);
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
  const gone = [...log.appearances.values()].filter((seen) => log.frame - seen.last_seen_frame > stale);
  for (const { tracker_id } of gone) log.appearances.delete(tracker_id);
  return gone;
}

function noteAll(log: VideoLog, detections: DetectionTable, seconds: number): void {
  log.firstSeconds ??= seconds;
  const relative = seconds - log.firstSeconds;
  for (const [row, trackerId] of (detections.trackerId ?? []).entries()) {
    const seen = { last_seen_frame: log.frame, last_seen_timestamp: seconds, last_seen_relative: relative };
    const known = log.appearances.get(trackerId);
    if (known !== undefined) Object.assign(known, seen, { frame_count: known.frame_count + 1 });
    else {
      log.appearances.set(trackerId, {
        tracker_id: trackerId,
        class_name: classOf(detections, row),
        first_seen_frame: log.frame,
        first_seen_timestamp: seconds,
        first_seen_relative: relative,
        ...seen,
        frame_count: 1,
      });
    }
  }
}

function classOf({ data, classId }: DetectionTable, row: number): string {
  const name = data.class_name?.[row] ?? undefined;
  if (name !== undefined) return String(name);
  return classId === undefined ? "unknown" : `class_${classId[row]}`;
}

function toDictionary(appearances: readonly Appearance[]): BlockValue {
  return Object.fromEntries(appearances.map((seen) => [String(seen.tracker_id), { ...seen }]));
}
