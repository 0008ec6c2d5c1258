// boxes of a frame → ids, in three rounds by how sure tracks and boxes are (BoT-SORT)

import { overlapsOf, pairAlike, weighedBy } from "./assignment.ts";
import { type CameraMotion, moved, type SimilarityMotion } from "./camera-motion.ts";
import { type BoxFilter, CENTRE_SIZE, createBoxFilter, predictBox, updateBox } from "./kalman.ts";
import {
  boxesAt,
  framesToKeep,
  rowsByScore,
  ToldRows,
  type TrackedRows,
  type Tracker,
  type TrackerBoxes,
  type TrackerPicture,
} from "./tracker.ts";

export interface BotSortOptions {
  /** Least overlap × score of a match of a confirmed or lost object with a sure box. Default 0.2. */
  readonly minimumIouFirst?: number;
  /** Least overlap of a match of a confirmed object with a weak box. Default 0.5. */
  readonly minimumIouSecond?: number;
  /** Least overlap × score of a match of an object that is not confirmed. Default 0.3. */
  readonly minimumIouUnconfirmed?: number;
  /** Sightings before an object gets its id. Default 2. */
  readonly minimumConsecutiveFrames?: number;
  /** Frames at 30 fps that a lost object is remembered. Default 30. */
  readonly lostTrackBuffer?: number;
  /** Score from which a box may begin a track. Default 0.7. */
  readonly activationThreshold?: number;
  /** Score from which a box is sure. Default 0.6. */
  readonly highConfidence?: number;
  /** Objects of the first frame get their id at once. Default true. */
  readonly instantFirstFrame?: boolean;
  /** Frames per second, to scale the buffer. Default 30. */
  readonly fps?: number;
  /** Follows a moving camera, so that tracks keep their place in the scene. Default: the camera stands still. */
  readonly camera?: CameraMotion;
}

interface Track {
  readonly filter: BoxFilter;
  sightings: number;
  unseen: number;
  id: number;
}

/** What takes part in one round of matching. */
interface Round {
  readonly boxes: TrackerBoxes;
  readonly tracks: readonly Track[];
  readonly rows: readonly number[];
  readonly least: number;
  readonly weighed: boolean;
  readonly told: ToldRows;
}

const LOWEST_SCORE = Math.fround(0.1);
const SMALLEST_SIDE = 1e-3;
const WIDTH = 2;
const HEIGHT = 3;

/** BoT-SORT (Aharon et al., 2022) without appearance, as `trackers` 2.4 has it. Ids count from 0. */
export function createBotSort(options: BotSortOptions = {}): Tracker {
  return new BotSort(options);
}

class BotSort implements Tracker {
  readonly #options: Required<Omit<BotSortOptions, "camera">>;
  readonly #camera: CameraMotion | undefined;
  readonly #framesKept: number;
  readonly #highConfidence: number;
  #tracks: Track[] = [];
  #frame = 0;
  #nextId = 0;

