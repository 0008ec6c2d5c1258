// properties of a step with the lineages they are fed → how the step runs
import type { BlockManifest } from "../blocks/block.ts";
import { type Category, type Findings, SpecRefusal } from "./findings.ts";
import {
  type Binding,
  distinctLineages,
  type Lineage,
  lineagePrefixes,
  longestLineage,
  type ParsedInput,
  type ParsedStep,
  type Source,
  sameLineage,
  sourcesOf,
} from "./parsed-workflow.ts";

/** What one property is fed. */
interface FedProperty {
  readonly name: string;
  /** Of each element of a list or dictionary, or of the one value; empty for what is no batch. */
  readonly lineages: readonly Lineage[];
  /** Whether the author wrote a selector. */
  readonly isSelected: boolean;
}

/** A gate that decides on a step. */
interface FedGate {
  readonly name: string;
  readonly lineage: Lineage;
}

/** A single value spread over a batch. */
interface Cast {
  readonly depth: number;
  /** The batch whose elements it is spread over; shorter than `depth` when each of them gets one child. */
  readonly support: Lineage;
}

/** How a step runs. */
export interface StepFlow {
  /** Whether it works on batches at all. */
  readonly isBatch: boolean;
  /** Lineage of its outputs. */
  readonly lineage: Lineage;
  /** Levels of the index of one element that the block is called for. */
  readonly depth: number;
  /** Elements that the block is called for; empty when there is but one. */
  readonly elements: Lineage;
  readonly casts: ReadonlyMap<string, Cast>;
}

export function acceptsBatches({ batchProperties = [], batchOrScalarProperties = [] }: BlockManifest): boolean {
  return batchProperties.length + batchOrScalarProperties.length > 0;
}

/** The step itself is told by who lays the steps out. */
function refuse(category: Category, message: string, property?: string): never {
  throw new SpecRefusal(category, message, { property });
}

/** Throws `SpecRefusal` when the step cannot be wired like this. */
function flowOf(
  step: string,
  manifest: BlockManifest,
  properties: readonly FedProperty[],
  gates: readonly FedGate[],
): StepFlow {
  const inputOffsets = manifest.inputDimensionalityOffsets ?? {};
  const outputOffset = manifest.outputDimensionalityOffset ?? 0;
  const reference = manifest.dimensionalityReferenceProperty;
  const toCast = propertiesToCast(manifest, properties);
  checkInputOffsets(inputOffsets);
  const control = distinctLineages(gates.map(({ lineage }) => lineage).filter(({ length }) => length > 0));
  const depths = depthsOf(properties, toCast, inputOffsets, longestLineage(control)?.length);
  const batchProperties = new Set([...depths].filter(([, depth]) => depth > 0).map(([name]) => name));
  checkOutputOffset({ batchProperties, inputOffsets, reference, outputOffset });
  checkExpectedDepths(depths, { inputOffsets, reference });
  const data = dataLineages(properties);
  checkLineages(data);
  checkGates(gates, data);
  const target = referenceLineage(data, control, lineageOf(properties, reference));
  const depth = executionDepth([...depths.values()], target.support, outputOffset);
  const longest = longestLineage(data) ?? target.support;
  return {
    isBatch: batchProperties.size > 0 || target.support.length > 0,
    lineage: outputLineage(step, target, outputOffset),
    depth,
    elements: longest.slice(0, depth),
    casts: new Map(
      [...toCast].map((name) => {
        const castDepth = depths.get(name) ?? 0;
        return [name, { depth: castDepth, support: longest.slice(0, castDepth) }] as const;
      }),
    ),
  };
}

/** Least depth of the inputs, one less where the block collapses it; without batches that of the gates. */
export function executionDepth(depths: readonly number[], support: Lineage, outputOffset: number): number {
  const ofBatches = depths.filter((depth) => depth > 0);
  if (ofBatches.length === 0) return support.length;
  return Math.min(...ofBatches) - (outputOffset < 0 ? 1 : 0);
}

/** Single values in properties that take only batches. Throws `SpecRefusal` for batches where only a single value fits. */
function propertiesToCast(manifest: BlockManifest, properties: readonly FedProperty[]): ReadonlySet<string> {
  const { batchProperties = [], batchOrScalarProperties = [], autoBatchCastProperties = [] } = manifest;
  const toCast = new Set<string>();
  for (const { name, lineages, isSelected } of properties) {
    const takesBoth = batchOrScalarProperties.includes(name) && !(isSelected && autoBatchCastProperties.includes(name));
    const takesBatches =
      batchProperties.includes(name) ||
      autoBatchCastProperties.includes(name) ||
      batchOrScalarProperties.includes(name);
    const isFedBatch = lineages.some(({ length }) => length > 0);
    if (isFedBatch && !takesBatches && acceptsBatches(manifest)) {
      const message = `"${name}" takes one value for all; it cannot be fed the values of a batch.`;
      refuse("structure", message, name);
    }
    const isFedScalar = !isSelected || lineages.some(({ length }) => length === 0);
    if (takesBatches && !takesBoth && isFedScalar) toCast.add(name);
  }
  return toCast;
}

