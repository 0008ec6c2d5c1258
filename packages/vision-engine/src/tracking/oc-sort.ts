// boxes of a frame → ids, by position and direction of movement (OC-SORT)
import { type Likeness, overlapsOf, pairAlike } from "./assignment.ts";
import { type BoxFilter, CENTRE_AREA_ASPECT, copyFilter, createBoxFilter, predictBox, updateBox } from "./kalman.ts";
import {
  boxesAt,
  framesToKeep,
  rowsByScore,
  ToldRows,
  type TrackedRows,
  type Tracker,
  type TrackerBoxes,
  type TrackerOptions,
} from "./tracker.ts";

/** `minimumConsecutiveFrames`: sightings in a row before an object is told again after a loss. */
export interface OcSortOptions extends Omit<TrackerOptions, "activationThreshold"> {
  /** How much a steady direction counts beside the overlap. Default 0.2. */
  readonly directionWeight?: number;
  /** Frames over which a direction is measured. Default 3. */
  readonly deltaT?: number;
}

/** OC-SORT (Cao et al., 2023) as `trackers` 2.4 has it. Ids count from 0. */
export function createOcSort(options: OcSortOptions = {}): Tracker {
  return new OcSort(options);
}

class OcSort implements Tracker {
  readonly #minimumIou: number;
  readonly #minimumStreak: number;
  readonly #framesKept: number;
  readonly #leastScore: number;
  readonly #directionWeight: number;
  readonly #lookBack: number;
  #tracks: OcSortTrack[] = [];
  #frames = 0;
  #nextId = 0;

  constructor(options: OcSortOptions) {
    this.#minimumIou = options.minimumIou ?? 0.3;
    this.#minimumStreak = options.minimumConsecutiveFrames ?? 3;
    this.#framesKept = framesToKeep(options);
    this.#leastScore = Math.fround(options.highConfidence ?? 0.6);
    this.#directionWeight = options.directionWeight ?? 0.2;
    this.#lookBack = options.deltaT ?? 3;
  }

