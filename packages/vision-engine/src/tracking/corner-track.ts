import { type BoxFilter, createBoxFilter, predictBox, updateBox } from "./kalman.ts";
import { CORNERS_ALONE } from "./motion-models.ts";

/** One followed object, by the corners of its box. */
export interface CornerTrack {
  readonly filter: BoxFilter;
  /** Sightings that count towards its confirmation. */
  sightings: number;
  /** Frames since it was last seen; 0 when seen in this one. */
  unseen: number;
  /** -1 until it is confirmed. */
  id: number;
}

export function createCornerTrack(xyxy: ArrayLike<number>, row: number): CornerTrack {
  return { filter: createBoxFilter(CORNERS_ALONE, boxAt(xyxy, row)), sightings: 1, unseen: 0, id: -1 };
}

export function predictTrack(track: CornerTrack): void {
  predictBox(track.filter);
  track.unseen += 1;
}

export function seeTrack(track: CornerTrack, xyxy: ArrayLike<number>, row: number): void {
  updateBox(track.filter, boxAt(xyxy, row));
  track.sightings += 1;
  track.unseen = 0;
}

/** Where the tracks are thought to be, 4 numbers each. */
export function boxesOfTracks(tracks: readonly CornerTrack[]): Float64Array {
  const boxes = new Float64Array(4 * tracks.length);
  for (let i = 0; i < tracks.length; i++) boxes.set(tracks[i]!.filter.mean.subarray(0, 4), 4 * i);
  return boxes;
}

function boxAt(xyxy: ArrayLike<number>, row: number): readonly number[] {
  return [xyxy[4 * row]!, xyxy[4 * row + 1]!, xyxy[4 * row + 2]!, xyxy[4 * row + 3]!];
}
