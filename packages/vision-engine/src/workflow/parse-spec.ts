// workflow document → steps with their bindings and flows, and everything that is wrong
import type { BlockCatalog } from "../blocks/block-catalog.ts";
import { checkVersion } from "./engine-version.ts";
import { Findings, Refusal } from "./findings.ts";
import { inlineInner } from "./inner/inline-inner.ts";
import { stepsOf } from "./inner/inner-step.ts";
import { layOutSteps } from "./lineage/lay-out-steps.ts";
import type { StepFlow } from "./lineage/step-flow.ts";
import { linkOutputs, linkSteps } from "./link-steps.ts";
import { orderSteps } from "./order-steps.ts";
import type { ParsedStep, ParsedWorkflow } from "./parsed-workflow.ts";
import { checkNames, isJsonObject, type JsonObject, readDocument, type WorkflowDocument } from "./read-document.ts";
import { readInputs } from "./read-inputs.ts";
import { readOutputs } from "./read-outputs.ts";
import { readSteps } from "./read-steps.ts";
import type { Scope } from "./scope.ts";

export interface SpecReading {
  /** As far as it could be read; runs only when there are no findings. */
  readonly workflow: ParsedWorkflow;
  /** Steps that may run once those of the layers before have run. */
  readonly layers: readonly (readonly ParsedStep[])[];
  readonly flows: ReadonlyMap<string, StepFlow>;
  readonly findings: Findings;
}

/** Reads as much as can be read. Never throws. */
export function parseSpec(spec: unknown, catalog: BlockCatalog): SpecReading {
  const findings = new Findings();
  const nothing = { inputs: [], steps: [], outputs: [] };
  try {
    if (!isJsonObject(spec)) {
      throw new Refusal("syntax", "A workflow is an object with version, inputs, steps and outputs.");
    }
    checkVersion(spec.version, findings);
    checkDynamicBlocks(spec, findings);
    return parseDocument(inlineInner(spec), catalog, findings);
  } catch (error) {
    if (error instanceof Refusal) findings.add(error.category, error.message, error.place);
    else if (error instanceof RangeError) findings.add("syntax", "The workflow is nested too deep to be read.");
    else throw error;
    return { workflow: nothing, layers: [], flows: new Map(), findings };
  }
}

function parseDocument(flat: JsonObject, catalog: BlockCatalog, findings: Findings): SpecReading {
  const document = readDocument(flat, findings);
  const inputs = readInputs(document.inputs, findings);
  const named = scopeOf(document, inputs, []);
  const hinted = {
    ...named,
    steps: new Map(document.steps.map(({ name, type }) => [name, catalog.find(type)?.manifest])),
  };
  const steps = readSteps(document.steps, catalog, { scope: hinted, findings });
  const outputs = readOutputs(document.outputs, hinted, findings);
  checkNames(document, findings);
  const scope = scopeOf(document, inputs, steps);
  linkSteps(steps, scope, findings);
  linkOutputs(outputs, scope, findings);
  const order = orderSteps(steps);
  if (order.kind === "cycle") {
    const [first = ""] = order.steps;
    const path = [...order.steps, first].map((name) => `"${name}"`).join(" → ");
    findings.add("structure", `These steps wait for each other: ${path}.`, { step: first });
  }
  const layers = order.kind === "layers" ? order.layers : [];
  const isLinked = findings.list.length === 0;
  const flows = isLinked ? layOutSteps(layers, inputs, findings) : new Map<string, StepFlow>();
  checkAvailable(steps, findings);
  return { workflow: { inputs, steps, outputs }, layers, flows, findings };
}

/** Blocks written in Python may stand in inner workflows too. */
function checkDynamicBlocks(document: JsonObject, findings: Findings, depth = 0): void {
  const definitions = document.dynamic_blocks_definitions;
  if (Array.isArray(definitions) && definitions.length > 0) {
    const message = "Blocks written in Python do not run in the direct backend: use the http backend.";
    findings.add("dynamicBlocks", message, { property: "dynamic_blocks_definitions" });
    return;
  }
  if (depth > 4) return;
  for (const step of stepsOf(document)) {
    const child = isJsonObject(step) ? step.workflow_definition : undefined;
    if (isJsonObject(child)) checkDynamicBlocks(child, findings, depth + 1);
  }
}

function scopeOf(document: WorkflowDocument, inputs: ParsedWorkflow["inputs"], steps: readonly ParsedStep[]): Scope {
  const byName = new Map(steps.map((step) => [step.text.name, step]));
  return {
    inputs: new Map(inputs.map((input) => [input.name, input])),
    steps: new Map(document.steps.map(({ name }) => [name, byName.get(name)])),
  };
}

function checkAvailable(steps: readonly ParsedStep[], findings: Findings): void {
  for (const { text, type, manifest, block } of steps) {
    if (block !== undefined) continue;
    const message = `${manifest.type} is not available in the direct backend: use the http backend.`;
    findings.add("unavailable", message, { step: text.name, blockType: type, property: "type" });
  }
}
