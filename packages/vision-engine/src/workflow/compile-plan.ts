// workflow document → open blocks, in the order in which they run
import { randomUUID } from "node:crypto";
import type { Json } from "@vision-agent/protocol";
import type { Block, BlockInstance, StepText } from "../blocks/block.ts";
import type { BlockCatalog } from "../blocks/block-catalog.ts";
import { describeLiterals, literalFits, parsePropertyType } from "../blocks/manifests/property-type.ts";
import { EngineError } from "../errors.ts";
import type { ModelRegistry } from "../models/detection-model.ts";
import { parseSpec } from "./parse-spec.ts";
import type { Binding, ParsedInput, ParsedOutput, ParsedStep, ParsedWorkflow } from "./parsed-workflow.ts";

/** What a workflow needs besides its document. */
export interface CompileOptions {
  readonly models: ModelRegistry;
  /** Values for the workflow's parameters; those left out take their default. */
  readonly parameters?: { readonly [name: string]: Json };
  /** Makes ids of inferences. Default: random. */
  readonly newId?: () => string;
}

export interface PlanStep {
  readonly name: string;
  readonly instance: BlockInstance;
  readonly bindings: readonly (readonly [property: string, value: Binding])[];
}

/** Everything that a run needs. */
export interface Plan {
  readonly inputs: readonly ParsedInput[];
  readonly parameters: Readonly<Record<string, Json>>;
  readonly layers: readonly (readonly PlanStep[])[];
  readonly outputs: readonly ParsedOutput[];
}

/** Opens every block. Throws `EngineError` kind `workflow` with all problems, `input` or `model`. */
export async function compilePlan(spec: unknown, catalog: BlockCatalog, options: CompileOptions): Promise<Plan> {
  const { workflow, problems } = parseSpec(spec, catalog);
  if (problems.length > 0) {
    const [first] = problems;
    const others = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
    throw new EngineError({ kind: "workflow", message: `${first?.message}${others}`, problems });
  }
  const parameters = readParameters(workflow, options.parameters ?? {});
  const opened = await openSteps(workflow, options);
  const layers = workflow.layers.map((names) => names.map((name) => opened.get(name)!));
  return { inputs: workflow.inputs, parameters, layers, outputs: workflow.outputs };
}

export async function closePlan({ layers }: Plan): Promise<void> {
  await closeAll(layers.flat().map((step) => step.instance));
}

async function openSteps(workflow: ParsedWorkflow, options: CompileOptions): Promise<ReadonlyMap<string, PlanStep>> {
  const { models, newId = randomUUID } = options;
  const opened = new Map<string, PlanStep>();
  try {
    for (const { text, block, bindings } of workflow.steps) {
      const instance = await createInstance(text, block, { models, newId });
      opened.set(text.name, { name: text.name, instance, bindings: [...bindings] });
    }
  } catch (error) {
    await closeAll([...opened.values()].map((step) => step.instance));
    throw error;
  }
  return opened;
}

async function createInstance(
  step: StepText,
  block: Block | undefined,
  context: { models: ModelRegistry; newId: () => string },
): Promise<BlockInstance> {
  if (block === undefined) throw new EngineError({ kind: "internal", message: `Step "${step.name}" has no block.` });
  return block.create({ step, ...context });
}

async function closeAll(instances: readonly BlockInstance[]): Promise<void> {
  await Promise.all(instances.map((instance) => instance.close?.()));
}

function readParameters(
  workflow: ParsedWorkflow,
  given: { readonly [name: string]: Json },
): Readonly<Record<string, Json>> {
  const parameters = workflow.inputs.filter((input) => input.role === "parameter");
  const unknown = Object.keys(given).find((name) => !parameters.some((parameter) => parameter.name === name));
  if (unknown !== undefined) {
    const names = parameters.map((parameter) => parameter.name).join(", ");
    const hint = names === "" ? "It has none." : `It has ${names}.`;
    throw new EngineError({ kind: "input", message: `The workflow has no parameter "${unknown}". ${hint}` });
  }
  const values = Object.fromEntries(parameters.map(({ name, defaultValue }) => [name, given[name] ?? defaultValue]));
  for (const step of workflow.steps) checkParameters(step, values);
  return values;
}

/** A parameter must fit every property that it fills; selector-only properties take any. */
function checkParameters({ text, manifest, bindings }: ParsedStep, values: Readonly<Record<string, Json>>): void {
  for (const { name, type } of manifest.properties) {
    const binding = bindings.get(name);
    if (binding?.kind !== "input" || !(binding.name in values)) continue;
    const { literals } = parsePropertyType(type);
    const value = values[binding.name] ?? null;
    if (value === null || literals.length === 0 || literalFits(literals, value)) continue;
    const message = `Parameter "${binding.name}" fills "${name}" of step "${text.name}", which takes ${describeLiterals(literals)}, not ${JSON.stringify(value)}.`;
    throw new EngineError({ kind: "input", message });
  }
}
