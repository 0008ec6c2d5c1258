import type { MotionModel } from "./kalman.ts";

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
