// boxes → tracks followed by their corners
import { CORNERS_ALONE } from "./kalman.ts";
import { type BoxForm, TrackRounds } from "./track-rounds.ts";
import {
  framesToKeep,
  rowsByScore,
  ToldRows,
  type TrackedRows,
  type Tracker,
  type TrackerBoxes,
  type TrackerOptions,
} from "./tracker.ts";

const CORNERS: BoxForm = {
  model: CORNERS_ALONE,
  toState: (xyxy, row) => [xyxy[4 * row]!, xyxy[4 * row + 1]!, xyxy[4 * row + 2]!, xyxy[4 * row + 3]!],
  toBox: (state) => state.subarray(0, 4),
};

/** SORT (Bewley et al., 2016) as `trackers` 2.4 has it. Ids count from 0. */
export function createSort(options: Omit<TrackerOptions, "highConfidence"> = {}): Tracker {
  const { minimumIou = 0.3, minimumConsecutiveFrames = 3, activationThreshold = 0.25 } = options;
  const framesKept = framesToKeep(options);
  const rounds = new TrackRounds(CORNERS, minimumConsecutiveFrames);

  function update(boxes: TrackerBoxes): TrackedRows {
    const rows = Array.from({ length: boxes.length }, (_, row) => row);
    const ids = new Array<number>(boxes.length).fill(-1);
    const told = new ToldRows();
    rounds.predict();
    const left = rounds.match({ boxes, tracks: rounds.tracks, rows, told, least: minimumIou });
    for (const [at, row] of told.rows.entries()) ids[row] = told.ids[at]!;
    const born = left.rows.filter((row) => (boxes.confidence?.[row] ?? 1) >= activationThreshold);
    rounds.tracks = [...rounds.tracks, ...born.map((row) => rounds.begin(boxes, row))].filter(
      (track) => track.unseen < framesKept && (rounds.isConfirmed(track) || track.unseen === 0),
    );
    return { rows, ids, isBlank: rows.length === 0 };
  }

  return { update };
}

/** ByteTrack (Zhang et al., 2022) as `trackers` 2.4 has it. Ids count from 0. */
export function createByteTrackCorners(options: TrackerOptions = {}): Tracker {
  const { minimumIou: least = 0.1, minimumConsecutiveFrames = 2, activationThreshold = 0.7 } = options;
  const highConfidence = Math.fround(options.highConfidence ?? 0.6);
  const framesKept = framesToKeep(options);
  const rounds = new TrackRounds(CORNERS, minimumConsecutiveFrames);

  function update(boxes: TrackerBoxes): TrackedRows {
    const told = new ToldRows();
    // Only sightings in a row confirm a track.
    for (const track of rounds.tracks) if (track.unseen > 0) track.sightings = 0;
    rounds.predict();
    const high = rowsByScore(boxes, (score) => Math.fround(score) >= highConfidence, 0);
    const low = rowsByScore(boxes, (score) => Math.fround(score) < highConfidence, 0);
    const first = rounds.match({ boxes, tracks: rounds.tracks, rows: high, told, least });
    const second = rounds.match({ boxes, tracks: first.tracks, rows: low, told, least });
    const born = first.rows.filter((row) => boxes.confidence![row]! >= activationThreshold);
    for (const row of [...second.rows, ...born]) told.tell(row, -1);
    rounds.tracks = [...rounds.tracks, ...born.map((row) => rounds.begin(boxes, row))].filter(
      (track) => track.unseen < framesKept && (track.id >= 0 || rounds.isConfirmed(track) || track.unseen === 0),
    );
    return told;
  }

  return { update };
}
