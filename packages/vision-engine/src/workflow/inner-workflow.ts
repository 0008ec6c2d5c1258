// steps that are workflows themselves → their steps in place of them

import { nearestName } from "../nearest-name.ts";
import { Findings, SpecRefusal } from "./findings.ts";
import { isSpecObject, readDocument, readInputs, type SpecObject } from "./read-document.ts";
import { inputSelector, ownerOf, parseSelector, stepSelector } from "./selector.ts";

/** The block type of a step that stands for a whole workflow. */
export const INNER_WORKFLOW = "roboflow_core/inner_workflow@v1";

/** How deep workflows may stand in each other, and how many may stand in one. */
const INNER_LIMITS = { depth: 4, count: 32 };

/** Steps of a document; what is no list has none. */
export function stepsOf(document: SpecObject): readonly unknown[] {
  return Array.isArray(document.steps) ? document.steps : [];
}

/** A step whose workflow becomes part of the one it stands in. */
function isEmbedded(step: unknown): step is SpecObject {
  return isSpecObject(step) && step.type === INNER_WORKFLOW && step.execution_mode !== "remote_dispatch";
}

/** The saved workflow that a step names, without a version the latest; absent when it names none. */
function savedWorkflowOf(step: SpecObject) {
  const [workspace, id, version] = [step.workflow_workspace_id, step.workflow_id, step.workflow_version_id].map(toText);
  return workspace === undefined || id === undefined ? undefined : { workspace, id, version };
}

/** For people: "Step "name"". */
function nameOf(step: SpecObject): string {
  return typeof step.name === "string" ? step.name : "inner_workflow";
}

function toText(value: unknown): string | undefined {
  const text = value === undefined || value === null ? "" : String(value).trim();
  return text === "" ? undefined : text;
}

