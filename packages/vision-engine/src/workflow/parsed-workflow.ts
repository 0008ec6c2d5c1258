import type { Json } from "@vision-agent/protocol";
import type { Block, BlockManifest, OutputManifest, StepText } from "../blocks/block.ts";

/** Where one value comes from. */
export type Source =
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "input"; readonly name: string }
  /** Without a property when the author named the step itself, which is wrong but must be told. */
  | { readonly kind: "output"; readonly step: string; readonly property: string };

/** Where the value of a property comes from. Lists and dictionaries may hold selectors, one level deep. */
export type Binding =
  | Source
  | { readonly kind: "list"; readonly items: readonly Source[] }
  | { readonly kind: "dictionary"; readonly entries: readonly (readonly [name: string, value: Source])[] };

export interface ParsedInput {
  readonly name: string;
  /** `WorkflowImage`, …, as the author wrote it. */
  readonly type: string;
  readonly role: "image" | "metadata" | "batch" | "parameter";
  readonly kinds: readonly string[];
  /** Empty for a parameter. */
  readonly lineage: Lineage;
  readonly defaultValue: Json;
}

/** A step that a gate may let go on. Targets of one branch go on together. */
export interface Target {
  readonly step: string;
  readonly property: string;
  readonly branch: string;
}

export interface ParsedStep {
  readonly text: StepText;
  /** Block type as the author wrote it. */
  readonly type: string;
  readonly manifest: BlockManifest;
  /** Absent when the block is known but does not run here. */
  readonly block?: Block;
  /** One for each property of the manifest. */
  readonly bindings: ReadonlyMap<string, Binding>;
  readonly targets: readonly Target[];
  /** With those that depend on how the step was written; absent when only the block that is missing here knows them. */
  readonly outputs?: readonly OutputManifest[];
}

export interface ParsedOutput {
  readonly name: string;
  /** Property `*` stands for all outputs of the step. */
  readonly source: Exclude<Source, { kind: "literal" }>;
  readonly coordinates: "own" | "parent";
}

export interface ParsedWorkflow {
  readonly inputs: readonly ParsedInput[];
  readonly steps: readonly ParsedStep[];
  readonly outputs: readonly ParsedOutput[];
}

/** Every single source of a binding. */
export function sourcesOf(binding: Binding): readonly Source[] {
  switch (binding.kind) {
    case "list":
      return binding.items;
    case "dictionary":
      return binding.entries.map(([, source]) => source);
    default:
      return [binding];
  }
}

/**
 * Where the elements of a batch come from: one name a level. Images of the input have `["<workflow_input>"]`, crops of
 * them `["<workflow_input>", "$steps.crop"]`; a value that is no batch has none.
 */
export type Lineage = readonly string[];

/** Name of the level that all batch inputs share. */
export const INPUT_LEVEL = "<workflow_input>";

/** Levels below the first are of this input alone. */
export function inputLineage(name: string, depth: number): Lineage {
  return [INPUT_LEVEL, ...Array.from({ length: depth - 1 }, (_, level) => `$inputs.${name}[${level + 1}]`)];
}

export function sameLineage(one: Lineage, other: Lineage): boolean {
  return one.length === other.length && one.every((level, at) => level === other[at]);
}

/** Each lineage once, in the order they were first seen. */
export function distinctLineages(lineages: readonly Lineage[]): readonly Lineage[] {
  return lineages.filter((lineage, at) => lineages.findIndex((other) => sameLineage(other, lineage)) === at);
}

/** Every beginning of every lineage, each once. */
export function lineagePrefixes(lineages: readonly Lineage[]): readonly Lineage[] {
  return distinctLineages(lineages.flatMap((lineage) => lineage.map((_, at) => lineage.slice(0, at + 1))));
}

export function longestLineage(lineages: readonly Lineage[]): Lineage | undefined {
  return lineages.reduce<Lineage | undefined>(
    (longest, lineage) => (lineage.length > (longest?.length ?? 0) ? lineage : longest),
    undefined,
  );
}
