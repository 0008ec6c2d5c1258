// what a block gave back → results of the step, new levels, decisions of a gate
import { type BlockOutputs, type BlockResult, FlowControl } from "../../blocks/block.ts";
import { EngineError } from "../../errors.ts";
import type { PlanStep } from "./compile-plan.ts";
import type { StepCalls } from "./gather-inputs.ts";
import { flatLevel, type Level, LevelBuilder, type RunState } from "./run-state.ts";

/** Result of one element: outputs, or where to go on; null for nothing. */
type ElementResult = BlockOutputs | FlowControl | null;

/** Results of a step that ran on single values. */
export function placeValue(step: PlanStep, run: RunState, result: BlockResult): void {
  if (step.level < 0) {
    placeSingle(step, run, result);
    return;
  }
  const elements = listOf(step, result);
  run.levels[step.level] = flatLevel(elements.length);
  placeElements(step, run, elements as readonly ElementResult[]);
}

/** Results of a step that ran on batches; `results` are aligned with the calls' elements. */
export function placeBatch(step: PlanStep, run: RunState, calls: StepCalls | undefined, results: BlockResult): void {
  if (step.level < 0) {
    // Without anything to run on the step counts as not run.
    if (calls !== undefined) placeSingle(step, run, Array.isArray(results) ? (results[0] ?? null) : results);
    return;
  }
  const given = listOf(step, results);
  if (step.isRising) placeRising(step, run, calls, given);
  else placeAligned(step, run, calls, given);
}

function placeSingle(step: PlanStep, run: RunState, result: BlockResult | null): void {
  if (Array.isArray(result)) throw misbehaviour(step, "a list where one dictionary was expected");
  if (result instanceof FlowControl) {
    for (const { slot, targets } of step.branches) run.branches[slot] = goesOn(result, targets);
    return;
  }
  run.results[step.slot] = result as BlockOutputs | null;
}

function placeAligned(
  step: PlanStep,
  run: RunState,
  calls: StepCalls | undefined,
  given: readonly (BlockResult | null)[],
): void {
  const { length } = run.level(step.level).indices;
  const elements: ElementResult[] = new Array(length).fill(null);
  const places = calls?.places ?? [];
  for (let at = 0; at < places.length; at++) elements[places[at]!] = (given[at] ?? null) as ElementResult;
  placeElements(step, run, elements);
}

/** A list for each element: as a new level, or onto the children that are there already. */
function placeRising(
  step: PlanStep,
  run: RunState,
  calls: StepCalls | undefined,
  given: readonly (BlockResult | null)[],
): void {
  const lists = given.map((list) => listOf(step, list ?? []) as readonly ElementResult[]);
  const existing = run.levels[step.level];
  if (existing === undefined) {
    run.levels[step.level] = newLevel(step, run, calls, lists);
    placeElements(step, run, lists.flat());
    return;
  }
  const elements: ElementResult[] = new Array(existing.indices.length).fill(null);
  for (const [at, place] of (calls?.places ?? []).entries()) {
    const from = existing.starts[place] ?? 0;
    for (const [child, element] of (lists[at] ?? []).entries()) elements[from + child] = element;
  }
  placeElements(step, run, elements);
}

function newLevel(
  { level }: PlanStep,
  run: RunState,
  calls: StepCalls | undefined,
  lists: readonly (readonly ElementResult[])[],
): Level {
  const { parent } = run.plan.levels[level]!;
  if (parent < 0) return flatLevel(lists[0]?.length ?? 0);
  const builder = new LevelBuilder();
  for (const [at, place] of (calls?.places ?? []).entries()) {
    builder.addChildren(place, calls!.indices[at]!, lists[at]?.length ?? 0);
  }
  return builder.build(run.level(parent).indices.length);
}

function placeElements(step: PlanStep, run: RunState, elements: readonly ElementResult[]): void {
  if (step.branches.length === 0) {
    run.results[step.slot] = elements as readonly (BlockOutputs | null)[];
    return;
  }
  for (const { slot, targets } of step.branches) {
    run.branches[slot] = Uint8Array.from(elements, (element) => {
      if (element === null) return 0;
      if (!(element instanceof FlowControl)) throw misbehaviour(step, "outputs where a decision was expected");
      return goesOn(element, targets) ? 1 : 0;
    });
  }
}

function goesOn({ next }: FlowControl, targets: ReadonlySet<string>): boolean {
  return next?.some((selector) => targets.has(selector)) ?? false;
}

function listOf(step: PlanStep, result: BlockResult): readonly (BlockResult | null)[] {
  if (Array.isArray(result)) return result;
  throw misbehaviour(step, "one dictionary where a list was expected");
}

function misbehaviour({ name, type }: PlanStep, what: string): EngineError {
  return new EngineError({
    kind: "internal",
    message: `Step "${name}": the block ${type} gave ${what}.`,
    type: "ExecutionEngineRuntimeError",
    context: "workflow_execution | step_output_registration",
  });
}