/** The default of a child workflow's parameter that nobody bound, where its selector stood. It may stand for a selector. */
export class ChildDefault {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** The same value with `replace` in place of defaults, at the top or one level inside. */
export function replaceDefaults(value: unknown, replace: (written: ChildDefault) => unknown): unknown {
  if (value instanceof ChildDefault) return replace(value);
  if (Array.isArray(value)) return value.map((item) => (item instanceof ChildDefault ? replace(item) : item));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  if (!entries.some(([, item]) => item instanceof ChildDefault)) return value;
  return Object.fromEntries(entries.map(([name, item]) => [name, item instanceof ChildDefault ? replace(item) : item]));
}

/** Gets the definition of a saved workflow; without a version the latest. */
export type FetchWorkflow = (workspace: string, id: string, version?: string) => Promise<unknown>;

/** Whether a document cannot be read without fetching. */
export function namesSavedWorkflow(document: SpecObject, depth = 0): boolean {
  if (depth > INNER_LIMITS.depth) return false;
  return stepsOf(document).some((step) => {
    if (!isEmbedded(step)) return false;
    if (savedWorkflowOf(step) !== undefined) return true;
    return isSpecObject(step.workflow_definition) && namesSavedWorkflow(step.workflow_definition, depth + 1);
  });
}

/** Throws `SpecRefusal` when saved workflows stand in each other without end, too deep, or are too many. */
export async function fetchInner(document: SpecObject, fetchWorkflow: FetchWorkflow): Promise<SpecObject> {
  const fetched = new Map<string, Promise<unknown>>();
  let count = 0;
  const expand = async (parent: SpecObject, path: readonly string[], depth: number): Promise<SpecObject> => {
    const steps = [...stepsOf(parent)];
    for (const [at, step] of steps.entries()) {
      if (!isEmbedded(step)) continue;
      count += 1;
      checkLimits(nameOf(step), depth + 1, count);
      steps[at] = await expandStep(step, path, depth + 1);
    }
    return Array.isArray(parent.steps) ? { ...parent, steps } : parent;
  };
  const expandStep = async (step: SpecObject, path: readonly string[], depth: number): Promise<SpecObject> => {
    const saved = savedWorkflowOf(step);
    const place = { step: nameOf(step), property: "workflow_id" };
    if (saved === undefined) {
      if (!isSpecObject(step.workflow_definition)) return step;
      return { ...step, workflow_definition: await expand(step.workflow_definition, path, depth) };
    }
    checkSource(step);
    const key = JSON.stringify([saved.workspace, saved.id, saved.version]);
    if (path.includes(key)) {
      throw new SpecRefusal("innerCycle", `The saved workflow "${saved.id}" stands in itself.`, place);
    }
    if (!fetched.has(key)) fetched.set(key, fetchWorkflow(saved.workspace, saved.id, saved.version));
    const child = await fetched.get(key);
    if (!isSpecObject(child)) {
      throw new SpecRefusal("innerSource", `The saved workflow "${saved.id}" is no workflow definition.`, place);
    }
    const { workflow_workspace_id, workflow_id, workflow_version_id, ...rest } = step;
    return { ...rest, workflow_definition: await expand(child, [...path, key], depth) };
  };
  return expand(document, [], 0);
}

/** A step holds a workflow or names one, not both. */
function checkSource(step: SpecObject): void {
  const isNamed = savedWorkflowOf(step) !== undefined;
  const { workflow_definition: definition } = step;
  if (isNamed !== (isSpecObject(definition) && Object.keys(definition).length > 0)) return;
  const message = isNamed
    ? "A step with workflow_definition names no saved workflow besides."
    : "The step needs a workflow_definition, or workflow_workspace_id and workflow_id.";
  throw new SpecRefusal("innerSource", message, { step: nameOf(step), property: "workflow_definition" });
}

function checkLimits(step: string, depth: number, count: number): void {
  const place = { step, property: "workflow_definition" };
  if (depth > INNER_LIMITS.depth) {
    throw new SpecRefusal("innerDepth", `Workflows stand in each other at most ${INNER_LIMITS.depth} deep.`, place);
  }
  if (count > INNER_LIMITS.count) {
    throw new SpecRefusal("innerCount", `At most ${INNER_LIMITS.count} inner workflows may stand in one.`, place);
  }
}

/** Throws `SpecRefusal`. Steps of a child are named `inner__child`. */
export function inlineInner(document: SpecObject): SpecObject {
  checkComposition(document);
  return inlineSteps(document);
}

/** Depth and number of inner workflows; every step of every workflow is an object. */
function checkComposition(document: SpecObject): void {
  let count = 0;
  const visit = (parent: SpecObject, depth: number): void => {
    for (const [at, step] of stepsOf(parent).entries()) {
      if (!isSpecObject(step)) {
        const message = `Entry number ${at + 1} of steps must be an object.`;
        throw new SpecRefusal("innerEntry", message, { property: "steps" });
      }
      if (!isEmbedded(step)) continue;
      count += 1;
      checkLimits(nameOf(step), depth + 1, count);
      visit(definitionOf(step), depth + 1);
    }
  };
  visit(document, 0);
}

function definitionOf(step: SpecObject): SpecObject {
  const saved = savedWorkflowOf(step);
  checkSource(step);
  if (isSpecObject(step.workflow_definition)) return step.workflow_definition;
  const message = `The step names the saved workflow "${saved?.id}": give its definition, or run it where saved workflows can be fetched.`;
  throw new SpecRefusal("innerUnfetched", message, { step: nameOf(step), property: "workflow_id" });
}

function inlineSteps(document: SpecObject): SpecObject {
  let flat = document;
  for (let at = stepsOf(flat).findIndex(isEmbedded); at >= 0; at = stepsOf(flat).findIndex(isEmbedded)) {
    flat = inlineStep(flat, at);
  }
  return flat;
}

/** Puts the steps of one child in place of the step that stood for it. */
function inlineStep(parent: SpecObject, at: number): SpecObject {
  const steps = stepsOf(parent) as readonly SpecObject[];
  const inner = steps[at]!;
  if (typeof inner.name !== "string" || inner.name === "") {
    throw new SpecRefusal("innerEntry", `Entry number ${at + 1} of steps must have a name.`, { property: "steps" });
  }
  const child = inlineSteps(definitionOf(inner));
  const values = readBindings(inner, child);
  const childSteps = namedSteps(inner, child);
  const taken = new Set(steps.filter((step) => step !== inner).map((step) => step.name));
  const names = new Map(childSteps.map((step) => [step.name, freeName(`${inner.name}__${step.name}`, taken)]));
  const rename = (text: string): unknown => renamed(text, names, values);
  const inlined = childSteps.map((step) => ({ ...mapStep(step, rename), name: names.get(step.name) }));
  const first = names.get(childSteps[0]!.name)!;
  const outputs = outputSelectors(inner.name, child, rename);
  const patch = (text: string): unknown =>
    text === stepSelector(nameOf(inner)) ? stepSelector(first) : (outputs.get(text) ?? text);
  const others = steps.map((step) => (step === inner ? inner : mapStep(step, patch)));
  return {
    ...parent,
    steps: [...others.slice(0, at), ...inlined, ...others.slice(at + 1)],
    outputs: mapTexts(parent.outputs, patch),
  };
}

/** What each input of the child stands for: the selector it is bound to, or its default. */
function readBindings(inner: SpecObject, child: SpecObject): ReadonlyMap<string, unknown> {
  const step = nameOf(inner);
  const place = { step, property: "parameter_bindings" };
  const bindings = inner.parameter_bindings ?? {};
  if (!isSpecObject(bindings)) throw new SpecRefusal("innerEntry", '"parameter_bindings" must be a dictionary.', place);
  const findings = new Findings();
  const inputs = readInputs(readDocument(child, findings).inputs, findings);
  const [fault] = findings.list;
  if (fault !== undefined)
    throw new SpecRefusal("syntax", fault.problem.message, { ...place, property: "workflow_definition" });
  const names = inputs.map(({ name }) => name);
  const unknown = Object.keys(bindings).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const has = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
    const message = `The inner workflow has no input "${unknown}"; ${has}.`;
    throw new SpecRefusal("bindingUnknown", message, { ...place, didYouMean: nearestName(unknown, names) });
  }
  const values = new Map<string, unknown>();
  for (const { name, role, defaultValue } of inputs) {
    if (Object.hasOwn(bindings, name)) values.set(name, bindings[name]);
    else if (role === "parameter" && defaultValue !== null) values.set(name, new ChildDefault(defaultValue));
    else throw new SpecRefusal("bindingMissing", `The input "${name}" of the inner workflow must be bound.`, place);
  }
  return values;
}

