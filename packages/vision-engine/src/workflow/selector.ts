// text of a property → what it points to
import type { OutputManifest } from "../blocks/block.ts";
import { nearestName } from "../nearest-name.ts";

/** `$inputs.name`, `$steps.name.property` or, for steps that choose how to go on, `$steps.name`. */
export type Selector =
  | { readonly kind: "input"; readonly name: string }
  | { readonly kind: "output"; readonly step: string; readonly property: string }
  | { readonly kind: "step"; readonly step: string };

/** Absent when the text is no selector. */
export function parseSelector(text: string): Selector | undefined {
  const [, name] = /^\$inputs\.([\w-]+)$/.exec(text) ?? [];
  if (name !== undefined) return { kind: "input", name };
  const [, step, property] = /^\$steps\.([\w-]+)(?:\.([\w*-]+))?$/.exec(text) ?? [];
  if (step === undefined) return undefined;
  return property === undefined ? { kind: "step", step } : { kind: "output", step, property };
}

/** Whether a value is meant as a selector, well-formed or not. */
export function isReference(value: unknown): value is string {
  return typeof value === "string" && (value.startsWith("$inputs.") || value.startsWith("$steps."));
}

export function inputSelector(name: string): string {
  return `$inputs.${name}`;
}

export function stepSelector(name: string): string {
  return `$steps.${name}`;
}

/** `$steps.detect.predictions` → `$steps.detect`; other selectors stay. */
export function ownerOf(selector: string): string {
  return selector.split(".").slice(0, 2).join(".");
}

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
