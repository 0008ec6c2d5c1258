// properties of a step with the lineages they are fed → how the step runs
import type { BlockManifest } from "../../blocks/manifests/block-manifest.ts";
import { Refusal } from "../findings.ts";
import { checkLineages, type ReferenceLineage, referenceLineage } from "./check-lineages.ts";
import { checkInputOffsets, checkOutputOffset } from "./check-offsets.ts";
import { distinctLineages, type Lineage, lineagePrefixes, longestLineage, sameLineage } from "./lineage.ts";

/** What one property is fed. */
export interface FedProperty {
  readonly name: string;
  /** Of each element of a list or dictionary, or of the one value; empty for what is no batch. */
  readonly lineages: readonly Lineage[];
  /** Whether the author wrote a selector. */
  readonly isSelected: boolean;
}

/** A gate that decides on a step. */
export interface FedGate {
  readonly name: string;
  readonly lineage: Lineage;
}

/** A single value spread over a batch. */
export interface Cast {
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

/** Throws `Refusal` when the step cannot be wired like this. */
export function flowOf(
  step: string,
  manifest: BlockManifest,
  properties: readonly FedProperty[],
  gates: readonly FedGate[],
): StepFlow {
  const inputOffsets = manifest.inputDimensionalityOffsets ?? {};
  const outputOffset = manifest.outputDimensionalityOffset ?? 0;
  const reference = manifest.dimensionalityReferenceProperty;
  const toCast = propertiesToCast(step, manifest, properties);
  checkInputOffsets(step, inputOffsets);
  const control = distinctLineages(gates.map(({ lineage }) => lineage).filter(({ length }) => length > 0));
  const depths = depthsOf(step, properties, { toCast, inputOffsets, deepestGate: longestLineage(control)?.length });
  const batchProperties = new Set([...depths].filter(([, depth]) => depth > 0).map(([name]) => name));
  checkOutputOffset({ step, batchProperties, inputOffsets, reference, outputOffset });
  checkExpectedDepths(step, depths, { inputOffsets, reference });
  const data = dataLineages(step, properties);
  checkLineages(step, data);
  checkGates(step, gates, data);
  const target = referenceLineage(step, { data, control, reference: lineageOf(properties, reference) });
  const depth = executionDepth({ depths: [...depths.values()], support: target.support, outputOffset });
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
export function executionDepth({
  depths,
  support,
  outputOffset,
}: {
  depths: readonly number[];
  support: Lineage;
  outputOffset: number;
}): number {
  const ofBatches = depths.filter((depth) => depth > 0);
  if (ofBatches.length === 0) return support.length;
  return Math.min(...ofBatches) - (outputOffset < 0 ? 1 : 0);
}

/** Single values in properties that take only batches. Throws `Refusal` for batches where only a single value fits. */
function propertiesToCast(
  step: string,
  manifest: BlockManifest,
  properties: readonly FedProperty[],
): ReadonlySet<string> {
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
      throw new Refusal("structure", message, { step, property: name });
    }
    const isFedScalar = !isSelected || lineages.some(({ length }) => length === 0);
    if (takesBatches && !takesBoth && isFedScalar) toCast.add(name);
  }
  return toCast;
}

interface DepthRules {
  readonly toCast: ReadonlySet<string>;
  readonly inputOffsets: Readonly<Record<string, number>>;
  /** Elements of gates alone, where no data comes as a batch. */
  readonly deepestGate: number | undefined;
}

