// workflow document → steps with their bindings and flows, and everything that is wrong

import type { WorkflowOutput } from "@vision-agent/protocol";
import type { BlockIndex } from "../blocks/block-catalog.ts";
import { nearestName } from "../nearest-name.ts";
import { Findings, SpecRefusal } from "./findings.ts";
import { inlineInner, stepsOf } from "./inner-workflow.ts";
import { linkOutputs, linkSteps } from "./link-steps.ts";
import { type ParsedOutput, type ParsedStep, type ParsedWorkflow, sourcesOf } from "./parsed-workflow.ts";
import {
  checkNames,
  isSpecObject,
  readDocument,
  readInputs,
  type SpecObject,
  type WorkflowDocument,
} from "./read-document.ts";
import { readSteps } from "./read-steps.ts";
import { nearestSelector, parseSelector, type Scope } from "./selector.ts";
import { layOutSteps, type StepFlow } from "./step-flow.ts";

export interface SpecReading {
  /** As far as it could be read; runs only when there are no findings. */
  readonly workflow: ParsedWorkflow;
  /** Steps that may run once those of the layers before have run. */
  readonly layers: readonly (readonly ParsedStep[])[];
  readonly flows: ReadonlyMap<string, StepFlow>;
  readonly findings: Findings;
}

/** Reads as much as can be read. Never throws. */
export function parseSpec(spec: unknown, catalog: BlockIndex): SpecReading {
  const findings = new Findings();
  const nothing = { inputs: [], steps: [], outputs: [] };
  try {
    if (!isSpecObject(spec)) {
      throw new SpecRefusal("syntax", "A workflow is an object with version, inputs, steps and outputs.");
    }
    checkVersion(spec.version, findings);
    checkDynamicBlocks(spec, findings);
    return parseDocument(inlineInner(spec), catalog, findings);
  } catch (error) {
    if (error instanceof SpecRefusal) findings.add(error.category, error.message, error.place);
    else if (error instanceof RangeError) findings.add("syntax", "The workflow is nested too deep to be read.");
    else throw error;
    return { workflow: nothing, layers: [], flows: new Map(), findings };
  }
}

function parseDocument(flat: SpecObject, catalog: BlockIndex, findings: Findings): SpecReading {
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
function checkDynamicBlocks(document: SpecObject, findings: Findings, depth = 0): void {
  const definitions = document.dynamic_blocks_definitions;
  if (Array.isArray(definitions) && definitions.length > 0) {
    const message = "Blocks written in Python do not run in the direct backend: use the http backend.";
    findings.add("dynamicBlocks", message, { property: "dynamic_blocks_definitions" });
    return;
  }
  if (depth > 4) return;
  for (const step of stepsOf(document)) {
    const child = isSpecObject(step) ? step.workflow_definition : undefined;
    if (isSpecObject(child)) checkDynamicBlocks(child, findings, depth + 1);
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

type StepOrder =
  | { readonly kind: "layers"; readonly layers: readonly (readonly ParsedStep[])[] }
  /** Names of steps that wait for each other. */
  | { readonly kind: "cycle"; readonly steps: readonly string[] };

/** A step stands one layer after the last of those it waits for; within a layer the order of the document holds. */
function orderSteps(steps: readonly ParsedStep[]): StepOrder {
  const waiting = new Map(steps.map((step) => [step.text.name, stepsBehind(step, steps)]));
  const layers: ParsedStep[][] = [];
  while (waiting.size > 0) {
    const layer = steps.filter(({ text }) => waiting.get(text.name)?.every((name) => !waiting.has(name)));
    if (layer.length === 0) return { kind: "cycle", steps: cycleIn(waiting) };
    for (const { text } of layer) waiting.delete(text.name);
    layers.push(layer);
  }
  return { kind: "layers", layers };
}

/** Steps whose data a step needs, and gates that decide on it. */
function stepsBehind({ text, bindings }: ParsedStep, steps: readonly ParsedStep[]): readonly string[] {
  const sources = [...bindings.values()].flatMap(sourcesOf);
  const givers = sources.flatMap((source) => (source.kind === "output" ? [source.step] : []));
  const gates = steps.filter(({ targets }) => targets.some(({ step }) => step === text.name));
  return [...givers, ...gates.map((gate) => gate.text.name)];
}

/** Follows what steps wait for until one comes again. */
function cycleIn(waiting: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const path: string[] = [];
  let [name] = waiting.keys();
  while (name !== undefined && !path.includes(name)) {
    path.push(name);
    name = waiting.get(name)?.find((before) => waiting.has(before));
  }
  return path.slice(path.indexOf(name ?? ""));
}

function readOutputs(written: readonly WorkflowOutput[], scope: Scope, findings: Findings): readonly ParsedOutput[] {
  return written.flatMap((output) => {
    const place = { step: "$outputs", property: output.name };
    if (output.type !== "JsonField") {
      const didYouMean = nearestName(output.type, ["JsonField"]) ?? "JsonField";
      findings.add("syntax", `There is no output type "${output.type}".`, { ...place, didYouMean });
    }
    const source = parseSelector(output.selector);
    if (source === undefined || source.kind === "step") {
      const message = `"${output.selector}" is no selector: write $inputs.<name> or $steps.<step>.<output>.`;
      const didYouMean = nearestSelector(scope, output.selector, ["*"]);
      findings.add("syntax", message, { ...place, didYouMean });
      return [];
    }
    return [{ name: output.name, source, coordinates: output.coordinates_system ?? "parent" }];
  });
}

/** The version of the language that this engine speaks. */
export const ENGINE_VERSION = "1.17.0";

/** A document asks for its version or a later one of the same major number; one that asks for none gets this. */
function checkVersion(version: unknown, findings: Findings): void {
  if (version === undefined || version === null || version === "") return;
  const place = { property: "version", didYouMean: "1.0" };
  const asked = typeof version === "string" ? parseVersion(version) : undefined;
  if (asked === undefined) {
    findings.add("definition", `"version" is a text like "1.0", not ${JSON.stringify(version)}.`, place);
  } else if (!contains(asked)) {
    const message = `The workflow asks for version ${version}; this engine speaks ${ENGINE_VERSION}.`;
    findings.add("version", message, place);
  }
}

function parseVersion(text: string): readonly number[] | undefined {
  if (!/^\s*v?\d+(\.\d+)*\s*$/i.test(text)) return undefined;
  return text.trim().replace(/^v/i, "").split(".").map(Number);
}

function contains(asked: readonly number[]): boolean {
  const own = ENGINE_VERSION.split(".").map(Number);
  if (asked[0] !== own[0]) return false;
  for (let at = 1; at < Math.max(asked.length, own.length); at++) {
    const difference = (asked[at] ?? 0) - (own[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return true;
}
