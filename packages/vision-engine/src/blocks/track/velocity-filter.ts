type Velocity = readonly [x: number, y: number];

const STEP_NOISE = 0.001;
const MEASURED_NOISE = 0.01;

/** Kalman filter over a velocity that is thought to stay; what it is given is averaged over the last few frames. */
export class VelocityFilter {
  readonly #window: number;
  #value: Velocity;
  #variance = 1;
  /** Newest first. */
  readonly #recent: Velocity[];

  constructor(first: Velocity, window: number) {
    this.#window = window;
    this.#value = first;
    this.#recent = [first];
  }

  /** Pixels per frame. */
  get value(): Velocity {
    return this.#value;
  }

  measure(velocity: Velocity): void {
    this.#recent.unshift(velocity);
    this.#recent.splice(this.#window);
    const gain = this.#variance / (this.#variance + MEASURED_NOISE);
    const [x, y] = this.#value;
    this.#value = [x + gain * (this.#mean(0) - x), y + gain * (this.#mean(1) - y)];
    this.#variance *= 1 - gain;
  }

  predict(): void {
    this.#variance += STEP_NOISE;
  }

  /** Forgets the newest measurement; false when none is left. */
  fade(): boolean {
    this.#recent.shift();
    return this.#recent.length > 0;
  }

  #mean(axis: 0 | 1): number {
    return this.#recent.reduce((sum, velocity) => sum + velocity[axis], 0) / this.#recent.length;
  }
}
