// workflow document → steps with their bindings, and everything that is wrong
import type { WorkflowOutput, WorkflowProblem, WorkflowStep } from "@vision-agent/protocol";
import type { BlockCatalog } from "../blocks/block-catalog.ts";
import { nearestBlock } from "./nearest-block.ts";
import { orderSteps } from "./order-steps.ts";
import type { ParsedOutput, ParsedStep, SpecReading } from "./parsed-workflow.ts";
import { readDocument } from "./read-document.ts";
import { readInputs } from "./read-inputs.ts";
import { type Findings, readBindings, writtenProperties } from "./read-steps.ts";
import { followSelector, type Scope } from "./scope.ts";
import { parseSelector } from "./selector.ts";

/** Reads as much as can be read. Never throws. */
export function parseSpec(spec: unknown, catalog: BlockCatalog): SpecReading {
  const findings: Findings = { problems: [], warnings: [] };
  const document = readDocument(spec, findings.problems);
  const inputs = readInputs(document.inputs, findings.problems);
  const scope: Scope = {
    inputs: new Map(inputs.map((input) => [input.name, input])),
    steps: new Map(document.steps.map((step) => [step.name, catalog.find(step.type)?.manifest])),
  };
  const steps = document.steps.flatMap((step) => readStep(step, catalog, scope, findings));
  const outputs = document.outputs.flatMap((output) => readOutput(output, scope, findings.problems));
  const order = orderSteps(steps);
  if (order.kind === "cycle") {
    const [first = ""] = order.steps;
    const path = [...order.steps, first].map((name) => `"${name}"`).join(" → ");
    findings.problems.push({ step: first, property: null, message: `These steps wait for each other: ${path}.` });
  }
  return { workflow: { inputs, steps, outputs, layers: order.kind === "layers" ? order.layers : [] }, ...findings };
}

function readStep(step: WorkflowStep, catalog: BlockCatalog, scope: Scope, findings: Findings): ParsedStep[] {
  const place = { step: step.name, property: "type" };
  if (!/^[\w-]+$/.test(step.name)) {
    const message = `A step is named with letters, digits, "_" and "-": selectors cannot name "${step.name}".`;
    findings.problems.push({ step: step.name, property: "name", message });
  }
  const entry = catalog.find(step.type);
  if (entry === undefined) {
    const near = nearestBlock(step.type, catalog.runnableNames);
    const message = `There is no block type "${step.type}".`;
    findings.problems.push({ ...place, message, ...(near === undefined ? {} : { did_you_mean: near }) });
    return [];
  }
  const { manifest, block } = entry;
  if (block === undefined) {
    const message = `${manifest.type} is not available in the direct backend: use the http backend.`;
    findings.problems.push({ ...place, message });
  }
  const bindings = readBindings(step, manifest, scope, findings);
  const text = { name: step.name, properties: writtenProperties(step, manifest) };
  return [{ text, manifest, bindings, ...(block === undefined ? {} : { block }) }];
}

function readOutput(output: WorkflowOutput, scope: Scope, problems: WorkflowProblem[]): ParsedOutput[] {
  const place = { step: "$outputs", property: output.name };
  if (output.type !== "JsonField") {
    const message = `There is no output type "${output.type}".`;
    problems.push({ ...place, message, did_you_mean: "JsonField" });
  }
  const selector = parseSelector(output.selector);
  if (selector?.kind === "output" && selector.property === "*" && scope.steps.has(selector.step)) {
    return [{ name: output.name, binding: selector }];
  }
  const binding = followSelector(scope, place, { text: output.selector, kinds: ["*"] }, problems);
  return binding === undefined ? [] : [{ name: output.name, binding }];
}