/** Depth of each property, single values that are spread over a batch included; without batches that of the gates. */
function depthsOf(
  properties: readonly FedProperty[],
  toCast: ReadonlySet<string>,
  inputOffsets: Offsets,
  deepestGate: number | undefined,
): ReadonlyMap<string, number> {
  const offsetOf = (name: string): number => Math.max(0, inputOffsets[name] ?? 0);
  const common = new Set(
    properties
      .filter(({ name }) => offsetOf(name) === 0)
      .flatMap(({ lineages }) => lineages.map(({ length }) => length).filter((length) => length > 0)),
  );
  if (common.size > 1) {
    const message = `Inputs of one depth are wanted, but they are ${[...common].join(" and ")} levels deep.`;
    refuse("inputDimensions", message);
  }
  const base = [...common][0] ?? deepestGate ?? 1;
  const depths = new Map<string, number>();
  for (const { name, lineages } of properties) {
    const castDepth = toCast.has(name) ? base + offsetOf(name) : 0;
    const own = lineages.map(({ length }) => (length === 0 ? castDepth : length));
    const distinct = new Set([castDepth, ...own].filter((depth) => depth > 0));
    if (distinct.size > 1) {
      const message = `"${name}" is fed batches of different depth: ${[...distinct].join(" and ")} levels.`;
      refuse("inputDimensions", message, name);
    }
    depths.set(name, [...distinct][0] ?? 0);
  }
  const ofBatches = [...depths.values()].filter((depth) => depth > 0);
  if (ofBatches.length > 0 && Math.max(...ofBatches) - Math.min(...ofBatches) > 1) {
    refuse("inputDimensions", "Inputs differ by more than one level.");
  }
  return depths;
}

function checkExpectedDepths(
  depths: ReadonlyMap<string, number>,
  { inputOffsets, reference }: { inputOffsets: Readonly<Record<string, number>>; reference: string | undefined },
): void {
  const fed = [...depths].filter(([, depth]) => depth > 0);
  if (fed.length === 0) return;
  if (reference === undefined) {
    if (new Set(fed.map(([, depth]) => depth)).size === 1) return;
    refuse("expectedDimensions", "Inputs of one depth are wanted, but they differ.");
  }
  const origin = (depths.get(reference) ?? 0) - (inputOffsets[reference] ?? 0);
  if (fed.some(([name]) => origin + (inputOffsets[name] ?? 0) <= 0)) {
    refuse("expectedDimensions", "An input would have to be less deep than a batch is.");
  }
  for (const [name, depth] of fed) {
    const expected = origin + (inputOffsets[name] ?? 0);
    if (depth === expected) continue;
    const message = `"${name}" is fed a batch ${depth} deep; ${expected} was expected.`;
    refuse("expectedDimensions", message, name);
  }
}

/** Every lineage once. A list or dictionary brings at most one that was not seen before. */
function dataLineages(properties: readonly FedProperty[]): readonly Lineage[] {
  const seen: Lineage[] = [];
  for (const { name, lineages } of properties) {
    const fresh = distinctLineages(lineages.filter(({ length }) => length > 0)).filter(
      (lineage) => !seen.some((other) => sameLineage(other, lineage)),
    );
    if (fresh.length > 1) {
      const message = `"${name}" is fed batches that do not belong together: ${fresh.map((l) => l.join(" → ")).join("; ")}.`;
      refuse("lineage", message, name);
    }
    seen.push(...fresh);
  }
  return seen;
}

/** A gate decides on a step only if it looks at what the step's data comes from. */
function checkGates(gates: readonly FedGate[], data: readonly Lineage[]): void {
  if (data.length === 0) return;
  const prefixes = lineagePrefixes(data);
  for (const { name, lineage } of gates) {
    if (lineage.length === 0 || prefixes.some((prefix) => sameLineage(prefix, lineage))) continue;
    const message = `Gate "${name}" decides on other data than the step is fed: the step would never run.`;
    refuse("controlFlow", message);
  }
}

function lineageOf(properties: readonly FedProperty[], name: string | undefined): Lineage | undefined {
  return properties.find((property) => property.name === name)?.lineages.find(({ length }) => length > 0);
}

function outputLineage(step: string, { lineage }: ReferenceLineage, outputOffset: number): Lineage {
  if (outputOffset < 0) return lineage.slice(0, -1);
  return outputOffset === 0 ? lineage : [...lineage, `$steps.${step}`];
}

