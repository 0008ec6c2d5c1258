// inputs → steps of the plan, layer by layer → everything they gave
import type { BlockResult, BlockValue } from "../../blocks/block.ts";
import { EngineError } from "../../errors.ts";
import type { PlanStep, WorkflowPlan } from "./compile-plan.ts";
import { gatherBatches, gatherValues, type StepCalls } from "./gather-inputs.ts";
import { placeBatch, placeValue } from "./place-results.ts";
import { flatLevel, LevelBuilder, RunState, type StepScope } from "./run-state.ts";

/** Inputs by their place in the plan: single values as they are, batches as lists of their elements. */
export type RunInputs = readonly (BlockValue | readonly BlockValue[])[];

/** Runs every step once. Throws `EngineError`; nothing after the error runs. */
export async function runPlan(
  plan: WorkflowPlan,
  inputs: RunInputs,
  turn: RunTurn,
  scope?: StepScope,
): Promise<RunState> {
  const run = new RunState(plan, inputs, scope);
  fillInputLevels(run);
  for (const layer of plan.layers) {
    const work = startLayer(layer, run, turn);
    if (work.length > 0) await allDone(work);
  }
  return run;
}

/** Starts the steps of a layer in their order, up to one that fails at once. */
function startLayer(layer: readonly PlanStep[], run: RunState, turn: RunTurn): readonly Promise<void>[] {
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

function runInTurn(step: PlanStep, run: RunState, turn: RunTurn): Promise<void> | undefined {
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

/** Done when it returns nothing; else when the promise is. Throws `EngineError` with the step's name. */
function runStep(step: PlanStep, run: RunState): Promise<void> | undefined {
  try {
    const runCalls = () => (step.isBatch ? runBatches(step, run) : runValues(step, run));
    const work = run.scope === undefined ? runCalls() : run.scope(step.slot, runCalls);
    return work?.catch((error: unknown) => {
      throw toStepError(step, error);
    });
  } catch (error) {
    throw toStepError(step, error);
  }
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

/** Lets runs overlap in order: a step takes the next run once the one before has left it. */
export class RunLine {
  readonly #stepCount: number;
  readonly #turns: RunTurn[] = [];

  constructor(stepCount: number) {
    this.#stepCount = stepCount;
  }

  /** A place behind all runs that are under way. */
  enter(): RunTurn {
    const turn = new RunTurn(this.#stepCount, this.#turns);
    this.#turns.push(turn);
    return turn;
  }

  /** Done when no run is under way. */
  async untilIdle(): Promise<void> {
    for (let last = this.#turns.at(-1); last !== undefined; last = this.#turns.at(-1)) await last.whenEnded();
  }
}

/** One run's place in the line. */
export class RunTurn {
  readonly #left: Uint8Array;
  readonly #turns: RunTurn[];
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>();
  #ended: PromiseWithResolvers<void> | undefined;

  constructor(stepCount: number, turns: RunTurn[]) {
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

/** Fills the levels of inputs. The elements of a nested input are put into one list, level by level. */
function fillInputLevels(run: RunState): void {
  const { plan, inputs, levels } = run;
  if (plan.root < 0) return;
  const first = plan.inputLevels.findIndex((level) => level >= 0);
  levels[plan.root] = flatLevel((inputs[first] as readonly BlockValue[]).length);
  for (let input = 0; input < inputs.length; input++) {
    const level = plan.inputLevels[input]!;
    if (level >= 0 && level !== plan.root)
      inputs[input] = flattened(run, level, inputs[input] as readonly BlockValue[]);
  }
}

function flattened(run: RunState, level: number, nested: readonly BlockValue[]): readonly BlockValue[] {
  const { parent } = run.plan.levels[level]!;
  const lists = (
    parent === run.plan.root ? nested : flattened(run, parent, nested)
  ) as readonly (readonly BlockValue[])[];
  const builder = new LevelBuilder();
  const { indices } = run.level(parent);
  for (let place = 0; place < lists.length; place++) builder.addChildren(place, indices[place]!, lists[place]!.length);
  run.levels[level] = builder.build(lists.length);
  return lists.flat();
}
