// steps of a document × their manifests → where each property's value comes from
import type { Json, WorkflowStep } from "@vision-agent/protocol";
import type { Block, BlockManifest, OutputManifest, PropertyManifest } from "../blocks/block.ts";
import type { BlockIndex } from "../blocks/block-catalog.ts";
import type { CasesDefinition } from "../blocks/flow/branches.ts";
import {
  describeLiterals,
  literalFits,
  type PropertyType,
  parsePropertyType,
  selectorFits,
} from "../blocks/manifests/property-type.ts";
import { EngineError } from "../errors.ts";
import { nearestName } from "../nearest-name.ts";
import { compileOperations, compileStatement } from "../query/statements.ts";
import type { Findings, SpecPlace } from "./findings.ts";
import { ChildDefault, INNER_WORKFLOW, replaceDefaults } from "./inner-workflow.ts";
import type { Binding, ParsedStep, Source, Target } from "./parsed-workflow.ts";
import { isReference, nearestSelector, parseSelector, type Scope } from "./selector.ts";

/** The steps whose block type is known, as far as they could be read. */
export function readSteps(
  written: readonly WorkflowStep[],
  catalog: BlockIndex,
  reading: StepReading,
): readonly ParsedStep[] {
  return written.flatMap((step) => readStep(step, catalog, reading));
}

function readStep(step: WorkflowStep, catalog: BlockIndex, reading: StepReading): ParsedStep[] {
  const { findings } = reading;
  const place = { step: step.name, blockType: step.type };
  const entry = catalog.find(step.type);
  if (entry === undefined) {
    const didYouMean = nearestBlock(step.type, catalog.runnableNames);
    findings.add("syntax", `There is no block type "${step.type}".`, { ...place, property: "type", didYouMean });
    return [];
  }
  if (!/^[\w-]+$/.test(step.name)) {
    const message = `Selectors can name only letters, digits, "_" and "-": nothing can use "${step.name}".`;
    findings.warn(message, { ...place, property: "name" });
  }
  const { manifest, block } = entry;
  const before = findings.list.length;
  const bindings = readBindings(step, manifest, reading);
  const text = { name: step.name, properties: writtenProperties(step, manifest) };
  if (findings.list.length === before) {
    for (const { property, message } of block?.problems?.(text) ?? []) {
      findings.add("syntax", message, { ...place, property });
    }
  }
  const outputs = outputsOf(manifest, block, text);
  const targets = targetsOf(manifest, text.properties);
  return [{ text, type: step.type, manifest, bindings, targets, block, outputs }];
}

/** The bindings of all properties that could be read. */
function readBindings(step: WorkflowStep, manifest: BlockManifest, reading: StepReading): ReadonlyMap<string, Binding> {
  const unknown = unknownProperties(step, manifest);
  const bindings = new Map<string, Binding>();
  for (const property of manifest.properties) {
    const place: SpecPlace = { step: step.name, blockType: step.type, property: property.name };
    const written = writtenValue(step, property);
    if (written !== undefined) {
      const binding = readProperty(written, property, place, reading);
      if (binding !== undefined) bindings.set(property.name, binding);
    } else if (property.required) {
      const near = nearestName(property.name, unknown);
      const [misspelt, didYouMean] = near === undefined ? [""] : [` You wrote "${near}".`, property.name];
      reading.findings.add("syntax", `"${property.name}" is required.${misspelt}`, { ...place, didYouMean });
    } else bindings.set(property.name, { kind: "literal", value: property.default ?? null });
  }
  warnOf(unknown, step, manifest, reading);
  return bindings;
}

/** The peer ignores properties that a block does not have; a typo would go unseen. */
function warnOf(
  unknown: readonly string[],
  step: WorkflowStep,
  manifest: BlockManifest,
  { findings }: StepReading,
): void {
  const names = manifest.properties.map((property) => property.name);
  for (const name of unknown) {
    const message = `${manifest.type} has no property "${name}"; it is ignored.`;
    findings.warn(message, { step: step.name, property: name, didYouMean: nearestName(name, names) });
  }
}

