// steps of a document × their manifests → where each property's value comes from
import type { Json, WorkflowStep } from "@vision-agent/protocol";
import type { Block } from "../blocks/block.ts";
import type { BlockCatalog } from "../blocks/block-catalog.ts";
import type { BlockManifest, OutputManifest, PropertyManifest } from "../blocks/manifests/block-manifest.ts";
import { parsePropertyType } from "../blocks/manifests/property-type.ts";
import { nearestName } from "../nearest-name.ts";
import type { Place } from "./findings.ts";
import { replaceDefaults } from "./inner/child-default.ts";
import { INNER_WORKFLOW } from "./inner/inner-step.ts";
import { nearestBlock } from "./nearest-block.ts";
import type { Binding, ParsedStep, Target } from "./parsed-workflow.ts";
import { type Reading, readProperty } from "./read-property.ts";

/** The steps whose block type is known, as far as they could be read. */
export function readSteps(
  written: readonly WorkflowStep[],
  catalog: BlockCatalog,
  reading: Reading,
): readonly ParsedStep[] {
  return written.flatMap((step) => readStep(step, catalog, reading));
}

function readStep(step: WorkflowStep, catalog: BlockCatalog, reading: Reading): ParsedStep[] {
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
  return [
    {
      text,
      type: step.type,
      manifest,
      bindings,
      targets: targetsOf(manifest, text.properties),
      block,
      outputs,
    },
  ];
}

/** The bindings of all properties that could be read. */
function readBindings(step: WorkflowStep, manifest: BlockManifest, reading: Reading): ReadonlyMap<string, Binding> {
  const unknown = unknownProperties(step, manifest);
  const bindings = new Map<string, Binding>();
  for (const property of manifest.properties) {
    const place: Place = { step: step.name, blockType: step.type, property: property.name };
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
function warnOf(unknown: readonly string[], step: WorkflowStep, manifest: BlockManifest, { findings }: Reading): void {
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
    return literals.flatMap((literal) => {
      if (literal.kind === "list" && literal.items.stepTargets && Array.isArray(value)) {
        return toTargets(value, name, name);
      }
      const isChoice = literal.kind === "dictionary" && literal.values.stepTargets && typeof value === "object";
      return isChoice
        ? Object.entries(value ?? {}).flatMap(([key, item]) => toTargets([item], name, `${name}[${key}]`))
        : [];
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
