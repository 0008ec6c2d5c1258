// frame → steps of the plan → outputs
import type { OutputValue } from "@vision-agent/protocol";
import type { BlockOutputs, BlockValue } from "../blocks/block.ts";
import { EngineError } from "../errors.ts";
import { ImageValue } from "../frames/image-value.ts";
import type { Plan, PlanStep } from "./compile-plan.ts";
import { toDictionary, toOutputValue } from "./output-value.ts";
import type { Binding, ParsedInput } from "./parsed-workflow.ts";

/** What a workflow gave out for one frame. */
export interface PlanRun {
  /** Output name → value on the wire. */
  readonly outputs: Readonly<Record<string, OutputValue>>;
  /** Output name → picture, for those that are pictures. */
  readonly images: ReadonlyMap<string, ImageValue>;
}

/** What a frame has brought so far. */
interface Values {
  readonly inputs: ReadonlyMap<string, BlockValue>;
  readonly steps: Map<string, BlockOutputs>;
}

/** Runs one frame. Steps keep state, so frames go one after the other. Throws `EngineError`, with the step's name. */
export async function runPlan(plan: Plan, image: ImageValue): Promise<PlanRun> {
  const inputs = new Map(plan.inputs.map((input) => [input.name, inputValue(input, plan, image)]));
  const values: Values = { inputs, steps: new Map() };
  for (const layer of plan.layers) {
    for (const step of layer) values.steps.set(step.name, await runStep(step, values));
  }
  return collectOutputs(plan, values);
}

function inputValue({ name, role }: ParsedInput, plan: Plan, image: ImageValue): BlockValue {
  switch (role) {
    case "frame":
      return image;
    case "metadata":
      return image.metadata;
    case "parameter":
      return plan.parameters[name] ?? null;
  }
}

async function runStep({ name, instance, bindings }: PlanStep, values: Values): Promise<BlockOutputs> {
  const inputs: Record<string, BlockValue> = {};
  for (const [property, binding] of bindings) inputs[property] = boundValue(binding, values);
  try {
    return await instance.run(inputs);
  } catch (error) {
    throw toStepError(name, error);
  }
}

function boundValue(binding: Binding, values: Values): BlockValue {
  switch (binding.kind) {
    case "literal":
      return binding.value;
    case "input":
      return values.inputs.get(binding.name) ?? null;
    case "output":
      return values.steps.get(binding.step)?.[binding.property] ?? null;
    case "list":
      return binding.items.map((item) => boundValue(item, values)) as BlockValue;
    case "dictionary":
      return Object.fromEntries(binding.entries.map(([name, item]) => [name, boundValue(item, values)])) as BlockValue;
  }
}

function collectOutputs(plan: Plan, values: Values): PlanRun {
  const outputs: Record<string, OutputValue> = {};
  const images = new Map<string, ImageValue>();
  for (const { name, binding } of plan.outputs) {
    if (binding.kind === "output" && binding.property === "*") {
      outputs[name] = toDictionary(values.steps.get(binding.step) ?? {});
      continue;
    }
    const value = boundValue(binding, values);
    outputs[name] = toOutputValue(value);
    if (value instanceof ImageValue) images.set(name, value);
  }
  return { outputs, images };
}

/** Bad input of a block is a mistake in the workflow; what has a kind of its own keeps it. */
function toStepError(step: string, error: unknown): EngineError {
  const text = error instanceof Error ? error.message : String(error);
  const message = `Step "${step}": ${text}`;
  if (!(error instanceof EngineError)) return new EngineError({ kind: "internal", message, cause: error });
  if (error.kind !== "input") return new EngineError({ kind: error.kind, message, cause: error });
  const problems = [{ step, property: null, message: text }];
  return new EngineError({ kind: "workflow", message, problems, cause: error });
}
