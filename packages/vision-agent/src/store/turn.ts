// long work in small parts → whatever else the program has to do goes on in between
import { setImmediate } from "node:timers/promises";

const LONGEST_TURN_MS = 5;

/** Between parts of long work: `if (turn.isOver) await turn.next()`. */
export class Turn {
  #beganMs = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#beganMs > LONGEST_TURN_MS;
  }

  /** Resolves when everything that waited has been done. */
  async next(): Promise<void> {
    await setImmediate();
    this.#beganMs = performance.now();
  }
}
