// frames of one camera → what does not belong to the background
import { createPlane, type Plane } from "./plane.ts";

export interface BackgroundSubtractorOptions {
  /** Frames over which the background is learned. Larger forgets slower. */
  readonly history: number;
  /** Squared distance, in variances, from which a pixel no longer belongs to a background. */
  readonly varThreshold: number;
}

/**
 * Mixture of Gaussians after Zivkovic (MOG2), with the constants of OpenCV: 255 where something is in front of the
 * background, 127 where it only casts a shadow, 0 elsewhere.
 */
export type BackgroundSubtractor = (planes: readonly Plane[]) => Plane;

const MODES = 5;
const BACKGROUND_RATIO = 0.9;
const FIT_THRESHOLD = 9;
const FIRST_VARIANCE = 15;
const LEAST_VARIANCE = 4;
const GREATEST_VARIANCE = 75;
/** How fast modes that nothing fits lose weight. */
const COMPLEXITY = 0.05;
const SHADOW = 127;
/** A shadow is at least this bright, compared with what it falls on. */
const SHADOW_DARKNESS = 0.5;

export function createBackgroundSubtractor(options: BackgroundSubtractorOptions): BackgroundSubtractor {
  let model: Mixture | undefined;
  return (planes) => {
    const { width, height } = planes[0]!;
    if (model === undefined || !model.fits(width, height, planes.length)) {
      model = new Mixture(width, height, planes.length);
    }
    return model.apply(planes, options);
  };
}

/**
 * Up to five modes a pixel, the heaviest first. Mode m of pixel p lies at m · pixels + p: what a still scene needs lies
 * side by side in memory.
 */
class Mixture {
  readonly #width: number;
  readonly #height: number;
  readonly #channels: number;
  readonly #pixels: number;
  readonly #weights: Float32Array;
  readonly #variances: Float32Array;
  readonly #means: readonly Float32Array[];
  readonly #modesUsed: Uint8Array;
  readonly #pixel: Float32Array;
  #frames = 0;

  constructor(width: number, height: number, channels: number) {
    const pixels = width * height;
    this.#width = width;
    this.#height = height;
    this.#channels = channels;
    this.#pixels = pixels;
    this.#weights = new Float32Array(pixels * MODES);
    this.#variances = new Float32Array(pixels * MODES);
    this.#means = Array.from({ length: channels }, () => new Float32Array(pixels * MODES));
    this.#modesUsed = new Uint8Array(pixels);
    this.#pixel = new Float32Array(channels);
  }

  fits(width: number, height: number, channels: number): boolean {
    return width === this.#width && height === this.#height && channels === this.#channels;
  }

