// steps and what they wait for → layers
import type { Binding, ParsedStep } from "./parsed-workflow.ts";

export type StepOrder =
  | { readonly kind: "layers"; readonly layers: readonly (readonly string[])[] }
  /** Names of steps that wait for each other. */
  | { readonly kind: "cycle"; readonly steps: readonly string[] };

/** A step stands one layer after the last of those it waits for; within a layer the order of the document holds. */
export function orderSteps(steps: readonly ParsedStep[]): StepOrder {
  const waiting = new Map(steps.map((step) => [step.text.name, stepsBehind(step)]));
  const layers: string[][] = [];
  while (waiting.size > 0) {
    const layer = [...waiting].filter(([, before]) => before.every((name) => !waiting.has(name))).map(([name]) => name);
    if (layer.length === 0) return { kind: "cycle", steps: cycleIn(waiting) };
    for (const name of layer) waiting.delete(name);
    layers.push(layer);
  }
  return { kind: "layers", layers };
}

function stepsBehind(step: ParsedStep): readonly string[] {
  return [...step.bindings.values()].flatMap(stepsOf);
}

function stepsOf(binding: Binding): readonly string[] {
  switch (binding.kind) {
    case "literal":
    case "input":
      return [];
    case "output":
      return [binding.step];
    case "list":
      return binding.items.flatMap(stepsOf);
    case "dictionary":
      return binding.entries.flatMap(([, value]) => stepsOf(value));
  }
}

/** Follows what steps wait for until one comes again. */
function cycleIn(waiting: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const path: string[] = [];
  let [name] = waiting.keys();
  while (name !== undefined && !path.includes(name)) {
    path.push(name);
    name = waiting.get(name)?.find((before) => waiting.has(before));
  }
  return path.slice(path.indexOf(name ?? ""));
}