/** What the author wrote, or the default, for each property. */
function writtenProperties(step: WorkflowStep, manifest: BlockManifest): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    manifest.properties.map((property) => {
      const written = replaceDefaults(writtenValue(step, property), ({ value }) => value);
      return [property.name, (written ?? property.default ?? null) as Json];
    }),
  );
}

/** Steps that the properties of a gate name: those of a list are one branch, each entry of a dictionary is its own. */
function targetsOf({ properties }: BlockManifest, written: Readonly<Record<string, Json>>): readonly Target[] {
  return properties.flatMap(({ name, type }) => {
    const value = written[name] ?? null;
    const { stepTargets, literals } = parsePropertyType(type);
    if (stepTargets) return toTargets([value], name, name);
    return literals.flatMap(({ list, dictionary }) => {
      if (list?.stepTargets && Array.isArray(value)) return toTargets(value, name, name);
      if (!dictionary?.stepTargets || typeof value !== "object") return [];
      return Object.entries(value ?? {}).flatMap(([key, item]) => toTargets([item], name, `${name}[${key}]`));
    });
  });
}

function toTargets(values: readonly Json[], property: string, branch: string): readonly Target[] {
  const selectors = values.filter((value) => typeof value === "string" && value.startsWith("$steps."));
  return (selectors as string[]).map((selector) => ({ step: selector.slice("$steps.".length), property, branch }));
}

function outputsOf(
  manifest: BlockManifest,
  block: Block | undefined,
  text: ParsedStep["text"],
): readonly OutputManifest[] | undefined {
  // Steps of this type are inlined; what is left runs elsewhere and gives nothing back.
  if (manifest.type === INNER_WORKFLOW) return [];
  if (!manifest.dynamicOutputs) return manifest.outputs;
  if (block === undefined) return undefined;
  return [...manifest.outputs.filter(({ name }) => name !== "*"), ...(block.outputs?.(text) ?? [])];
}

function writtenValue(step: WorkflowStep, { name, aliases = [] }: PropertyManifest): unknown {
  const used = [name, ...aliases].find((candidate) => Object.hasOwn(step, candidate) && step[candidate] !== undefined);
  return used === undefined ? undefined : step[used];
}

function unknownProperties(step: WorkflowStep, manifest: BlockManifest): readonly string[] {
  const known = new Set(manifest.properties.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return Object.keys(step).filter((name) => name !== "type" && name !== "name" && !known.has(name));
}

export interface StepReading {
  /** For names that were likely meant. */
  readonly scope: Scope;
  readonly findings: Findings;
}

/** Absent when the value does not fit; said in `findings`. */
function readProperty(
  written: unknown,
  property: PropertyManifest,
  place: SpecPlace,
  { findings, scope }: StepReading,
): Binding | undefined {
  const type = parsePropertyType(property.type);
  if (!fits(written, property, type)) {
    const didYouMean = typeof written === "string" ? nearestFit(written, type, scope) : undefined;
    findings.add("syntax", misfit(written, type, property.name), { ...place, didYouMean });
    return undefined;
  }
  const value = replaceDefaults(written, ({ value }) => value) as Json;
  const mistake = queryMistake(property.type, value);
  if (mistake !== undefined) {
    findings.add("syntax", `"${property.name}": ${mistake}`, place);
    return undefined;
  }
  // A default that looks like a selector is still a value.
  if (written instanceof ChildDefault) return { kind: "literal", value };
  if (isReference(value) && type.kinds.length > 0) return toSource(value);
  return toBinding(written, value, type);
}

/** A null that was the default anyway is no mistake. */
function fits(written: unknown, property: PropertyManifest, type: PropertyType): boolean {
  if (written === null && property.required !== true && (property.default ?? null) === null) return true;
  if (typeof written === "string" && selectorFits(type, written)) return true;
  if (written instanceof ChildDefault && type.kinds.length > 0) return true;
  const literal = replaceDefaults(written, ({ value }) => value) as Json;
  if (literalFits(type.literals, literal)) return true;
  const asSelectors = replaceDefaults(written, () => "$inputs.default");
  return asSelectors !== written && literalFits(type.literals, asSelectors as Json);
}

function toBinding(written: unknown, value: Json, type: PropertyType): Binding {
  if (Array.isArray(value) && takesSelectors(type, "list") && value.some(isReference)) {
    const writtenItems = written as readonly unknown[];
    return { kind: "list", items: value.map((item, at) => toItem(writtenItems[at], item)) };
  }
  const isDictionary = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isDictionary && takesSelectors(type, "dictionary") && Object.values(value).some(isReference)) {
    const writtenItems = written as Readonly<Record<string, unknown>>;
    const entries = Object.entries(value).map(([name, item]) => [name, toItem(writtenItems[name], item)] as const);
    return { kind: "dictionary", entries };
  }
  return { kind: "literal", value };
}

