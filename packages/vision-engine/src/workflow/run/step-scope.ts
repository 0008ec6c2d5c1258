// step of a run → its own time, ids and luck, however runs overlap
import { AsyncLocalStorage } from "node:async_hooks";
import { createRandom } from "../../seeded-random.ts";

/** What a step cannot know from its inputs. */
export interface Chance {
  /** Wall clock in milliseconds since 1970. */
  readonly now: () => number;
  /** A fresh unique id. */
  readonly newId: () => string;
  /** 0 up to 1. */
  readonly random: () => number;
}

/** Calls a step. What it asks for is that of its run, also after it has waited while other runs went on. */
export type StepScope = <T>(slot: number, call: () => T) => T;

export interface StepScopes {
  /** For blocks: that of the call which asks; outside of runs the standard. */
  readonly chance: Chance;
  /** The calls of the run with this number; absent when it has nothing of its own. */
  ofRun(run: number, nowMs: number | undefined): StepScope | undefined;
}

/** `repeatable` makes ids and luck of the number of the run and the place of the step: the same every time. */
export function createStepScopes(standard: Chance, repeatable: boolean): StepScopes {
  const calls = new AsyncLocalStorage<Chance>();
  const current = (): Chance => calls.getStore() ?? standard;
  return {
    chance: {
      now: () => current().now(),
      newId: () => current().newId(),
      random: () => current().random(),
    },
    ofRun(run, nowMs) {
      if (nowMs === undefined && !repeatable) return undefined;
      const now = nowMs === undefined ? standard.now : (): number => nowMs;
      return (slot, call) => calls.run({ ...standard, ...(repeatable && repeatableChance(run, slot)), now }, call);
    },
  };
}

function repeatableChance(run: number, slot: number): Omit<Chance, "now"> {
  let ids = 0;
  return {
    newId() {
      ids += 1;
      return `${hex(run, 8)}-${hex(slot, 4)}-4000-8000-${hex(ids, 12)}`;
    },
    random: createRandom(run, slot),
  };
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
