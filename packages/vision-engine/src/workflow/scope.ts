// what a document offers → selectors that fit somewhere
import type { OutputManifest } from "../blocks/manifests/block-manifest.ts";
import { nearestName } from "../nearest-name.ts";
import { inputSelector, stepSelector } from "./selector.ts";

/** What selectors can name. Outputs are absent where nobody here knows them: such a step is said to be wrong elsewhere. */
export interface Scope {
  readonly inputs: ReadonlyMap<string, { readonly kinds: readonly string[] }>;
  readonly steps: ReadonlyMap<string, { readonly outputs?: readonly OutputManifest[] } | undefined>;
}

/** Whether a value of these kinds may go where those are accepted; `*` is any. */
export function kindsMeet(given: readonly string[], accepted: readonly string[]): boolean {
  return given.includes("*") || accepted.includes("*") || given.some((kind) => accepted.includes(kind));
}

/** Every selector that gives one of these kinds. */
export function selectorsOf(scope: Scope, kinds: readonly string[]): readonly string[] {
  const inputs = [...scope.inputs].filter(([, input]) => kindsMeet(input.kinds, kinds));
  const outputs = [...scope.steps].flatMap(([step, known]) =>
    (known?.outputs ?? [])
      .filter((output) => kindsMeet(output.kinds, kinds))
      .map((output) => `${stepSelector(step)}.${output.name}`),
  );
  return [...inputs.map(([name]) => inputSelector(name)), ...outputs];
}

/** The selector of one of these kinds that was most likely meant. */
export function nearestSelector(scope: Scope, written: string, kinds: readonly string[]): string | undefined {
  const candidates = selectorsOf(scope, kinds);
  const ofOwner = candidates.filter((candidate) => candidate.startsWith(`${written}.`));
  return ofOwner[0] ?? nearestName(written, candidates) ?? candidates[0];
}