function namedSteps(inner: SpecObject, child: SpecObject): readonly (SpecObject & { readonly name: string })[] {
  const steps = stepsOf(child) as readonly (SpecObject & { readonly name: string })[];
  const place = { step: nameOf(inner), property: "workflow_definition" };
  if (steps.length === 0) throw new SpecRefusal("innerEntry", "The inner workflow has no steps.", place);
  if (steps.some(({ name }) => typeof name !== "string" || name === "")) {
    throw new SpecRefusal("innerEntry", "Every step of the inner workflow must have a name.", place);
  }
  return steps;
}

function freeName(wanted: string, taken: Set<unknown>): string {
  let name = wanted;
  for (let suffix = 2; taken.has(name); suffix++) name = `${wanted}__${suffix}`;
  taken.add(name);
  return name;
}

function renamed(text: string, names: ReadonlyMap<string, string>, values: ReadonlyMap<string, unknown>): unknown {
  const selector = parseSelector(text);
  if (selector === undefined) return text;
  if (selector.kind === "input") return values.get(selector.name) ?? text;
  const name = names.get(selector.step);
  return name === undefined ? text : text.replace(ownerOf(text), stepSelector(name));
}

/** `$steps.inner.output` → the selector that it stands for. */
function outputSelectors(
  inner: string,
  child: SpecObject,
  rename: (text: string) => unknown,
): ReadonlyMap<string, string> {
  const { outputs } = readDocument(child, new Findings());
  return new Map(
    outputs.map(({ name, selector }) => {
      const target = rename(selector);
      if (typeof target === "string") return [`${stepSelector(inner)}.${name}`, target];
      const message = `Output "${name}" of the inner workflow shows ${inputSelector(name)}, which is bound to no selector.`;
      throw new SpecRefusal("innerEntry", message, { step: inner, property: "workflow_definition" });
    }),
  );
}

/** The definition of a workflow that stands in the step has selectors of its own. */
function mapStep(step: SpecObject, map: (text: string) => unknown): SpecObject {
  const { workflow_definition: definition, ...rest } = step;
  const mapped = mapTexts(rest, map) as SpecObject;
  return definition === undefined ? mapped : { ...mapped, workflow_definition: definition };
}

function mapTexts(value: unknown, map: (text: string) => unknown): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (!isSpecObject(value) || value instanceof ChildDefault) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, map)]));
}