/** Depth of each property, single values that are spread over a batch included. */
function depthsOf(
  step: string,
  properties: readonly FedProperty[],
  { toCast, inputOffsets, deepestGate }: DepthRules,
): ReadonlyMap<string, number> {
  const offsetOf = (name: string): number => Math.max(0, inputOffsets[name] ?? 0);
  const common = new Set(
    properties
      .filter(({ name }) => offsetOf(name) === 0)
      .flatMap(({ lineages }) => lineages.map(({ length }) => length).filter((length) => length > 0)),
  );
  if (common.size > 1) {
    const message = `Inputs of one depth are wanted, but they are ${[...common].join(" and ")} levels deep.`;
    throw new Refusal("inputDimensions", message, { step });
  }
  const base = [...common][0] ?? deepestGate ?? 1;
  const depths = new Map<string, number>();
  for (const { name, lineages } of properties) {
    const castDepth = toCast.has(name) ? base + offsetOf(name) : 0;
    const own = lineages.map(({ length }) => (length === 0 ? castDepth : length));
    const distinct = new Set([castDepth, ...own].filter((depth) => depth > 0));
    if (distinct.size > 1) {
      const message = `"${name}" is fed batches of different depth: ${[...distinct].join(" and ")} levels.`;
      throw new Refusal("inputDimensions", message, { step, property: name });
    }
    depths.set(name, [...distinct][0] ?? 0);
  }
  const ofBatches = [...depths.values()].filter((depth) => depth > 0);
  if (ofBatches.length > 0 && Math.max(...ofBatches) - Math.min(...ofBatches) > 1) {
    throw new Refusal("inputDimensions", "Inputs differ by more than one level.", { step });
  }
  return depths;
}

function checkExpectedDepths(
  step: string,
  depths: ReadonlyMap<string, number>,
  { inputOffsets, reference }: { inputOffsets: Readonly<Record<string, number>>; reference: string | undefined },
): void {
  const fed = [...depths].filter(([, depth]) => depth > 0);
  if (fed.length === 0) return;
  if (reference === undefined) {
    if (new Set(fed.map(([, depth]) => depth)).size === 1) return;
    throw new Refusal("expectedDimensions", "Inputs of one depth are wanted, but they differ.", { step });
  }
  const origin = (depths.get(reference) ?? 0) - (inputOffsets[reference] ?? 0);
  if (fed.some(([name]) => origin + (inputOffsets[name] ?? 0) <= 0)) {
    throw new Refusal("expectedDimensions", "An input would have to be less deep than a batch is.", { step });
  }
  for (const [name, depth] of fed) {
    const expected = origin + (inputOffsets[name] ?? 0);
    if (depth === expected) continue;
    const message = `"${name}" is fed a batch ${depth} deep; ${expected} was expected.`;
    throw new Refusal("expectedDimensions", message, { step, property: name });
  }
}

/** Every lineage once. A list or dictionary brings at most one that was not seen before. */
function dataLineages(step: string, properties: readonly FedProperty[]): readonly Lineage[] {
  const seen: Lineage[] = [];
  for (const { name, lineages } of properties) {
    const fresh = distinctLineages(lineages.filter(({ length }) => length > 0)).filter(
      (lineage) => !seen.some((other) => sameLineage(other, lineage)),
    );
    if (fresh.length > 1) {
      const message = `"${name}" is fed batches that do not belong together: ${fresh.map((l) => l.join(" → ")).join("; ")}.`;
      throw new Refusal("lineage", message, { step, property: name });
    }
    seen.push(...fresh);
  }
  return seen;
}

/** A gate decides on a step only if it looks at what the step's data comes from. */
function checkGates(step: string, gates: readonly FedGate[], data: readonly Lineage[]): void {
  if (data.length === 0) return;
  const prefixes = lineagePrefixes(data);
  for (const { name, lineage } of gates) {
    if (lineage.length === 0 || prefixes.some((prefix) => sameLineage(prefix, lineage))) continue;
    const message = `Gate "${name}" decides on other data than the step is fed: the step would never run.`;
    throw new Refusal("controlFlow", message, { step });
  }
}

function lineageOf(properties: readonly FedProperty[], name: string | undefined): Lineage | undefined {
  return properties.find((property) => property.name === name)?.lineages.find(({ length }) => length > 0);
}

function outputLineage(step: string, { lineage }: ReferenceLineage, outputOffset: number): Lineage {
  if (outputOffset < 0) return lineage.slice(0, -1);
  return outputOffset === 0 ? lineage : [...lineage, `$steps.${step}`];
}
