// boxes → tracks followed by their corners
import { overlapsOf, pairAlike } from "./assignment.ts";
import { type BoxFilter, CORNERS_ALONE, createBoxFilter, predictBox, updateBox } from "./kalman.ts";
import {
  boxesAt,
  framesToKeep,
  rowsByScore,
  ToldRows,
  type TrackedRows,
  type Tracker,
  type TrackerBoxes,
} from "./tracker.ts";

export interface SortOptions {
  /** Least overlap of a match. Raise against wrong matches. Default 0.3. */
  readonly minimumIou?: number;
  /** Sightings before an object gets its id. Raise against ghosts. Default 3. */
  readonly minimumConsecutiveFrames?: number;
  /** Frames at 30 fps that a lost object is remembered. Default 30. */
  readonly lostTrackBuffer?: number;
  /** Score from which a box may begin a track. Default 0.25. */
  readonly activationThreshold?: number;
  /** Frames per second, to scale the buffer. Default 30. */
  readonly fps?: number;
}

/** SORT (Bewley et al., 2016) as `trackers` 2.4 has it. Ids count from 0. */
export function createSort(options: SortOptions = {}): Tracker {
  const { minimumIou = 0.3, minimumConsecutiveFrames = 3, activationThreshold = 0.25 } = options;
  const framesKept = framesToKeep(options.lostTrackBuffer ?? 30, options.fps ?? 30);
  let tracks: CornerTrack[] = [];
  let nextId = 0;

  function idOf(track: CornerTrack): number {
    if (track.id < 0 && track.sightings >= minimumConsecutiveFrames) track.id = nextId++;
    return track.id;
  }

  function isAlive({ unseen, sightings }: CornerTrack): boolean {
    return unseen < framesKept && (sightings >= minimumConsecutiveFrames || unseen === 0);
  }

  function update(boxes: TrackerBoxes): TrackedRows {
    const rows = Array.from({ length: boxes.length }, (_, row) => row);
    const ids = new Array<number>(boxes.length).fill(-1);
    for (const track of tracks) predictTrack(track);
    const overlaps = overlapsOf(boxesOfTracks(tracks), boxesAt(boxes.xyxy, rows));
    const { pairs, columns } = pairAlike(overlaps, minimumIou);
    for (const [at, row] of pairs) {
      seeTrack(tracks[at]!, boxes.xyxy, row);
      ids[row] = idOf(tracks[at]!);
    }
    const born = columns.filter((row) => (boxes.confidence?.[row] ?? 1) >= activationThreshold);
    tracks = [...tracks, ...born.map((row) => createCornerTrack(boxes.xyxy, row))].filter(isAlive);
    return { rows, ids, isBlank: rows.length === 0 };
  }

  return { update };
}

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
  function matchRound(
    boxes: TrackerBoxes,
    candidates: readonly CornerTrack[],
    rows: readonly number[],
    told: ToldRows,
  ) {
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

  function update(boxes: TrackerBoxes): TrackedRows {
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

/** One followed object, by the corners of its box. */
interface CornerTrack {
  readonly filter: BoxFilter;
  /** Sightings that count towards its confirmation. */
  sightings: number;
  /** Frames since it was last seen; 0 when seen in this one. */
  unseen: number;
  /** -1 until it is confirmed. */
  id: number;
}

function createCornerTrack(xyxy: ArrayLike<number>, row: number): CornerTrack {
  return { filter: createBoxFilter(CORNERS_ALONE, boxAt(xyxy, row)), sightings: 1, unseen: 0, id: -1 };
}

function predictTrack(track: CornerTrack): void {
  predictBox(track.filter);
  track.unseen += 1;
}

function seeTrack(track: CornerTrack, xyxy: ArrayLike<number>, row: number): void {
  updateBox(track.filter, boxAt(xyxy, row));
  track.sightings += 1;
  track.unseen = 0;
}

/** Where the tracks are thought to be, 4 numbers each. */
function boxesOfTracks(tracks: readonly CornerTrack[]): Float64Array {
  const boxes = new Float64Array(4 * tracks.length);
  for (let i = 0; i < tracks.length; i++) boxes.set(tracks[i]!.filter.mean.subarray(0, 4), 4 * i);
  return boxes;
}

function boxAt(xyxy: ArrayLike<number>, row: number): readonly number[] {
  return [xyxy[4 * row]!, xyxy[4 * row + 1]!, xyxy[4 * row + 2]!, xyxy[4 * row + 3]!];
}
