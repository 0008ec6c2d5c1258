// steps and what they wait for → layers
import { type ParsedStep, sourcesOf } from "./parsed-workflow.ts";

export type StepOrder =
  | { readonly kind: "layers"; readonly layers: readonly (readonly ParsedStep[])[] }
  /** Names of steps that wait for each other. */
  | { readonly kind: "cycle"; readonly steps: readonly string[] };

/** A step stands one layer after the last of those it waits for; within a layer the order of the document holds. */
export function orderSteps(steps: readonly ParsedStep[]): StepOrder {
  const waiting = new Map(steps.map((step) => [step.text.name, stepsBehind(step, steps)]));
  const layers: ParsedStep[][] = [];
  while (waiting.size > 0) {
    const layer = steps.filter(({ text }) => waiting.get(text.name)?.every((name) => !waiting.has(name)));
    if (layer.length === 0) return { kind: "cycle", steps: cycleIn(waiting) };
    for (const { text } of layer) waiting.delete(text.name);
    layers.push(layer);
  }
  return { kind: "layers", layers };
}

/** Steps whose data a step needs, and gates that decide on it. */
function stepsBehind({ text, bindings }: ParsedStep, steps: readonly ParsedStep[]): readonly string[] {
  const sources = [...bindings.values()].flatMap(sourcesOf);
  const givers = sources.flatMap((source) => (source.kind === "output" ? [source.step] : []));
  const gates = steps.filter(({ targets }) => targets.some(({ step }) => step === text.name));
  return [...givers, ...gates.map((gate) => gate.text.name)];
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