  apply(planes: readonly Plane[], { history, varThreshold }: BackgroundSubtractorOptions): Plane {
    this.#frames += 1;
    const rate = 1 / Math.min(2 * this.#frames, history);
    const mask = createPlane(this.#width, this.#height);
    for (let at = 0; at < this.#pixels; at++) {
      for (let channel = 0; channel < this.#channels; channel++) this.#pixel[channel] = planes[channel]!.data[at]!;
      if (this.#learn(at, rate, varThreshold)) continue;
      mask.data[at] = this.#isShadow(at, varThreshold) ? SHADOW : 255;
    }
    return mask;
  }

  /** Takes in one pixel; true when it belongs to the background as it was before. */
  #learn(at: number, rate: number, varThreshold: number): boolean {
    const loss = rate * COMPLEXITY;
    const used = this.#modesUsed[at]!;
    if (used === 1) {
      // Most pixels of a still scene: the one mode fits, and its weight stays 1.
      const distance = this.#squaredDistance(at, 1);
      const variance = this.#variances[at]!;
      if (distance < FIT_THRESHOLD * variance) {
        this.#moveTowardsPixel(at, rate / (1 - loss), distance);
        return distance < varThreshold * variance;
      }
    }
    return this.#learnMixture(at, rate, varThreshold);
  }

  #learnMixture(at: number, rate: number, varThreshold: number): boolean {
    const loss = rate * COMPLEXITY;
    let used = this.#modesUsed[at]!;
    let isBackground = false;
    let isFitted = false;
    let total = 0;
    for (let mode = 0; mode < used; mode++) {
      let place = mode * this.#pixels + at;
      let weight = (1 - rate) * this.#weights[place]! - loss;
      if (!isFitted) {
        const distance = this.#squaredDistance(place, 1);
        const variance = this.#variances[place]!;
        if (total < BACKGROUND_RATIO && distance < varThreshold * variance) isBackground = true;
        if (distance < FIT_THRESHOLD * variance) {
          isFitted = true;
          weight += rate;
          this.#moveTowardsPixel(place, rate / weight, distance);
          place = this.#rise(place, weight);
        }
      }
      if (weight < loss) {
        weight = 0;
        used -= 1;
      }
      this.#weights[place] = weight;
      total += weight;
    }
    this.#scaleWeights(at, used, Math.abs(total) > 1e-7 ? 1 / total : 0);
    this.#modesUsed[at] = isFitted ? used : this.#addMode(at, used, rate);
    return isBackground;
  }

  /** Distance of the pixel from a mode, or from a shade of it. */
  #squaredDistance(place: number, shade: number): number {
    let sum = 0;
    for (let channel = 0; channel < this.#channels; channel++) {
      const difference = shade * this.#means[channel]![place]! - this.#pixel[channel]!;
      sum += difference * difference;
    }
    return sum;
  }

  #moveTowardsPixel(place: number, share: number, distance: number): void {
    for (let channel = 0; channel < this.#channels; channel++) {
      const means = this.#means[channel]!;
      means[place]! -= share * (means[place]! - this.#pixel[channel]!);
    }
    const variance = this.#variances[place]!;
    this.#variances[place] = clampVariance(variance + share * (distance - variance));
  }

  #scaleWeights(at: number, modes: number, scale: number): void {
    for (let mode = 0; mode < modes; mode++) this.#weights[mode * this.#pixels + at]! *= scale;
  }

  /** Lets a mode of this weight pass the lighter ones before it; gives its new place. */
  #rise(from: number, weight: number): number {
    let place = from;
    while (place >= this.#pixels && weight >= this.#weights[place - this.#pixels]!) {
      this.#swap(place, place - this.#pixels);
      place -= this.#pixels;
    }
    return place;
  }

  #swap(one: number, other: number): void {
    swapItems(this.#weights, one, other);
    swapItems(this.#variances, one, other);
    for (const means of this.#means) swapItems(means, one, other);
  }

  /** Starts a mode at the pixel, instead of the lightest when all are taken; gives the number of modes. */
  #addMode(at: number, used: number, rate: number): number {
    const modes = Math.min(used + 1, MODES);
    const place = (modes - 1) * this.#pixels + at;
    this.#scaleWeights(at, modes - 1, 1 - rate);
    this.#weights[place] = modes === 1 ? 1 : rate;
    this.#variances[place] = FIRST_VARIANCE;
    for (let channel = 0; channel < this.#channels; channel++) this.#means[channel]![place] = this.#pixel[channel]!;
    this.#rise(place, rate);
    return modes;
  }

  /** A darker shade of a colour of the background. */
  #isShadow(at: number, varThreshold: number): boolean {
    const used = this.#modesUsed[at]!;
    let total = 0;
    for (let mode = 0; mode < used; mode++) {
      const place = mode * this.#pixels + at;
      const shade = this.#shadeOf(place);
      if (shade === undefined) return false;
      if (shade <= 1 && shade >= SHADOW_DARKNESS) {
        const distance = this.#squaredDistance(place, shade);
        if (distance < varThreshold * this.#variances[place]! * shade * shade) return true;
      }
      total += this.#weights[place]!;
      if (total > BACKGROUND_RATIO) return false;
    }
    return false;
  }

  /** How bright the pixel is compared with a mode; absent for a black mode. */
  #shadeOf(place: number): number | undefined {
    let product = 0;
    let square = 0;
    for (let channel = 0; channel < this.#channels; channel++) {
      const mean = this.#means[channel]![place]!;
      product += this.#pixel[channel]! * mean;
      square += mean * mean;
    }
    return square === 0 ? undefined : product / square;
  }
}

function clampVariance(variance: number): number {
  return Math.min(Math.max(variance, LEAST_VARIANCE), GREATEST_VARIANCE);
}

function swapItems(values: Float32Array, one: number, other: number): void {
  const kept = values[one]!;
  values[one] = values[other]!;
  values[other] = kept;
}