/** At most two levels meet in a step, one lineage at each, the shorter the beginning of the longer. Throws `SpecRefusal`. */
export function checkLineages(lineages: readonly Lineage[]): void {
  const lengths = [...new Set(lineages.map(({ length }) => length))].sort((a, b) => a - b);
  if (lengths.length > 2) refuse("lineage", "Inputs of more than two depths meet here.");
  for (const length of lengths) {
    const same = lineages.filter((lineage) => lineage.length === length);
    if (same.length > 1)
      refuse("lineage", `Inputs that do not belong together meet here: ${same.map(inWords).join("; ")}.`);
  }
  if (lengths.length < 2) return;
  const [shorter, longer] = [...lineages].sort((a, b) => a.length - b.length);
  if (!sameLineage(shorter!, longer!.slice(0, -1))) {
    refuse("lineage", `Inputs that do not belong together meet here: ${inWords(shorter!)}; ${inWords(longer!)}.`);
  }
}

/** What the outputs of a step follow. */
interface ReferenceLineage {
  /** Lineage of the outputs before the block's offset. */
  readonly lineage: Lineage;
  /** Set when only gates, no data, give the step its elements. */
  readonly support: Lineage;
}

/** Of several lineages that of the reference property counts; without data the deepest gate. Throws `SpecRefusal`. */
export function referenceLineage(
  data: readonly Lineage[],
  control: readonly Lineage[],
  reference: Lineage | undefined,
): ReferenceLineage {
  if (data.length === 1) return { lineage: data[0]!, support: [] };
  if (data.length > 1) {
    if (reference !== undefined && reference.length > 0) return { lineage: reference, support: [] };
    refuse("controlLineages", "The depth of the outputs cannot be told.");
  }
  const deepest = longestLineage(control) ?? [];
  if (control.filter(({ length }) => length === deepest.length).length > 1) {
    refuse("controlLineages", "Gates that look at data of different origin meet here.");
  }
  return { lineage: deepest, support: deepest };
}

function inWords(lineage: Lineage): string {
  return lineage.join(" → ");
}

/** Property name → how many levels deeper than the others it is. */
export type Offsets = Readonly<Record<string, number>>;

/** Throws `SpecRefusal` for a block whose inputs differ by more than one level. */
export function checkInputOffsets(offsets: Offsets): void {
  const values = Object.values(offsets);
  if (values.length === 0) return;
  if (Math.min(...values) < 0) {
    refuse("inputOffsets", "The block declares inputs of negative depth.");
  }
  if (Math.max(...values) - Math.min(...values) > 1) {
    refuse("inputOffsets", "The block declares inputs that differ by more than one level.");
  }
}

interface OutputOffset {
  /** Properties that are fed batches. */
  readonly batchProperties: ReadonlySet<string>;
  readonly inputOffsets: Offsets;
  /** The property whose depth the outputs have. */
  readonly reference: string | undefined;
  readonly outputOffset: number;
}

/** Throws `SpecRefusal` for a block whose output cannot have the depth that it declares. */
export function checkOutputOffset({ batchProperties, inputOffsets, reference, outputOffset }: OutputOffset): void {
  if (batchProperties.size === 0 && outputOffset < 0) {
    refuse("collapseOfScalars", "There is no level to collapse: all inputs are single values.");
  }
  if (reference !== undefined && !batchProperties.has(reference)) {
    refuse("outputOffset", `The depth of the outputs is that of "${reference}", which is fed no batch.`);
  }
  if (![-1, 0, 1].includes(outputOffset)) {
    refuse("outputOffset", `The block declares outputs ${outputOffset} levels deeper; only -1, 0 and 1 are possible.`);
  }
  const offsets = new Set(Object.values(inputOffsets));
  // What a block does not mention is at the common level.
  if (batchProperties.size !== Object.keys(inputOffsets).length) offsets.add(0);
  if (batchProperties.size > 0 && !offsets.has(0))
    refuse("outputOffset", "The block declares no input at the common level.");
  if (offsets.size > 1 && reference === undefined) {
    refuse("outputOffset", "The block declares inputs of different depth, but not which of them the outputs follow.");
  }
  if (offsets.size > 1 && outputOffset !== 0) {
    refuse("outputOffset", "A block with inputs of different depth cannot change the depth of its outputs.");
  }
}

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
      if (!(error instanceof SpecRefusal)) throw error;
      findings.add(error.category, error.message, { ...error.place, step: name, blockType: step.type });
      return flows;
    }
  }
  return flows;
}

function toFed(name: string, binding: Binding, lineageOf: (source: Source) => Lineage): FedProperty {
  const sources = sourcesOf(binding);
  return { name, lineages: sources.map(lineageOf), isSelected: sources.some(({ kind }) => kind !== "literal") };
}
