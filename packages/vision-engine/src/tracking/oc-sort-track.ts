// sightings of one object → where it is thought to be, and which way it goes
import { type BoxFilter, copyFilter, createBoxFilter, predictBox, updateBox } from "./kalman.ts";
import { CENTRE_AREA_ASPECT } from "./motion-models.ts";

type Box = readonly number[];

/** A unit vector in the picture. */
export interface Direction {
  readonly x: number;
  readonly y: number;
}

const AREA = 2;
const AREA_VELOCITY = 6;

/** One object that OC-SORT follows: a filter that is corrected in hindsight when the object comes back. */
export class OcSortTrack {
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
export function directionTo(from: Box, to: Box): Direction {
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
