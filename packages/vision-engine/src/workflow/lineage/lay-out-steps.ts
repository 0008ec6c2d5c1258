// steps in layers → how each of them runs
import type { Findings } from "../findings.ts";
import { Refusal } from "../findings.ts";
import { type Binding, type ParsedInput, type ParsedStep, type Source, sourcesOf } from "../parsed-workflow.ts";
import type { Lineage } from "./lineage.ts";
import { type FedProperty, flowOf, type StepFlow } from "./step-flow.ts";

/** The flow of every step by its name; ends at the first that cannot be wired, which is said in `findings`. */
export function layOutSteps(
  layers: readonly (readonly ParsedStep[])[],
  inputs: readonly ParsedInput[],
  findings: Findings,
): ReadonlyMap<string, StepFlow> {
  const flows = new Map<string, StepFlow>();
  const steps = layers.flat();
  const lineages = new Map(inputs.map(({ name, lineage }) => [name, lineage]));
  const lineageOf = (source: Source): Lineage => {
    if (source.kind === "literal") return [];
    const lineage = source.kind === "input" ? lineages.get(source.name) : flows.get(source.step)?.lineage;
    return lineage ?? [];
  };
  for (const step of steps) {
    const { name } = step.text;
    const properties = [...step.bindings].map(([property, binding]) => toFed(property, binding, lineageOf));
    const gates = steps
      .filter(({ targets }) => targets.some((target) => target.step === name))
      .map(({ text }) => ({ name: text.name, lineage: flows.get(text.name)?.lineage ?? [] }));
    try {
      flows.set(name, flowOf(name, step.manifest, properties, gates));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      findings.add(error.category, error.message, { ...error.place, blockType: step.type });
      return flows;
    }
  }
  return flows;
}

function toFed(name: string, binding: Binding, lineageOf: (source: Source) => Lineage): FedProperty {
  const sources = sourcesOf(binding);
  return { name, lineages: sources.map(lineageOf), isSelected: sources.some(({ kind }) => kind !== "literal") };
}
