// document with workflows as steps → one flat document
import { nearestName } from "../../nearest-name.ts";
import { Findings, Refusal } from "../findings.ts";
import { isJsonObject, type JsonObject, readDocument } from "../read-document.ts";
import { readInputs } from "../read-inputs.ts";
import { inputSelector, ownerOf, parseSelector, stepSelector } from "../selector.ts";
import { ChildDefault } from "./child-default.ts";
import { checkLimits, checkSource } from "./fetch-inner.ts";
import { isEmbedded, nameOf, savedWorkflowOf, stepsOf } from "./inner-step.ts";

/** Throws `Refusal`. Steps of a child are named `inner__child`. */
export function inlineInner(document: JsonObject): JsonObject {
  checkComposition(document);
  return inlineSteps(document);
}

/** Depth and number of inner workflows; every step of every workflow is an object. */
function checkComposition(document: JsonObject): void {
  let count = 0;
  const visit = (parent: JsonObject, depth: number): void => {
    for (const [at, step] of stepsOf(parent).entries()) {
      if (!isJsonObject(step)) {
        throw new Refusal("innerEntry", `Entry number ${at + 1} of steps must be an object.`, { property: "steps" });
      }
      if (!isEmbedded(step)) continue;
      count += 1;
      checkLimits(nameOf(step), depth + 1, count);
      visit(definitionOf(step), depth + 1);
    }
  };
  visit(document, 0);
}

function definitionOf(step: JsonObject): JsonObject {
  const saved = savedWorkflowOf(step);
  checkSource(step);
  if (isJsonObject(step.workflow_definition)) return step.workflow_definition;
  const message = `The step names the saved workflow "${saved?.id}": give its definition, or run it where saved workflows can be fetched.`;
  throw new Refusal("innerUnfetched", message, { step: nameOf(step), property: "workflow_id" });
}

function inlineSteps(document: JsonObject): JsonObject {
  let flat = document;
  for (let at = stepsOf(flat).findIndex(isEmbedded); at >= 0; at = stepsOf(flat).findIndex(isEmbedded)) {
    flat = inlineStep(flat, at);
  }
  return flat;
}

/** Puts the steps of one child in place of the step that stood for it. */
function inlineStep(parent: JsonObject, at: number): JsonObject {
  const steps = stepsOf(parent) as readonly JsonObject[];
  const inner = steps[at]!;
  if (typeof inner.name !== "string" || inner.name === "") {
    throw new Refusal("innerEntry", `Entry number ${at + 1} of steps must have a name.`, { property: "steps" });
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
function readBindings(inner: JsonObject, child: JsonObject): ReadonlyMap<string, unknown> {
  const step = nameOf(inner);
  const place = { step, property: "parameter_bindings" };
  const bindings = inner.parameter_bindings ?? {};
  if (!isJsonObject(bindings)) throw new Refusal("innerEntry", '"parameter_bindings" must be a dictionary.', place);
  const findings = new Findings();
  const inputs = readInputs(readDocument(child, findings).inputs, findings);
  const [fault] = findings.list;
  if (fault !== undefined)
    throw new Refusal("syntax", fault.problem.message, { ...place, property: "workflow_definition" });
  const names = inputs.map(({ name }) => name);
  const unknown = Object.keys(bindings).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const has = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
    const message = `The inner workflow has no input "${unknown}"; ${has}.`;
    throw new Refusal("bindingUnknown", message, { ...place, didYouMean: nearestName(unknown, names) });
  }
  const values = new Map<string, unknown>();
  for (const { name, role, defaultValue } of inputs) {
    if (Object.hasOwn(bindings, name)) values.set(name, bindings[name]);
    else if (role === "parameter" && defaultValue !== null) values.set(name, new ChildDefault(defaultValue));
    else throw new Refusal("bindingMissing", `The input "${name}" of the inner workflow must be bound.`, place);
  }
  return values;
}

function namedSteps(inner: JsonObject, child: JsonObject): readonly (JsonObject & { readonly name: string })[] {
  const steps = stepsOf(child) as readonly (JsonObject & { readonly name: string })[];
  const place = { step: nameOf(inner), property: "workflow_definition" };
  if (steps.length === 0) throw new Refusal("innerEntry", "The inner workflow has no steps.", place);
  if (steps.some(({ name }) => typeof name !== "string" || name === "")) {
    throw new Refusal("innerEntry", "Every step of the inner workflow must have a name.", place);
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
  child: JsonObject,
  rename: (text: string) => unknown,
): ReadonlyMap<string, string> {
  const { outputs } = readDocument(child, new Findings());
  return new Map(
    outputs.map(({ name, selector }) => {
      const target = rename(selector);
      if (typeof target === "string") return [`${stepSelector(inner)}.${name}`, target];
      const message = `Output "${name}" of the inner workflow shows ${inputSelector(name)}, which is bound to no selector.`;
      throw new Refusal("innerEntry", message, { step: inner, property: "workflow_definition" });
    }),
  );
}

/** The definition of a workflow that stands in the step has selectors of its own. */
function mapStep(step: JsonObject, map: (text: string) => unknown): JsonObject {
  const { workflow_definition: definition, ...rest } = step;
  const mapped = mapTexts(rest, map) as JsonObject;
  return definition === undefined ? mapped : { ...mapped, workflow_definition: definition };
}

function mapTexts(value: unknown, map: (text: string) => unknown): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (!isJsonObject(value) || value instanceof ChildDefault) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, map)]));
}
