// a checked specification and its inputs → the outputs of one picture
import type { Json } from "@vision-agent/protocol";
import { isObject, type JsonObject } from "./check-body.ts";
import { referencesOf } from "./check-references.ts";
import { type Outputs, type Properties, runStep, type StepMemory } from "./run-step.ts";
import type { CheckedSpec, SpecStep } from "./spec-parts.ts";
import { Deeper, serialise, type Value } from "./step-values.ts";
import type { World } from "./world.ts";

export interface Run {
  readonly world: World;
  readonly spec: CheckedSpec;
  /** Values of `$inputs`, defaults filled in. */
  readonly inputs: Readonly<Record<string, Value>>;
  /** Kept by pipelines and WebRTC sessions; a new one for every call of `/workflows/run`. */
  readonly memory: StepMemory;
}

interface Progress {
  readonly outputs: Map<string, Outputs>;
  readonly skipped: Set<string>;
}

/** Serialised outputs by name. Throws the refusal of the step that fails. */
export function runSpec(run: Run): JsonObject {
  const progress: Progress = { outputs: new Map(), skipped: new Set() };
  for (const step of run.spec.steps) {
    if (isSkipped(step, progress)) {
      progress.skipped.add(step.name);
      continue;
    }
    const properties = Object.fromEntries(
      Object.entries(step.json).map(([key, value]) => [key, lookUp(value, run, progress)]),
    );
    const outputs = runAtEachLevel(run, step, properties);
    if (outputs === undefined) for (const name of guardedBy(step)) progress.skipped.add(name);
    progress.outputs.set(step.name, outputs ?? {});
  }
  const outputs = run.spec.outputs.map(({ name, selector, inOwnPixels }) => [
    name,
    serialise(lookUp(selector, run, progress), { ...run.world, inOwnPixels }),
  ]);
  return Object.fromEntries(outputs);
}

/** A step that reads crops runs once for each of them. */
function runAtEachLevel(run: Run, step: SpecStep, properties: Properties): Outputs | undefined {
  const batch = Object.values(properties).find((value) => value instanceof Deeper);
  const collapses = step.block.category === "fusion" || step.block.name === "Property Definition";
  if (batch === undefined || collapses) return runStep({ ...run, step, properties });
  const results = batch.items.map((_, index) => {
    const single = Object.entries(properties).map(([key, value]) => [
      key,
      value instanceof Deeper ? value.items[index] : value,
    ]);
    return runStep({ ...run, step, properties: Object.fromEntries(single) }) ?? {};
  });
  const names = Object.keys(step.block.gives);
  return Object.fromEntries(names.map((name) => [name, new Deeper(results.map((result) => result[name] ?? null))]));
}

function lookUp(value: Json, run: Run, progress: Progress): Value {
  if (typeof value === "string") return value.startsWith("$") ? follow(value, run, progress) : value;
  if (Array.isArray(value)) return value.map((item) => lookUp(item, run, progress) as Json);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, lookUp(item, run, progress) as Json]));
}

function follow(selector: string, run: Run, progress: Progress): Value {
  const [root, name = "", property] = selector.split(".");
  if (root === "$inputs") return run.inputs[name] ?? null;
  if (property === undefined) return selector;
  if (progress.skipped.has(name)) return null;
  const outputs = progress.outputs.get(name) ?? {};
  return property === "*" ? (outputs as JsonObject) : (outputs[property] ?? null);
}

function isSkipped(step: SpecStep, progress: Progress): boolean {
  if (progress.skipped.has(step.name)) return true;
  if (step.block.name === "First Non Empty Or Default") return false;
  return referencesOf(step).some(
    ({ selector }) => progress.skipped.has(selector.split(".")[1] ?? "") && selector.startsWith("$steps."),
  );
}

function guardedBy(step: SpecStep): readonly string[] {
  return referencesOf(step)
    .filter(({ selector }) => selector.startsWith("$steps.") && selector.split(".").length === 2)
    .map(({ selector }) => selector.split(".")[1]!);
}
