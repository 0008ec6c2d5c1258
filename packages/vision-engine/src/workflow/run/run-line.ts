/** Lets runs overlap in order: a step takes the next run once the one before has left it. */
export class RunLine {
  readonly #stepCount: number;
  readonly #turns: Turn[] = [];

  constructor(stepCount: number) {
    this.#stepCount = stepCount;
  }

  /** A place behind all runs that are under way. */
  enter(): Turn {
    const turn = new Turn(this.#stepCount, this.#turns);
    this.#turns.push(turn);
    return turn;
  }

  /** Done when no run is under way. */
  async untilIdle(): Promise<void> {
    for (let last = this.#turns.at(-1); last !== undefined; last = this.#turns.at(-1)) await last.whenEnded();
  }
}

/** One run's place in the line. */
export class Turn {
  readonly #left: Uint8Array;
  readonly #turns: Turn[];
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>();
  #ended: PromiseWithResolvers<void> | undefined;

  constructor(stepCount: number, turns: Turn[]) {
    this.#left = new Uint8Array(stepCount);
    this.#turns = turns;
  }

  /** Waits until every earlier run has left a step; nothing to wait for when absent. */
  untilFree(step: number): Promise<void> | undefined {
    for (const earlier of this.#turns) {
      if (earlier === this) return undefined;
      if (earlier.#left[step] === 0) return earlier.#whenLeft(step).then(() => this.untilFree(step));
    }
    return undefined;
  }

  /** Waits until every earlier run has ended. */
  untilFirst(): Promise<void> | undefined {
    const [first] = this.#turns;
    if (first === this || first === undefined) return undefined;
    return first.whenEnded().then(() => this.untilFirst());
  }

  leave(step: number): void {
    this.#left[step] = 1;
    this.#waiting.get(step)?.resolve();
  }

  /** Leaves all steps, those too that the run did not come to. */
  leaveAll(): void {
    this.#left.fill(1);
    for (const { resolve } of this.#waiting.values()) resolve();
  }

  /** Makes room for the next. */
  end(): void {
    this.leaveAll();
    this.#turns.splice(this.#turns.indexOf(this), 1);
    this.#ended?.resolve();
  }

  whenEnded(): Promise<void> {
    this.#ended ??= Promise.withResolvers<void>();
    return this.#ended.promise;
  }

  #whenLeft(step: number): Promise<void> {
    const waiting = this.#waiting.get(step) ?? Promise.withResolvers<void>();
    this.#waiting.set(step, waiting);
    return waiting.promise;
  }
}
