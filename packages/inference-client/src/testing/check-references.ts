// references between steps → the order of the steps, or what points nowhere
import type { Json } from "@vision-agent/protocol";
import { isObject } from "./check-body.ts";
import type { CheckedSpec, SpecInput, SpecStep } from "./spec-parts.ts";
import { blockError, GRAPH, shortError } from "./workflow-errors.ts";

const CYCLE =
  "Detected cycle in execution graph. This means that there is output from one step that is connected to input of other step creating loop in the graph that would never end if executed.";

interface Reference {
  readonly property: string;
  readonly selector: string;
}

interface Names {
  readonly inputs: ReadonlyMap<string, SpecInput>;
  readonly steps: ReadonlyMap<string, SpecStep>;
}

/** Every reference of a step, nested ones too. */
export function referencesOf(step: SpecStep): readonly Reference[] {
  return Object.entries(step.json)
    .filter(([key]) => key !== "name" && key !== "type")
    .flatMap(([property, value]) => selectorsIn(value).map((selector) => ({ property, selector })));
}

export function checkReferences(spec: CheckedSpec): readonly SpecStep[] {
  const names: Names = {
    inputs: new Map(spec.inputs.map((input) => [input.name, input])),
    steps: new Map(spec.steps.map((step) => [step.name, step])),
  };
  for (const step of spec.steps) {
    for (const reference of referencesOf(step)) checkReference(step, reference, names);
  }
  for (const output of spec.outputs) checkOutput(output, names);
  return inOrder(spec.steps, names.steps);
}

/** Kinds of what a selector points to; `undefined` for a step's property that does not exist. */
export function kindsOf(selector: string, names: Names): readonly string[] | undefined {
  const [root, name = "", property] = selector.split(".");
  if (root === "$inputs") return names.inputs.get(name)?.kinds;
  if (property === undefined || property === "*") return ["*"];
  const gives = names.steps.get(name)?.block.gives ?? {};
  const isOpen = Object.keys(gives).length === 0 || gives["*"] !== undefined;
  return gives[property]?.split("|") ?? (isOpen ? ["*"] : undefined);
}

function checkReference(step: SpecStep, reference: Reference, names: Names): void {
  const { property, selector } = reference;
  const at = { block: step.name, type: step.type, property };
  const missing = missingTarget(selector, names);
  if (missing !== undefined) {
    const message = `Workflow references '${missing.target}' which points to a non-existent ${missing.what}.`;
    const problem = { ...at, details: `Invalid reference to ${missing.target}` };
    throw blockError("InvalidReferenceTargetError", GRAPH, message, [problem]);
  }
  const kinds = kindsOf(selector, names);
  if (kinds === undefined) {
    const [, name, wrong] = selector.split(".");
    const message = `Found reference to non-existing property \`${wrong}\` of step \`${name}\`.`;
    throw blockError("ExecutionGraphStructureError", GRAPH, message, [
      { ...at, details: `'${name}.${wrong}' is an invalid reference` },
    ]);
  }
  const accepted = acceptedKinds(step, property);
  if (step.json[property] !== selector || accepted.includes("*") || kinds.includes("*")) return;
  if (kinds.some((kind) => accepted.includes(kind))) return;
  const place = `step: $steps.${step.name} regarding property: ${property} with value: ${selector}`;
  const allowed = `Allowed kinds of references for this property: ${pythonList(accepted)}`;
  const message = `Failed to validate reference provided for ${place}. ${allowed}. Types of output for referred property: ${pythonList(kinds)}`;
  throw shortError("ReferenceTypeError", GRAPH, message);
}

function checkOutput(output: { name: string; selector: string }, names: Names): void {
  const missing = missingTarget(output.selector, names);
  const isWrong = missing === undefined && kindsOf(output.selector, names) === undefined;
  if (missing === undefined && !isWrong) return;
  const target = missing?.target ?? output.selector;
  const message =
    missing === undefined
      ? `Workflow output references '${target}' which points to a non-existent block property.`
      : `Workflow references '${target}' which points to a non-existent ${missing.what}.`;
  const problem = { block: "$outputs", property: output.name, details: `Invalid reference to ${target}` };
  throw blockError("InvalidReferenceTargetError", GRAPH, message, [problem]);
}

function missingTarget(selector: string, names: Names): { target: string; what: string } | undefined {
  const [root, name = ""] = selector.split(".");
  const target = `${root}.${name}`;
  if (root === "$inputs") return names.inputs.has(name) ? undefined : { target, what: "input parameter" };
  return names.steps.has(name) ? undefined : { target, what: "block" };
}

function acceptedKinds(step: SpecStep, property: string): readonly string[] {
  const accepts = step.block.takes[`${property}!`] ?? step.block.takes[property] ?? "*";
  const kinds = accepts.replace(/^~/, "");
  return kinds === "" ? ["*"] : kinds.split("|");
}

function inOrder(steps: readonly SpecStep[], byName: ReadonlyMap<string, SpecStep>): readonly SpecStep[] {
  const done = new Set<SpecStep>();
  const open = new Set<SpecStep>();
  function visit(step: SpecStep): void {
    if (done.has(step)) return;
    if (open.has(step)) {
      throw blockError("ExecutionGraphStructureError", GRAPH, CYCLE, null);
    }
    open.add(step);
    for (const before of stepsBefore(step, steps, byName)) visit(before);
    open.delete(step);
    done.add(step);
  }
  for (const step of steps) visit(step);
  return [...done];
}

/** Steps it reads from, and steps that decide whether it runs. */
function stepsBefore(step: SpecStep, all: readonly SpecStep[], byName: ReadonlyMap<string, SpecStep>): SpecStep[] {
  const read = referencesOf(step)
    .filter(({ selector }) => selector.startsWith("$steps.") && selector.split(".").length === 3)
    .flatMap(({ selector }) => byName.get(selector.split(".")[1] ?? "") ?? []);
  const gates = all.filter((other) => referencesOf(other).some(({ selector }) => selector === `$steps.${step.name}`));
  return [...read, ...gates];
}

function selectorsIn(value: Json): string[] {
  if (typeof value === "string") return /^\$(steps|inputs)\.[\w-]/.test(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(selectorsIn);
  return isObject(value) ? Object.values(value).flatMap(selectorsIn) : [];
}

function pythonList(items: readonly string[]): string {
  return `[${items.map((item) => `'${item}'`).join(", ")}]`;
}
