// what is wrong with a workflow → one error that tells all of it
import type { WorkflowProblem } from "@vision-agent/protocol";
import { type BlockErrorDetail, EngineError } from "../errors.ts";

/** Names of errors and where they arise, as a Roboflow server tells them. */
export const CATEGORIES = {
  version: compiling("NotSupportedExecutionEngineError", "engine_initialisation"),
  definition: compiling("WorkflowDefinitionError", "engine_initialisation"),
  innerSource: compiling("WorkflowDefinitionError", "inner_workflow_spec_resolution"),
  innerUnfetched: compiling("WorkflowEnvironmentConfigurationError", "inner_workflow_spec_resolution"),
  dynamicBlocks: compiling("WorkflowEnvironmentConfigurationError", "dynamic_blocks_compilation"),
  innerCycle: compiling("InnerWorkflowCompositionCycleError", "inner_workflow | composition"),
  innerDepth: compiling("InnerWorkflowNestingDepthError", "inner_workflow | composition"),
  innerCount: compiling("InnerWorkflowTotalCountError", "inner_workflow | composition"),
  innerEntry: compiling("InnerWorkflowInvalidStepEntryError", "inner_workflow | composition"),
  bindingUnknown: compiling("InnerWorkflowParameterBindingsUnknownInputError", "inner_workflow | parameter_bindings"),
  bindingMissing: compiling(
    "InnerWorkflowParameterBindingsMissingRequiredError",
    "inner_workflow | parameter_bindings",
  ),
  syntax: compiling("WorkflowSyntaxError", "workflow_definition_parsing"),
  names: compiling("DuplicatedNameError", "specification_validation"),
  target: graph("InvalidReferenceTargetError"),
  structure: graph("ExecutionGraphStructureError"),
  kinds: graph("ReferenceTypeError"),
  inputDimensions: graph("StepInputDimensionalityError", "collecting_step_input_data"),
  expectedDimensions: graph("StepInputDimensionalityError", "denoting_step_inputs_dimensionality"),
  collapseOfScalars: graph("StepInputDimensionalityError", "verification_of_output_offset"),
  inputOffsets: graph("BlockInterfaceError", "verification_of_input_offset_definitions"),
  outputOffset: graph("BlockInterfaceError", "verification_of_output_offset"),
  lineage: graph("StepInputLineageError", "collecting_step_inputs_lineage"),
  controlLineages: graph("AssumptionError", "collecting_step_inputs_lineage"),
  controlFlow: graph("ControlFlowDefinitionError", "verification_of_control_flow_lineage"),
  unavailable: compiling("PluginLoadingError", "steps_initialisation"),
} as const;

export type Category = keyof typeof CATEGORIES;

/** One thing wrong: the problem as people read it, and its category. */
interface SpecFinding {
  readonly category: Category;
  readonly problem: WorkflowProblem;
  readonly blockType?: string | undefined;
}

/** Where something is wrong, and what was likely meant. */
export interface SpecPlace {
  readonly step?: string | undefined;
  readonly blockType?: string | undefined;
  readonly property?: string | undefined;
  readonly didYouMean?: string | undefined;
}

/** Collects what is wrong, in the order in which a server would stumble over it. */
export class Findings {
  readonly list: SpecFinding[] = [];
  readonly warnings: WorkflowProblem[] = [];

  add(category: Category, message: string, place: SpecPlace = {}): void {
    this.list.push({ category, problem: toProblem(message, place), blockType: place.blockType });
  }

  warn(message: string, place: SpecPlace): void {
    this.warnings.push(toProblem(message, place));
  }

  get problems(): readonly WorkflowProblem[] {
    return this.list.map(({ problem }) => problem);
  }
}

/** Ends the reading of a workflow: nothing after it can be checked. */
export class SpecRefusal extends Error {
  readonly category: Category;
  readonly place: SpecPlace;

  constructor(category: Category, message: string, place: SpecPlace = {}) {
    super(message);
    this.category = category;
    this.place = place;
  }
}

/** A refusal alone, as callers get it. */
export function toRefusedError(refusal: SpecRefusal): EngineError {
  const findings = new Findings();
  findings.add(refusal.category, refusal.message, refusal.place);
  return toWorkflowError(findings);
}

/** The category of the first finding, the problems of all. */
export function toWorkflowError({ list, problems }: Findings): EngineError {
  const [first] = list;
  if (first === undefined) throw new EngineError({ kind: "internal", message: "There is nothing wrong." });
  const others = list.length === 1 ? "" : ` (and ${list.length - 1} more)`;
  const where = first.problem.step === null ? "" : `Step "${first.problem.step}": `;
  return new EngineError({
    kind: "workflow",
    message: `${where}${first.problem.message}${others}`,
    ...CATEGORIES[first.category],
    blocks: list.filter(({ category }) => category === first.category).flatMap(toBlockError),
    problems,
  });
}

function toBlockError({ problem, blockType }: SpecFinding): readonly BlockErrorDetail[] {
  const { step, property, message } = problem;
  if (step === null) return [];
  return [{ step, message, blockType, property: property ?? undefined }];
}

function toProblem(message: string, { step, property, didYouMean }: SpecPlace): WorkflowProblem {
  const problem = { step: step ?? null, property: property ?? null, message };
  return didYouMean === undefined ? problem : { ...problem, did_you_mean: didYouMean };
}

function compiling(type: string, part: string): { type: string; context: string } {
  return { type, context: `workflow_compilation | ${part}` };
}

function graph(type: string, part?: string): { type: string; context: string } {
  return compiling(type, `execution_graph_construction${part === undefined ? "" : ` | ${part}`}`);
}
