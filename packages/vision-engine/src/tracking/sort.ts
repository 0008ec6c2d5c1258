// boxes of a frame → ids, by position alone (SORT)
import { boxesOfTracks, type CornerTrack, createCornerTrack, predictTrack, seeTrack } from "./corner-track.ts";
import { overlapsOf, pairAlike } from "./pairing.ts";
import { boxesAt, framesToKeep, type ScoredBoxes, type TrackedRows, type Tracker } from "./tracker.ts";

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

  function update(boxes: ScoredBoxes): TrackedRows {
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
