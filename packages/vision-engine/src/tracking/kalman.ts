/**
 * How sure a filter is of things, as variances. A vector of 8 has the four coordinates first and then their
 * velocities; one of 4 the coordinates only. `state` is the mean of the filter.
 */
export interface MotionModel {
  /** After the first box. */
  first(state: Float64Array): ArrayLike<number>;
  /** Added by one frame. */
  step(state: Float64Array): ArrayLike<number>;
  /** Of a measured box. */
  measured(state: Float64Array): ArrayLike<number>;
}

/**
 * Constant-velocity Kalman filter over the four numbers of a box, whatever they are.
 * All noise is diagonal, so the 8 × 8 covariance stays four independent 2 × 2 blocks of a coordinate and its
 * velocity: 12 numbers instead of 64, and no matrix to invert.
 */
export interface BoxFilter {
  readonly model: MotionModel;
  /** Four coordinates, then their velocities per frame. */
  readonly mean: Float64Array;
  /** Per coordinate: variance, covariance with its velocity, variance of the velocity. */
  readonly covariance: Float64Array;
}

const COORDINATES = 4;

/** A filter that has seen its first box. */
export function createBoxFilter(model: MotionModel, box: ArrayLike<number>): BoxFilter {
  const mean = new Float64Array(2 * COORDINATES);
  const covariance = new Float64Array(3 * COORDINATES);
  for (let i = 0; i < COORDINATES; i++) mean[i] = box[i]!;
  const variance = model.first(mean);
  for (let i = 0; i < COORDINATES; i++) {
    covariance[3 * i] = variance[i]!;
    covariance[3 * i + 2] = variance[COORDINATES + i]!;
  }
  return { model, mean, covariance };
}

/** Moves the filter one frame on. */
export function predictBox({ model, mean, covariance }: BoxFilter): void {
  const noise = model.step(mean);
  for (let i = 0; i < COORDINATES; i++) {
    const cross = covariance[3 * i + 1]!;
    const velocityVariance = covariance[3 * i + 2]!;
    mean[i] = mean[i]! + mean[COORDINATES + i]!;
    covariance[3 * i] = covariance[3 * i]! + 2 * cross + velocityVariance + noise[i]!;
    covariance[3 * i + 1] = cross + velocityVariance;
    covariance[3 * i + 2] = velocityVariance + noise[COORDINATES + i]!;
  }
}

/** Corrects the filter with a measured box. */
export function updateBox({ model, mean, covariance }: BoxFilter, box: ArrayLike<number>): void {
  const noise = model.measured(mean);
  for (let i = 0; i < COORDINATES; i++) {
    const variance = covariance[3 * i]!;
    const cross = covariance[3 * i + 1]!;
    const total = variance + noise[i]!;
    const gain = variance / total;
    const velocityGain = cross / total;
    const surprise = box[i]! - mean[i]!;
    mean[i] = mean[i]! + gain * surprise;
    mean[COORDINATES + i] = mean[COORDINATES + i]! + velocityGain * surprise;
    covariance[3 * i] = variance - gain * gain * total;
    covariance[3 * i + 1] = cross - gain * velocityGain * total;
    covariance[3 * i + 2] = covariance[3 * i + 2]! - velocityGain * velocityGain * total;
  }
}

/** A filter of its own with the same state. */
export function copyFilter({ model, mean, covariance }: BoxFilter): BoxFilter {
  return { model, mean: mean.slice(), covariance: covariance.slice() };
}

/** Spread of a position and of a velocity, relative to the size of the box. */
const POSITION = 1 / 20;
const VELOCITY = 1 / 160;

/** Centre x, centre y, width : height, height: spreads follow the height. */
export const CENTRE_ASPECT_HEIGHT: MotionModel = {
  first: (state) => aspectVariances(2 * POSITION * state[3]!, 10 * VELOCITY * state[3]!),
  step: (state) => aspectVariances(POSITION * state[3]!, VELOCITY * state[3]!),
  measured(state) {
    const size = square(POSITION * state[3]!);
    return [size, size, 1e-2, size];
  },
};

function aspectVariances(position: number, velocity: number): readonly number[] {
  const [at, moving] = [square(position), square(velocity)];
  return [at, at, 1e-4, at, moving, moving, 1e-10, moving];
}

/** Left, top, right, bottom: the same for every box. */
export const CORNERS_ALONE: MotionModel = constant({
  first: new Float64Array(8).fill(1),
  step: new Float64Array(8).fill(0.01),
  measured: new Float64Array(4).fill(0.1),
});

/** Centre x, centre y, area, width : height; the last does not move. */
export const CENTRE_AREA_ASPECT: MotionModel = constant({
  first: [10, 10, 10, 10, 1e4, 1e4, 1e4, 0],
  step: [1, 1, 1, 1, 0.01, 0.01, 1e-4, 0],
  measured: [1, 1, 10, 10],
});

/** Centre x, centre y, width, height: spreads follow width and height. */
export const CENTRE_SIZE: MotionModel = {
  first: (state) => sizeVariances(state, 2 * POSITION, 10 * VELOCITY),
  step: (state) => sizeVariances(state, POSITION, VELOCITY),
  measured: (state) => sizeVariances(state, POSITION, 0),
};

function sizeVariances(state: Float64Array, position: number, velocity: number): readonly number[] {
  const [width, height] = [square(state[2]!), square(state[3]!)];
  const [at, moving] = [square(position), square(velocity)];
  return [
    at * width,
    at * height,
    at * width,
    at * height,
    moving * width,
    moving * height,
    moving * width,
    moving * height,
  ];
}

function constant(variances: Record<keyof MotionModel, ArrayLike<number>>): MotionModel {
  return { first: () => variances.first, step: () => variances.step, measured: () => variances.measured };
}

function square(value: number): number {
  return value * value;
}
