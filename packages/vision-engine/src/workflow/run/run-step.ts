// one step of one run: its calls, and what they bring
import type { BlockResult } from "../../blocks/block.ts";
import { EngineError } from "../../errors.ts";
import { gatherBatches, gatherValues, type StepCalls } from "./gather-inputs.ts";
import { placeBatch, placeValue } from "./place-results.ts";
import type { PlanStep } from "./plan.ts";
import type { RunState } from "./run-state.ts";

/** Done when it returns nothing; else when the promise is. Throws `EngineError` with the step's name. */
export function runStep(step: PlanStep, run: RunState): Promise<void> | undefined {
  try {
    const work = run.scope === undefined ? runCalls(step, run) : run.scope(step.slot, () => runCalls(step, run));
    return work?.catch((error: unknown) => {
      throw toStepError(step, error);
    });
  } catch (error) {
    throw toStepError(step, error);
  }
}

function runCalls(step: PlanStep, run: RunState): Promise<void> | undefined {
  return step.isBatch ? runBatches(step, run) : runValues(step, run);
}

function runValues(step: PlanStep, run: RunState): Promise<void> | undefined {
  const inputs = gatherValues(step, run);
  if (inputs === undefined) return undefined;
  return whenDone(step.instance.run(inputs), (result) => placeValue(step, run, result));
}

function runBatches(step: PlanStep, run: RunState): Promise<void> | undefined {
  const calls = gatherBatches(step, run);
  if (calls === undefined) {
    placeBatch(step, run, undefined, []);
    return undefined;
  }
  const results = step.takesBatches ? step.instance.run(calls.inputs[0]!) : runEach(step, calls);
  return whenDone(results, (done) => placeBatch(step, run, calls, done));
}

/** One call after the other: a block is never inside twice. Waits only where a block does. */
function runEach({ instance }: PlanStep, { inputs }: StepCalls): BlockResult | Promise<BlockResult> {
  const results: BlockResult[] = [];
  for (let at = 0; at < inputs.length; at++) {
    const result = instance.run(inputs[at]!);
    if (result instanceof Promise) {
      return result.then(async (first) => {
        results.push(first);
        for (let next = at + 1; next < inputs.length; next++) results.push(await instance.run(inputs[next]!));
        return results;
      });
    }
    results.push(result);
  }
  return results;
}

function whenDone(
  result: BlockResult | Promise<BlockResult>,
  place: (result: BlockResult) => void,
): Promise<void> | undefined {
  if (result instanceof Promise) return result.then(place);
  place(result);
  return undefined;
}

/**
 * What a Roboflow server would raise unchanged has a context; everything else is an error of the step. Bad input of a
 * block is a mistake in the workflow, other kinds stay.
 */
function toStepError({ name, type }: PlanStep, error: unknown): EngineError {
  const text = error instanceof Error ? error.message : String(error);
  const own = error instanceof EngineError ? error : undefined;
  const kind = own?.kind ?? "internal";
  return new EngineError({
    kind: kind === "input" ? "workflow" : kind,
    message: text.startsWith(`Step "${name}"`) ? text : `Step "${name}": ${text}`,
    type: own?.context === undefined ? "StepExecutionError" : (own.type ?? "StepExecutionError"),
    context: own?.context ?? "workflow_execution | step_execution",
    blocks: [{ step: name, blockType: type, message: text }],
    problems: [{ step: name, property: null, message: text }],
    cause: error,
  });
}
