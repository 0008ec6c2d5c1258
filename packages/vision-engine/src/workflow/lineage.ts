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

/** Each lineage once, in the order of first sight. */
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