function takesSelectors({ literals }: PropertyType, kind: "list" | "dictionary"): boolean {
  return literals.some((literal) => (literal[kind]?.kinds ?? []).length > 0);
}

function toItem(written: unknown, item: Json): Source {
  return isReference(item) && !(written instanceof ChildDefault) ? toSource(item) : { kind: "literal", value: item };
}

/** A text that begins like a selector and is none names what does not exist; `linkSteps` says so. */
function toSource(text: string): Source {
  const selector = parseSelector(text);
  if (selector?.kind === "input") return selector;
  if (selector?.kind === "output") return selector;
  if (selector?.kind === "step") return { kind: "output", step: selector.step, property: "" };
  const name = text.slice(text.indexOf(".") + 1);
  return text.startsWith("$inputs.") ? { kind: "input", name } : { kind: "output", step: name, property: "" };
}

function misfit(value: unknown, type: PropertyType, property: string): string {
  const selector = type.kinds.length > 0 ? `a selector of ${type.kinds.join(" or ")}` : "";
  const target = type.stepTargets ? "a step ($steps.<name>)" : "";
  const wanted = [describeLiterals(type.literals), selector, target].filter((part) => part !== "").join(" or ");
  return `"${property}" takes ${wanted}, not ${shorten(JSON.stringify(value) ?? "nothing")}.`;
}

/** Values may be long, and may be secret: people need only recognise them. */
function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** A choice that looks alike; a selector where nothing but selectors is accepted. */
function nearestFit(value: string, { literals, kinds }: PropertyType, scope: Scope): string | undefined {
  const choices = literals.flatMap((accepted) => accepted.choices ?? []);
  const near = nearestName(value, choices);
  if (near !== undefined || kinds.length === 0 || choices.length > 0) return near;
  return nearestSelector(scope, value, kinds);
}

/** Nothing runs here. */
const TOOLS = { now: () => 0, random: () => 0 };

/** A sentence on the first mistake; absent when there is none, or when the property holds no query. */
function queryMistake(type: string, value: unknown): string | undefined {
  try {
    if (type.startsWith("list[StringToLowerCase")) compileOperations(value, TOOLS);
    if (type.startsWith("dict[list[StringToLowerCase")) {
      for (const operations of Object.values(value ?? {})) compileOperations(operations, TOOLS);
    }
    if (type === "StatementGroup") compileStatement(value, TOOLS);
    if (type === "CasesDefinition") checkCases(value as CasesDefinition);
    return undefined;
  } catch (error) {
    // What is no query at all trips over its shape.
    return error instanceof EngineError ? error.message : "these are no operations or statements.";
  }
}

function checkCases({ cases, default: otherwise }: CasesDefinition): void {
  for (const { condition } of cases) compileStatement(condition, TOOLS);
  for (const result of [...cases.map((one) => one.result), otherwise]) {
    if ("operations" in result) compileOperations(result.operations, TOOLS);
  }
}

/** The block type that was most likely meant, whatever its prefix and version; the latest version of several. */
function nearestBlock(written: string, types: readonly string[]): string | undefined {
  const core = nearestName(coreName(written), types.map(coreName));
  return types.filter((type) => coreName(type) === core).at(-1);
}

function coreName(type: string): string {
  return type.replace(/^.*\//, "").replace(/@.*$/, "").replaceAll("_", "").toLowerCase();
}
