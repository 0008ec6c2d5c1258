// boxes of a frame → ids, sure boxes first and weak ones second (ByteTrack over corners)
import { boxesOfTracks, type CornerTrack, createCornerTrack, predictTrack, seeTrack } from "./corner-track.ts";
import { overlapsOf, pairAlike } from "./pairing.ts";
import {
  boxesAt,
  framesToKeep,
  rowsByScore,
  type ScoredBoxes,
  ToldRows,
  type TrackedRows,
  type Tracker,
} from "./tracker.ts";

export interface ByteTrackCornersOptions {
  /** Least overlap of a match. Default 0.1. */
  readonly minimumIou?: number;
  /** Sightings in a row before an object gets its id. Default 2. */
  readonly minimumConsecutiveFrames?: number;
  /** Frames at 30 fps that a lost object is remembered. Default 30. */
  readonly lostTrackBuffer?: number;
  /** Score from which a box may begin a track. Default 0.7. */
  readonly activationThreshold?: number;
  /** Score from which a box is matched in the first round. Default 0.6. */
  readonly highConfidence?: number;
  /** Frames per second, to scale the buffer. Default 30. */
  readonly fps?: number;
}

/** ByteTrack (Zhang et al., 2022) as `trackers` 2.4 has it. Ids count from 0. */
export function createByteTrackCorners(options: ByteTrackCornersOptions = {}): Tracker {
  const { minimumIou = 0.1, minimumConsecutiveFrames = 2, activationThreshold = 0.7 } = options;
  const highConfidence = Math.fround(options.highConfidence ?? 0.6);
  const framesKept = framesToKeep(options.lostTrackBuffer ?? 30, options.fps ?? 30);
  let tracks: CornerTrack[] = [];
  let nextId = 0;

  function isAlive({ unseen, sightings, id }: CornerTrack): boolean {
    return unseen < framesKept && (id >= 0 || sightings >= minimumConsecutiveFrames || unseen === 0);
  }

  function predict(track: CornerTrack): void {
    // Only sightings in a row confirm a track.
    if (track.unseen > 0) track.sightings = 0;
    predictTrack(track);
  }

  /** Pairs tracks with rows, tells the ids of those paired and answers what is left. */
  function matchRound(boxes: ScoredBoxes, candidates: readonly CornerTrack[], rows: readonly number[], told: ToldRows) {
    const pairing = pairAlike(overlapsOf(boxesOfTracks(candidates), boxesAt(boxes.xyxy, rows)), minimumIou);
    for (const [at, column] of pairing.pairs) {
      const track = candidates[at]!;
      seeTrack(track, boxes.xyxy, rows[column]!);
      if (track.id < 0 && track.sightings >= minimumConsecutiveFrames) track.id = nextId++;
      told.tell(rows[column]!, track.id);
    }
    return {
      tracks: pairing.rows.map((at) => candidates[at]!),
      rows: pairing.columns.map((column) => rows[column]!),
    };
  }

  function update(boxes: ScoredBoxes): TrackedRows {
    const told = new ToldRows();
    for (const track of tracks) predict(track);
    const high = rowsByScore(boxes, (score) => Math.fround(score) >= highConfidence, 0);
    const low = rowsByScore(boxes, (score) => Math.fround(score) < highConfidence, 0);
    const first = matchRound(boxes, tracks, high, told);
    const second = matchRound(boxes, first.tracks, low, told);
    for (const row of second.rows) told.tell(row, -1);
    const born = first.rows.filter((row) => boxes.confidence![row]! >= activationThreshold);
    for (const row of born) told.tell(row, -1);
    tracks = [...tracks, ...born.map((row) => createCornerTrack(boxes.xyxy, row))].filter(isAlive);
    return told;
  }

  return { update };
}