  update(boxes: TrackerBoxes): TrackedRows {
    const told = new ToldRows();
    if (this.#tracks.length === 0 && boxes.length === 0) return told;
    const rows = rowsByScore(boxes, (score) => Math.fround(score) >= this.#leastScore, 1);
    const seen = boxesAt(boxes.xyxy, rows);
    for (const track of this.#tracks) track.predict();

    const overlaps = overlapsOf(flat(this.#tracks.map(({ box }) => box)), seen);
    const scores = rows.map((row) => boxes.confidence?.[row] ?? 1);
    const first = pairAlike(this.#withDirection(overlaps, seen, scores), this.#minimumIou, overlaps);
    const see = (track: OcSortTrack, column: number) => {
      track.see(boxOf(seen, column));
      told.tell(rows[column]!, this.#idOf(track));
    };
    for (const [at, column] of first.pairs) see(this.#tracks[at]!, column);

    const lastBoxes = flat(first.rows.map((at) => this.#tracks[at]!.lastBox));
    const second = pairAlike(overlapsOf(lastBoxes, boxesAt(seen, first.columns)), this.#minimumIou);
    for (const [at, column] of second.pairs) see(this.#tracks[first.rows[at]!]!, first.columns[column]!);

    this.#tracks = this.#tracks.filter(({ unseen }) => unseen <= this.#framesKept);
    for (const at of second.columns) {
      const column = first.columns[at]!;
      this.#tracks.push(new OcSortTrack(boxOf(seen, column), this.#lookBack));
      told.tell(rows[column]!, -1);
    }
    this.#frames += 1;
    return told;
  }

  /** In the first frames any match gives an id; later a streak is needed, and without one the id is withheld. */
  #idOf(track: OcSortTrack): number {
    if (this.#frames > this.#minimumStreak && track.streak < this.#minimumStreak) return -1;
    if (track.id < 0) track.id = this.#nextId++;
    return track.id;
  }

  /** Overlap, and a bonus for boxes that lie where a track was heading. */
  #withDirection({ values, rows, columns }: Likeness, seen: Float64Array, scores: readonly number[]): Likeness {
    const weighed = values.slice();
    for (const [row, { direction, referenceBox }] of this.#tracks.entries()) {
      if (direction === undefined) continue;
      for (let column = 0; column < columns; column++) {
        const { x, y } = directionTo(referenceBox, boxOf(seen, column));
        const cosine = Math.min(1, Math.max(-1, direction.x * x + direction.y * y));
        const agreement = (Math.PI / 2 - Math.acos(cosine)) / Math.PI;
        const at = row * columns + column;
        weighed[at] = weighed[at]! + this.#directionWeight * agreement * scores[column]!;
      }
    }
    return { values: weighed, rows, columns };
  }
}

function flat(boxes: readonly (readonly number[])[]): Float64Array {
  return Float64Array.from(boxes.flat());
}

function boxOf(boxes: Float64Array, at: number): readonly number[] {
  return Array.from(boxes.subarray(4 * at, 4 * at + 4));
}

type Box = readonly number[];

/** A unit vector in the picture. */
interface Direction {
  readonly x: number;
  readonly y: number;
}

const AREA = 2;
const AREA_VELOCITY = 6;

/** One object that OC-SORT follows: a filter that is corrected in hindsight when the object comes back. */
class OcSortTrack {
  id = -1;
  /** Frames since it was last seen; 0 when seen in this one. */
  unseen = 0;
  /** Sightings in a row after the first. */
  streak = 0;
  lastBox: Box;
  /** Which way it went at its last sighting; known from the second match on. */
  direction: Direction | undefined;
  readonly #lookBack: number;
  #filter: BoxFilter;
  /** The filter as it was when the object was lost. */
  #beforeLoss: BoxFilter | undefined;
  #age = 0;
  /** The last `lookBack` frames; the first box is not among them. */
  #sightings: { readonly age: number; readonly box: Box }[] = [];

  /** `lookBack`: frames over which a direction is measured. */
  constructor(box: Box, lookBack: number) {
    this.lastBox = box;
    this.#lookBack = lookBack;
    this.#filter = createBoxFilter(CENTRE_AREA_ASPECT, toState(box));
  }

  predict(): void {
    if (this.unseen > 0) {
      this.#beforeLoss ??= copyFilter(this.#filter);
      this.streak = 0;
    }
    const { mean } = this.#filter;
    if (mean[AREA]! + mean[AREA_VELOCITY]! <= 0) mean[AREA_VELOCITY] = 0;
    predictBox(this.#filter);
    this.#age += 1;
    this.unseen += 1;
  }

  see(box: Box): void {
    const before = this.#boxBefore();
    if (before !== undefined) this.direction = directionTo(before, box);
    if (this.#beforeLoss !== undefined) this.#replayGap(this.#beforeLoss, box);
    updateBox(this.#filter, toState(box));
    this.unseen = 0;
    this.streak += 1;
    this.lastBox = box;
    this.#sightings = this.#sightings.filter(({ age }) => age > this.#age - this.#lookBack);
    this.#sightings.push({ age: this.#age, box });
  }

  /** Where a direction is measured from: the sighting `lookBack` frames ago, or the next one after it. */
  get referenceBox(): Box {
    return this.#boxBefore() ?? this.lastBox;
  }

  /** Left, top, right, bottom as predicted. */
  get box(): Box {
    const { mean } = this.#filter;
    const width = Math.sqrt(mean[AREA]! * mean[3]!);
    const height = mean[AREA]! / width;
    return [mean[0]! - width / 2, mean[1]! - height / 2, mean[0]! + width / 2, mean[1]! + height / 2];
  }

  #boxBefore(): Box | undefined {
    const inReach = this.#sightings.find(({ age }) => age >= this.#age - this.#lookBack);
    return (inReach ?? this.#sightings.at(-1))?.box;
  }

  /** Corrects the filter as if the object had gone straight from where it was lost to where it is now. */
  #replayGap(filter: BoxFilter, box: Box): void {
    const from = centreAndSize(this.lastBox);
    const to = centreAndSize(box);
    for (let step = 1; step <= this.unseen; step++) {
      const [x, y, width, height] = from.map((value, at) => value + (step * (to[at]! - value)) / this.unseen);
      updateBox(filter, [x!, y!, width! * height!, width! / height!]);
      if (step < this.unseen) predictBox(filter);
    }
    this.#filter = filter;
    this.#beforeLoss = undefined;
  }
}

/** Direction between the centres of two boxes. */
function directionTo(from: Box, to: Box): Direction {
  const x = (to[0]! + to[2]!) / 2 - (from[0]! + from[2]!) / 2;
  const y = (to[1]! + to[3]!) / 2 - (from[1]! + from[3]!) / 2;
  const length = Math.hypot(x, y) + 1e-6;
  return { x: x / length, y: y / length };
}

function toState(box: Box): Box {
  const width = box[2]! - box[0]!;
  const height = box[3]! - box[1]!;
  return [box[0]! + width / 2, box[1]! + height / 2, width * height, width / (height + 1e-6)];
}

/** As far as area and aspect of the state tell them. */
function centreAndSize(box: Box): Box {
  const [x, y, area, aspect] = toState(box);
  return [x!, y!, Math.sqrt(area! * aspect!), Math.sqrt(area! / aspect!)];
}
