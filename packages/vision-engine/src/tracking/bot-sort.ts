// boxes of a frame → ids, in three rounds by how sure tracks and boxes are (BoT-SORT)
import type { PixelPicture } from "../frames/frame.ts";
import { type CameraMotion, moved, type SimilarityMotion } from "./camera-motion.ts";
import { type BoxFilter, CENTRE_SIZE } from "./kalman.ts";
import { type BoxForm, type FilteredTrack, TrackRounds } from "./track-rounds.ts";
import {
  framesToKeep,
  rowsByScore,
  ToldRows,
  type TrackedRows,
  type Tracker,
  type TrackerBoxes,
  type TrackerOptions,
} from "./tracker.ts";

export interface BotSortOptions extends Omit<TrackerOptions, "minimumIou"> {
  /** Least overlap × score of a match of a confirmed or lost object with a sure box. Default 0.2. */
  readonly minimumIouFirst?: number;
  /** Least overlap of a match of a confirmed object with a weak box. Default 0.5. */
  readonly minimumIouSecond?: number;
  /** Least overlap × score of a match of an object that is not confirmed. Default 0.3. */
  readonly minimumIouUnconfirmed?: number;
  /** Objects of the first frame get their id at once. Default true. */
  readonly instantFirstFrame?: boolean;
  /** Follows a moving camera, so that tracks keep their place in the scene. Default: the camera stands still. */
  readonly camera?: CameraMotion;
}

const LOWEST_SCORE = Math.fround(0.1);
const SMALLEST_SIDE = 1e-3;
const WIDTH = 2;
const HEIGHT = 3;

const CENTRE_AND_SIZE: BoxForm = {
  model: CENTRE_SIZE,
  toState(xyxy, row) {
    const [left, top, right, bottom] = [xyxy[4 * row]!, xyxy[4 * row + 1]!, xyxy[4 * row + 2]!, xyxy[4 * row + 3]!];
    return [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top];
  },
  toBox([x, y, width, height]) {
    return [x! - width! / 2, y! - height! / 2, x! + width! / 2, y! + height! / 2];
  },
  correct({ mean }) {
    mean[WIDTH] = Math.max(mean[WIDTH]!, SMALLEST_SIDE);
    mean[HEIGHT] = Math.max(mean[HEIGHT]!, SMALLEST_SIDE);
  },
};

/** BoT-SORT (Aharon et al., 2022) without appearance, as `trackers` 2.4 has it. Ids count from 0. */
export function createBotSort(options: BotSortOptions = {}): Tracker {
  const { minimumIouFirst = 0.2, minimumIouSecond = 0.5, minimumIouUnconfirmed = 0.3, camera } = options;
  const { minimumConsecutiveFrames = 2, activationThreshold = 0.7, instantFirstFrame = true } = options;
  const highConfidence = Math.fround(options.highConfidence ?? 0.6);
  const framesKept = framesToKeep(options);
  const rounds = new TrackRounds(CENTRE_AND_SIZE, minimumConsecutiveFrames);
  let isFirstFrame = true;

  function begin(boxes: TrackerBoxes, row: number, told: ToldRows): FilteredTrack {
    const id = isFirstFrame && instantFirstFrame ? rounds.nextId() : -1;
    told.tell(row, id);
    return rounds.begin(boxes, row, id);
  }

  function update(boxes: TrackerBoxes, picture?: PixelPicture): TrackedRows {
    const told = new ToldRows();
    const motion = picture && camera?.next(picture);
    rounds.predict();
    if (motion !== undefined) for (const { filter } of rounds.tracks) shift(filter, motion);
    const high = rowsByScore(boxes, (score) => Math.fround(score) >= highConfidence, 1);
    const low = rowsByScore(boxes, (score) => score > LOWEST_SCORE && Math.fround(score) < highConfidence, 1);
    const lost = rounds.tracks.filter(({ unseen }) => unseen > 1);
    const confirmed = rounds.tracks.filter((track) => track.unseen <= 1 && rounds.isConfirmed(track));
    const unconfirmed = rounds.tracks.filter((track) => track.unseen <= 1 && !rounds.isConfirmed(track));

    const pool = [...confirmed, ...lost];
    const first = rounds.match({ boxes, told, tracks: pool, rows: high, least: minimumIouFirst, weighed: true });
    const justLost = first.tracks.filter(({ unseen }) => unseen === 1);
    const second = rounds.match({ boxes, told, tracks: justLost, rows: low, least: minimumIouSecond });
    for (const row of second.rows) told.tell(row, -1);
    const rest = { tracks: unconfirmed, rows: first.rows, least: minimumIouUnconfirmed, weighed: true };
    const third = rounds.match({ boxes, told, ...rest });

    const dropped = new Set(third.tracks);
    const born = third.rows.filter((row) => (boxes.confidence?.[row] ?? 1) >= activationThreshold);
    const fresh = born.map((row) => begin(boxes, row, told));
    isFirstFrame = false;
    rounds.tracks = [...rounds.tracks.filter((track) => !dropped.has(track)), ...fresh].filter(
      (track) => track.unseen < framesKept && (rounds.isConfirmed(track) || track.unseen === 0),
    );
    return told;
  }

  return { update };
}

/** Moves a track with the camera. What turning mixes between x and y is left out of the spreads. */
function shift({ mean, covariance }: BoxFilter, motion: SimilarityMotion): void {
  const { a, b } = motion;
  const [x, y] = moved(motion, [mean[0]!, mean[1]!]);
  const [speedX, speedY] = [a * mean[4]! - b * mean[5]!, b * mean[4]! + a * mean[5]!];
  mean.set([x, y]);
  mean.set([speedX, speedY], 4);
  for (let at = 0; at < 3; at++) {
    const [alongX, alongY] = [covariance[at]!, covariance[3 + at]!];
    covariance[at] = a * a * alongX + b * b * alongY;
    covariance[3 + at] = b * b * alongX + a * a * alongY;
  }
}
