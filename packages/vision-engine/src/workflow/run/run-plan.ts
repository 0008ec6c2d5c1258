// inputs → steps of the plan, layer by layer → everything they gave
import type { BlockValue } from "../../blocks/block.ts";
import { fillInputLevels } from "./input-levels.ts";
import type { Plan, PlanStep } from "./plan.ts";
import type { Turn } from "./run-line.ts";
import { RunState } from "./run-state.ts";
import { runStep } from "./run-step.ts";
import type { StepScope } from "./step-scope.ts";

/** Inputs by their place in the plan: single values as they are, batches as lists of their elements. */
export type RunInputs = readonly (BlockValue | readonly BlockValue[])[];

/** Runs every step once. Throws `EngineError`; nothing after the error runs. */
export async function runPlan(plan: Plan, inputs: RunInputs, turn: Turn, scope?: StepScope): Promise<RunState> {
  const run = new RunState(plan, inputs, scope);
  fillInputLevels(run);
  for (const layer of plan.layers) {
    const work = startLayer(layer, run, turn);
    if (work.length > 0) await allDone(work);
  }
  return run;
}

/** Starts the steps of a layer in their order, up to one that fails at once. */
function startLayer(layer: readonly PlanStep[], run: RunState, turn: Turn): readonly Promise<void>[] {
  const work: Promise<void>[] = [];
  try {
    for (const step of layer) {
      const free = step.isStateless ? undefined : turn.untilFree(step.slot);
      const pending = free === undefined ? runInTurn(step, run, turn) : free.then(() => runInTurn(step, run, turn));
      if (pending !== undefined) work.push(pending);
    }
  } catch (error) {
    work.push(Promise.reject(error));
  }
  return work;
}

function runInTurn(step: PlanStep, run: RunState, turn: Turn): Promise<void> | undefined {
  const pending = runStep(step, run);
  if (pending === undefined) {
    turn.leave(step.slot);
    return undefined;
  }
  return pending.then(() => turn.leave(step.slot));
}

/** Waits for all, so that nothing is still inside a block when the first error is told. */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
