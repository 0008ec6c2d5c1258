// one step of a document × its manifest → where each property's value comes from
import type { Json, WorkflowProblem, WorkflowStep } from "@vision-agent/protocol";
import type { BlockManifest, PropertyManifest } from "../blocks/manifests/block-manifest.ts";
import {
  describeLiterals,
  literalFits,
  type PropertyType,
  parsePropertyType,
} from "../blocks/manifests/property-type.ts";
import { nearestName } from "../nearest-name.ts";
import type { Binding } from "./parsed-workflow.ts";
import { followSelector, type Place, type Scope } from "./scope.ts";

export interface Findings {
  readonly problems: WorkflowProblem[];
  readonly warnings: WorkflowProblem[];
}

/** The bindings of all properties that could be read. */
export function readBindings(
  step: WorkflowStep,
  manifest: BlockManifest,
  scope: Scope,
  { problems, warnings }: Findings,
): ReadonlyMap<string, Binding> {
  const unknown = unknownProperties(step, manifest);
  const bindings = new Map<string, Binding>();
  for (const property of manifest.properties) {
    const place = { step: step.name, property: property.name };
    const written = writtenValue(step, property);
    if (written === undefined && property.required) {
      const near = nearestName(property.name, unknown);
      const misspelt = near === undefined ? "" : ` You wrote "${near}".`;
      problems.push({
        ...place,
        message: `"${property.name}" is required.${misspelt}`,
        ...suggest(near && property.name),
      });
      continue;
    }
    const binding =
      written === undefined
        ? literal(property.default ?? null)
        : readValue(written, property, { place, scope, problems });
    if (binding !== undefined) bindings.set(property.name, binding);
  }
  for (const name of unknown) {
    const near = nearestName(
      name,
      manifest.properties.map((property) => property.name),
    );
    const message = `${manifest.type} has no property "${name}"; it is ignored.`;
    warnings.push({ step: step.name, property: name, message, ...suggest(near) });
  }
  return bindings;
}

/** What the author wrote, or the default, for each property. */
export function writtenProperties(step: WorkflowStep, manifest: BlockManifest): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    manifest.properties.map((property) => [property.name, writtenValue(step, property) ?? property.default ?? null]),
  );
}

interface Reading {
  readonly place: Place;
  readonly scope: Scope;
  readonly problems: WorkflowProblem[];
}

function readValue(value: Json, property: PropertyManifest, reading: Reading): Binding | undefined {
  const type = parsePropertyType(property.type);
  if (typeof value === "string" && takesAsSelector(value, type)) {
    return followSelector(reading.scope, reading.place, { text: value, kinds: type.kinds }, reading.problems);
  }
  const isDefault = value === null && (property.default ?? null) === null && property.required !== true;
  if (!isDefault && !literalFits(type.literals, value)) {
    reading.problems.push(misfit(value, type, reading.place));
    return undefined;
  }
  return readElements(value, type, reading);
}

/** A text is a selector where it begins like one, and where nothing but a selector is accepted. */
function takesAsSelector(text: string, type: PropertyType): boolean {
  if (type.kinds.length === 0) return false;
  return text.startsWith("$") || type.literals.every(({ kind }) => kind === "null");
}

/** Lists and dictionaries may hold selectors, one level deep. */
function readElements(value: Json, type: PropertyType, reading: Reading): Binding | undefined {
  if (Array.isArray(value)) {
    const items = type.literals.flatMap((accepted) => (accepted.kind === "list" ? accepted.items.kinds : []));
    if (items.length === 0) return literal(value);
    const bindings = value.map((item) => readElement(item, items, reading));
    return bindings.includes(undefined) ? undefined : { kind: "list", items: bindings as Binding[] };
  }
  if (typeof value === "object" && value !== null) {
    const items = type.literals.flatMap((accepted) => (accepted.kind === "dictionary" ? accepted.values.kinds : []));
    if (items.length === 0) return literal(value);
    const entries = Object.entries(value).map(([name, item]) => [name, readElement(item, items, reading)] as const);
    if (entries.some(([, binding]) => binding === undefined)) return undefined;
    return { kind: "dictionary", entries: entries as [string, Binding][] };
  }
  return literal(value);
}

function readElement(item: Json, kinds: readonly string[], { scope, place, problems }: Reading): Binding | undefined {
  if (typeof item !== "string" || !item.startsWith("$")) return literal(item);
  return followSelector(scope, place, { text: item, kinds }, problems);
}

function misfit(value: Json, type: PropertyType, place: Place): WorkflowProblem {
  const selector = type.kinds.length > 0 ? `a selector of ${type.kinds.join(" or ")}` : "";
  const wanted = [describeLiterals(type.literals), selector].filter((part) => part !== "").join(" or ");
  const choices = type.literals.flatMap((accepted) => (accepted.kind === "choice" ? accepted.values : []));
  const near = typeof value === "string" ? nearestName(value, choices) : undefined;
  return { ...place, message: `"${place.property}" takes ${wanted}, not ${JSON.stringify(value)}.`, ...suggest(near) };
}

function writtenValue(step: WorkflowStep, { name, aliases = [] }: PropertyManifest): Json | undefined {
  const used = [name, ...aliases].find((candidate) => step[candidate] !== undefined);
  return used === undefined ? undefined : (step[used] as Json);
}

function unknownProperties(step: WorkflowStep, manifest: BlockManifest): readonly string[] {
  const known = new Set(manifest.properties.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return Object.keys(step).filter((name) => name !== "type" && name !== "name" && !known.has(name));
}

function literal(value: Json): Binding {
  return { kind: "literal", value };
}

function suggest(name: string | undefined): { did_you_mean?: string } {
  return name === undefined ? {} : { did_you_mean: name };
}