  constructor({ camera, ...options }: BotSortOptions) {
    this.#camera = camera;
    this.#options = {
      minimumIouFirst: 0.2,
      minimumIouSecond: 0.5,
      minimumIouUnconfirmed: 0.3,
      minimumConsecutiveFrames: 2,
      lostTrackBuffer: 30,
      activationThreshold: 0.7,
      highConfidence: 0.6,
      instantFirstFrame: true,
      fps: 30,
      ...options,
    };
    this.#framesKept = framesToKeep(this.#options.lostTrackBuffer, this.#options.fps);
    this.#highConfidence = Math.fround(this.#options.highConfidence);
  }

  update(boxes: TrackerBoxes, picture?: TrackerPicture): TrackedRows {
    this.#frame += 1;
    const { minimumIouFirst, minimumIouSecond, minimumIouUnconfirmed } = this.#options;
    const told = new ToldRows();
    const motion = picture && this.#camera?.next(picture);
    for (const track of this.#tracks) {
      predict(track);
      if (motion !== undefined) shift(track.filter, motion);
    }
    const high = rowsByScore(boxes, (score) => Math.fround(score) >= this.#highConfidence, 1);
    const low = rowsByScore(boxes, (score) => score > LOWEST_SCORE && Math.fround(score) < this.#highConfidence, 1);
    const lost = this.#tracks.filter(({ unseen }) => unseen > 1);
    const confirmed = this.#tracks.filter((track) => track.unseen <= 1 && this.#isConfirmed(track));
    const unconfirmed = this.#tracks.filter((track) => track.unseen <= 1 && !this.#isConfirmed(track));

    const pool = [...confirmed, ...lost];
    const first = this.#match({ boxes, told, tracks: pool, rows: high, least: minimumIouFirst, weighed: true });
    const justLost = first.tracks.filter(({ unseen }) => unseen === 1);
    const second = this.#match({ boxes, told, tracks: justLost, rows: low, least: minimumIouSecond, weighed: false });
    for (const row of second.rows) told.tell(row, -1);
    const rest = { tracks: unconfirmed, rows: first.rows, least: minimumIouUnconfirmed, weighed: true };
    const third = this.#match({ boxes, told, ...rest });

    const dropped = new Set(third.tracks);
    const born = third.rows.filter((row) => (boxes.confidence?.[row] ?? 1) >= this.#options.activationThreshold);
    const fresh = born.map((row) => this.#begin(boxes, row, told));
    const kept = this.#tracks.filter((track) => !dropped.has(track));
    this.#tracks = [...kept, ...fresh].filter((track) => this.#isAlive(track));
    return told;
  }

  /** Pairs tracks with rows, tells those paired and answers what is left of both. */
  #match({ boxes, tracks, rows, least, weighed, told }: Round): { tracks: Track[]; rows: number[] } {
    const overlaps = overlapsOf(boxesOfTracks(tracks), boxesAt(boxes.xyxy, rows));
    const scores = rows.map((row) => boxes.confidence?.[row] ?? 1);
    const pairing = pairAlike(weighed ? weighedBy(overlaps, scores) : overlaps, least);
    for (const [at, column] of pairing.pairs) {
      const track = tracks[at]!;
      see(track, toState(boxes.xyxy, rows[column]!));
      if (track.id < 0 && this.#isConfirmed(track)) track.id = this.#nextId++;
      told.tell(rows[column]!, track.id);
    }
    return { tracks: pairing.rows.map((at) => tracks[at]!), rows: pairing.columns.map((column) => rows[column]!) };
  }

  #begin({ xyxy }: TrackerBoxes, row: number, told: ToldRows): Track {
    const id = this.#frame === 1 && this.#options.instantFirstFrame ? this.#nextId++ : -1;
    told.tell(row, id);
    return { filter: createBoxFilter(CENTRE_SIZE, toState(xyxy, row)), sightings: 1, unseen: 0, id };
  }

  #isConfirmed({ sightings }: Track): boolean {
    return sightings >= this.#options.minimumConsecutiveFrames;
  }

  #isAlive(track: Track): boolean {
    return track.unseen < this.#framesKept && (this.#isConfirmed(track) || track.unseen === 0);
  }
}

function predict(track: Track): void {
  predictBox(track.filter);
  keepSize(track.filter);
  track.unseen += 1;
}

function see(track: Track, state: readonly number[]): void {
  updateBox(track.filter, state);
  keepSize(track.filter);
  track.sightings += 1;
  track.unseen = 0;
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

function keepSize({ mean }: BoxFilter): void {
  mean[WIDTH] = Math.max(mean[WIDTH]!, SMALLEST_SIDE);
  mean[HEIGHT] = Math.max(mean[HEIGHT]!, SMALLEST_SIDE);
}

function toState(xyxy: ArrayLike<number>, row: number): readonly number[] {
  const [left, top, right, bottom] = [xyxy[4 * row]!, xyxy[4 * row + 1]!, xyxy[4 * row + 2]!, xyxy[4 * row + 3]!];
  return [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top];
}

function boxesOfTracks(tracks: readonly Track[]): Float64Array {
  const boxes = new Float64Array(4 * tracks.length);
  for (const [i, { filter }] of tracks.entries()) {
    const [x, y, width, height] = filter.mean;
    boxes.set([x! - width! / 2, y! - height! / 2, x! + width! / 2, y! + height! / 2], 4 * i);
  }
  return boxes;
}
