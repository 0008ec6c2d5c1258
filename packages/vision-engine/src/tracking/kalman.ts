/**
 * Constant-velocity Kalman filter over a box as (centre x, centre y, width : height, height).
 * All noise is diagonal, so the 8 × 8 covariance stays four independent 2 × 2 blocks of a coordinate and its
 * velocity: 12 numbers instead of 64, and no matrix to invert.
 */
export interface BoxFilter {
  /** cx, cy, aspect, height, then their velocities per frame. */
  readonly mean: Float64Array;
  /** Per coordinate: variance, covariance with its velocity, variance of the velocity. */
  readonly covariance: Float64Array;
}

const COORDINATES = 4;
const ASPECT = 2;
const HEIGHT = 3;

/** Spread of a position and of a velocity, relative to the height of the box. */
const POSITION_SPREAD = 1 / 20;
const VELOCITY_SPREAD = 1 / 160;
const ASPECT_SPREAD = 1e-2;
const ASPECT_VELOCITY_SPREAD = 1e-5;
const MEASURED_ASPECT_SPREAD = 1e-1;

/** A filter that has seen its first box. */
export function createBoxFilter(xyah: ArrayLike<number>): BoxFilter {
  const mean = new Float64Array(2 * COORDINATES);
  const covariance = new Float64Array(3 * COORDINATES);
  const height = xyah[HEIGHT]!;
  for (let i = 0; i < COORDINATES; i++) {
    mean[i] = xyah[i]!;
    const position = i === ASPECT ? ASPECT_SPREAD : 2 * POSITION_SPREAD * height;
    const velocity = i === ASPECT ? ASPECT_VELOCITY_SPREAD : 10 * VELOCITY_SPREAD * height;
    covariance[3 * i] = position * position;
    covariance[3 * i + 2] = velocity * velocity;
  }
  return { mean, covariance };
}

/** Moves the filter one frame on. */
export function predictBox({ mean, covariance }: BoxFilter): void {
  const height = mean[HEIGHT]!;
  for (let i = 0; i < COORDINATES; i++) {
    const position = i === ASPECT ? ASPECT_SPREAD : POSITION_SPREAD * height;
    const velocity = i === ASPECT ? ASPECT_VELOCITY_SPREAD : VELOCITY_SPREAD * height;
    const cross = covariance[3 * i + 1]!;
    const velocityVariance = covariance[3 * i + 2]!;
    mean[i] = mean[i]! + mean[COORDINATES + i]!;
    covariance[3 * i] = covariance[3 * i]! + 2 * cross + velocityVariance + position * position;
    covariance[3 * i + 1] = cross + velocityVariance;
    covariance[3 * i + 2] = velocityVariance + velocity * velocity;
  }
}

/** Corrects the filter with a measured box. */
export function updateBox({ mean, covariance }: BoxFilter, xyah: ArrayLike<number>): void {
  const height = mean[HEIGHT]!;
  for (let i = 0; i < COORDINATES; i++) {
    const spread = i === ASPECT ? MEASURED_ASPECT_SPREAD : POSITION_SPREAD * height;
    const variance = covariance[3 * i]!;
    const cross = covariance[3 * i + 1]!;
    const measured = variance + spread * spread;
    const gain = variance / measured;
    const velocityGain = cross / measured;
    const surprise = xyah[i]! - mean[i]!;
    mean[i] = mean[i]! + gain * surprise;
    mean[COORDINATES + i] = mean[COORDINATES + i]! + velocityGain * surprise;
    covariance[3 * i] = variance - gain * gain * measured;
    covariance[3 * i + 1] = cross - gain * velocityGain * measured;
    covariance[3 * i + 2] = covariance[3 * i + 2]! - velocityGain * velocityGain * measured;
  }
}

/** Stops the height from growing or shrinking while nothing is measured. */
export function holdHeight({ mean }: BoxFilter): void {
  mean[COORDINATES + HEIGHT] = 0;
}

/** Writes the filter's box as left, top, right, bottom at row `row` of `xyxy`. */
export function writeBox({ mean }: BoxFilter, xyxy: Float64Array, row: number): void {
  const height = mean[HEIGHT]!;
  const width = mean[ASPECT]! * height;
  const left = mean[0]! - width / 2;
  const top = mean[1]! - height / 2;
  xyxy[4 * row] = left;
  xyxy[4 * row + 1] = top;
  xyxy[4 * row + 2] = left + width;
  xyxy[4 * row + 3] = top + height;
}
